// Drive `external-evidence rpc` through one whole lifecycle, as an embedder in another language would.
//
//   node drive_rpc.mjs COMMAND [ARGUMENT...]      for example: external-evidence rpc --digest sha256
//
// Needs Node.js 18 and no packages. Computes every identity itself from lifecycle.md section 2 and
// compares the whole answers, so that it is a second implementation of the identities and not an echo.
// Prints one line for each step; exits 1 with the first difference.

import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

const PATIENCE_MS = 60_000;
const PROTOCOL = "external_evidence_research_v0";
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

// JavaScript sorts strings by UTF-16 code units and writes them with JSON's shortest escapes: RFC 8785.
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

const digest = (value) => `sha256:${createHash("sha256").update(canonical(value), "utf8").digest("hex")}`;

// --- The server as a line of questions and a line of answers ---------------------------------------

class Server {
  constructor([command, ...args]) {
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.complaint = "";
    this.child.stderr.on("data", (chunk) => (this.complaint += chunk));
    this.child.stdin.on("error", () => {}); // an early exit is told by `ended`, with the server's own words
    this.ended = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (code, signal) => resolve({ code, signal }));
    });
    this.ended.catch(() => {});
    this.answers = createInterface({ input: this.child.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
    this.watchdog = setTimeout(() => this.child.kill("SIGKILL"), PATIENCE_MS);
  }

  write(text) {
    this.child.stdin.write(text);
  }

  ask(id, verb, params) {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: `external_evidence.${verb}`, params })}\n`);
  }

  async answer(id) {
    const { value, done } = await this.answers.next();
    if (done) {
      const { code, signal } = await this.ended;
      throw new Error(`the server ended (${signal ?? `exit ${code}`}) before it answered ${id}: ${this.complaint}`);
    }
    const message = JSON.parse(value);
    assert.equal(message.jsonrpc, "2.0");
    assert.deepEqual(message.id, id, "answers come in the order of the questions and carry their ids");
    assert.equal("result" in message, !("error" in message), "an answer is a result or an error, not both");
    return message;
  }

  async result(id, verb, params) {
    this.ask(id, verb, params);
    const message = await this.answer(id);
    assert.ok("result" in message, `${verb} was refused: ${JSON.stringify(message.error)}`);
    return message.result;
  }

  async close() {
    this.child.stdin.end();
    const { done, value } = await this.answers.next();
    assert.ok(done, `a line that nobody asked for: ${value}`);
    const end = await this.ended;
    clearTimeout(this.watchdog);
    assert.deepEqual(end, { code: 0, signal: null }, this.complaint);
    assert.equal(this.complaint, "", "nothing on stderr");
  }
}

function refused(message, code) {
  assert.ok("error" in message, `accepted: ${JSON.stringify(message.result)}`);
  assert.equal(typeof message.error.message, "string");
  assert.ok(Number.isInteger(message.error.code));
  if (code !== undefined) assert.equal(message.error.code, code);
}

// --- What goes in, and what has to come out ---------------------------------------------------------

const ready = {
  provider_id: "method:host-research",
  provider_kind: "method",
  protocol: PROTOCOL,
  declared: true,
  installed: true,
  enabled: true,
  ready: true,
  unavailable_reason: null,
};
const listed = {
  ...ready,
  provider_id: "connector:listed",
  provider_kind: "connector",
  installed: false,
  enabled: false,
  ready: false,
  unavailable_reason: "connector_registry_is_inventory_not_readiness",
};
const providers = [listed, ready];

// Padding, keys out of order, text beyond the BMP: none of it may change an identity.
const asked = {
  decision: "\u3000Accept or return the drawing \ufeff",
  objective: "  坡道坡度? 🛝 ",
  user_activity: "审图",
  evidence_kinds: ["normative_text"],
  search_terms: ["GB 50763-2012"],
};
const request = {
  schema_version: "loopx_external_evidence_request_v0",
  objective: "坡道坡度? 🛝",
  user_activity: "审图",
  decision: "Accept or return the drawing",
  evidence_kinds: ["normative_text"],
  constraints: [],
  search_terms: ["GB 50763-2012"],
};

function expectedPlan() {
  const requestId = digest(request);
  const envelope = {
    schema_version: "loopx_external_evidence_execution_envelope_v0",
    request_id: requestId,
    provider_id: ready.provider_id,
    provider_kind: ready.provider_kind,
    protocol: PROTOCOL,
    authority: "read_external_sources_only",
    raw_content_persistence: "provider_private",
    result_contract: "loopx_external_evidence_receipt_v0",
  };
  const body = {
    schema_version: "loopx_external_evidence_plan_v0",
    status: "ready",
    request: { ...request, request_id: requestId },
    provider_candidates: providers,
    selected_provider: ready,
    execution_envelope: envelope,
    blocker: null,
  };
  const planId = digest(body);
  return { ...body, execution_envelope: { ...envelope, plan_id: planId }, plan_id: planId };
}

function receiptFor(plan) {
  const source = (ref, finding) => ({
    source_ref: ref,
    source_family: "标准",
    basis: "stated",
    finding,
    limitation: null,
    publication_date: "2012-03-30",
    accessed_at: "2026-10-01T08:00:00+08:00",
    content_digest: digest(finding),
  });
  return {
    schema_version: "loopx_external_evidence_receipt_v0",
    plan_id: plan.plan_id,
    request_id: plan.request.request_id,
    provider_id: ready.provider_id,
    provider_kind: ready.provider_kind,
    status: "succeeded",
    sources: [
      source("urn:cn-standard:GB%2050763-2012", "坡度不应大于1:12"),
      source("https://example.org/ramps", "One in twelve"),
    ],
    summary: "two sources",
    limitations: ["one edition"],
    completed_at: "2026-10-01T00:01:00Z",
  };
}

const identity = (plan) => ({
  plan_id: plan.plan_id,
  request_id: plan.request.request_id,
  provider_id: ready.provider_id,
  provider_kind: ready.provider_kind,
});

function expectedObservation(plan, receipt) {
  const { plan_id, request_id, provider_id } = identity(plan);
  const subject = { plan_id, request_id, provider_id, receipt_digest: digest(receipt) };
  return {
    schema_version: "loopx_external_evidence_receipt_observation_v0",
    receipt_observation_id: digest(subject),
    ...identity(plan),
    status: "succeeded",
    receipt,
    truth_contract: {
      provider_receipt_observed: true,
      provider_execution_attested: false,
      evidence_produced_reported: true,
      evidence_coverage_observed: false,
      automatic_admission: false,
      automatic_promotion: false,
      raw_source_fallback_allowed: true,
    },
  };
}

function expectedAdmission(plan, receipt, decision) {
  const body = {
    schema_version: "loopx_external_evidence_admission_v0",
    ...identity(plan),
    receipt_status: "succeeded",
    receipt_digest: digest(receipt),
    completed_at: receipt.completed_at,
    ...decision,
    downstream_projection: {
      schema_version: "loopx_external_evidence_projection_v0",
      plan_id: plan.plan_id,
      request_id: plan.request.request_id,
      objective: request.objective,
      decision: request.decision,
      disposition: decision.disposition,
      sources: receipt.sources.filter(({ source_ref }) => decision.admitted_source_refs.includes(source_ref)),
      summary: receipt.summary,
      limitations: receipt.limitations,
    },
  };
  return { ...body, admission_id: digest(body) };
}

const expectedRetirement = (admission, missing) => ({
  schema_version: "loopx_external_evidence_retirement_v0",
  admission_id: admission.admission_id,
  plan_id: admission.plan_id,
  request_id: admission.request_id,
  status: missing.length ? "retained" : "retire_ready",
  retire_ready: missing.length === 0,
  missing_downstream_source_refs: missing,
  reason: missing.length ? "admitted_sources_not_yet_projected" : "all_admitted_sources_projected",
});

// --- The journey ------------------------------------------------------------------------------------

const done = (step) => console.log(`ok ${step}`);

// lifecycle.md section 2, worked example: a wrong hash here is this program's fault, not the server's.
function checkOwnHashing() {
  const example = {
    schema_version: "loopx_external_evidence_request_v0",
    objective: "坡道坡度?",
    user_activity: "u",
    decision: "d",
    evidence_kinds: ["k"],
    constraints: [],
  };
  assert.equal(digest(example), "sha256:df915f6d8cc0f54d6ab20b378836b5ce7bb6b3a7529b867ffb32d56f65f1cc08");
  done("own hashing agrees with the worked example");
}

async function discoverAndPlan(server) {
  const found = await server.result(7, "discover", { providers });
  assert.deepEqual(found, {
    schema_version: "loopx_external_evidence_discovery_v0",
    status: "ready",
    providers,
    summary: { provider_count: 2, method_count: 1, connector_count: 1, ready_count: 1, unavailable_count: 1 },
    ready_provider_ids: [ready.provider_id],
    truth_contract: {
      registry_presence_is_readiness: false,
      supported_status_is_readiness: false,
      execution_observed: false,
      evidence_coverage_observed: false,
    },
  });
  done("discover");
  const plan = await server.result(3, "plan", { providers, request: asked });
  assert.deepEqual(plan, expectedPlan());
  done(`plan ${plan.plan_id}`);
  return plan;
}

async function survivesBadInput(server, plan) {
  server.write('{"jsonrpc": "2.0", "id": 1, "method"\n');
  refused(await server.answer(null), PARSE_ERROR);
  server.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a])); // not UTF-8
  refused(await server.answer(null), PARSE_ERROR);
  server.write("[]\n");
  refused(await server.answer(null), INVALID_REQUEST);
  server.ask("x-1", "promote", {});
  refused(await server.answer("x-1"), METHOD_NOT_FOUND);
  server.ask(2, "plan", { providers });
  refused(await server.answer(2));
  const forged = { ...plan, request: { ...plan.request, decision: "Accept it" } };
  server.ask(1, "receipt", { plan: forged, receipt: receiptFor(plan) });
  refused(await server.answer(1));
  done("bad lines, unknown method, missing request, forged plan: refused, and the server stays up");
}

// Three questions are written before the first answer is read; ids fall, repeat a used one, and are text.
async function answersInOrder(server, plan) {
  const notification = { jsonrpc: "2.0", method: "external_evidence.discover", params: { providers } };
  server.ask(900, "plan", { providers, request: asked });
  server.ask("甲", "discover", { providers: [] });
  server.write(`${JSON.stringify(notification)}\n`); // without an id: no answer (JSON-RPC 2.0 section 4.1)
  server.ask(3, "plan", { providers: [listed], request: asked });
  assert.deepEqual((await server.answer(900)).result, plan);
  assert.equal((await server.answer("甲")).result.status, "empty");
  const blocked = (await server.answer(3)).result;
  assert.equal(blocked.status, "blocked");
  assert.equal(blocked.blocker, "no_ready_provider");
  assert.notEqual(blocked.plan_id, plan.plan_id);
  done("answers in order, whatever the ids");
}

async function receiptToRetirement(server, plan) {
  const receipt = receiptFor(plan);
  assert.deepEqual(await server.result("r", "receipt", { plan, receipt }), expectedObservation(plan, receipt));
  done("receipt");
  const refs = receipt.sources.map(({ source_ref }) => source_ref).reverse();
  const decision = { disposition: "admit", reason: "直接回答", admitted_source_refs: refs };
  const admission = await server.result(40, "admit", { plan, receipt, decision });
  assert.deepEqual(admission, expectedAdmission(plan, receipt, decision));
  done(`admit ${admission.admission_id}`);
  const retained = await server.result(39, "retire", { admission, downstream_source_refs: [refs[1]] });
  assert.deepEqual(retained, expectedRetirement(admission, [refs[0]]));
  const retired = await server.result(38, "retire", { admission, downstream_source_refs: [...refs].reverse() });
  assert.deepEqual(retired, expectedRetirement(admission, []));
  done("retire, first retained and then ready");
}

async function journey(command) {
  checkOwnHashing();
  const server = new Server(command);
  try {
    const plan = await discoverAndPlan(server);
    await survivesBadInput(server, plan);
    await answersInOrder(server, plan);
    await receiptToRetirement(server, plan);
    await server.close();
    done("the server ends with its input");
  } finally {
    clearTimeout(server.watchdog);
    server.child.kill();
  }
}

if (process.argv.length < 3) {
  console.error("usage: node drive_rpc.mjs COMMAND [ARGUMENT...]");
  process.exitCode = 2;
} else {
  journey(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}

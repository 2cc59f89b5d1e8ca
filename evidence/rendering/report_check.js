// Checks this page against the bytes embedded in it. It changes nothing but the section "check" and marks.
(function () {
  const MOST = 50;
  const byId = (id) => document.getElementById(id);
  const utf8 = new TextEncoder(), strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const words = JSON.parse(byId("words").textContent);
  const complaints = [], records = [], bodies = new Map(), values = new Map();
  let ids = 0, facts = 0, leftFacts = 0, leftBodies = 0;

  const say = (key, filled) => words[key].replace(/\{(\w+)\}/g, (_, name) => filled[name]);
  const complain = (seq, key, expected, found) => complaints.push({ seq, key, expected, found });
  const digest = (name, bytes) => `${name}:${name === "sha256" ? sha256(bytes) : blake3(bytes)}`;

  function bytesOf(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  function canonical(value) {  // RFC 8785: strings and key order are those of this very language
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (value === null || typeof value !== "object") return JSON.stringify(value);
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
  }

  function parsed(bytes) {
    try {
      return JSON.parse(strict.decode(bytes));
    } catch (error) {
      return undefined;
    }
  }

  function lines(id) {
    return byId(id).textContent.split("\n").filter((line) => line !== "").map((line) => line.split(" "));
  }

  function readRecords() {
    const shown = new Map();
    for (const element of document.querySelectorAll('[data-at^="i"]')) {
      shown.set(Number(element.dataset.at.slice(1)), element.textContent);
    }
    let before = null, log = null;
    for (const [place, base64] of lines("embedded-records")) {
      const seq = Number(place), raw = bytesOf(base64), id = digest("blake3", raw), record = parsed(raw);
      if (seq !== records.length) complain(seq, "bad.seq", records.length, seq);
      if (shown.has(seq) && shown.get(seq) !== id) complain(seq, "bad.record", shown.get(seq), id);
      if (record === undefined || canonical(record) !== strict.decode(raw)) {
        complain(seq, "bad.form", "", "");
      } else {
        log = log === null ? record.log : log;
        if (record.seq !== seq) complain(seq, "bad.seq", seq, record.seq);
        if (record.prev !== before) complain(seq, "bad.prev", before, record.prev);
        if (record.log !== log) complain(seq, "bad.log", log, record.log);
        values.set(`r${seq}`, record);
      }
      records.push({ seq, raw, id, record });
      before = id;
    }
  }

  function readBodies() {
    const wrong = new Set();
    for (const [stated, base64] of lines("embedded-bodies")) {
      const body = bytesOf(base64), own = digest("blake3", body);
      if (own === stated) bodies.set(stated, body);
      else wrong.add(stated);
      if (own !== stated && !records.some(({ record }) => record && record.body.digest === stated)) {
        complain("", "bad.body", stated, own);
      }
      if (own !== stated) bodies.set(`wrong ${stated}`, own);
    }
    for (const { seq, record } of records) {
      if (!record) continue;
      const named = record.body.digest, body = bodies.get(named);
      if (wrong.has(named)) {
        complain(seq, "bad.body", named, bodies.get(`wrong ${named}`));
      } else if (body === undefined) {
        leftBodies += 1;
      } else {
        if (body.length !== record.body.size) complain(seq, "bad.size", record.body.size, body.length);
        readArtifact(seq, record, body);
      }
    }
  }

  function readArtifact(seq, record, body) {
    const artifact = parsed(body);
    if (artifact === undefined) return;
    values.set(`b${seq}`, artifact);
    const without = (value, name) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
    const same = (stated, value) => {
      ids += 1;
      const own = digest(String(stated).split(":")[0], utf8.encode(canonical(value)));
      if (own !== stated) complain(seq, "bad.id", own, stated);
    };
    const subject = record.subject;
    if (record.kind === "plan.created") {
      const envelope = artifact.execution_envelope && without(artifact.execution_envelope, "plan_id");
      same(artifact.request.request_id, without(artifact.request, "request_id"));
      same(subject.request_id, without(artifact.request, "request_id"));
      same(artifact.plan_id, { ...without(artifact, "plan_id"), execution_envelope: envelope });
      same(subject.plan_id, { ...without(artifact, "plan_id"), execution_envelope: envelope });
    } else if (record.kind === "receipt.observed") {
      same(subject.receipt_digest, artifact);
    } else if (record.kind === "admission.decided") {
      same(artifact.admission_id, without(artifact, "admission_id"));
      same(subject.admission_id, without(artifact, "admission_id"));
    }
  }

  function treeRoot() {
    let level = records.map(({ raw }) => {
      const leaf = new Uint8Array(raw.length + 1);
      leaf.set(raw, 1);
      return sha256(leaf);
    });
    const bytes = (hex) => Uint8Array.from(hex.match(/../g), (two) => parseInt(two, 16));
    while (level.length > 1) {
      const next = [];
      for (let i = 0; i < level.length; i += 2) {
        next.push(i + 1 === level.length ? level[i] : sha256(Uint8Array.from([1, ...bytes(level[i]), ...bytes(level[i + 1])])));
      }
      level = next;
    }
    return `sha256:${level.length ? level[0] : sha256(new Uint8Array(0))}`;
  }

  function at(value, pointer) {
    for (const part of pointer.split("/").slice(1)) {
      const step = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (value === null || typeof value !== "object" || !Object.hasOwn(value, step)) return undefined;
      value = value[step];
    }
    return value;
  }

  // As the report writes out what would not be seen or would move the text around it.
  const visible = (text) => text.replace(
    /[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

  function compareShown(whole) {
    for (const element of document.querySelectorAll("[data-at]")) {
      const [, place, seq, pointer] = /^([a-z]+)(\d*)(.*)$/.exec(element.dataset.at), shown = element.textContent;
      if (place === "i") continue;
      if (place === "head" || place === "root") {
        if (!whole) { leftFacts += 1; continue; }
        const own = place === "root" ? treeRoot() : records.length ? records[records.length - 1].id : shown;
        facts += 1;
        if (own !== shown) complain("", `bad.${place}`, own, shown);
        continue;
      }
      if (!values.has(place + seq)) { leftFacts += 1; continue; }
      const own = at(values.get(place + seq), pointer);
      facts += 1;
      if (own === undefined || visible(String(own)) !== shown) {
        element.classList.add("wrong");
        complain(Number(seq), "bad.fact", String(own), shown);
      }
    }
  }

  function show() {
    const bad = complaints.length > 0, section = byId("check");
    section.className = bad ? "bad" : "ok";
    // What the page states beside bytes that are not the ones it was made of is no good news.
    for (const stated of bad ? document.querySelectorAll("p.ok") : []) stated.className = "";
    const counts = { records: records.length, bodies: bodies.size, ids, facts };
    byId("outcome").textContent = bad
      ? say("check_bad", { n: complaints.length }) : say("check_ok", counts);
    const all = Number(byId("embedded-records").dataset.all);
    const left = { records: Math.max(0, all - records.length), bodies: leftBodies, facts: leftFacts };
    if (left.records + left.bodies + left.facts > 0) {
      byId("left").textContent = say("check_left", left);
      byId("left").hidden = false;
    }
    byId("complaints").hidden = !bad;
    for (const { seq, key, expected, found } of complaints.slice(0, MOST)) {
      const item = document.createElement("li"), row = seq === "" ? null : byId(`record-${seq}`);
      if (seq !== "") {
        const link = document.createElement(row ? "a" : "span");
        if (row) link.href = `#record-${seq}`;
        link.textContent = `#${seq}`;
        item.append(link, " ");
      }
      item.append(words[key]);
      for (const [label, value] of [["expected", expected], ["found", found]]) {
        if (expected === "" && found === "") break;
        const line = document.createElement("div"), code = document.createElement("code");
        code.textContent = String(value).slice(0, 300);
        line.append(`${words[label]} `, code);
        item.append(line);
      }
      if (row) row.classList.add("wrong");
      byId("complaints").append(item);
    }
  }

  try {
    readRecords();
    readBodies();
    compareShown(records.length === Number(byId("embedded-records").dataset.all));
  } catch (error) {
    complain("", "bad.data", "", String(error));
  }
  show();
}());

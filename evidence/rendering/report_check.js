// Checks this page against the bytes embedded in it. What it shows is what it hashed; it adds the section "check" and marks.
// The document itself: an element may carry a name that hides what a document has (`<img name="body">`).
const PAGE = new Proxy({}, {
  get(_, name) {
    const own = Reflect.get(Document.prototype, name, document);
    return typeof own === "function" ? own.bind(document) : own;
  },
});
const THIS_SCRIPT = PAGE.currentScript;
// What may host a shadow root (DOM, "valid shadow host name").
const HOSTS = "article, aside, blockquote, body, div, footer, h1, h2, h3, h4, h5, h6, header, main, nav, p, section, span";
// Not among the page's words: who rewrites those must not write what is said of it.
const CHANGED = {
  zh: { headline: "本页已被改动：{n} 处不相符，以第一处为准。", seal: "页面的文字、样式或脚本与页面摘要不符" },
  en: {
    headline: "This page was changed: what does not agree is listed here ({n}); look at the first.",
    seal: "the text, style or script of the page is not what its seal names",
  },
};

function check() {
  const MOST = 50, GOOD = ["VERIFIED", "UNANCHORED"];
  const byId = (id) => PAGE.getElementById(id);
  const utf8 = new TextEncoder(), strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const words = parsed(utf8.encode(byId("words")?.textContent ?? "")) ?? {};
  const complaints = [], records = [], bodies = new Map(), values = new Map();
  const shownAt = new Set(), erasedBodies = new Set();
  let ids = 0, facts = 0, leftFacts = 0, leftBodies = 0, erased = 0;

  const changed = PAGE.documentElement.lang === "en" ? CHANGED.en : CHANGED.zh;

  const put = (text, filled) => (text ?? "").replace(/\{(\w+)\}/g, (_, name) => filled[name]);
  const say = (key, filled) => put(words[key], filled);
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
    for (const element of PAGE.querySelectorAll('[data-at^="i"]')) {
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
    for (const { record } of records) {
      if (!record || record.kind !== "body.erased" || !bodies.has(record.body.digest)) continue;
      for (const one of parsed(bodies.get(record.body.digest))?.bodies ?? []) erasedBodies.add(one);
    }
    for (const { seq, record } of records) {
      if (!record) continue;
      const named = record.body.digest, body = bodies.get(named);
      if (wrong.has(named)) {
        complain(seq, "bad.body", named, bodies.get(`wrong ${named}`));
      } else if (body === undefined) {
        if (erasedBodies.has(named)) erased += 1;
        else leftBodies += 1;
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

  const hexToBase64 = (hex) => btoa(String.fromCharCode(...hex.match(/../g).map((two) => parseInt(two, 16))));

  // What the page says of the whole, worked out from the records and bodies; undefined: not to be said from these.
  let counts;
  const computed = {
    head: () => records.length ? records[records.length - 1].id : undefined,
    root: () => treeRoot(),
    base: () => hexToBase64(treeRoot().slice("sha256:".length)),
    count: (name) => leftBodies ? undefined : String((counts ??= counted())[name] ?? 0),
  };

  // Lives as evidence/plan_story.py tells them.
  function counted() {
    const EVENTS = ["ledger.opened", "policy.changed", "key.rotated", "body.erased", "ledger.restored"];
    const counts = { records: records.length, call_count: 0, erased_count: 0 }, plans = new Map();
    const within = (map, key, made) => map.has(key) ? map.get(key) : (map.set(key, made), made);
    for (const { seq, record } of records) {
      if (!record) continue;
      const { kind, subject } = record, artifact = values.get(`b${seq}`);
      if (kind === "provider.called") counts.call_count += 1;
      if (subject.plan_id == null || EVENTS.includes(kind)) continue;
      if (!bodies.has(record.body.digest)) counts.erased_count += 1;
      const receipts = within(plans, subject.plan_id, new Map());
      const decisions = () => within(receipts, subject.receipt_digest, []);
      const decision = () => decisions().findLast((one) => one.id === subject.admission_id) ?? {};
      if (kind === "receipt.observed") decisions();
      if (kind === "admission.decided") decisions().push({ id: subject.admission_id, made: artifact, covered: [] });
      if (kind === "admission.superseded") decision().superseded = true;
      if (kind === "projection.observed") decision().covered = artifact?.downstream_source_refs ?? [];
      if (kind === "evidence.retired") decision().retired = true;
    }
    const receipts = [...plans.values()].flatMap((one) => [...one.values()]), all = receipts.flat();
    const now = all.filter((one) => !one.superseded), refs = (one) => one.made?.admitted_source_refs ?? [];
    const admitted = now.flatMap(refs), seen = now.flatMap((one) => refs(one).filter((ref) => one.covered.includes(ref)));
    const being = (disposition) => now.filter((one) => one.made?.disposition === disposition).length;
    return {
      ...counts, plans: plans.size, receipts: receipts.length, decisions: all.length,
      superseded_count: all.length - now.length, retired_count: now.filter((one) => one.retired).length,
      admitting: being("admit"), rejecting: being("reject"), sources_admitted: admitted.length,
      sources_covered: seen.length, sources_uncovered: admitted.length - seen.length,
    };
  }

  // What must stand on the page of every record that is embedded, and of every body of a plan's.
  function findMissing(plansToo) {
    const rows = PAGE.querySelectorAll('tr[id^="record-"]').length;
    if (rows < records.length) complain("", "bad.rows", records.length, rows);
    const once = ({ kind, subject }) => kind === "admission.decided" ? "" : `${kind} ${subject.plan_id} ${subject.receipt_digest}`;
    const last = new Map(records.filter(({ record }) => record).map(({ seq, record }) => [once(record), seq]));
    for (const { seq, record } of records) {
      if (!record) continue;
      const needed = [`i${seq}`, ...["seq", "at", "kind", "actor"].map((name) => `r${seq}/${name}`)];
      if (bodies.has(record.body.digest)) needed.push(`r${seq}/body/digest`);
      const told = plansToo ? values.get(`b${seq}`) : undefined;
      if (told !== undefined && record.subject.plan_id != null && (!once(record) || last.get(once(record)) === seq)) {
        const named = {
          "plan.created": () => ["request/objective", "request/decision", "request/user_activity"],
          "receipt.observed": () => ["summary", "status", ...told.sources.flatMap((_, index) =>
            ["source_ref", "finding", "basis"].map((name) => `sources/${index}/${name}`))],
          "admission.decided": () => ["reason", "disposition",
            ...told.admitted_source_refs.map((_, index) => `admitted_source_refs/${index}`)],
        };
        for (const one of Object.hasOwn(named, record.kind) ? named[record.kind]() : []) needed.push(`b${seq}/${one}`);
      }
      const missing = needed.filter((one) => !shownAt.has(one));
      if (missing.length) complain(seq, "bad.missing", missing.join(" "), "");
    }
  }

  // As report_html.py writes it.
  function written(node, raw) {
    if (node.nodeType === Node.TEXT_NODE) return raw ? node.data : literal(node.data);
    if (node.nodeType !== Node.ELEMENT_NODE) return "<!>";
    const name = node.localName, start = opened(node);
    if (name === "meta") return start;
    const inside = [...node.childNodes].map((one) => written(one, name === "script" || name === "style"));
    return `${start}${inside.join("")}</${name}>`;
  }

  function opened(element) {
    const attributes = [...element.attributes].map((one) => ` ${one.name}="${literal(one.value)}"`).join("");
    return `<${element.localName}${attributes}>`;
  }

  function literal(text) {
    const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "\r": "&#13;" };
    return text.replace(/[&<>"'\r]/g, (one) => entities[one]);
  }

  function checkSeal() {
    // The names of its fields hide what a form has of itself, so none is asked anything.
    for (const form of PAGE.querySelectorAll("form")) {
      complain("", "bad.beside", "", "<form>");
      Element.prototype.remove.call(form);
    }
    const seal = byId("seal"), { head, body, documentElement } = PAGE, parts = [...PAGE.querySelectorAll("main")];
    const data = ["embedded-records", "embedded-bodies", "words"].map(byId).filter((one) => one !== null);
    const held = [...parts, ...data, THIS_SCRIPT].map((one) => written(one, false)).join("");
    const around = [opened(documentElement), ...[...head.children].map((one) => written(one, false)), opened(body)];
    const own = digest("sha256", utf8.encode(around.join("") + held));
    const footer = `<footer id="seal">${literal(words.seal ?? "")} <code>${own}</code></footer>`;
    const stated = seal?.querySelector("code")?.textContent ?? "";
    if (seal === null || written(seal, false) !== footer) complain("", "bad.seal", stated, own);
    // An element that has no text may show some all the same (an <input>, an <img>, a frame).
    const ours = new Set([PAGE.doctype, documentElement, head, body, ...parts, ...data, seal, THIS_SCRIPT]);
    for (const node of [PAGE, documentElement, body].flatMap((one) => [...one.childNodes])) {
      const blank = node.nodeType === Node.TEXT_NODE && node.data.trim() === "";
      if (ours.has(node) || blank || node.nodeType === Node.COMMENT_NODE) continue;
      complain("", "bad.beside", "", node.outerHTML ?? node.data);
    }
    showOnly(parts, data, seal);
    for (const one of [body, ...body.querySelectorAll(HOSTS)]) {
      if (hosts(one)) complain("", "bad.shadow", one.textContent.trim(), `<${one.localName}>`);
    }
  }

  // A shadow root may show other text than the elements that were hashed: what is shown is written anew from
  // their text, and a parser called by a script makes no such roots.
  function showOnly(parts, data, seal) {
    const body = PAGE.createElement("body");
    body.innerHTML = [...parts, ...(seal ? [seal] : [])].map((one) => written(one, false)).join("\n");
    body.append(...data, THIS_SCRIPT);
    PAGE.body.replaceWith(body);
  }

  // A closed root is seen by this alone, that no open one can be attached. Only for what is shown no longer.
  function hosts(element) {
    try {
      return element.shadowRoot !== null || element.attachShadow({ mode: "open" }).mode !== "open";
    } catch (error) {
      return true;
    }
  }

  function compareShown(whole) {
    for (const element of PAGE.querySelectorAll("[data-at]")) {
      const [, place, seq, pointer] = /^([a-z]+)(\d*)(.*)$/.exec(element.dataset.at), shown = element.textContent;
      shownAt.add(element.dataset.at);
      if (place === "i") continue;
      if (Object.hasOwn(computed, place)) {
        const own = whole ? computed[place](pointer.slice(1)) : undefined;
        if (own === undefined) { leftFacts += 1; continue; }
        facts += 1;
        if (own !== shown) {
          element.classList.add("wrong");
          complain("", `bad.${place}`, own, shown);
        }
        continue;
      }
      if (!values.has(place + seq)) { leftFacts += 1; continue; }
      const own = at(values.get(place + seq), pointer);
      facts += 1;
      if (own === undefined || (visible(String(own)) !== shown && words[`code.${own}`] !== shown)) {
        element.classList.add("wrong");
        complain(Number(seq), "bad.fact", String(own), shown);
      }
    }
  }

  // Who edits a page may take this section away, hide it, or write a second one.
  function alarm() {
    for (const one of PAGE.querySelectorAll("#check")) one.remove();
    const section = PAGE.createElement("section");
    section.innerHTML = '<p id="outcome"></p><p id="left"></p><ol id="complaints"></ol>';
    section.id = "check";
    section.setAttribute("role", "alert");
    PAGE.body.prepend(section);
    return section;
  }

  function show() {
    if (byId("check") === null) complain("", "bad.data", "check", "");
    const all = Number(byId("embedded-records")?.dataset.all), verdict = byId("check")?.dataset.verdict;
    const left = { records: Math.max(0, all - records.length), bodies: leftBodies, facts: leftFacts };
    const bad = complaints.length > 0, missing = left.records + left.bodies + left.facts > 0;
    const part = missing || erased > 0;
    const tone = bad ? "bad" : !GOOD.includes(verdict) ? "broken" : part ? "part" : "ok";
    const section = bad ? alarm() : byId("check");
    section.className = { bad: "bad", broken: "bad", part: "warn", ok: "ok" }[tone];
    // What the page states beside bytes that are not the ones it was made of is no good news.
    for (const stated of bad ? PAGE.querySelectorAll("p.ok, p.warn") : []) stated.className = "";
    const counts = { records: records.length, bodies: bodies.size, ids, facts, n: complaints.length, verdict };
    byId("outcome").textContent = bad ? put(changed.headline, counts) : say(`check_${tone}`, counts);
    const notes = [missing ? say("check_left", left) : "", erased ? say("check_erased", { n: erased }) : ""];
    byId("left").textContent = notes.join(" ").trim();
    byId("left").hidden = byId("left").textContent === "";
    byId("complaints").hidden = !bad;
    for (const { seq, key, expected, found } of complaints.slice(0, MOST)) {
      const item = PAGE.createElement("li"), row = seq === "" ? null : byId(`record-${seq}`);
      if (seq !== "") {
        const link = PAGE.createElement(row ? "a" : "span");
        if (row) link.href = `#record-${seq}`;
        link.textContent = `#${seq}`;
        item.append(link, " ");
      }
      item.append(key === "bad.seal" ? changed.seal : words[key] ?? key);
      for (const [label, value] of [["expected", expected], ["found", found]]) {
        if (value === "") continue;
        const line = PAGE.createElement("div"), code = PAGE.createElement("code");
        code.textContent = String(value).slice(0, 300);
        line.append(`${words[label] ?? label} `, code);
        item.append(line);
      }
      if (row) row.classList.add("wrong");
      byId("complaints").append(item);
    }
  }

  try {
    checkSeal();  // before anything is marked; what it says comes last, where the others say what and where
    const told = byId("embedded-records").dataset, late = complaints.splice(0);
    readRecords();
    readBodies();
    compareShown(records.length === Number(told.all));
    findMissing(told.plans === "all");
    complaints.push(...late);
  } catch (error) {
    complain("", "bad.data", "", String(error));
  }
  show();
}

// What stands behind this script is part of the page too.
PAGE.addEventListener("DOMContentLoaded", check);

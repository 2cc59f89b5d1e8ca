"""One plan of an audit report: its question, receipts and sources, decisions, readbacks and retirement."""

from collections.abc import Iterable, Iterator

from evidence.plan_story import ERASED, HELD, DecisionStory, PlanStory, ReceiptStory, Step
from evidence.rendering.report_blocks import Block, Heading, Item, Items, Sentence, Value
from evidence.rendering.report_words import Words
from schemas.receipt import Receipt, Source

TONES = {"retired": "ok", "retained": "warn", "undecided": "warn", "waiting": "warn", "blocked": "off",
         "erased": "off"}  # fmt: skip
_DECIDED = {"admit": "ok", "reject": "off"}


def plan_blocks(plan: PlanStory, number: int, words: Words) -> Iterator[Block]:
    """Everything that the ledger tells of `plan`, which is the report's `number`th."""
    created, request = plan.created, plan.plan.request if plan.plan else None
    title = (
        [_of(created, "/request/objective", request.objective)]
        if request and created
        else [Value(words("objective_gone"), "word")]
    )
    mark = Value(words(f"state.{plan.state}"), f"mark {TONES.get(plan.state, 'bad')}")
    yield Heading(3, (Value(f"{words('plan')} {number}", "word"), *title, mark), f"plan-{number}")
    yield Items(tuple(_question(plan, words)))
    if plan.executions:
        yield Items(tuple(_run(step, words) for step in plan.executions))
    for receipt in plan.receipts.values():
        yield from _receipt(receipt, words)
    if plan.others:
        steps = [value for step in plan.others for value in (record(step), code(step.record.kind))]
        yield Items((Item(words("others"), tuple(steps), line=True),))


def code(text: str, at: str | None = None) -> Value:
    """An id, a reference or another machine's word."""
    return Value(text, "code", at)


def record(step: Step) -> Value:
    """The place of a record, which leads to it."""
    return Value(f"#{step.seq}", "code", to=f"record-{step.seq}")


def gone(step: Step, words: Words, before: str = "") -> Value:
    """What became of a body that is not held: erased on record, or lost."""
    tone = "warn" if step.body == ERASED else "bad"
    return Value(f"{before}{words(step.body)}", f"mark {tone}")


def taken(step: Step, words: Words) -> list[Item]:
    """Where a step stands, who took it and when, and what became of its body where that is not held."""
    made = step.record
    values = [record(step), _stated(step, "/at", made.at), _stated(step, "/actor", made.actor)]
    if step.body != HELD:
        values.append(gone(step, words, f"{words('body')}: "))
    return [Item(words("record"), tuple(values), line=True)]


def _of(step: Step, pointer: str, text: str, form: str = "prose") -> Value:
    return Value(text, form, f"b{step.seq}{pointer}")


def _coded(step: Step, pointer: str, text: str, words: Words, form: str = "code") -> Value:
    return _of(step, pointer, words.of_code(text), form)


def _stated(step: Step, pointer: str, text: str) -> Value:
    return Value(text, "code", f"r{step.seq}{pointer}")


def _texts(step: Step, pointer: str, texts: Iterable[str], form: str = "prose") -> tuple[Value, ...]:
    return tuple(_of(step, f"{pointer}/{index}", text, form) for index, text in enumerate(texts))


def _question(plan: PlanStory, words: Words) -> Iterator[Item]:
    step, made = plan.created, plan.plan
    if step and made:
        request, at = made.request, "/request"
        yield Item(words("user_activity"), (_of(step, f"{at}/user_activity", request.user_activity),))
        yield Item(words("decision"), (_of(step, f"{at}/decision", request.decision),))
        for name in ("evidence_kinds", "constraints", "search_terms", "source_refs"):
            texts = getattr(request, name) or ()
            if texts:
                form = "code" if name == "source_refs" else "prose"
                yield Item(words(name), _texts(step, f"{at}/{name}", texts, form))
        if made.selected_provider:
            provider = made.selected_provider.provider_id
            yield Item(words("provider"), (_of(step, "/selected_provider/provider_id", provider, "code"),))
        if made.blocker:
            yield Item(words("blocker"), (_coded(step, "/blocker", made.blocker, words),))
    asked = step.record.subject.request_id if step else None
    if step and asked:
        yield Item(words("request_id"), (_stated(step, "/subject/request_id", asked),))
    at_plan = f"r{step.seq}/subject/plan_id" if step else None
    yield Item(words("plan_id"), (code(plan.plan_id, at_plan),))
    yield from taken(step, words) if step else ()


def _run(step: Step, words: Words) -> Item:
    run = step.artifact
    what = words("finished" if step.record.kind.endswith("finished") else "started")
    values = [record(step), Value(what, "word"), _stated(step, "/at", step.record.at)]
    if run is not None:
        values.insert(1, Value(words("attempt", n=run.attempt), "word"))
        if run.receipt_status:
            values.append(_coded(step, "/receipt_status", run.receipt_status, words))
    return Item(words("execution"), tuple(values), line=True)


def _receipt(story: ReceiptStory, words: Words) -> Iterator[Block]:
    step, receipt = story.observed, story.receipt
    title = [Value(words("receipt"), "word")]
    if step and receipt:
        title.append(_coded(step, "/status", receipt.status, words))
    yield Heading(4, tuple(title))
    at = f"r{step.seq}/subject/receipt_digest" if step else None
    facts = [Item(words("receipt_digest"), (code(story.receipt_digest, at),))]
    if step and receipt:
        facts.append(Item(words("summary_text"), (_of(step, "/summary", receipt.summary),)))
        if receipt.limitations:
            limits = _texts(step, "/limitations", receipt.limitations)
            facts.append(Item(words("limitations"), limits))
        facts.append(Item(words("completed_at"), (_of(step, "/completed_at", receipt.completed_at, "code"),)))
    yield Items((*facts, *(taken(step, words) if step else ())))
    if step and receipt:
        yield from _sources(step, receipt, story, words)
    if not story.decisions:
        yield Sentence(words("no_decision"))
    for decision in story.decisions:
        yield from _decision(decision, words)


def _sources(step: Step, receipt: Receipt, story: ReceiptStory, words: Words) -> Iterator[Block]:
    in_force = [one for one in story.decisions if one.in_force]
    admitted = {ref for one in in_force for ref in one.admitted}
    covered = {ref for one in in_force for ref in one.covered}
    for index, source in enumerate(receipt.sources):
        at = f"/sources/{index}"
        marks = []
        if source.source_ref in admitted:
            marks.append(Value(words("admit"), "mark ok"))
            seen = source.source_ref in covered
            marks.append(Value(words("covered" if seen else "uncovered"), f"mark {'ok' if seen else 'warn'}"))
        ref = _of(step, f"{at}/source_ref", source.source_ref, "code")
        yield Heading(5, (Value(f"{words('source')} {index + 1}", "word"), ref, *marks))
        yield Items(tuple(_source(step, at, source, words)))


def _source(step: Step, at: str, source: Source, words: Words) -> Iterator[Item]:
    forms = {"finding": "prose", "limitation": "prose", "source_family": "prose"}
    names = ("finding", "limitation", "basis", "source_family", "publication_date", "accessed_at")
    for name in (*names, "content_digest"):
        text = getattr(source, name)
        if text is not None:
            told = words.of_code(text) if name == "basis" else text
            yield Item(words(name), (_of(step, f"{at}/{name}", told, forms.get(name, "code")),))


def _decision(story: DecisionStory, words: Words) -> Iterator[Block]:
    step, admission = story.decided, story.admission
    at = f"b{step.seq}/disposition" if step and admission else None
    told = words.of_code(story.disposition) if at else words("unknown")
    mark = Value(told, f"mark {_DECIDED.get(story.disposition, 'bad')}", at)
    force = Value(words("in_force" if story.in_force else "superseded"), f"mark {_force(story)}")
    yield Heading(4, (Value(words("disposition"), "word"), mark, force))
    facts = []
    if step and admission:
        facts.append(Item(words("reason"), (_of(step, "/reason", admission.reason),)))
        if story.admitted:
            refs = _texts(step, "/admitted_source_refs", story.admitted, "code")
            facts.append(Item(words("admitted_refs"), refs))
    at = f"r{step.seq}/subject/admission_id" if step else None
    facts.append(Item(words("admission_id"), (code(story.admission_id, at),)))
    facts += taken(step, words) if step else ()
    yield Items((*facts, *_after(story, words)))


def _force(story: DecisionStory) -> str:
    return "ok" if story.in_force else "off"


def _after(story: DecisionStory, words: Words) -> Iterator[Item]:
    if story.superseded:
        made = story.superseded
        successor = made.artifact.admission_id if made.artifact else None
        values = [record(made), _stated(made, "/at", made.record.at)]
        values += [_of(made, "/admission_id", successor, "code")] if successor else []
        yield Item(words("superseded_by"), tuple(values), line=True)
    if story.readbacks:
        yield from _readback(story, words)
    elif story.in_force and story.disposition != "reject":
        yield Item(words("readback"), (Value(words("readback_none"), "mark warn"),))
    if story.retired:
        step = story.retired
        values = [record(step), _stated(step, "/at", step.record.at)]
        values += [_coded(step, "/reason", step.artifact.reason, words)] if step.artifact else []
        yield Item(words("retirement"), tuple(values), line=True)
    elif story.in_force:
        yield Item(words("retirement"), (Value(words("not_retired"), "mark warn"),))


def _readback(story: DecisionStory, words: Words) -> Iterator[Item]:
    last = story.readbacks[-1]
    count = Value(words("readbacks", n=len(story.readbacks)), "word")
    places = [record(step) for step in story.readbacks[-8:]]
    yield Item(words("readback"), (count, *places, _stated(last, "/at", last.record.at)), line=True)
    if story.covered:
        yield Item(words("covered"), _texts(last, "/downstream_source_refs", story.covered, "code"))
    if story.uncovered:
        yield Item(words("uncovered"), tuple(code(ref) for ref in story.uncovered))
    blockers = last.artifact.write_blockers if last.artifact else ()
    if blockers:
        told = []
        for index, one in enumerate(blockers):
            at = f"/write_blockers/{index}"
            told.append(_of(last, f"{at}/code", one.code, "code"))
            told.append(_of(last, f"{at}/reason", one.reason))
        yield Item(words("write_blockers"), tuple(told))

"""What an audit report says, in order, before it is Markdown or HTML (ledger.md section 5)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evidence.plan_story import ERASED, HELD, PlanStory, Step
from evidence.rendering.escape import with_base64
from evidence.rendering.report_blocks import Block, Heading, Item, Items, Sentence, Table, Value
from evidence.rendering.report_plan import TONES, code, gone, plan_blocks, record
from evidence.rendering.report_words import Words
from evidence.story import Story
from ledger.note import encoded

MOST_PLANS = 2_000
MOST_RECORDS = 20_000
MOST_OPEN = 100
MOST_CALLS = 200
MOST_FINDINGS = 100
_COUNTS = (
    *("plans", "receipts", "decisions", "admitting", "rejecting"),
    *("sources_admitted", "sources_covered", "sources_uncovered", "retired_count"),
)
_SAID = {"VERIFIED": "ok", "UNANCHORED": "warn"}
_RARE = ("superseded_count", "call_count", "erased_count", "lost_count")


class Made(NamedTuple):
    """By what and when a report was made."""

    version: str
    at: str


@dataclass
class Tally:
    """Counts over all plans of a story, and which of them are open."""

    counts: Counter[str] = field(default_factory=Counter)
    open: list[tuple[int, str, str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, story: Story) -> "Tally":
        """The tally of every plan."""
        tally = cls()
        for number, plan in enumerate(story.plans(), 1):
            tally.add(number, plan)
        return tally

    def add(self, number: int, plan: PlanStory) -> None:
        """Count one plan in."""
        counts = self.counts
        counts["plans"] += 1
        counts["receipts"] += len(plan.receipts)
        for step in plan.steps():
            if step.body != HELD:
                counts["erased_count" if step.body == ERASED else "lost_count"] += 1
        for decision in plan.decisions:
            counts["decisions"] += 1
            if not decision.in_force:
                counts["superseded_count"] += 1
                continue
            counts["admitting"] += decision.disposition == "admit"
            counts["rejecting"] += decision.disposition == "reject"
            counts["sources_admitted"] += len(decision.admitted)
            counts["sources_uncovered"] += len(decision.uncovered)
            counts["sources_covered"] += len(decision.admitted) - len(decision.uncovered)
            counts["retired_count"] += decision.retired is not None
        if plan.state not in ("retired", "erased"):
            counts["open"] += 1
            if len(self.open) < MOST_OPEN:
                self.open.append((number, _objective(plan), *_why(plan)))


def content(story: Story, judged: dict[str, Any], tally: Tally, made: Made, words: Words) -> Iterator[Block]:
    """Every block of the report but its title; `judged` is the wire form of the ledger's verification."""
    yield from _verdict(story, judged, made, words)
    yield from _summary(story, tally, words)
    yield from _open(tally, words)
    yield from _findings(story, judged, words)
    yield Heading(2, (Value(words("limits"), "word"),), "limits")
    for name in ("limit_append", "limit_true", "limit_stated", "limit_counts"):
        yield Sentence(words(name))
    yield Heading(2, (Value(words("plans"), "word"),), "plans")
    for number, plan in enumerate(story.plans(), 1):
        if number > MOST_PLANS:
            break
        yield from plan_blocks(plan, number, words)
    left = tally.counts["plans"] - MOST_PLANS
    if left > 0:
        yield Sentence(words("plans_more", n=MOST_PLANS, m=left))
    yield from _calls(story, words)
    yield from _events(story, words)
    yield from _records(story, words)


def _verdict(story: Story, judged: dict[str, Any], made: Made, words: Words) -> Iterator[Block]:
    yield Heading(2, (Value(words("verdict"), "word"),), "verdict")
    word = judged["verdict"]
    erased, left, unknown = (len(judged[name]) for name in ("erased", "not_derived", "cannot_interpret"))
    part = word in _SAID and erased + left + unknown > 0
    tone = "warn" if part else _SAID.get(word, "bad")
    yield Sentence(words(f"said.{word}.part" if part else f"said.{word}"), tone)
    for name, number in (("erased_said", erased), ("left_said", left), ("unknown_said", unknown)):
        if number:
            yield Sentence(words(name, n=number))
    yield Items((Item(words("word"), (code(word),)), *_rests_on(judged, words), *_whole(story, made, words)))


def _rests_on(judged: dict[str, Any], words: Words) -> Iterator[Item]:
    """What the verdict rests on, and why it is no better one."""
    for name in ("reasons", "anchored_by", "keys", "notes"):
        told = tuple(code(words.said(one)) for one in judged[name])
        if told or name in ("anchored_by", "keys"):
            yield Item(words(name), told or (Value(words(f"{name}_none"), "word"),))


def _whole(story: Story, made: Made, words: Words) -> Iterator[Item]:
    root = story.tree.root()
    roots = (code(f"sha256:{root.hex()}", "root"), code(encoded(root), "base"))
    last = None if story.unread else f"r{story.records - 1}/at"
    times = (code(story.first_at, "r0/at"), code(story.last_at or "", last)) if story.first_at else None
    nothing = Value(words("none"), "word")
    yield Item(words("log"), (code(story.log, "r0/log") if story.log else nothing,))
    yield Item(words("records"), (Value(str(story.records), "word", "count/records"),))
    yield Item(words("head"), (code(story.head, "head") if story.head else nothing,))
    yield Item(words("root"), roots)
    yield Item(words("period"), times or (nothing,))
    yield Item(words("made"), (code(made.at), Value(f"external-evidence {made.version}", "word")), line=True)
    if story.unread:
        yield Item(words("unread"), tuple(code(f"#{seq}") for seq in story.unread), line=True)


def _summary(story: Story, tally: Tally, words: Words) -> Iterator[Block]:
    yield Heading(2, (Value(words("summary"), "word"),), "summary")
    counts = {**tally.counts, "call_count": story.kinds["provider.called"]}
    shown = [*_COUNTS, *(name for name in _RARE if counts.get(name))]
    yield Items(
        tuple(
            Item(words(name), (Value(str(counts.get(name, 0)), "number", f"count/{name}"),)) for name in shown
        )
    )
    if counts.get("erased_count"):
        yield Sentence(words("counts_erased"))


def _open(tally: Tally, words: Words) -> Iterator[Block]:
    yield Heading(2, (Value(words("attention"), "word"),), "open")
    if not tally.open:
        yield Sentence(words("attention_none"))
        return
    rows = [
        (
            Value(f"{words('plan')} {number}", "word", to=f"plan-{number}" if number <= MOST_PLANS else None),
            Value(objective or words("objective_gone"), "prose"),
            Value(words(f"state.{state}"), f"mark {TONES.get(state, 'bad')}"),
            Value(words(f"open.{why.partition(' ')[0]}", n=why.partition(" ")[2]), "word"),
        )
        for number, objective, state, why in tally.open
    ]
    yield Table((words("plan"), words("objective"), words("state"), words("reason")), rows)
    left = tally.counts["open"] - len(tally.open)
    if left:
        yield Sentence(words("attention_more", n=left))


def _findings(story: Story, judged: dict[str, Any], words: Words) -> Iterator[Block]:
    findings = judged["findings"]
    if not findings:
        return
    yield Heading(2, (Value(words("findings"), "word"),), "findings")
    for one in findings[:MOST_FINDINGS]:
        where = Value(f"#{one['seq']}", "code", to=_listed(story, one["seq"]))
        yield Heading(3, (where, code(one["field"])))
        yield Items(
            (
                Item(words("rule"), (Value(words.said(one["rule"]), "prose"),)),
                *(Item(words(name), (_shown(one[name], words),)) for name in ("expected", "found")),
            )
        )
    if len(findings) > MOST_FINDINGS:
        yield Sentence(words("findings_more", n=len(findings) - MOST_FINDINGS))


def _shown(text: str, words: Words) -> Value:
    """What a finding expected or found: words in the report's language, or an id or value as it is."""
    return Value(words.told(text), "prose") if " " in text else code(with_base64(text))


def _listed(story: Story, seq: int) -> str | None:
    """Where the record stands in the list of all, None where it does not."""
    there = seq < min(story.records, MOST_RECORDS) and seq not in story.unread
    return f"record-{seq}" if there else None


def _calls(story: Story, words: Words) -> Iterator[Block]:
    total = story.kinds["provider.called"]
    if not total:
        return
    yield Heading(2, (Value(words("calls"), "word"),), "calls")
    rows: list[tuple[Value, ...]] = []
    for step in story.calls():
        if len(rows) == MOST_CALLS:
            break
        rows.append(_call(step, words))
    yield Table(
        tuple(words(name) for name in ("record", "at", "actor", "action", "state", "count", "revision")), rows
    )
    if total > len(rows):
        yield Sentence(words("calls_more", n=total - len(rows)))


def _call(step: Step, words: Words) -> tuple[Value, ...]:
    at, made, call = f"b{step.seq}", step.record, step.artifact
    start = (record(step), code(made.at, f"r{step.seq}/at"), code(made.actor, f"r{step.seq}/actor"))
    if call is None:
        return (*start, gone(step, words), *(Value("", "word") for _ in range(3)))
    told = call.evidence
    return (
        *start,
        code(call.action, f"{at}/action"),
        Value(words.of_code(told.state), "code", f"{at}/evidence/state"),
        Value(str(told.count), "word", f"{at}/evidence/count"),
        code(told.revision, f"{at}/evidence/revision") if told.revision else Value("", "word"),
    )


def _events(story: Story, words: Words) -> Iterator[Block]:
    yield Heading(2, (Value(words("events"), "word"),), "events")
    for step in story.events():
        made, at = step.record, f"r{step.seq}"
        yield Heading(3, (record(step), Value(words.of_code(made.kind), "code", f"{at}/kind")))
        who = (code(made.at, f"{at}/at"), code(made.actor, f"{at}/actor"))
        items = [Item(words("at"), who, line=True)]
        if step.body != HELD:
            items.append(Item(words("body"), (gone(step, words),)))
        for name, named in made.subject.ids().items():
            items.append(Item(words.of_field(name), (code(named, f"{at}/subject/{name}"),)))
        for name, value in step.artifact.items() if isinstance(step.artifact, dict) else ():
            if isinstance(value, str):
                step_of = name.replace("~", "~0").replace("/", "~1")  # RFC 6901
                items.append(Item(words.of_field(name), (code(value, f"b{step.seq}/{step_of}"),)))
            elif isinstance(value, list):
                items.append(Item(words.of_field(name), (Value(str(len(value)), "number"),)))
        yield Items(tuple(items))


def _records(story: Story, words: Words) -> Iterator[Block]:
    yield Heading(2, (Value(words("all_records"), "word"),), "records")
    rows = [_row(step, words) for step in story.steps(MOST_RECORDS)]
    yield Table(
        tuple(words(name) for name in ("record", "at", "kind", "actor", "id", "body")), rows, "record"
    )
    if story.records > MOST_RECORDS:
        yield Sentence(words("records_more", n=MOST_RECORDS, m=story.records - MOST_RECORDS))


def _row(step: Step, words: Words) -> tuple[Value, ...]:
    at, made = f"r{step.seq}", step.record
    body = code(made.body.digest, f"{at}/body/digest")
    if step.body != HELD:
        body = gone(step, words, f"{made.body.digest} ")
    return (
        code(str(step.seq), f"{at}/seq"),
        code(made.at, f"{at}/at"),
        code(made.kind, f"{at}/kind"),
        code(made.actor, f"{at}/actor"),
        code(step.id, f"i{step.seq}"),
        body,
    )


def _objective(plan: PlanStory) -> str:
    return plan.plan.request.objective if plan.plan else ""


def _why(plan: PlanStory) -> tuple[str, str]:
    """The state, and why it is open as a word with a number."""
    missing = sum(len(one.uncovered) for one in plan.decisions)
    if plan.state != "retained":
        return plan.state, plan.state
    return plan.state, f"retained {missing}" if missing else "covered"

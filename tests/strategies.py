"""Hypothesis strategies for every artifact of a life, normalised as records and dressed as others write them.

What a dressing may change is stated here by hand from lifecycle.md sections 1 and 6, not asked of the code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from evidence.lifecycle.admit import admit
from evidence.lifecycle.plan import plan
from schemas.admission import Admission, Decision
from schemas.canonical import ALGORITHMS, Algorithm, digest
from schemas.plan import Plan
from schemas.provider import KINDS, ProviderRow
from schemas.receipt import BASES, Receipt, Source
from schemas.request import Request

T = TypeVar("T")
Path = tuple[str | int, ...]

# ECMAScript's white space (lifecycle.md section 1), written out again so that the code is not its own judge.
PADDING = (
    "\t\n\v\f\r\u0020\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
CONTROLS = frozenset(map(chr, {*range(0x20), *range(0x7F, 0xA0)})) - set("\t\n\r")
BIDI = frozenset(map(chr, {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}))
WORDS = (
    "坡道坡度?", "GB 50763-2012", "无障碍设计规范", "𠀀𠮷", "👩‍🚒", "e\u0301", "é", "ﬁ", "İ", "ß", "ſ",
    "\u200b",
    "a", "A", "0", '"', "\\", "/", "\u2028", "tab\tin", "line\nbreak", "\r\n", "{}", "null", "عربي", "\uffff",
)  # fmt: skip
LITERALS = frozenset({
    "schema_version", "provider_kind", "protocol", "status", "basis", "disposition", "receipt_status",
    "blocker",
    "authority", "raw_content_persistence", "result_contract",
})  # fmt: skip
NULL_IS_ABSENT = frozenset({"unavailable_reason", "limitation", "publication_date", "preferred_provider_id"})
EMPTY_IS_ABSENT = frozenset({"constraints", "limitations", "admitted_source_refs", "downstream_source_refs"})


def fits(text: str, most: int) -> bool:
    """Whether `text` is bounded text as it stands."""
    return 0 < len(text.encode("utf-16-le")) // 2 <= most and not (CONTROLS | BIDI) & set(text)


@cache
def texts(most: int = 256, longest: int = 12) -> st.SearchStrategy[str]:
    """Trimmed text of any script, at most `most` units, by default short."""
    plain = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=longest)
    mixed = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map("".join)
    trimmed = st.one_of(mixed, plain).map(lambda text: text.strip(PADDING))
    return trimmed.filter(lambda text: fits(text, most))


@cache
def digests(algorithm: Algorithm) -> st.SearchStrategy[str]:
    """A digest of something."""
    return st.integers(0, 2**32).map(lambda number: digest(number, algorithm))


@cache
def source_refs() -> st.SearchStrategy[str]:
    """References that the rules take, near neighbours of one another among them."""
    heads = st.sampled_from(
        (
            "https://example.org/",
            "http://h:8080/",
            "https://[::1]/",
            "urn:cn-standard:",
            "urn:X:",
            "doi://10.1/",
        )
    )
    tail = st.text(st.sampled_from("aA/b%2Ff?#&=;,()é中𠀀"), min_size=1, max_size=8)
    return st.tuples(heads, tail).map("".join)


@cache
def provider_ids() -> st.SearchStrategy[str]:
    """Ids from two to ninety-six characters."""
    tail = st.text(st.sampled_from("abz09_.:-"), min_size=1, max_size=12)
    edge = st.just("z" * 96)
    return st.one_of(tail.map(lambda text: f"p{text}"), edge)


@cache
def publication_dates() -> st.SearchStrategy[str]:
    """Dates of every form."""
    day = st.dates().map(str)
    return st.one_of(day, day.map(lambda text: text[:7]), day.map(lambda text: text[:4]), moments())


@cache
def moments() -> st.SearchStrategy[str]:
    """RFC 3339 instants before 2026."""
    fraction = st.sampled_from(("", ".5", ".123456789", ".000"))
    offset = st.sampled_from(("Z", "z", "+00:00", "-00:00", "+08:00", "-11:30"))
    return st.builds(lambda day, tail, zone: f"{day}T08:09:10{tail}{zone}", _days(), fraction, offset)


def _days() -> st.SearchStrategy[str]:
    return st.integers(1, 28).map(lambda day: f"2025-02-{day:02}")


@cache
def tuples(items: st.SearchStrategy[T], least: int = 0) -> st.SearchStrategy[tuple[T, ...]]:
    """A few of `items`."""
    return st.lists(items, min_size=least, max_size=3).map(tuple)


@cache
@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Any request."""
    refs = st.lists(source_refs(), min_size=1, max_size=3, unique=True)
    return Request(
        objective=draw(texts(4096)),
        user_activity=draw(texts(4096)),
        decision=draw(texts(4096)),
        evidence_kinds=draw(tuples(texts(96), least=1)),
        constraints=draw(tuples(texts(256))),
        source_refs=draw(st.none() | refs.map(tuple)),
        search_terms=draw(st.none() | tuples(texts(256))),
    )


@st.composite
def provider_rows(draw: st.DrawFn, provider_id: str, ready: bool | None = None) -> ProviderRow:
    """Any row of that id."""
    is_ready = draw(st.booleans()) if ready is None else ready
    flags = (True, True, True) if is_ready else draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    reason = draw(texts(512)) if not is_ready else draw(st.none() | texts(512))
    return ProviderRow(
        provider_id=provider_id,
        provider_kind=draw(st.sampled_from(KINDS)),
        declared=flags[0],
        installed=flags[1],
        enabled=flags[2],
        ready=is_ready,
        unavailable_reason=reason,
    )


@cache
@st.composite
def provider_lists(draw: st.DrawFn, ready: bool = False) -> tuple[ProviderRow, ...]:
    """Any inventory; with `ready` at least one row is."""
    ids = draw(st.lists(provider_ids(), min_size=int(ready), max_size=4, unique=True))
    rows = [draw(provider_rows(one)) for one in ids]
    if ready and not any(row.ready for row in rows):
        place = draw(st.integers(0, len(ids) - 1))
        rows[place] = draw(provider_rows(ids[place], ready=True))
    return tuple(rows)


@cache
@st.composite
def plans(draw: st.DrawFn, algorithm: Algorithm, ready: bool = True) -> Plan:
    """Any plan; with `ready` one that may be executed."""
    rows = draw(provider_lists(ready=ready))
    choices = [row.provider_id for row in rows if row.ready or not ready]
    preferred = draw(st.none() | st.sampled_from(choices)) if choices else None
    return plan(draw(requests()), rows, preferred, algorithm)


@cache
@st.composite
def sources(draw: st.DrawFn, algorithm: Algorithm) -> Source:
    """Any source."""
    return Source(
        source_ref=draw(source_refs()),
        source_family=draw(texts(128)),
        basis=draw(st.sampled_from(BASES)),
        finding=draw(texts(4096)),
        limitation=draw(st.none() | texts(2048)),
        publication_date=draw(st.none() | publication_dates()),
        accessed_at=draw(moments()),
        content_digest=draw(digests(algorithm)),
    )


@st.composite
def receipts(draw: st.DrawFn, of: Plan, algorithm: Algorithm, status: str | None = None) -> Receipt:
    """Any receipt that answers the ready plan `of`."""
    status = status or draw(st.sampled_from(("succeeded", "succeeded", "failed", "no_evidence")))
    many = st.lists(sources(algorithm), min_size=1, max_size=3, unique_by=lambda one: one.source_ref).map(
        tuple
    )
    assert of.selected_provider is not None
    return Receipt(
        plan_id=of.plan_id or "",
        request_id=of.request.request_id or "",
        provider_id=of.selected_provider.provider_id,
        provider_kind=of.selected_provider.provider_kind,
        status=status,
        sources=draw(many) if status == "succeeded" else (),
        summary=draw(texts(4096)),
        limitations=draw(tuples(texts(1024))),
        completed_at=draw(st.sampled_from(("2026-01-01T00:00:00Z", "2025-12-31T23:59:60.5+00:00"))),
    )


@st.composite
def decisions(draw: st.DrawFn, receipt: Receipt) -> Decision:
    """Any decision that `receipt` allows."""
    refs = [one.source_ref for one in receipt.sources]
    if not refs or draw(st.integers(0, 3)) == 0:
        return Decision(disposition="reject", reason=draw(texts(2048)))
    chosen = draw(st.lists(st.sampled_from(refs), min_size=1, unique=True))
    return Decision(disposition="admit", reason=draw(texts(2048)), admitted_source_refs=tuple(chosen))


@dataclass(frozen=True)
class Life:
    """All artifacts of one life up to its admission."""

    plan: Plan
    receipt: Receipt
    decision: Decision
    admission: Admission

    def wire(self) -> dict[str, object]:
        """The parameters of `admit`."""
        return {
            "plan": self.plan.to_wire(),
            "receipt": self.receipt.to_wire(),
            "decision": self.decision.to_wire(),
        }


algorithms = st.sampled_from(ALGORITHMS)


@cache
@st.composite
def lives(draw: st.DrawFn, status: str | None = None) -> Life:
    """Any life, under either algorithm."""
    algorithm = draw(algorithms)
    made = draw(plans(algorithm))
    receipt = draw(receipts(made, algorithm, status))
    decision = draw(decisions(receipt))
    return Life(made, receipt, decision, admit(made, receipt, decision))


def paddable(path: Path) -> bool:
    """Whether white space around the text at `path` of the verbs' parameters does not matter."""
    names = [step for step in path if isinstance(step, str)]
    name, owner = names[-1], names[-2] if len(names) > 1 else ""
    if name in LITERALS or "execution_envelope" in names:
        return False
    if owner in ("receipt", "downstream_projection"):
        return name not in ("plan_id", "request_id", "provider_id")
    return (owner, name) != ("request", "request_id")


def dressed(value: object) -> st.SearchStrategy[object]:
    """`value` as another writer may state it: padded, keys in any order, defaults left out."""
    # One seed in place of a hundred draws: a dressing need not shrink, and so it is a hundred times faster.
    return st.integers(0, 2**64).map(lambda seed: dress(value, Random(seed)))


def dress(value: object, chance: Random, path: Path = ()) -> object:
    """One dressing of `value`, the parameters of a verb."""
    if isinstance(value, Mapping):
        stated = [(name, item) for name, item in value.items() if not _left_out(name, item, path, chance)]
        chance.shuffle(stated)
        return {name: dress(item, chance, (*path, name)) for name, item in stated}
    if isinstance(value, list):
        return [dress(item, chance, (*path, index)) for index, item in enumerate(value)]
    if isinstance(value, str) and paddable(path):
        before, after = ("".join(chance.choices(PADDING, k=chance.randrange(3))) for _ in range(2))
        return f"{before}{value}{after}"
    return value


def _left_out(name: str, value: object, path: Path, chance: Random) -> bool:
    absent = (
        (name in NULL_IS_ABSENT and value is None)
        or (name in EMPTY_IS_ABSENT and value == [])
        or (name == "schema_version" and path[-1:] == ("request",))
    )
    return absent and chance.random() < 0.5

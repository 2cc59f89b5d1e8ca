"""What Hypothesis may draw for sinks and renderings: hostile texts, near references, whole lives."""

from hypothesis import strategies as st

from schemas.admission import Decision
from schemas.canonical import ALGORITHMS, Algorithm, digest
from schemas.receipt import BASES, Receipt, Source
from schemas.text import refused_character, trim, units
from tests.sinks.builders import ACCESSED, Life, life, source

NASTY = (
    "# ", "- ", "+ ", "* ", "1. ", "1) ", "> ", "```\n", "~~~", "---", "===", "    x", "\t", "\n", "\n\n",
    "\r\n", "|", "|-|-|\n", "`", "``", "*", "**", "_", "__", "~~", "[", "](", ")", "![", "[x]: /u\n", "[ ] ",
    "<b>", "<!--", "-->", "<script>", "<https://e.x>", "https://e.x/", "www.e.x", "a@e.x", "&amp;", "&#35;",
    "&", "\\", "\\\n", "  \n", "$", "$$", ":smile:", ":100:", "==", "^", "{", "}", "<at id=all></at>", "@all",
    "中文。", "【", "𠀀", "a", "1", ".", " ", "\u3000", "\u00a0", "\u2028", "\u200b",
)  # fmt: skip


def texts(most: int) -> st.SearchStrategy[str]:
    """Any text that a bounded field takes, hostile to Markdown more often than not."""
    nasty = st.lists(st.sampled_from(NASTY), min_size=1, max_size=5).map("".join)
    return st.one_of(nasty, st.text(max_size=12)).map(trim).filter(lambda text: _fits(text, most))


def _fits(text: str, most: int) -> bool:
    return bool(text) and units(text) <= most and refused_character(text) is None


def refs() -> st.SearchStrategy[str]:
    """References, near neighbours of one another among them."""
    tails = st.text(st.sampled_from("aA/b%2Ff?#&`|<>[]()*_é中"), min_size=1, max_size=8)
    heads = st.sampled_from(("https://example.org/", "http://h/", "urn:x:", "urn:X:", "doi://10.1/"))
    return st.tuples(heads, tails).map("".join)


@st.composite
def sources(draw: st.DrawFn, algorithm: Algorithm) -> Source:
    """Any source."""
    ref = draw(refs())
    return source(
        ref,
        algorithm,
        source_family=draw(texts(128)),
        basis=draw(st.sampled_from(BASES)),
        finding=draw(texts(4096)),
        limitation=draw(st.none() | texts(2048)),
        publication_date=draw(st.sampled_from((None, "2012", "2012-03", "2012-03-30", ACCESSED))),
        content_digest=digest(draw(st.text(st.characters(codec="utf-8"), max_size=4)), algorithm),
    )


@st.composite
def lives(draw: st.DrawFn) -> Life:
    """Any life whose receipt holds at least one source."""
    algorithm = draw(st.sampled_from(ALGORITHMS))
    found = draw(st.lists(sources(algorithm), min_size=1, max_size=3, unique_by=lambda one: one.source_ref))
    return life(
        found,
        algorithm,
        objective=draw(texts(4096)),
        decision=draw(texts(4096)),
        source_refs=draw(st.none() | st.lists(refs(), min_size=1, max_size=3, unique=True)),
        receipt_summary=draw(texts(4096)),
        receipt_limitations=draw(st.lists(texts(1024), max_size=2)),
    )


@st.composite
def decisions(draw: st.DrawFn, receipt: Receipt) -> Decision:
    """Any decision on `receipt`."""
    known = [one.source_ref for one in receipt.sources]
    if draw(st.integers(0, 4)) == 0:
        return Decision(disposition="reject", reason=draw(texts(2048)))
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    return Decision(disposition="admit", reason=draw(texts(2048)), admitted_source_refs=tuple(chosen))

"""The Markdown lines of one source, and the list items that they are made of."""

from collections.abc import Iterable

from evidence.rendering.escape import code, markdown
from evidence.rendering.labels import BASES, NONE, UNKNOWN
from schemas.receipt import Source


def item(label: str, value: str) -> str:
    """One labelled list item; `value` is Markdown already."""
    return f"- {label}: {value}"


def prose(label: str, text: str | None, absent: str = NONE) -> str:
    """One labelled list item with somebody's text."""
    return item(label, absent if text is None else markdown(text))


def prose_list(label: str, texts: Iterable[str] | None) -> list[str]:
    """A label and somebody's texts, one nested item each."""
    return _nested(label, [markdown(text) for text in texts or ()])


def code_list(label: str, texts: Iterable[str] | None) -> list[str]:
    """A label and references or ids, one nested item each."""
    return _nested(label, [code(text) for text in texts or ()])


def _nested(label: str, values: list[str]) -> list[str]:
    return [f"- {label}:", *(f"  - {value}" for value in values)] if values else [item(label, NONE)]


def source_lines(source: Source, recorded: tuple[str, str] | None = None) -> list[str]:
    """Finding, basis, dates, digest and limitation of `source`.

    Published, accessed and recorded are three lines; `recorded` is the third's label and instant.
    """
    return [
        prose("发现 Finding", source.finding),
        item("依据 Basis", BASES[source.basis]),
        prose("来源类别 Source family", source.source_family),
        item("发布日期 Published", code(source.publication_date) if source.publication_date else UNKNOWN),
        item("访问时间 Accessed", code(source.accessed_at)),
        *([item(recorded[0], code(recorded[1]))] if recorded else []),
        item("内容摘要值 Content digest", code(source.content_digest)),
        prose("局限 Limitation", source.limitation),
    ]

"""An audit report as Markdown: headings, lists and tables, every text of others escaped."""

from collections.abc import Iterator
from typing import Any

from evidence.rendering.escape import code, markdown
from evidence.rendering.report_blocks import Block, Heading, Item, Items, Table, Value
from evidence.rendering.report_content import Made, Tally, content
from evidence.rendering.report_words import Words
from evidence.story import Story


def render(
    story: Story, judged: dict[str, Any], made: Made, language: str, tally: Tally | None = None
) -> Iterator[str]:
    """The report of `story` in `language`, some lines at a time; `judged` is its verification's wire form."""
    words = Words(language)
    yield f"# {words('title')}\n"
    for block in content(story, judged, tally or Tally.of(story), made, words):
        yield "".join(f"{line}\n" for line in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    yield ""
    if isinstance(block, Heading):
        yield f"{'#' * block.level} {_joined(block.values)}"
    elif isinstance(block, Items):
        for item in block.items:
            yield from _item(item)
    elif isinstance(block, Table):
        yield from _table(block)
    else:
        yield f"**{markdown(block.text)}**" if block.tone else markdown(block.text)


def _item(item: Item) -> Iterator[str]:
    label = f"- {markdown(item.label)}:"
    if item.line or len(item.values) == 1:
        yield f"{label} {_joined(item.values)}"
        return
    yield label
    yield from (f"  - {_value(value)}" for value in item.values)


def _table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(markdown, table.head))} |"
    yield f"|{' --- |' * len(table.head)}"
    for row in table.rows:
        yield f"| {' | '.join(_cell(value) for value in row)} |"


def _cell(value: Value) -> str:
    # A bar ends a cell even inside a code span, so that there it is written as prose.
    return markdown(value.text) if value.form == "code" and "|" in value.text else _value(value)


def _joined(values: tuple[Value, ...]) -> str:
    return " · ".join(_value(value) for value in values)


def _value(value: Value) -> str:
    if value.form == "code":
        return code(value.text)
    return f"**{markdown(value.text)}**" if value.form.startswith("mark") else markdown(value.text)

"""An audit report as one HTML file that needs nothing else and recomputes its own hashes when opened.

All facts stand in the page without any script. The script only checks: it reads the records and bodies
that are embedded as base64, recomputes them, and compares what the page shows with what they say. What it
cannot recompute is held by the seal at the page's end: the SHA-256 of all that the page is, its style and
script too, which the script recomputes from what the browser read. So that both come to the same text, what
is sealed is written as report_check.js writes elements: every attribute quoted, every text through `_text`.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from evidence.plan_story import HELD
from evidence.rendering.escape import visible
from evidence.rendering.report_blocks import Block, Heading, Item, Items, Table, Value
from evidence.rendering.report_content import MOST_PLANS, MOST_RECORDS, Made, Tally, content
from evidence.rendering.report_words import LANGUAGES, Words
from evidence.story import Story
from schemas.canonical import canonical

MOST_RECORD_BYTES = 16 << 20
MOST_BODY_BYTES = 16 << 20
_CHECKS = ("report_hashes.js", "report_check.js")
_STYLE = "report.css"
_BODY = "<body>"


class Bounds(NamedTuple):
    """How many bytes of records and of bodies are embedded at most."""

    records: int = MOST_RECORD_BYTES
    bodies: int = MOST_BODY_BYTES


def render(
    story: Story,
    judged: dict[str, Any],
    made: Made,
    language: str,
    tally: Tally | None = None,
    bounds: Bounds | None = None,
) -> Iterator[str]:
    """The page in `language`, a part at a time; `judged` is the wire form of its verification."""
    words, bounds, seal = Words(language), bounds or Bounds(), sha256()
    style, script = _file(_STYLE), "".join(_file(name) for name in _CHECKS)
    named = f"{words('title')} · {story.log or ''}"
    page, head = _page(words), _head(style, script, f"<title>{_text(named)}</title>")
    for part in (page, *head, _BODY):
        seal.update(part.encode())
    yield f"<!DOCTYPE html>\n{page}\n<head>\n{_lines(head)}</head>\n{_BODY}\n"
    tally = tally or Tally.of(story)
    for part in chain(
        (f"<main>\n<h1>{_text(words('title'))}</h1>\n", _ways(words, judged), _banner(words, bounds, judged)),
        _sections(content(story, judged, tally, made, words)),
        ("</main>",),
        _embedded(story, bounds, whole=tally.counts["plans"] <= MOST_PLANS),
        (_words(words),),
    ):
        seal.update(part.encode())
        yield part
    checks = f"<script>{script}</script>"
    seal.update(checks.encode())
    yield f"\n{_footer(words, seal.hexdigest())}\n{checks}\n</body>\n</html>\n"


def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _page(words: Words) -> str:
    return f'<html lang="{LANGUAGES[words.language]}" dir="ltr">'


def _head(style: str, script: str, title: str) -> tuple[str, ...]:
    """The elements of the head, in order."""
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        title,
        f"<style>{style}</style>",
    )


def _lines(parts: tuple[str, ...]) -> str:
    return "".join(f"{part}\n" for part in parts)


def _ways(words: Words, judged: dict[str, Any]) -> str:
    anchors = {"verdict": "verdict", "summary": "summary", "open": "attention"}
    anchors |= {"findings": "findings"} if judged["findings"] else {}
    anchors |= {"limits": "limits"}
    last = {"plans": "plans", "events": "events", "records": "all_records"}
    links = " ".join(f'<a href="#{to}">{_text(words(key))}</a>' for to, key in {**anchors, **last}.items())
    return f'<nav aria-label="{_text(words("skip"))}">{links}</nav>\n'


def _banner(words: Words, bounds: Bounds, judged: dict[str, Any]) -> str:
    told = words("bound", records=_size(bounds.records), bodies=_size(bounds.bodies))
    return (
        f'<section id="check" class="idle" role="status" data-verdict="{judged["verdict"]}">'
        f"<h2>{_text(words('check'))}</h2>\n"
        f'<p id="outcome">{_text(words("check_none"))}</p>\n<p id="left" hidden=""></p>\n'
        '<ol id="complaints" hidden=""></ol>\n'
        f'<p class="note">{_text(words("check_how"))}</p>\n<p class="note">{_text(told)}</p></section>\n'
    )


def _words(words: Words) -> str:
    told = _json(words.patterns("check_", "bad.", "code.", "expected", "found", "seal"))
    return f'<script type="application/json" id="words">{told}</script>'


def _footer(words: Words, seal: str) -> str:
    return f'<footer id="seal">{_text(words("seal"))} <code>sha256:{seal}</code></footer>'


def _embedded(story: Story, bounds: Bounds, *, whole: bool) -> Iterator[str]:
    """One line a record, `SEQ BASE64`, and one line a body, `DIGEST BASE64`, up to the bounds.

    `whole` says whether the page writes out every plan.
    """
    plans = "all" if whole else "some"
    which = f'id="embedded-records" data-all="{story.records}" data-plans="{plans}"'
    yield f'<script type="text/plain" {which}>\n'
    room, most = bounds.records, 0
    for seq, raw in story.raws():
        if len(raw) > room or seq >= MOST_RECORDS:
            break
        room, most = room - len(raw), seq + 1
        yield f"{seq} {b64encode(raw).decode()}\n"
    yield '</script><script type="text/plain" id="embedded-bodies">\n'
    room, written = bounds.bodies, set[str]()
    for step in story.steps(most):
        named = step.record.body
        if step.body == HELD and named.digest not in written and named.size <= room:
            room -= named.size
            written.add(named.digest)
            yield f"{named.digest} {b64encode(story.body(step.record) or b'').decode()}\n"
    yield "</script>"


def _sections(blocks: Iterable[Block]) -> Iterator[str]:
    """The blocks, each plan in a section of its own: a browser lays out those that are in sight."""
    inside = False
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 3:
            yield "</section>\n" if inside else ""
            inside = block.level == 3
            yield "<section>\n" if inside else ""
        yield _block(block)
    yield "</section>\n" if inside else ""


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        anchor = f' id="{block.anchor}"' if block.anchor else ""
        return f"<h{block.level}{anchor}>{_joined(block.values)}</h{block.level}>\n"
    if isinstance(block, Items):
        numbers = all(value.form == "number" for item in block.items for value in item.values)
        kind = ' class="numbers"' if numbers else ""
        return f"<dl{kind}>\n{''.join(map(_item, block.items))}</dl>\n"
    if isinstance(block, Table):
        return _table(block)
    tone = f' class="{block.tone}"' if block.tone else ""
    return f"<p{tone}>{_text(block.text)}</p>\n"


def _item(item: Item) -> str:
    if item.line or len(item.values) == 1:
        told = _joined(item.values)
    else:
        told = f"<ul>{''.join(f'<li>{_value(value)}</li>' for value in item.values)}</ul>"
    return f"<div><dt><bdi>{_text(item.label)}</bdi></dt><dd>{told}</dd></div>\n"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.head)
    rows = "".join(
        f"<tr{_row_anchor(table, row)}>{''.join(f'<td>{_value(value)}</td>' for value in row)}</tr>\n"
        for row in table.rows
    )
    kind = ' class="wide"' if table.anchor else ""
    body = f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody>"
    return f'<div class="scroll"><table{kind}>{body}</table></div>\n'


def _row_anchor(table: Table, row: tuple[Value, ...]) -> str:
    return f' id="{table.anchor}-{_text(row[0].text)}"' if table.anchor else ""


def _joined(values: tuple[Value, ...]) -> str:
    return " ".join(_value(value) for value in values)


def _value(value: Value) -> str:
    at = f' data-at="{_literal(value.at)}"' if value.at else ""
    text = _text(value.text)
    if value.form == "code":
        # Isolated, so that letters that run from right to left move nothing around them.
        told = f"<code><bdi{at}>{text}</bdi></code>"
    elif value.form.startswith("mark"):
        told = f'<span class="{_text(value.form)}"{at}>{text}</span>'
    elif value.form == "prose":
        told = f'<bdi class="prose"{at}>{text}</bdi>'
    else:
        told = f"<span{at}>{text}</span>"
    return f'<a href="#{value.to}">{told}</a>' if value.to else told


def _text(text: str) -> str:
    return _literal(visible(text))


def _literal(text: str) -> str:
    # The parser of HTML would make a line feed of a carriage return.
    return escape(text).replace("\r", "&#13;")


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} B"


def _json(value: object) -> str:
    return canonical(value).decode().replace("<", "\\u003c")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"

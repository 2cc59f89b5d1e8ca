"""A document divided before it is read: title, header, contents, preamble, body and annexes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from providers.regulations import labels
from providers.regulations.clause_number import Scheme
from providers.regulations.lines import WHITE, Aside, Line

_DATE: Final = r"[0-9]{4}\s*年\s*[0-9]{1,2}\s*月\s*[0-9]{1,2}\s*日"
_NOTE: Final = re.compile(
    rf"[（(]?\s*(?:\*\s*)?(?:根据)?\s*{_DATE}|[（(].*[0-9]{{4}}\s*年"
    r"|(?:制定机关|发布机关|施行时间|施行日期|公布日期|发布日期|发文字号|文号|原文链接|来源)\s*[:：]"
    r"|.{0,20}(?:令|公告|通告)\s*(?:第?[0-9一二三四五六七八九十百〇零]+号|[（(])|[^。]{0,24}[〔\[（(][0-9]{4}[〕\]）)][0-9]+号$"
)
_PREFACE: Final = re.compile("序言|前言|引言|序")
_LONGEST_ENTRY: Final = 60
_LEADERS: Final = ".．…·0123456789"


@dataclass(frozen=True, slots=True)
class Annexed:
    """The lines of one annex; `label` is None for a table that follows the last article unannounced."""

    label: Line | None
    lines: tuple[Line, ...]


@dataclass(slots=True)
class Parts:
    """A document in its parts, every line in exactly one of them."""

    scheme: Scheme
    title: list[Line] = field(default_factory=list)
    notes: list[Line] = field(default_factory=list)
    preface: Line | None = None
    preamble: list[Line] = field(default_factory=list)
    body: list[Line] = field(default_factory=list)
    annexes: list[Annexed] = field(default_factory=list)
    contents: list[Aside] = field(default_factory=list)


def divide(lines: Sequence[Line], title: str, info_end: int) -> Parts:
    """`lines` in parts; `title` is the document's own, `info_end` the last line of a marked header."""
    rest, contents = _without_contents(lines)
    scheme = scheme_of(rest, title)
    parts = Parts(scheme, contents=contents)
    start = _body_start(rest, scheme)
    _divide_header(parts, rest[:start], _squeezed(title), info_end)
    _divide_annexes(parts, rest[start:])
    return parts


def scheme_of(lines: Sequence[Line], title: str = "") -> Scheme:
    """How the clauses are numbered: by articles, by decimals, or 一、（一）1.（1）."""
    first_article = _first(lines, lambda line: labels.article(line) is not None)
    first_outline = _first(lines, _is_top_outline)
    first_annex = _first(lines, lambda line: labels.annex(line) is not None)
    decision = title.endswith("决定") and first_outline < first_article
    if first_article < min(first_annex, len(lines)) and not decision:
        return "article"
    body = lines[:first_annex]
    numbered = [line for line in body if not line.table and _is_decimal(line)]
    plain = any(labels.is_decimal(line) or line.heading_marks for line in numbered)
    return "decimal" if len(numbered) >= 2 and plain and first_outline >= first_annex else "outline"


def _is_decimal(line: Line) -> bool:
    """Whether a line begins with 2.1, or is headed `## 2` or `2 Terms`."""
    if labels.is_decimal(line) or labels.decimal(line) is None:
        return labels.is_decimal(line)
    headed = labels.subitem(line) is None and not line.text.endswith(("。", "；", ";", "：", ":", "，", ","))
    return line.heading_marks > 1 or (headed and len(line.text) <= _LONGEST_ENTRY)


def _is_top_outline(line: Line) -> bool:
    found = labels.outline(line)
    return found is not None and found.kind == "x1"


def _first(lines: Sequence[Line], test: Callable[[Line], bool]) -> int:
    return next((at for at, line in enumerate(lines) if test(line)), len(lines))


def _without_contents(lines: Sequence[Line]) -> tuple[list[Line], list[Aside]]:
    """The lines without tables of contents, whose headings make no nodes."""
    kept: list[Line] = []
    contents: list[Aside] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at
        if labels.contents(line):
            end = _contents_end(lines, at)
        elif labels.contents_link(line):
            end = at + 1
        if end == at:
            kept.append(line)
            at += 1
            continue
        contents += [Aside(one.number, one.part, "contents", one.raw) for one in lines[at:end]]
        at = end
    return kept, contents


def _contents_end(lines: Sequence[Line], start: int) -> int:
    """Where the table that begins at `start` ends: at its first entry met again, at an article, at prose."""
    first = _entry(lines[start + 1]) if start + 1 < len(lines) else ""
    for at in range(start + 1, len(lines)):
        line = lines[at]
        if labels.article(line) is not None:
            return at
        if len(line.text) > _LONGEST_ENTRY or line.text.endswith(("。", "；")):
            return at
        if at > start + 1 and _entry(line) == first:
            return at
    return len(lines)


def _entry(line: Line) -> str:
    return _squeezed(line.text).rstrip(_LEADERS)


def _squeezed(text: str) -> str:
    return "".join(text.split()).strip(WHITE)


def _body_start(lines: Sequence[Line], scheme: Scheme) -> int:
    def begins(line: Line) -> bool:
        if labels.heading(line) is not None:
            return True
        if scheme == "article":
            return labels.article(line) is not None
        # A notice may be all preamble, and what it publishes its annex.
        found = labels.decimal(line) if scheme == "decimal" else labels.outline(line)
        return found is not None or _announces(line)

    return _first(lines, lambda line: begins(line) and not line.quoted)


def _divide_header(parts: Parts, lines: Sequence[Line], title: str, info_end: int) -> None:
    at = _title_at(lines, title)
    for line in lines[:at]:
        parts.notes.append(line)
    if at < len(lines):
        parts.title.append(lines[at])
    opened = False  # a header in brackets may run over several lines
    for line in lines[at + 1 :]:
        if parts.preface is None and not opened and _PREFACE.fullmatch(_squeezed(line.text)):
            parts.preface = line
        elif parts.preface is not None or parts.preamble:
            parts.preamble.append(line)
        elif opened or line.number < info_end or line.quoted or _NOTE.match(line.text):
            parts.notes.append(line)
            opened = _still_open(line.text, opened)
        else:
            parts.preamble.append(line)


def _still_open(text: str, opened: bool) -> bool:
    for character in text:
        if character in "（(":
            opened = True
        elif character in "）)":
            opened = False
    return opened


def _title_at(lines: Sequence[Line], title: str) -> int:
    for at, line in enumerate(lines):
        if _squeezed(line.text) == title:
            return at
    for at, line in enumerate(lines):
        if line.heading_marks == 1:
            return at
    return 0


def _divide_annexes(parts: Parts, lines: Sequence[Line]) -> None:
    start = _annex_start(lines) if parts.scheme == "article" else _first(lines, _announces)
    parts.body = list(lines[:start])
    label: Line | None = None
    held: list[Line] = []
    for line in lines[start:]:
        if _announces(line):
            if label is not None or held:
                parts.annexes.append(Annexed(label, tuple(held)))
            label, held = line, []
        else:
            held.append(line)
    if label is not None or held:
        parts.annexes.append(Annexed(label, tuple(held)))


def _announces(line: Line) -> bool:
    return not line.table and labels.annex(line) is not None


def _annex_start(lines: Sequence[Line]) -> int:
    """Where the annexes of a document of articles begin.

    An annex is announced after the last article, or is a table after it; the articles of an annex
    start again at 1, so the last article is that before the first such annex.
    """
    last = 0
    for at, line in enumerate(lines):
        found = labels.article(line)
        if found is not None and not line.table:
            last = at
        elif _announces(line) and _restarts(lines[at + 1 :]):
            return at
    for at in range(last + 1, len(lines)):
        if lines[at].table or _announces(lines[at]):
            return at
    return len(lines)


def _restarts(lines: Sequence[Line]) -> bool:
    found = next((label for label in map(labels.article, lines) if label is not None), None)
    return found is not None and found.number == 1 and found.inserted == 0

"""The labels of clauses at the start of lines: what is one, and what only looks like one.

A label is not a reference in running text (第三条规定的, or a line that was wrapped after 依照), a measure
(3.5 mm) or a line of a table of contents.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

_BLANK: Final = r"[ \t\u3000\u00a0\u200b\ufeff]"
# At most this many blanks inside a label (第 十 一 条): a bound keeps the search linear.
_GAP: Final = rf"{_BLANK}{{0,2}}"
_NUMBER: Final = rf"(?:[〇零○一二三四五六七八九十百千两0-9０-９]{_GAP}){{1,12}}"
_DIGIT: Final = "[0-9０-９]"

_PIECE = re.compile(r"[^\n\f\t]+")
_LEAD = re.compile(rf"{_BLANK}{{0,40}}(?:[*#>]{{1,6}}{_BLANK}{{0,4}})?")
_FIRST: Final = frozenset("第附版主承网责上下相扫分打关【0123456789０１２３４５６７８９") | frozenset(
    chr(base + letter) for base in (ord("A"), ord("Ａ")) for letter in range(26)
)
_LEGAL = re.compile(
    rf"第{_GAP}{_NUMBER}(?:(条)(?:{_GAP}之{_GAP}{_NUMBER})?|(款)|(项)|编|分编|章|节|部{_GAP}分)"
)
_ANNEX = re.compile(rf"附{_GAP}录{_GAP}[A-ZＡ-Ｚ](?![A-Za-z])")
_NUMBERED = re.compile(
    rf"(?:[A-ZＡ-Ｚ]|[1-9１-９]{_DIGIT}?)(?:{_GAP}[.．]{_GAP}{_DIGIT}{{1,3}}){{1,5}}(?:[A-Z](?![A-Za-z]))?"
    rf"(?![0-9０-９.．A-Za-z])"
)
_END = re.compile(
    rf"附{_GAP}[件表](?:{_NUMBER}|下载|{_BLANK}|[:：]|$)|附{_GAP}录{_BLANK}*$|附则{_BLANK}*$|附[:：]"
    r"|版权所有|主办单位|主办[:：]|承办单位|网站标识码|责任编辑|上一篇|下一篇|相关链接|相关文档|扫一扫"
    r"|分享到|打印本页|关闭窗口|【(?:打印|关闭)"
)
_REFERS = re.compile(
    rf"[的至、，,；;。）)》”]|规定|所[称列述指规]|中的|之|以[上下外]|[条款项]|[和及与或]者?{_GAP}第"
    rf"|{_GAP}第{_GAP}{_NUMBER}[条款项]|{_BLANK}+[、，,；;。）)]"
)
_WRAPPED = re.compile(
    r"(?:依照|按照|依据|根据|违反|适用|符合|参照|本法|本条例|本规定|本办法|本规则|[、，,和及或至与])\s{1,8}$"
)
_LOOK_BACK: Final = 16
_SPACED = re.compile(rf"{_BLANK}+|(?=[:：（(])|$")
# What follows the number of a clause: words. A measure is followed by its unit, a table cell by nothing.
_MEASURE = re.compile(
    rf"{_BLANK}*(?:[%％‰℃°㎡]|(?:mm|cm|dm|km|m|kg|g|t|k?N|[kM]?Pa|s|min|h|k?V|A|k?W|Hz|m?L)(?![A-Za-z])"
    r"|[万亿]?元|[毫厘分千平立]?米|公里|公斤|千克|[万亿倍吨克升天年月日级折分秒]|小时|个)"
)
_WORDS = re.compile(rf"{_BLANK}*[（(《“\"]?[A-Za-z\u3400-\u9fff\U00020000-\U000323af]")
_LEADERS = re.compile(r"(?:\.{3}|…|·{3}|_{3}|-{3})[.…·_\- ]*[0-9０-９]{0,4}\s*$")
_LEADERS_END: Final = frozenset(".…·_- \u3000\u00a00123456789０１２３４５６７８９")
_LEADERS_MOST: Final = 200
_HEADING_MOST: Final = 60


class Rank(IntEnum):
    """Where a label stands: a label ends what is of its own rank or below."""

    END = 0
    CLAUSE = 1
    PARAGRAPH = 2
    ITEM = 3


class Label(NamedTuple):
    """One label: its number as written without blanks, where it and its line begin and end."""

    rank: Rank
    number: str
    start: int
    end: int
    decimal: bool


def labels(text: str) -> Iterator[Label]:
    """Every label of `text` in order; time is linear in it."""
    heading_end = 0
    for piece in _PIECE.finditer(text):
        lead = _LEAD.match(text, piece.start(), piece.end())
        start, end = lead.end() if lead else piece.start(), piece.end()
        if start < end and text[start] in _FIRST:
            in_cell = text[piece.start() - 1 : piece.start()] == "\t"
            label = _legal(text, start, end, heading_end) or (None if in_cell else _other(text, start, end))
            if label is not None:
                if label.rank is Rank.END:
                    heading_end = label.end
                yield label


def _legal(text: str, start: int, end: int, heading_end: int) -> Label | None:
    found = _LEGAL.match(text, start, end)
    if found is None or _REFERS.match(text, found.end(), end) or _leads(text, start, end):
        return None
    number = _bare(found[0])
    if found[1]:
        # A heading may end in 依据 or 和; a line that was wrapped is no heading.
        wrapped = _WRAPPED.search(text, max(heading_end, start - _LOOK_BACK), start)
        return None if wrapped else Label(Rank.CLAUSE, number, start, end, decimal=False)
    if found[2] or found[3]:
        rank = Rank.PARAGRAPH if found[2] else Rank.ITEM
        spaced = _SPACED.match(text, found.end(), end)
        return Label(rank, number, start, end, decimal=False) if spaced else None
    return Label(Rank.END, number, start, end, decimal=False) if end - start <= _HEADING_MOST else None


def _leads(text: str, start: int, end: int) -> bool:
    """Whether the line is an entry of a table of contents: dots lead to its page."""
    may = text[end - 1] in _LEADERS_END
    return may and _LEADERS.search(text, max(start, end - _LEADERS_MOST), end) is not None


def _other(text: str, start: int, end: int) -> Label | None:
    if _END.match(text, start, end):
        return Label(Rank.END, "", start, end, decimal=False)
    found = _ANNEX.match(text, start, end) or _numbered(text, start, end)
    if found is None or _leads(text, start, end):
        return None
    return Label(Rank.CLAUSE, _bare(found[0]), start, end, decimal=True)


def _numbered(text: str, start: int, end: int) -> re.Match[str] | None:
    found = _NUMBERED.match(text, start, end)
    if found is None or _MEASURE.match(text, found.end(), end) or not _WORDS.match(text, found.end(), end):
        return None
    return found


def _bare(label: str) -> str:
    return "".join(character for character in label if character not in " \t\u3000\u00a0\u200b\ufeff")

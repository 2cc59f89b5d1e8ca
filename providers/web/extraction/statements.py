"""What a page says of itself: its publication date and its publisher, and where it says so.

Only the page's own words count: never the day of a visit, an HTTP header or a guess from the address.
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Final, NamedTuple

_METAS: Final = (
    "pubdate",
    "article:published_time",
    "og:article:published_time",
    "publishdate",
    "publish_date",
    "publishtime",
    "publish_time",
    "datepublished",
    "dcterms.issued",
    "dc.date.issued",
    "firstpublishedtime",
)
_PUBLISHERS: Final = ("contentsource", "article:publisher", "dc.publisher", "publisher")
_LABELS: Final = (
    ("发布日期", "发布时间", "公布日期"),
    ("发文日期", "印发日期", "成文日期"),
)
_BY: Final = (("发布机构", "发文机关", "发布单位", "发文单位"), ("来源", "信息来源", "文章来源"))
_MOST_NAME: Final = 80
_MOST_FOUND: Final = 50

_BLANK: Final = r"[ \t\u3000\u00a0]"
_BETWEEN: Final = r"[ \t\n\u3000\u00a0]{0,8}"
_DAY = re.compile(
    r"(?<![0-9])([12][0-9]{3})[ \u3000]?[-/.年][ \u3000]?([0-9]{1,2})[ \u3000]?[-/.月][ \u3000]?([0-9]{1,2})"
    r"(?![0-9])"
    r"|(?<![0-9])([12][0-9]{3})([0-9]{2})([0-9]{2})(?![0-9])"
)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９", "0123456789")


class Stated(NamedTuple):
    """A value, and where the page states it; both empty when it does not."""

    value: str
    where: str


_NOTHING: Final = Stated("", "")


def published(metas: Mapping[str, str], text: str) -> Stated:
    """The publication date that the page states, as YYYY-MM-DD: a meta element, else a label in the text.

    Where one label comes with several dates the first counts, and `where` says so.
    """
    for name in _METAS:
        if day := _day(metas.get(name, "")):
            return Stated(day, f"meta:{name}")
    for names in _LABELS:
        if (found := _labelled_days(names, text)).value:
            return found
    return _NOTHING


def publisher(metas: Mapping[str, str], text: str) -> Stated:
    """Who published the page, if it says so: a meta element, else 发布机构 or 来源 in the text."""
    for name in _PUBLISHERS:
        if value := _line(metas.get(name, "")):
            return Stated(value, f"meta:{name}")
    for names in _BY:
        for found in _pattern(names, r"(?P<value>[^\s:：|｜]{2,80})").finditer(text):
            return Stated(_line(found["value"]), f"text:{_bare(found['label'])}")
    return _NOTHING


def _labelled_days(names: tuple[str, ...], text: str) -> Stated:
    days: dict[str, str] = {}
    for found, _ in zip(
        _pattern(names, r"(?P<value>[^\n]{6,24})").finditer(text), range(_MOST_FOUND), strict=False
    ):
        value = found["value"]
        if (start := _DAY.match(value.translate(_FULL_WIDTH))) and (day := _real(start)):
            days.setdefault(day, _bare(found["label"]))
    if not days:
        return _NOTHING
    day, label = next(iter(days.items()))
    return Stated(day, f"text:{label}" + (f" (first of {len(days)})" if len(days) > 1 else ""))


def _pattern(names: tuple[str, ...], value: str) -> re.Pattern[str]:
    spaced = "|".join(f"{_BLANK}{{0,4}}".join(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?P<label>{spaced}){_BLANK}{{0,4}}[】\]]?(?:[:：]|(?=[\t\n])){_BETWEEN}{value}")


def _day(text: str) -> str:
    found = _DAY.search(text.translate(_FULL_WIDTH)[:200])
    return "" if found is None else _real(found)


def _real(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups() if part is not None)
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _line(text: str) -> str:
    return " ".join(text.split())[:_MOST_NAME]


def _bare(label: str) -> str:
    return "".join(label.split())

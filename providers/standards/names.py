"""The name in a query or a title (matching specification, section 5)."""

import re
from bisect import bisect_left

from providers.standards.folding import fold, han, norm_folded
from providers.standards.grammar import Found
from providers.standards.rules import Rules
from providers.standards.tables import NOISE

_QUOTED = re.compile("《([^《》]*)》")
_LIST_MARK = re.compile(
    r" ?(?:\((?:[0-9]{1,3}|[一二三四五六七八九十]{1,3})\)[、.]?"
    r"|[0-9]{1,3}(?:[、)]|\.(?![0-9]))|[一二三四五六七八九十]{1,3}、)"
)
_EDITION = re.compile(
    r"[(\[【]? ?(?:19|20)[0-9]{2} ?年? ?(?:局部修订版?|修订版|修订|修改版|新版|版)(?![本面权图]) ?[)\]】]?"
)
_REMARKS = (
    re.compile(r"\.(?:pdf|docx?|wps|txt|xlsx?|pptx?|ofd|caj|html?|jpe?g|png|zip|rar|7z)\s*\Z", re.IGNORECASE),
    _EDITION,
    re.compile(r"[(\[【] ?[附含][^()\[\]【】]{0,40}说明 ?[)\]】]"),
    re.compile(r"[(\[【] ?共 ?[0-9一二两三四五六七八九十]{1,3} ?[册本卷] ?[)\]】]"),
)
# Each remark holds one of these.
_REMARK_SIGN = re.compile("[.版修共]|说明")
_CLAUSE = re.compile(
    r"第 ?[0-9]{1,3}(?:[.\-][0-9]{1,3}){0,4} ?[条款项章节](?:第? ?[0-9]{1,3} ?[款项])?"
    r"|第[一二三四五六七八九十百]{1,4}[条款项章节]"
)
_NOISE = re.compile("|".join(sorted(NOISE, key=len, reverse=True)))
_EDITION_YEAR = re.compile(r"((?:19|20)[0-9]{2}) ?年? ?(?:局部修订|修订|修改|新)?版?")
_FEWEST_HAN = 2


def title_name(title: str, rules: Rules) -> str:
    """An official title as it is compared."""
    return norm_folded(_without_remarks(fold(title), rules))


def query_names(folded: str, codes: tuple[Found, ...], rules: Rules) -> tuple[str, ...]:
    """The names that a folded query may mean, normalised, without repeats; none if it holds only numbers."""
    rest = _without_codes(folded, codes)
    if rules.quoted_name and "《" in rest:
        quoted = (norm_folded(_without_remarks(text, rules)) for text in _QUOTED.findall(rest))
        names = tuple(dict.fromkeys(filter(None, quoted)))
        if names:
            return names
    mark = _LIST_MARK.match(rest)
    rest = rest[mark.end() :] if mark else rest
    if codes and rules.edition_notes and not _is_text(rest):
        return ()
    rest = _without_remarks(rest, rules)
    if codes and rules.noise_words:
        rest = _CLAUSE.sub(" ", rest)
        if han(rest) < _FEWEST_HAN or han(_NOISE.sub("", rest)) < _FEWEST_HAN:
            return ()
    name = norm_folded(rest)
    return (name,) if name else ()


def whole_name(folded: str, rules: Rules) -> str:
    """The whole folded query as one name, numbers included."""
    return norm_folded(_without_remarks(folded, rules))


def codes_outside_titles(folded: str, codes: tuple[Found, ...]) -> tuple[Found, ...]:
    """`codes` without those that a quoted title holds between other words of its own."""
    if not codes or "《" not in folded:
        return codes
    titles = [_words_of(folded, *found.span(1)) for found in _QUOTED.finditer(folded)]
    ends = [end for _, end in titles]
    kept: list[Found] = []
    for code in codes:
        place = bisect_left(ends, code.end + 1)
        if place == len(titles) or not titles[place][0] < code.start:
            kept.append(code)
    return tuple(kept)


def may_name_edition(folded: str) -> bool:
    """Whether a text holds a word that every mark of an edition has."""
    return "版" in folded or "修" in folded


def edition_year(folded: str) -> str | None:
    """The year of a mark such as (2015年版), or None."""
    found = _EDITION.search(folded) if may_name_edition(folded) else None
    year = _EDITION_YEAR.search(found.group()) if found else None
    return year[1] if year else None


def _words_of(folded: str, start: int, end: int) -> tuple[int, int]:
    """Where the first word of a quoted title begins and the last ends; remarks are no words."""
    title = folded[start:end]
    for remark in _REMARKS:
        title = remark.sub(lambda found: " " * len(found.group()), title)
    words = [place for place, character in enumerate(title, start) if character.isalnum()]
    return (words[0], words[-1] + 1) if words else (end, end)


def _is_text(folded: str) -> bool:
    for remark in _REMARKS:
        folded = remark.sub("", folded)
    return norm_folded(folded) != ""


def _without_codes(folded: str, codes: tuple[Found, ...]) -> str:
    if not codes:
        return folded
    kept: list[str] = []
    end = 0
    for code in codes:
        kept.append(folded[end : code.start])
        end = code.end
    kept.append(folded[end:])
    return " ".join(kept)


def _without_remarks(folded: str, rules: Rules) -> str:
    """`folded` without file ending and edition remarks, unless nothing would be left (R2)."""
    if not rules.edition_notes or not _REMARK_SIGN.search(folded):
        return folded
    rest = folded
    for remark in _REMARKS:
        rest = remark.sub(" ", rest)
    return rest if norm_folded(rest) else folded

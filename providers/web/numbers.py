"""Numbers that name a person, a company or an account, told by their own check digits and forms."""

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from providers.web.findings import Finding
from providers.web.narrowing import Narrow

# GB/T 2260: the first two digits of a region; 91 stands for abroad.
_PROVINCES = frozenset(
    str(region)
    for first, last in (
        (11, 15),
        (21, 23),
        (31, 37),
        (41, 46),
        (50, 54),
        (61, 65),
        (71, 71),
        (81, 83),
        (91, 91),
    )
    for region in range(first, last + 1)
)
_LONGEST = 19
_FEWEST_DIGITS = 6  # the region in a social credit code
_DIGIT = re.compile("[0-9]")
_BETWEEN = re.compile(r"[ \-._·()+]{1,3}")
_DIGITS = re.compile(r"[0-9]+(?:[Xx](?![0-9A-Za-z]))?|(?<=[ \-.])[Xx](?![0-9A-Za-z])")
_SIGNS = re.compile(r"[0-9A-Za-z]+")

_RESIDENT = re.compile(r"[0-9]{17}[0-9X]")
_RESIDENT_WEIGHTS = tuple(2**power % 11 for power in range(17, 0, -1))
# GB 11714 and GB 32100 leave out letters that look like digits: I, O, S, V, Z.
_CREDIT = re.compile(r"[1-9ANY][0-9A-HJ-NPQRTUWXY][0-9]{6}[0-9A-HJ-NPQRTUWXY]{10}")
_CREDIT_ALPHABET = "0123456789ABCDEFGHJKLMNPQRTUWXY"
_CREDIT_WEIGHTS = tuple(3**power % 31 for power in range(17))
_MOBILE = re.compile(r"1[3-9][0-9]{9}")
_MOBILE_GROUPS = {(11,), (3, 4, 4), (3, 8), (7, 4)}
_OLD_RESIDENT_GROUPS = {(15,), (6, 6, 3)}
# Leading digits and lengths of card numbers (ISO/IEC 7812); 62 and 81 are UnionPay, 9 domestic cards.
_CARD = re.compile(
    r"(?:62|81)[0-9]{14,17}|(?:6[0134-9]|9[0-9])[0-9]{14,17}|4[0-9]{12}(?:[0-9]{3}){0,2}|5[0-9]{15}"
    r"|222[1-9][0-9]{12}|22[3-9][0-9]{13}|2[3-6][0-9]{14}|27[01][0-9]{13}|2720[0-9]{12}"
    r"|3[47][0-9]{13}|3[0689][0-9]{12}(?:[0-9]{2})?|35[0-9]{14}"
)


class _Window(NamedTuple):
    """Neighbouring groups of a number as one: 138 0013 8000."""

    text: str
    groups: tuple[int, ...]
    start: int
    end: int

    def grouped(self, usual: set[tuple[int, ...]]) -> bool:
        """Whether the number is divided as people do it, or sign by sign."""
        return self.groups in usual or set(self.groups) == {1}


def numbers(uncited: Narrow) -> list[Finding]:
    """Resident ids, social credit codes, bank cards and mobile numbers; where two overlap, the first.

    `uncited` is a text without the codes of standards in it.
    """
    text = uncited.text
    if len(_DIGIT.findall(text)) < _FEWEST_DIGITS:
        return []
    digits = list(_windows(text, _DIGITS))
    candidates = [
        *(("resident_id", one) for one in digits if _resident(one) or _old_resident(one)),
        *(("social_credit_code", one) for one in _windows(text, _SIGNS) if _credit(one)),
        *(("bank_card", one) for one in digits if _card(one)),
        *(("mobile_number", one) for one in digits if _mobile(one)),
    ]
    found: list[tuple[str, _Window]] = []
    for kind, one in candidates:
        if all(one.end <= other.start or other.end <= one.start for _, other in found):
            found.append((kind, one))
    return [Finding(kind, *uncited.place(one.start, one.end)) for kind, one in found]


def _windows(text: str, group: re.Pattern[str]) -> Iterator[_Window]:
    """Every run of neighbouring groups that is not longer than the longest number."""
    groups = list(group.finditer(text))
    for first, one in enumerate(groups):
        held, lengths, end, gap = "", [], one.start(), None
        for other in groups[first:]:
            if other is not one:
                # One kind of gap: 1868-2021 3047-2025 are two codes, 1868 2021 3047 2025 may be a card.
                gap = text[end : other.start()] if gap is None else gap
                if text[end : other.start()] != gap or not _BETWEEN.fullmatch(gap):
                    break
            held, end = held + other[0], other.end()
            lengths.append(len(other[0]))
            if len(held) > _LONGEST:
                break
            yield _Window(held.upper(), tuple(lengths), one.start(), end)


def _resident(window: _Window) -> bool:
    """GB 11643: a province, a day, and a check digit by ISO 7064 MOD 11-2."""
    number = window.text
    if not _RESIDENT.fullmatch(number) or number[:2] not in _PROVINCES:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number, _RESIDENT_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[17] and _day(number[6:14])


def _old_resident(window: _Window) -> bool:
    """The form of 15 digits, which has no check digit: a province and a day of the twentieth century."""
    number = window.text
    return (
        len(number) == 15
        and number.isdigit()
        and number[:2] in _PROVINCES
        and window.grouped(_OLD_RESIDENT_GROUPS)
        and _day(f"19{number[6:12]}")
    )


def _day(digits: str) -> bool:
    if not "1850" <= digits[:4] <= "2099":
        return False
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True


def _credit(window: _Window) -> bool:
    """GB 32100: a region, and a check sign modulo 31."""
    code = window.text
    if not _CREDIT.fullmatch(code) or (code[2:4] not in _PROVINCES and code[2:4] != "10"):
        return False
    total = sum(
        _CREDIT_ALPHABET.index(sign) * weight for sign, weight in zip(code, _CREDIT_WEIGHTS, strict=False)
    )
    return _CREDIT_ALPHABET[-total % 31] == code[17]


def _card(window: _Window) -> bool:
    """A length and beginning of a card network's, grouped as on a card, and Luhn's check digit."""
    number = window.text
    if not _CARD.fullmatch(number) or len(set(number)) == 1:
        return False
    fours = all(length == 4 for length in window.groups[:-1]) and window.groups[-1] <= 4
    if not fours and not window.grouped({(len(number),), (4, 6, 5), (4, 6, 4), (6, 10), (6, 13)}):
        return False
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number)))
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _mobile(window: _Window) -> bool:
    """Eleven digits from 13 to 19, grouped as people write them; 86 may stand before them."""
    number, groups = window.text, window.groups
    for country in ("0086", "86"):
        if number.startswith(country) and groups[0] > len(country):
            number, groups = number.removeprefix(country), (groups[0] - len(country), *groups[1:])
            break
    return bool(_MOBILE.fullmatch(number)) and (groups in _MOBILE_GROUPS or set(groups) == {1})

"""Chinese numerals of statutes, 1 to 9999, read and written (regulations.md sections 2 and 4)."""

import re
from typing import Final

DIGITS: Final = "零一二三四五六七八九"
# What a recogniser takes as the N of a label: Chinese, ASCII and full-width digits.
NUMERAL: Final = "[〇○零一二三四五六七八九十百千两0-9０-９]"
LARGEST: Final = 9999

_VALUE: Final = {**{digit: value for value, digit in enumerate(DIGITS)}, "〇": 0, "○": 0, "两": 2}
_DECIMAL: Final = re.compile(r"[0-9]{1,6}")
_POSITIONAL: Final = re.compile("[〇○零一二三四五六七八九]{2,4}")
_SPOKEN: Final = re.compile(
    "(?:(?P<thousands>[一二两三四五六七八九])千)?"
    "(?P<gap1>[零〇])?"
    "(?:(?P<hundreds>[一二两三四五六七八九])百)?"
    "(?P<gap2>[零〇])?"
    "(?:(?P<tens>[一二三四五六七八九])?(?P<ten>十))?"
    "(?P<gap3>[零〇])?"
    "(?P<ones>[一二三四五六七八九两])?"
)
_FULL_WIDTH: Final = str.maketrans("０１２３４５６７８９", "0123456789")


def read(text: str) -> int | None:
    """The number that `text` writes, or None: spoken (一百二十), positional (一一六) or digits.

    一百十 is tolerated for 110; zero is a number here, that no clause has it is the caller's rule.
    """
    plain = text.translate(_FULL_WIDTH)
    if _DECIMAL.fullmatch(plain):
        return int(plain)
    if _POSITIONAL.fullmatch(plain):
        return int("".join(str(_VALUE[digit]) for digit in plain))
    if len(plain) == 1 and plain in _VALUE:
        return _VALUE[plain]
    return _spoken(plain)


def _spoken(text: str) -> int | None:
    match = _SPOKEN.fullmatch(text)
    if match is None or not any(match.group(name) for name in ("thousands", "hundreds", "ten", "ones")):
        return None
    value = 0
    for name, worth in (("thousands", 1000), ("hundreds", 100), ("ones", 1)):
        if match.group(name):
            value += _VALUE[match.group(name)] * worth
    if match.group("ten"):
        value += 10 * _VALUE[match.group("tens") or "一"]
    return value


def write(number: int) -> str:
    """`number` as a statute prints it: 10 is 十, 105 一百零五, 110 一百一十, 1260 一千二百六十."""
    if not 1 <= number <= LARGEST:
        raise ValueError(f"{number} is no clause number")
    text = ""
    pending_zero = False
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // worth % 10
        if digit == 0:
            pending_zero = bool(text)
            continue
        text += ("零" if pending_zero else "") + DIGITS[digit] + unit
        pending_zero = False
    return text.removeprefix("一") if 10 <= number <= 19 else text

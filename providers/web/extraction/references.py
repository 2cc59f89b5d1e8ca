"""Character references of HTML, decoded as the standard says and in time linear in the text.

Not html.unescape: it raises on a number of more than 4,300 digits, and drops what the standard keeps.
"""

import re
from html.entities import html5

# The longest name of the standard has 31 letters. Possessive: a long run of digits is read once.
_REFERENCE = re.compile(r"&(?:#[xX]([0-9A-Fa-f]++);?|#([0-9]++);?|([A-Za-z][A-Za-z0-9]{1,30};?))")
_MOST_DIGITS = 7
_REPLACEMENT = "\ufffd"
# Numbers 0x80-0x9F mean what windows-1252 has there (HTML, numeric character reference end state).
_WINDOWS = {
    0x80 + place: character
    for place, character in enumerate("€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ")
}


def decoded(text: str) -> str:
    """`text` with its character references replaced; what is no reference stays as it is."""
    return _REFERENCE.sub(_meaning, text) if "&" in text else text


def _meaning(found: re.Match[str]) -> str:
    hexadecimal, decimal, name = found.groups()
    if name is not None:
        return _named(name)
    digits = (hexadecimal or decimal).lstrip("0")
    if not digits or len(digits) > _MOST_DIGITS:
        return _REPLACEMENT
    point = int(digits, 16 if hexadecimal else 10)
    if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        return _REPLACEMENT
    return _WINDOWS.get(point) or chr(point)


def _named(name: str) -> str:
    """The characters of the longest known beginning of `name`; only old names go without a semicolon."""
    for end in range(len(name), 1, -1):
        known = html5.get(name[:end])
        if known is not None:
            return known + name[end:]
    return f"&{name}"

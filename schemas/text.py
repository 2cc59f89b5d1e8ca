"""Text rules shared by every field: trim, length, and the characters that are refused."""

import re

# ECMAScript String.prototype.trim (lifecycle.md section 1); str.strip() differs (U+0085, U+001C-001F).
TRIMMED = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

# H1: lone surrogates. H2: C0/C1 but tab, LF, CR; bidirectional embedding, override and isolate controls.
# Not compiled here: that takes longer than all else in this module, and printable text needs none of it.
_REFUSED = "[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"


def trim(value: str) -> str:
    """`value` without the white space that ECMAScript trims at both ends."""
    return value.strip(TRIMMED)


def units(value: str) -> int:
    """Length in UTF-16 code units."""
    if value.isascii():
        return len(value)
    return len(value.encode("utf-16-le", "surrogatepass")) // 2


def refused_character(value: str) -> str | None:
    """What H1 or H2 (lifecycle.md section 1) refuses in `value`, in words; None when nothing is."""
    if value.isprintable():  # a quick yes for most text: nothing printable is refused
        return None
    found = re.search(_REFUSED, value)
    if found is None:
        return None
    character = ord(found.group())
    kind = "a lone surrogate" if 0xD800 <= character <= 0xDFFF else "a control character"
    return f"holds {kind}, U+{character:04X}, at position {found.start()}"


def legible(text: str, most: int) -> str:
    """Foreign `text` as bounded text may hold it: refused characters replaced, cut to `most` units.

    A cut is shown as one. Blank text stays blank.
    """
    clean = re.sub(_REFUSED, "\ufffd", text)
    if units(clean) <= most:
        return clean
    kept = clean.encode("utf-16-le")[: 2 * (most - 1)].decode("utf-16-le", "ignore")
    return f"{kept}…"


def shown(value: object, limit: int = 60) -> str:
    """`value` for an error message: short, and escaped where a terminal could be misled."""
    if isinstance(value, str):
        text = repr(value[: limit + 1]) if refused_character(value) is None else ascii(value[: limit + 1])
    else:
        text = f"{_KINDS.get(type(value), type(value).__name__)}"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


_KINDS = {
    dict: "an object",
    list: "an array",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}

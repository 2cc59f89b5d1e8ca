"""What programs do to text files that must stay as they are: other line ends, a mark, another encoding."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UTF8 = b"\xef\xbb\xbf"
MARKS = (*_UTF16, _UTF8)  # with which no file of ours begins
_OTHERS = {
    "the file is a compressed archive; unpack it": (
        b"\x1f\x8b",
        b"pk\x03\x04",
        b"bzh",
        b"7z\xbc\xaf",
        b"\xfd7zxz",
    ),
    "the file is a web page; fetch the ledger again": (b"<!doctype", b"<html", b"<?xml", b"<head"),
    "the file is JSON of another kind": (b"{",),
}


def converted(raw: bytes) -> str | None:
    """Which of these was done to the file of these bytes, as its error is to say it; None where none was."""
    if raw.startswith(_UTF16):
        return "the file is in UTF-16; save it as UTF-8"
    ends = b"\r\n" in raw
    if raw.startswith(_UTF8):
        if ends:
            return (
                "the file begins with a byte order mark and has CRLF line ends; save it without one, with LF"
            )
        return "the file begins with a byte order mark (BOM); save it as UTF-8 without one"
    return "the file has CRLF line ends; save it with LF" if ends else None


def another(head: bytes) -> str | None:
    """What a file that begins so is in place of a ledger, as its error is to say it; None where unknown."""
    if head.startswith(MARKS):
        return converted(head)
    small = head.lstrip().lower()
    return next((told for told, starts in _OTHERS.items() if small.startswith(starts)), None)


def because(message: str, raw: bytes) -> str:
    """What is wrong with a file, with the cause where it is one of these."""
    cause = converted(raw)
    return message if cause is None or cause in message else f"{message} ({cause})"

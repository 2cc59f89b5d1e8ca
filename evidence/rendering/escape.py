"""Text of others made harmless: as Markdown prose, as a Markdown code span, as terminal text."""

import re
from base64 import b64encode

# Controls, bidirectional controls and surrogates (lifecycle.md H1, H2), which records already refuse,
# and the line and paragraph separators, which some terminals and editors obey.
_CONTROL = re.compile(
    "[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
_LINE_BREAK = re.compile(r"\r\n?|\n")
# `://`, `www.e.x`, `e.org` and `@` are not CommonMark, but GitHub, Lark and others make links and mentions
# of them, pictures of `:word:` and formulas of `$`.
_MARKUP = re.compile(
    r"[\\`*\[\]<>&|~#!$^@{}\t\n\r]"
    r"|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])"  # between letters and digits it is no emphasis
    r"|:(?=//|[\w+-]+:)|(?<=mailto):|(?<=xmpp):"
    r"|(?<=\w)\.(?=[^\W\d_]{2})"
    r"|\A[-+=:\s\ufeff]"
    r"|[\s\ufeff]\Z",
    re.IGNORECASE,
)
_ROOT = re.compile("[0-9a-f]{64}")
_LIST_NUMBER = re.compile(r"\A([0-9]{1,9})([.)])(?=\s|\Z)")


def markdown(text: str) -> str:
    """`text` as inline Markdown that every CommonMark reader shows as exactly `text`, with no markup.

    Holds at the start of a line, in a list item, a heading and a table cell; the result is one line.
    Only what `visible` writes out is shown in another form.
    """
    safe = _MARKUP.sub(lambda found: _entity(found.group()), visible(text))
    return _LIST_NUMBER.sub(lambda found: f"{found[1]}{_entity(found[2])}", safe)


def code(text: str) -> str:
    """`text`, an id or a reference, as a code span: shown as it is, never linked, easy to copy."""
    plain = _LINE_BREAK.sub(" ", visible(text))
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    pad = " " if plain[:1] in ("`", " ") or plain[-1:] in ("`", " ") else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def terminal(text: str) -> str:
    """`text` for a terminal: no control but tab and line feed, which every line break becomes."""
    return _LINE_BREAK.sub("\n", visible(text))


def with_base64(text: str) -> str:
    """`text`; where it is the root of a tree in hex, that in base64 too, as checkpoints show it."""
    return f"{text} ({b64encode(bytes.fromhex(text)).decode()})" if _ROOT.fullmatch(text) else text


def visible(text: str) -> str:
    """`text` with every control character but tab, LF and CR written out (`\\u001b`)."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _entity(character: str) -> str:
    # Entities, not backslashes: every CommonMark reader knows both, chat transports often only these.
    return f"&#{ord(character)};"

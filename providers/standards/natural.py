"""Natural order: `.2` before `.10`."""

import re

from providers.standards.folding import fold

_PIECES = re.compile(r"([0-9]+)")


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which runs of digits compare by value and all else by character."""
    pieces = _PIECES.split(fold(text).upper())
    # Length and then digits order numbers of any length without converting them.
    return tuple(
        (1, len(piece.lstrip("0")), piece.lstrip("0")) if place % 2 else (0, 0, piece)
        for place, piece in enumerate(pieces)
    )


def natural_text(folded: str) -> str:
    """One string for a folded text that sorts as its `natural_key` does, for sorting very many."""
    pieces = _PIECES.split(folded.upper())
    # No folded text holds U+0000, so a shorter piece still sorts before a longer one that it begins.
    written = [f"{pieces[0]}\0"]
    for place in range(1, len(pieces), 2):
        digits = pieces[place].lstrip("0")
        written.append(f"{chr(1 + len(digits))}{digits}{pieces[place + 1]}\0")
    return "".join(written)

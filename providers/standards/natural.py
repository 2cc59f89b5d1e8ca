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


def natural_text(text: str) -> str:
    """One string that sorts as `natural_key(text)` does, for sorting very many."""
    pieces = _PIECES.split(fold(text).upper())
    # No folded text holds U+0000, so a shorter piece still sorts before a longer one that it begins.
    return "".join(
        chr(1 + len(piece.lstrip("0"))) + piece.lstrip("0") if place % 2 else f"{piece}\0"
        for place, piece in enumerate(pieces)
    )

"""What a run has to say beside its sources, in as many limitations as an artifact holds."""

from collections.abc import Iterable

from schemas.text import legible

MOST = 16
LONGEST = 1024


def limited(notes: Iterable[str]) -> tuple[str, ...]:
    """Each note as one limitation; where they are too many, the last one holds the beginning of the rest."""
    kept = [legible(note, LONGEST) for note in notes]
    if len(kept) <= MOST:
        return tuple(kept)
    rest = kept[MOST - 1 :]
    more = f"另有 {len(rest)} 条限制。 More limitations: {' / '.join(rest)}"
    return (*kept[: MOST - 1], legible(more, LONGEST))

"""Words of others between quotation marks that they cannot end: what follows is ours, whatever they hold."""

from schemas.text import legible

# Within one kind of marks the other stands (GB/T 15834), so the length stays and nothing is left out.
_WORDS = str.maketrans("“”", "‘’")
_TITLE = str.maketrans("《》", "〈〉")


def quoted(text: str, most: int) -> str:
    """`text`, at most `most` units of it, between “ and ”; those inside become ‘ and ’."""
    return f"“{legible(text, most).translate(_WORDS)}”"


def titled(text: str, most: int) -> str:
    """`text`, at most `most` units of it, between 《 and 》; those inside become 〈 and 〉."""
    return f"《{legible(text, most).translate(_TITLE)}》"

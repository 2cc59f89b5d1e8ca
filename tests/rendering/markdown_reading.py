"""What an independent CommonMark reader sees in a rendering: its structure, and the texts in it."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def tokens(document: str) -> Iterator[Token]:
    """Every token, inline ones in place of their parent."""
    for token in READER.parse(document):
        yield from token.children if token.children is not None else (token,)


def skeleton(document: str) -> list[tuple[str, str, int]]:
    """The structure of `document` without any text: type, tag and level of every token."""
    return [(token.type, token.tag, token.level) for token in tokens(document)]


def texts(document: str) -> list[str]:
    """What a reader reads, one entry per text and code span."""
    return [token.content for token in tokens(document) if token.type in ("text", "code_inline")]


def types(document: str) -> set[str]:
    """The types of all tokens."""
    return {token.type for token in tokens(document)}

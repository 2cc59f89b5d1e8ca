"""Which reader makes lines of which file: Markdown and text here, other formats by their own extractor."""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Final

from providers.regulations.docx import clean_docx
from providers.regulations.lines import Cleaned, clean
from providers.regulations.pdf import clean_pdf
from schemas.errors import InvalidError

Reader = Callable[[bytes, str], Cleaned]

EXTRACTOR: Final = "md-cn-law/1"
# Corpus.open takes other readers; each names its extractor, since other rules make other texts.
READERS: Final[Mapping[str, tuple[str, Reader]]] = {
    ".md": (EXTRACTOR, clean),
    ".markdown": (EXTRACTOR, clean),
    ".txt": (EXTRACTOR, clean),
    ".docx": ("docx-cn-law/1", clean_docx),
    ".pdf": ("pdf-cn-law/1", clean_pdf),
}


def reader_for(name: str, readers: Mapping[str, tuple[str, Reader]] = READERS) -> tuple[str, Reader]:
    """The extractor's name and its reader for a file called `name`."""
    suffix = PurePath(name).suffix.lower()
    found = readers.get(suffix)
    if found is None:
        raise InvalidError(
            f"{name}：不支持这种文件 no reader for {suffix or 'a file without a suffix'}", subject=name
        )
    return found

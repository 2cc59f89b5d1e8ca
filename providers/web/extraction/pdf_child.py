"""The child process that reads the text layer of one PDF: bytes on stdin, text on stdout.

It is run by its path with `python -I`, so it imports nothing of this project. It lowers its own limits
before it looks at the bytes, and they cannot be raised again: memory, processor time, no files, no core
dump. Arguments: memory in bytes, processor seconds, most pages, most code points.
"""

import re
import sys
from collections.abc import Iterator
from typing import Any

_SURROGATES = re.compile("[\ud800-\udfff]")


def main(arguments: list[str]) -> int:
    """Read stdin, write one answer: a line `ok` or `problem` with its words, then the text."""
    memory, seconds, most_pages, most_text = (int(argument) for argument in arguments)
    limit(memory, seconds)
    body = sys.stdin.buffer.read()
    try:
        answer = text_layer(body, most_pages, most_text)
    except MemoryError:
        answer = "problem it needs more memory than is allowed"
    # PDFium gives UTF-16, where half a pair may stand alone.
    sys.stdout.buffer.write(_SURROGATES.sub("\ufffd", answer).encode("utf-8"))
    sys.stdout.buffer.flush()
    return 0


def limit(memory: int, seconds: int) -> None:
    """Lower the limits of this process for good, where the system has them."""
    if sys.platform == "win32":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (allowed, allowed))


def text_layer(body: bytes, most_pages: int, most_text: int) -> str:
    """The answer for one PDF: `ok <version> <pages read> <pages>` and the pages, joined by form feeds."""
    try:
        import pypdfium2
    except ImportError:
        return "missing"
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        return f"problem {_words(error)}"
    total = len(document)
    pages: list[str] = []
    for page in _pages(document, min(total, most_pages)):
        pages.append(page)
        most_text -= len(page) + 1
        if most_text < 0:
            break
    return f"ok {pypdfium2.version.PYPDFIUM_INFO} {len(pages)} {total}\n" + "\f".join(pages)


def _pages(document: Any, count: int) -> Iterator[str]:
    for number in range(count):
        page = document[number]
        layer = page.get_textpage()
        text = layer.get_text_range(errors="surrogatepass")
        layer.close()
        page.close()
        yield text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\f", "\n")


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

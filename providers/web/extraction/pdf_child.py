"""The child process that reads the text layer of one PDF: bytes on stdin, text on stdout.

It is run by its path with `python -I`, so it imports nothing of this project. It lowers its own limits
before it looks at the bytes, and they cannot be raised again: memory, processor time, no files, no core
dump. Arguments: memory in bytes, processor seconds, most pages, most code points.
"""

import re
import sys
from typing import Any

_SURROGATES = re.compile("[\ud800-\udfff]")
_LOCKED = (4, 5)  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY


def main(arguments: list[str]) -> int:
    """Read the bytes, write the answer of `text_layer`."""
    memory, seconds, most_pages, most_text = (int(argument) for argument in arguments)
    limit(memory, seconds)
    body = sys.stdin.buffer.read()
    sys.stdout.buffer.write(text_layer(body, most_pages, most_text).encode("utf-8"))
    sys.stdout.buffer.flush()
    return 0


def limit(memory: int, seconds: int) -> None:
    """Lower the limits of this process for good, where the system has them."""
    if sys.platform == "win32":
        return
    import resource

    for what, most, grace in (
        (resource.RLIMIT_AS, memory, 0),
        (resource.RLIMIT_CPU, seconds, 1),  # a second between the signal that tells and the one that kills
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _, hard = resource.getrlimit(what)
        last = most + grace if hard == resource.RLIM_INFINITY else min(most + grace, hard)
        resource.setrlimit(what, (min(most, last), last))


def text_layer(body: bytes, most_pages: int, most_text: int) -> str:
    """The answer for one PDF: `ok VERSION READ FAILED ALL`, a line end, and its pages joined by form feeds.

    Else one word: missing (pypdfium2 is not installed), locked or damaged.
    """
    try:
        import pypdfium2
    except ImportError:
        return "missing"
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        return "locked" if error.err_code in _LOCKED else "damaged"
    pages: list[str] = []
    failed = 0
    for number in range(min(len(document), most_pages)):
        try:
            pages.append(_page(document[number]))
        except pypdfium2.PdfiumError:
            pages.append("")
            failed += 1
        most_text -= len(pages[-1]) + 1
        if most_text < 0:
            break
    version = pypdfium2.version.PYPDFIUM_INFO
    return f"ok {version} {len(pages)} {failed} {len(document)}\n" + "\f".join(pages)


def _page(page: Any) -> str:
    layer = page.get_textpage()
    text: str = layer.get_text_range(errors="surrogatepass")
    layer.close()
    page.close()
    # PDFium gives UTF-16, where half a pair may stand alone.
    whole = _SURROGATES.sub("\ufffd", text)
    return whole.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\f", "\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

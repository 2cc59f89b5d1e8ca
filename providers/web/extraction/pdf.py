"""The text layer of a PDF, read by PDFium in a process of its own with hard limits.

A parser of hostile bytes in C runs where it can neither take the memory of its caller nor outlive the
deadline; it gets the bytes by pipe, no environment, and answers by pipe.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

EXTRACTOR: Final = "external-evidence-pdf/1"
_CHILD: Final = Path(__file__).with_name("pdf_child.py")
# Windows cannot start a process without it; nothing else of the environment is anybody's business.
_ENVIRONMENT: Final = ("SYSTEMROOT",)
_FRAME: Final = 4096
_PIECE: Final = 1 << 16
_PROBLEMS: Final = {
    "missing": "reading PDF needs the extra pdf: pip install '.[pdf]' in a checkout of the project",
    "locked": "encrypted: it cannot be opened without its key",
    "damaged": "not a readable PDF: damaged, or cut short",
}


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What one PDF may cost: seconds on the clock and of the processor, bytes, pages, code points."""

    seconds: float = 30.0
    cpu_seconds: int = 20
    memory: int = 1 << 30
    most_pages: int = 5000
    most_text: int = 8_000_000


DEFAULT: Final = PdfLimits()


@dataclass(frozen=True, slots=True)
class Layer:
    """The text of a PDF, its pages joined by form feeds; or `problem`, which says why there is none."""

    text: str = ""
    extractor: str = EXTRACTOR
    notes: tuple[str, ...] = ()
    problem: str = ""


def read(body: bytes, limits: PdfLimits) -> Layer:
    """The text layer of the PDF `body`; whatever the bytes do ends in a `problem`, never in an exception."""
    numbers = (limits.memory, limits.cpu_seconds, limits.most_pages, limits.most_text)
    with subprocess.Popen(  # noqa: S603 - this Python, our own file, numbers
        [sys.executable, "-I", "-B", str(_CHILD), *map(str, numbers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        start_new_session=True,
    ) as child:
        late = threading.Event()
        answer = _exchange(child, body, limits, late)
    if late.is_set():
        return Layer(problem=f"not read within {limits.seconds:g} s")
    return _layer(answer, child.returncode)


def _exchange(
    child: "subprocess.Popen[bytes]", body: bytes, limits: PdfLimits, late: threading.Event
) -> bytes | None:
    """What the child answers to `body`, None when that is too much; the child is over then."""

    def expire() -> None:
        late.set()
        _end(child)

    clock = threading.Timer(limits.seconds, expire)
    feeder = threading.Thread(target=_feed, args=(cast("IO[bytes]", child.stdin), body), daemon=True)
    clock.start()
    feeder.start()
    try:
        answer = _bounded(cast("IO[bytes]", child.stdout), 4 * limits.most_text + _FRAME)
        if answer is None:
            _end(child)
        child.wait()
    finally:
        _end(child)
        clock.cancel()
        feeder.join()
    return answer


def _feed(stdin: IO[bytes], body: bytes) -> None:
    # A child that ends early closes the pipe; its exit says why.
    with contextlib.suppress(OSError), stdin:
        stdin.write(body)


def _bounded(stdout: IO[bytes], most: int) -> bytes | None:
    """Everything in `stdout`; None when it is more than `most`."""
    answer = bytearray()
    while piece := stdout.read(_PIECE):
        answer += piece
        if len(answer) > most:
            return None
    return bytes(answer)


def _end(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is not None:
        return
    if sys.platform == "win32":
        child.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def _layer(answer: bytes | None, status: int) -> Layer:
    if answer is None or status != 0:
        return Layer(problem=_died(status))
    head, _, text = answer.decode("utf-8").partition("\n")
    word, *facts = head.split(" ")
    if word != "ok":
        return Layer(problem=_PROBLEMS[word])
    version, pages, failed, total = facts
    extractor = f"{EXTRACTOR} pypdfium2/{version}"
    notes = [f"pages 1 to {pages} of {total}"] if pages != total else []
    if failed != "0":
        notes.append(f"{failed} pages cannot be read")
    if replaced := text.count("\ufffd"):
        notes.append(f"noted: {replaced} characters that the PDF does not map to text")
    if not text.strip():
        return Layer(extractor=extractor, notes=tuple(notes), problem="no text layer")
    return Layer(text.rstrip("\n\f"), extractor, tuple(notes))


def _died(status: int) -> str:
    if sys.platform != "win32" and status == -signal.SIGXCPU:
        return "it needs more processor time than is allowed"
    return f"its reader ended with status {status}, as when it needs more memory than is allowed"

"""What a door prints: one result on stdout, everything else on stderr, text that no terminal chokes on."""

import errno
import io
import os
import sys
from collections.abc import Iterable, Mapping
from typing import BinaryIO, TextIO

import orjson

from schemas.errors import EvidenceError, StorageError

READER_LEFT = 141
"""Exit status when whoever read our output went away, as the shell reports it for SIGPIPE."""


def wants_json(chosen: str | None) -> bool:
    """Whether the answer is JSON: chosen, or nobody chose and stdout is no terminal."""
    if chosen is not None:
        return chosen == "json"
    return sys.stdout is None or not sys.stdout.isatty()


def json_text(value: object) -> bytes:
    """`value` as an indented JSON document with a final newline, UTF-8."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(value, option=option)
    except orjson.JSONEncodeError:  # an argument or a path that was no UTF-8 is part of the answer
        return orjson.dumps(_utf8(value), option=option)


class Whole:
    """A stream that takes all that it is given: with PYTHONUNBUFFERED stdout is raw, and takes what fits."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.flush = stream.flush

    def write(self, content: bytes) -> int:
        """Write all of `content`."""
        rest = memoryview(content)
        while rest:
            rest = rest[self._stream.write(rest) :]
        return len(content)

    def writelines(self, parts: Iterable[bytes]) -> None:
        """Write all of every part."""
        for part in parts:
            self.write(part)


def print_json(value: object) -> None:
    """One JSON document on stdout: UTF-8 bytes, ASCII escapes where a terminal cannot show UTF-8."""
    content = json_text(value)
    stream = _stdout()
    if stream.isatty() and not _speaks_utf8(stream):
        import json

        content = (json.dumps(value, indent=2) + "\n").encode("ascii")
    _write(stream, content)


def print_text(text: str) -> None:
    """Readable text on stdout; controls and what the terminal's encoding lacks are shown as escapes."""
    stream = _stdout()
    text = _harmless(text)
    line = text if text.endswith("\n") else f"{text}\n"
    encoding = "utf-8" if not stream.isatty() or _speaks_utf8(stream) else stream.encoding
    _write(stream, line.encode(encoding, "backslashreplace"))


def print_error(error: EvidenceError, as_json: bool) -> None:
    """One error on stderr: a JSON object on one line, or plain text with its hint."""
    if sys.stderr is None:
        return
    if as_json:
        content = orjson.dumps(escape_surrogates(error.to_wire()), option=orjson.OPT_APPEND_NEWLINE)
    else:
        problems = getattr(error, "problems", [])  # the message is the first of them
        more = [f"  {line}" for line in (error.hint, *problems[1:]) if line]
        content = _line("\n".join([f"error: {error.message}", *more]))
    _write_quietly(content)


def print_notice(text: str) -> None:
    """One line for a person on stderr."""
    if sys.stderr is not None:
        _write_quietly(_line(text))


def _harmless(text: str) -> str:
    from evidence.rendering.escape import terminal  # what answers in JSON starts without it

    return terminal(text)


def _line(text: str) -> bytes:
    return f"{_harmless(text)}\n".encode(sys.stderr.encoding or "utf-8", "backslashreplace")


def escape_what_streams_lack() -> None:
    """Let help and other text of click's show an escape for what a stream's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def escape_surrogates(wire: Mapping[str, object]) -> dict[str, object]:
    """`wire` with lone surrogates in its texts written as escapes, so that it can be UTF-8."""
    return {key: _utf8(value) for key, value in wire.items()}


def _utf8(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return escape_surrogates(value)
    return [_utf8(item) for item in value] if isinstance(value, list | tuple) else value


def _stdout() -> TextIO:
    if sys.stdout is None:
        raise StorageError("stdout is closed; there is nowhere to write the result", subject="stdout")
    return sys.stdout


def _speaks_utf8(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") in ("utf8", "utf8sig")


def _write(stream: TextIO, content: bytes) -> None:
    try:
        stream.flush()
        whole = Whole(stream.buffer)
        whole.write(content)
        whole.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise BrokenPipeError(error.errno, error.strerror) from error
        discard_stdout()
        raise StorageError(f"stdout cannot be written: {error.strerror}", subject="stdout") from error


def _write_quietly(content: bytes) -> None:
    # An error that cannot be told anywhere still has its exit status.
    try:
        sys.stderr.flush()
        whole = Whole(sys.stderr.buffer)
        whole.write(content)
        whole.flush()
    except OSError:
        _discard(2)


def discard_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush cannot fail again."""
    _discard(1)


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)

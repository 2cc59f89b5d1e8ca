"""`external-evidence rpc`: the five verbs as JSON-RPC 2.0, one message a line on stdio.

For embedders in any language. Lines are answered in order; a bad line is answered with an error and
the next one is read. Nothing is recorded: an embedder keeps its own artifacts.
"""

from collections.abc import Iterator
from typing import BinaryIO

import orjson

from evidence.doors.output import escape_surrogates
from evidence.lifecycle.wire import VERBS, call
from schemas.canonical import LARGEST_INTEGER, Algorithm
from schemas.errors import EvidenceError, InvalidError, NotFoundError
from schemas.outside import MAX_BYTES, parse
from schemas.text import refused_character, shown

PREFIX = "external_evidence."
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
REFUSED = -32000

Message = dict[str, object]


def serve(requests: BinaryIO, answers: BinaryIO, algorithm: Algorithm) -> None:
    """Answer every line of `requests` until it ends; each answer is one flushed line."""
    while line := requests.readline(MAX_BYTES + 1):
        if len(line) > MAX_BYTES and not line.endswith(b"\n"):
            _skip_rest(requests)
            longer = InvalidError(f"a line is longer than {MAX_BYTES} bytes", subject="line")
            answers.write(_line(_refusal(None, PARSE_ERROR, longer)))
        elif line.strip():
            answers.writelines(answer_line(line, algorithm))
        answers.flush()


def _skip_rest(requests: BinaryIO) -> None:
    while (rest := requests.readline(MAX_BYTES)) and not rest.endswith(b"\n"):
        pass


def answer_line(line: bytes, algorithm: Algorithm) -> Iterator[bytes]:
    """The answer to one line, a line too: a message, an array for a batch, nothing when nothing is owed.

    It comes in pieces: the refusals of a batch of bare numbers are hundreds of times as long as the batch.
    """
    try:
        value = parse(line.rstrip(b"\r\n"), "line")
    except InvalidError as error:
        yield _line(_refusal(None, PARSE_ERROR, error))
        return
    if isinstance(value, list) and value:
        yield from _answer_batch(value, algorithm)
    elif isinstance(value, list):
        yield _line(_invalid(None, "a batch must hold at least one request"))
    elif (answer := _answer(value, algorithm)) is not None:
        yield _line(answer)


def _answer_batch(batch: list[object], algorithm: Algorithm) -> Iterator[bytes]:
    before = b"["
    for request in batch:
        answer = _answer(request, algorithm)
        if answer is not None:
            yield before + orjson.dumps(answer)
            before = b","
    if before == b",":
        yield b"]\n"


def _line(answer: Message) -> bytes:
    return orjson.dumps(answer) + b"\n"


def _answer(request: object, algorithm: Algorithm) -> Message | None:
    if not isinstance(request, dict):
        return _invalid(None, f"a request must be an object, found {shown(request)}")
    identity = request.get("id")
    if not _is_id(identity):
        return _invalid(None, "id must be text, an integer within ±(2^53-1) or null")
    method = request.get("method")
    if request.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return _invalid(identity, 'jsonrpc must be "2.0" and method a text')
    verb = method.removeprefix(PREFIX)
    if verb == method or verb not in VERBS:
        unknown = NotFoundError(f"no method {shown(method)}; known: {PREFIX}{'|'.join(VERBS)}")
        answer = _refusal(identity, METHOD_NOT_FOUND, unknown)
    else:
        answer = _call(identity, verb, request.get("params"), algorithm)
    return answer if "id" in request else None


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return refused_character(value) is None
    if isinstance(value, int) and not isinstance(value, bool):
        return -LARGEST_INTEGER <= value <= LARGEST_INTEGER
    return value is None


def _call(identity: object, verb: str, params: object, algorithm: Algorithm) -> Message:
    try:
        return {"jsonrpc": "2.0", "id": identity, "result": call(verb, params, algorithm)}
    except EvidenceError as error:
        code = INVALID_PARAMS if isinstance(error, InvalidError) else REFUSED
        return _refusal(identity, code, error)


def _invalid(identity: object, what: str) -> Message:
    return _refusal(identity, INVALID_REQUEST, InvalidError(what, subject="request"))


def _refusal(identity: object, code: int, error: EvidenceError) -> Message:
    data = escape_surrogates(error.to_wire())
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "error": {"code": code, "message": data["message"], "data": data},
    }

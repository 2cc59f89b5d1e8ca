"""The reader of answers: how bytes were split changes nothing, and no bytes break it."""

import gzip
import zlib
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from providers.web.capture.body import read_body
from providers.web.capture.ending import FailedError, RejectedError
from providers.web.capture.head import read_head
from providers.web.capture.wire import Wire

BODY = b"a page of words, " * 3
OUTCOME = tuple[str, object, object]


def source(content: bytes, sizes: list[int]) -> Callable[[int], bytes]:
    """What a socket gives that received `content` in pieces of these sizes, and then the rest."""
    place = 0
    pieces = iter(sizes)

    def receive(most: int) -> bytes:
        nonlocal place
        piece = content[place : place + min(most, next(pieces, most))]
        place += len(piece)
        return piece

    return receive


def read(content: bytes, sizes: list[int], wire_cap: int = 1 << 20, cap: int = 1 << 16) -> OUTCOME:
    wire = Wire(source(content, sizes), wire_cap)
    try:
        head = read_head(wire, 4096)
        body = read_body(wire, head, cap)
    except (FailedError, RejectedError) as ending:
        return type(ending).__name__, str(ending), None
    return "whole", head, (body.content, body.framing)


def message(*fields: bytes, body: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *fields, b"", body])


def chunks(body: bytes, size: int) -> bytes:
    parts = [body[place : place + size] for place in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\nA: b\r\n\r\n"


LENGTH = b"Content-Length: %d"
ZIP = b"Content-Encoding: gzip"
CHUNKS = b"Transfer-Encoding: chunked"
ANSWERS = [
    message(LENGTH % len(BODY), body=BODY),
    message(LENGTH % len(BODY), body=BODY + b"more"),
    message(LENGTH % (len(BODY) + 1), body=BODY),
    message(CHUNKS, body=chunks(BODY, 7)),
    message(CHUNKS, ZIP, body=chunks(gzip.compress(BODY), 5)),
    message(CHUNKS, ZIP, body=chunks(gzip.compress(BODY)[:-3], 5)),
    message(ZIP, LENGTH % len(gzip.compress(BODY)), body=gzip.compress(BODY)),
    message(ZIP, body=gzip.compress(BODY) + b"x"),
    message(ZIP, body=gzip.compress(bytes(1 << 20))),
    message(body=BODY),
    b"HTTP/1.1 103 Early\r\nA: b\r\n\r\n" + message(body=BODY),
    b"<html>",
]
SIZES = st.lists(st.integers(1, 40), max_size=80)


@given(st.sampled_from(ANSWERS), SIZES)
def test_any_split_gives_the_same_answer(answer: bytes, sizes: list[int]) -> None:
    assert read(answer, sizes) == read(answer, [])


@given(
    st.sampled_from(ANSWERS),
    st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=3), st.integers(0, 3)), max_size=4),
    SIZES,
)
def test_a_damaged_answer_ends_in_words_and_the_same_ones_for_any_split(
    answer: bytes, edits: list[tuple[int, bytes, int]], sizes: list[int]
) -> None:
    for place, new, dropped in edits:
        answer = answer[:place] + new + answer[place + dropped :]
    assert read(answer, sizes) == read(answer, [])


@given(st.binary(max_size=200), SIZES)
@example(b"HTTP/1.1 200 \r\n\r\n", [])
def test_garbage_fails_and_never_raises_anything_else(content: bytes, sizes: list[int]) -> None:
    assert read(content, sizes)[0] in ("FailedError", "whole")


@given(st.binary(max_size=300), SIZES)
def test_garbage_after_a_head_of_chunked_gzip_fails(content: bytes, sizes: list[int]) -> None:
    assert read(message(CHUNKS, ZIP, body=content), sizes)[0] == "FailedError"


@given(st.binary(max_size=2000), st.integers(1, 50), SIZES, st.integers(0, 9))
def test_what_was_sent_is_what_is_read(body: bytes, size: int, sizes: list[int], level: int) -> None:
    answer = message(CHUNKS, ZIP, body=chunks(gzip.compress(body, level), size))
    assert read(answer, sizes)[2] == (body, "chunked")


@pytest.mark.parametrize("cap", [1, 100, 65535, 65536, 65537, 200_000])
@pytest.mark.parametrize("zipped", [True, False])
def test_the_cap_of_the_body_is_exact(cap: int, zipped: bool) -> None:
    def answer(size: int) -> bytes:
        return message(ZIP, body=gzip.compress(bytes(size))) if zipped else message(body=bytes(size))

    assert read(answer(cap), [], cap=cap)[2] == (bytes(cap), "close")
    assert read(answer(cap + 1), [], cap=cap)[:2] == (
        "RejectedError",
        f"the body is larger than {cap} bytes",
    )


def test_the_cap_of_the_wire_is_exact_and_counts_head_and_framing() -> None:
    answer = message(CHUNKS, body=chunks(BODY, 7))
    assert read(answer, [], wire_cap=len(answer))[0] == "whole"
    assert read(answer, [], wire_cap=len(answer) - 1)[0] == "RejectedError"
    assert read(answer + b"not used", [], wire_cap=len(answer))[0] == "whole"


@pytest.mark.parametrize("cap", [1, 65536, 100_000])
def test_where_the_rest_may_be_left_the_body_is_cut_at_its_cap(cap: int) -> None:
    content = message(body=b"a" * 150_000)
    wire = Wire(source(content, []), 1 << 20)
    assert read_body(wire, read_head(wire, 4096), cap, cut=True).content == b"a" * cap


def test_a_bomb_is_never_expanded_past_one_step_beyond_its_cap() -> None:
    bomb = zlib.compressobj(1, zlib.DEFLATED, 31)
    content = b"".join([*(bomb.compress(bytes(1 << 20)) for _ in range(64)), bomb.flush()])
    assert len(content) < 400_000
    assert read(message(ZIP, body=content), [])[1] == "the body is larger than 65536 bytes"

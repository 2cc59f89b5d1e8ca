"""JSON text from outside (lifecycle.md H7): hostile input is refused, in linear time, by name."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InvalidError
from schemas.outside import MAX_BYTES, MAX_DEPTH, parse

BOM = b"\xef\xbb\xbf"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text() | st.floats(allow_nan=False,
    allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


def refused(raw: bytes) -> str:
    with pytest.raises(InvalidError) as caught:
        parse(raw, "plan.json")
    assert caught.value.subject == "plan.json"
    assert caught.value.message.startswith("plan.json ")
    assert len(caught.value.message) < 200
    return caught.value.message


@given(VALUES, st.booleans(), st.booleans())
def test_what_json_writes_is_read(value: object, ascii_only: bool, bom: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert parse(BOM * bom + raw) == value


def test_one_bom_is_allowed_and_a_second_is_not() -> None:
    assert parse(BOM + b"{}") == {}
    assert "not JSON" in refused(BOM + BOM + b"{}")


@pytest.mark.parametrize(
    "raw",
    [b'{"a":1,"a":1}', b'{"a":1,"b":2,"a":3}', b'[{"x":{"a":1,"\\u0061":2}}]', b'{"":0,"":0}'],
)
def test_a_key_that_stands_twice_is_refused_at_any_depth(raw: bytes) -> None:
    assert "twice in one object" in refused(raw)


def test_the_same_key_in_two_objects_is_no_duplicate() -> None:
    assert parse(b'[{"a":{"a":1}},{"a":2}]') == [{"a": {"a": 1}}, {"a": 2}]


def test_a_key_that_stands_twice_is_shown_short_and_escaped() -> None:
    key = json.dumps("\u202e" + "k" * 100_000)
    assert "\\u202e" in refused(f"{{{key}:1,{key}:2}}".encode())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_refused(number: str) -> None:
    assert f"holds {number}, which is not JSON" in refused(f'{{"a":[{number}]}}'.encode())


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" * 400 + ".0", "1e" + "9" * 10_000])
def test_a_number_that_would_become_an_infinity_is_refused(number: str) -> None:
    assert "beyond every number" in refused(number.encode())


@pytest.mark.parametrize("digits", [21, 4301, 1_000_000])
def test_a_huge_integer_is_refused_before_it_is_computed(digits: int) -> None:
    assert f"an integer of {digits} characters" in refused(b"[" + b"7" * digits + b"]")


def test_an_integer_of_sixty_four_bits_is_read() -> None:
    assert parse(str(2**64 - 1).encode()) == 2**64 - 1


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_sixty_four_is_read_and_one_more_is_not(opening: str) -> None:
    closing = "]" if opening == "[" else "}"

    def nested(depth: int) -> bytes:
        return (opening * (depth - 1) + "[]" + closing * (depth - 1)).encode()

    parse(nested(MAX_DEPTH))
    assert f"deeper than {MAX_DEPTH} levels" in refused(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("text", ["[" * 200, '\\"[[{{', '"]]]]' * 100])
def test_brackets_inside_a_string_are_no_depth(text: str) -> None:
    assert parse(json.dumps([text]).encode()) == [text]


@pytest.mark.parametrize("raw", [b"[" * 1_000_000, b'{"a":' * 1_000_000, b"[" * 500_000 + b"]" * 500_000])
def test_endless_nesting_is_refused(raw: bytes) -> None:
    assert "nested deeper" in refused(raw)


def test_eight_mebibytes_are_read_and_one_more_byte_is_not() -> None:
    text = b'"' + b"a" * (MAX_BYTES - 2) + b'"'
    assert len(str(parse(text))) == MAX_BYTES - 2
    assert f"is {MAX_BYTES + 1} bytes; at most {MAX_BYTES} are read" in refused(text + b" ")


@pytest.mark.parametrize(
    ("raw", "place"),
    [(b'"\xff"', "0xff at offset 1"), (b"\xc0\xaf", "0xc0 at offset 0"), (b'"\xed\xa0\x80"',
     "0xed at offset 1"),
     (b'"a\xe5\x9d"', "0xe5 at offset 2"), (BOM + b"\xfe", "0xfe at offset 0"), ("{}".encode("utf-16"),
      "0xff")],
)  # fmt: skip
def test_what_is_not_utf_8_is_refused_with_byte_and_offset(raw: bytes, place: str) -> None:
    assert f"is not UTF-8: byte {place}" in refused(raw)


@pytest.mark.parametrize("raw", [b"", b" ", b"\r\n"])
def test_what_is_empty_is_called_empty(raw: bytes) -> None:
    assert refused(raw) == "plan.json is empty"


@pytest.mark.parametrize(
    "raw",
    [b"{", b"[1,]", b'{"a":1,}', b"{'a':1}", b"{}{}", b"{} x", b"1 2", b'"a', b'"\\x"', b"01",
     b"+1", b".5",
     b"tru", b"undefined", b'"\x00"', b'"\t"', b"//\n{}", b'{"a" 1}', b"\x00"],
)  # fmt: skip
def test_what_is_not_json_is_refused_with_line_and_column(raw: bytes) -> None:
    message = refused(raw)
    assert "is not JSON: " in message
    assert "line " in message
    assert ", column " in message


def test_a_lone_surrogate_is_read_and_left_to_the_rule_of_its_field() -> None:
    assert parse(b'"\\ud800"') == "\ud800"


HOSTILE = """
import sys
from schemas.errors import InvalidError
from schemas.outside import parse
part, wrapped = sys.argv[1].encode(), sys.argv[2] == "wrapped"
raw = part * (2_000_000 // len(part))
try:
    parse(b"[" + raw + b"0]" if wrapped else raw)
except InvalidError:
    pass
"""


@pytest.mark.parametrize(
    ("part", "how"),
    [('"', "bare"), ('\\"', "bare"), ('"\\', "bare"), ('"a",', "wrapped"), ('"\\"",', "wrapped"), ("\n",
     "bare"),
     ('{"a":"', "bare"), ("[],", "wrapped"), ("-", "bare"), ("1", "bare"), ("1e1,", "wrapped"), ("\\u",
      "bare")],
)  # fmt: skip
def test_two_megabytes_of_anything_end_soon(part: str, how: str) -> None:
    # Quadratic work on this much would take hours, so that the generous limit is no measure of the machine.
    subprocess.run([sys.executable, "-c", HOSTILE, part, how], check=True, timeout=60)

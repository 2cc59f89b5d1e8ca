"""Canonical JSON and digests, against another implementation of RFC 8785 (lifecycle.md section 2)."""

import hashlib
import json

import pytest
import rfc8785
from blake3 import blake3
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.canonical import (
    ALGORITHMS,
    DEFAULT_ALGORITHM,
    LARGEST_INTEGER,
    Algorithm,
    algorithm_of,
    canonical,
    canonical_record,
    digest,
    digest_bytes,
    is_digest,
)
from schemas.errors import InvalidError
from schemas.outside import parse

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-LARGEST_INTEGER, LARGEST_INTEGER) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=12,
)


@given(VALUES)
@example({"\U00010000": 1, "\uffff": 2, "é": 3, "e\u0301": 4, "": 5})
@example('\x00\x1f\x7f\x80\u2028\u2029\ufeff\U0010ffff"\\/\b\f\n\r\t')
def test_the_bytes_are_those_of_another_implementation(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]  # its JSON type is recursive


@given(VALUES)
def test_canonical_bytes_read_back_as_the_value_and_are_canonical_again(value: object) -> None:
    raw = canonical(value)
    assert parse(raw) == value
    assert canonical(json.loads(raw)) == raw


@given(st.dictionaries(TEXTS, SCALARS, max_size=6), st.randoms())
def test_the_order_of_keys_does_not_matter(value: dict[str, object], chance: object) -> None:
    items = list(value.items())
    chance.shuffle(items)  # type: ignore[attr-defined]  # Hypothesis types st.randoms() loosely
    assert digest(dict(items)) == digest(value)


def test_keys_sort_by_utf_16_code_units() -> None:
    # U+10000 is D800 DC00 in UTF-16 and so before U+FFFF, though its code point is greater.
    assert canonical({"\uffff": 1, "\U00010000": 2}) == '{"\U00010000":2,"\uffff":1}'.encode()


def test_a_tuple_is_an_array() -> None:
    assert canonical((1, ("a",))) == b'[1,["a"]]'


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,6}", fullmatch=True), SCALARS))
def test_the_fast_way_of_records_gives_the_same_bytes(value: dict[str, object]) -> None:
    assert canonical_record(value) == canonical(value)


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (1.5, "value"),
        ({"a": [0, 1.0]}, "value.a[1]"),
        (float("nan"), "value"),
        (LARGEST_INTEGER + 1, "value"),
        ([-LARGEST_INTEGER - 1], "value[0]"),
        (b"bytes", "value"),
        ({"a": {"b": {1, 2}}}, "value.a.b"),
        ({1: "a"}, "value"),
        ({None: "a"}, "value"),
        ("\ud800", "value"),
        ({"\udfff": 1}, "value"),
    ],
)
def test_what_an_identity_cannot_hold_is_refused_where_it_stands(value: object, where: str) -> None:
    with pytest.raises(InvalidError) as caught:
        canonical(value)
    assert caught.value.subject == where


def test_a_value_without_an_end_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(InvalidError, match="nested too deep"):
        canonical(endless)
    deep: object = None
    for _ in range(400):
        deep = [deep]
    with pytest.raises(InvalidError):
        canonical(deep)


@pytest.mark.parametrize("number", [LARGEST_INTEGER, -LARGEST_INTEGER, 0, True])
def test_integers_within_two_to_the_fifty_third_are_held(number: int) -> None:
    assert parse(canonical(number)) == number


@given(st.binary())
def test_digests_are_those_of_the_libraries(data: bytes) -> None:
    assert digest_bytes(data, "sha256") == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert digest_bytes(data) == f"blake3:{blake3(data).hexdigest()}"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_digest_names_its_algorithm(algorithm: Algorithm) -> None:
    made = digest({"a": 1}, algorithm)
    assert is_digest(made)
    assert algorithm_of(made) == algorithm
    assert DEFAULT_ALGORITHM == "blake3"


HEX = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    "text",
    ["", HEX, f"md5:{HEX}", f"SHA256:{HEX}", f"sha256:{HEX.upper()}", f"sha256:{HEX}0", f"sha256:{HEX[1:]}",
     f"sha256:{HEX}\n", f" sha256:{HEX}", f"sha256:{HEX[:-1]}g", f"sha256:{HEX[:-1]}٣", f"blake3 :{HEX}"],
)  # fmt: skip
def test_anything_else_is_no_digest(text: str) -> None:
    assert not is_digest(text)

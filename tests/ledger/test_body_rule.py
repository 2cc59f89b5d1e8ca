"""A body is taken exactly when the audit's own rule takes it, whatever the quick look leaves in doubt."""

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.store import compose
from schemas.canonical import canonical, digest_bytes
from schemas.errors import InvalidError
from schemas.outside import MAX_DEPTH, parse
from tests.ledger.steps import step

AT = "2026-02-28T23:59:59.000001Z"
EXACT = ("0", "7", "-1", "9007199254740991", "-9007199254740991")
# Integers that are none for every reader, floats as orjson, RFC 8785 and nobody writes them, and no numbers.
REFUSED = (
    "-0", "9007199254740992", "-9007199254740992", "18446744073709551615", "18446744073709551616",
    "100000000000000000000", "1" * 30,
    "1.5", "-0.0", "0.0", "1.0", "1e5", "1E5", "1e16", "-1e-7", "1e+21", "1e21", "1E400", "1e400", "5e-324",
    "01", "1.", ".5", "+1", "NaN", "Infinity",
)  # fmt: skip
TEXTS = (
    "", "a", "b", "3e5", "1.5", ":3e", ",1.5", "[1e5", '":1.5', "\ue000", "\uffff", "\U00010000", "😀",
    "现行",
)  # fmt: skip

numbers = st.sampled_from(REFUSED) | st.integers().map(str) | st.floats().map(repr)
texts = st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
quoted = texts.map(lambda text: orjson.dumps(text).decode())
plain = st.sampled_from(["true", "false", "null"]) | quoted | st.sampled_from(EXACT)


def _object(members: list[tuple[str, str]], order: str) -> str:
    pairs = [(orjson.dumps(key).decode(), key, written) for key, written in members]
    if order != "as they came":
        pairs = sorted({pair[1]: pair for pair in pairs}.values(), key=lambda pair: pair[1].encode(order))
    return "{" + ",".join(f"{name}:{written}" for name, _, written in pairs) + "}"


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    orders = st.sampled_from(["utf-8", "utf-16-be", "utf-16-be", "as they came"])
    return st.builds(_object, st.lists(st.tuples(texts, inner), max_size=4), orders) | st.lists(
        inner, max_size=4
    ).map(lambda items: f"[{','.join(items)}]")


def _deep(written: str, levels: int, in_objects: bool) -> str:
    left, right = ('{"a":', "}") if in_objects else ("[", "]")
    return left * levels + written + right * levels


bodies = (
    st.recursive(plain, _nested, max_leaves=12)
    | st.recursive(plain | numbers, _nested, max_leaves=6)
    | st.builds(
        _deep, plain | numbers | st.just("[]"), st.integers(MAX_DEPTH - 2, MAX_DEPTH + 2), st.booleans()
    )
).map(str.encode)


def _audited(body: bytes) -> bool:
    try:
        return canonical(parse(body)) == body
    except InvalidError:
        return False


def _taken(body: bytes) -> bool:
    draft = step(1)._replace(kind="policy.changed", body=body)
    try:
        compose(draft, draft.idem(), digest_bytes(body), "tests.example/log", None, AT)
    except InvalidError:
        return False
    return True


@given(bodies)
@example(b"1e16")
@example(b'{"a":1.5}')
@example(b'{"a":{"b":[1,[-0.0]]}}')
@example('{"\ue000":1,"😀":2}'.encode())
@example('{"😀":2,"\ue000":1}'.encode())
@example(b"[" * MAX_DEPTH + b"[]" + b"]" * MAX_DEPTH)
@example(b"\xef\xbb\xbf{}")
@example(b'{"a":1,"a":1}')
def test_a_body_is_taken_exactly_when_an_audit_takes_it(body: bytes) -> None:
    assert _taken(body) is _audited(body)


@pytest.mark.parametrize(
    "around", [b"%s", b"[%s]", b"[1,%s]", b"[%s,1]", b'{"a":%s}', b'{"a":1,"b":%s}', b'{"a":[[%s],"3e"]}']
)
def test_of_the_numbers_only_exact_integers_are_taken_wherever_they_stand(around: bytes) -> None:
    bodies = {written: around % written.encode() for written in (*EXACT, *REFUSED)}
    assert [written for written, body in bodies.items() if _taken(body)] == list(EXACT)
    assert [written for written, body in bodies.items() if _audited(body)] == list(EXACT)


@pytest.mark.parametrize(
    ("body", "taken"),
    [
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, True),
        (b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, True),
        (b"[" * MAX_DEPTH + b"{}" + b"]" * MAX_DEPTH, False),
        (b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH, True),
        (b"[%s]" % b",".join([b'{"a":[]}'] * 5 * MAX_DEPTH), True),
        (b"[" * 2000 + b"]" * 2000, False),
    ],
)
def test_a_body_is_as_deep_as_its_nesting_not_as_its_brackets_are_many(body: bytes, taken: bool) -> None:
    assert _taken(body) is _audited(body) is taken

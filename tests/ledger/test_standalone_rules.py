"""The rules that the one-file verifier has of its own, each beside the project's or somebody else's."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger import standalone
from ledger.tree import inclusion, leaf_hash, node_hash
from schemas.canonical import canonical
from schemas.dates import publication_complaint, split_instant
from schemas.errors import InvalidError
from schemas.ledger import ProviderCall, read_raw
from schemas.ledger_keys import KeyRotated, LedgerRestored
from schemas.outside import parse
from schemas.provider import ProviderRow
from schemas.receipt import Source
from schemas.record import Record
from schemas.source_ref import source_ref_complaint
from tests.ledger.beside import allowed, passes
from tests.ledger.carried import Carried, carry, items
from tests.ledger.signing import ORIGIN
from tests.lifecycle.tampering import changes
from tests.world import REFS, row, source

LEAVES = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(VALUES)
def test_it_writes_what_rfc_8785_says(value: Any) -> None:
    try:
        expected = rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        expected = None
    if expected is not None:
        assert standalone.canonical(value) == expected
        assert standalone.parse(expected, 1 << 20, 64) == value


@pytest.mark.parametrize("value", [1.5, 2**53, -(2**53), "\ud800", b"x"])
def test_it_refuses_to_write_what_no_identity_holds(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        standalone.canonical([value])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" ",
        b"{",
        b"1 2",
        b'{"a":1,"a":2}',
        b"NaN",
        b"[Infinity]",
        b"1e999",
        b"1" * 21,
        b"\xff",
        b"[" * 65 + b"]" * 65,
        b"[" * 64 + b"]" * 64,
        b'"[[["',
        b'"\\"["',
        b"1.5",
        b"-0",
        b"[1,]",
        b"'a'",
        b'"\\ud800"',
        b'{"a":{"a":[]}}',
        b" [1]\n",
        b"[" * 100_000,
    ],
)
def test_it_reads_the_json_that_the_project_reads(raw: bytes) -> None:
    assert passes(standalone.parse, raw, 8 << 20, 64) == allowed(parse, raw)


def test_a_text_that_is_too_long_is_not_read() -> None:
    assert not passes(standalone.parse, b'"aaa"', 4, 4)


# RFC 8032 section 7.1, tests 1 to 3: secret key, public key, message, both halves of the signature.
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901",
        "555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac",
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("secret", "public", "message", "first", "second"), VECTORS)
def test_ed25519_vectors_of_the_rfc_hold(
    secret: str, public: str, message: str, first: str, second: str
) -> None:
    key, text, signed = (bytes.fromhex(one) for one in (public, message, first + second))
    assert standalone.ed25519(key, text, signed)
    assert Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)).sign(text) == signed
    order = standalone._ORDER
    malleable = (int.from_bytes(signed[32:], "little") + order).to_bytes(32, "little")
    for wrong in (signed[:-1], signed + b"\0", signed[:32] + malleable, b"\0" * 64, signed[::-1]):
        assert not standalone.ed25519(key, text, wrong)
    assert not standalone.ed25519(key, text + b"\0", signed)


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_ed25519_holds_for_what_the_other_library_signs_and_for_no_flipped_bit(
    seed: bytes, message: bytes, bit: int
) -> None:
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public, signed = private.public_key().public_bytes_raw(), private.sign(message)
    assert standalone.ed25519(public, message, signed)
    flipped = bytearray(signed)
    flipped[bit // 8] ^= 1 << bit % 8
    assert not standalone.ed25519(public, message, bytes(flipped))


@pytest.mark.parametrize("public", [b"\xff" * 32, b"\x02" + bytes(31), b"\x01" + bytes(30) + b"\x80"])
def test_a_public_key_that_is_no_point_signs_nothing(public: bytes) -> None:
    assert not standalone.ed25519(public, b"", bytes(64))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 13])
def test_inclusion_is_what_the_project_proves_and_nothing_else(size: int) -> None:
    leaves = [leaf_hash(bytes([one])) for one in range(size)]

    def node(level: int, index: int) -> bytes:
        if level == 0:
            return leaves[index]
        return node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

    tree = standalone.Tree()
    for leaf in leaves:
        tree.append(leaf)
    for index, leaf in enumerate(leaves):
        path = inclusion(node, index, size)
        assert standalone.included(leaf, index, size, path, tree.root())
        for wrong in ([*path, leaf], path[:-1] or [leaf], [leaf, *path[1:]] if path else [leaf]):
            assert not standalone.included(leaf, index, size, wrong, tree.root()) or wrong == path


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T03:04:05Z",
        "2026-01-02t03:04:05.120z",
        "2026-01-02T03:04:05+08:00",
        "2026-02-30T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-02T24:00:00Z",
        "2026-01-02T03:60:00Z",
        "2026-01-02T03:04:61Z",
        "2026-12-31T23:59:60Z",
        "2026-12-31T15:59:60-08:00",
        "2026-12-31T15:59:60+08:00",
        "2026-01-02T03:04:05",
        "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:05+01:60",
        "2026",
        "2026-13",
        "2026-02",
        "2026-02-29",
        "2024-02-29",
        "0000",
        "x",
    ],
)
def test_dates_are_what_the_project_takes_for_dates(text: str) -> None:
    assert standalone.moment(text) == split_instant(text)
    assert standalone.is_publication_date(text) == (publication_complaint(text) is None)


@pytest.mark.parametrize(
    "ref",
    [
        "urn:x:y",
        "urn:file:y",
        "urn:FILE:y",
        "urn:x:",
        "urn:-:y",
        "https://a",
        "https://",
        "https://a:1",
        "http://a:",
        "http://:1",
        "http://a:65536",
        "http://a:x",
        "http://u@a",
        "http://[::1]:80/x",
        "http://[]",
        "http://[::1",
        "http://[::1]x",
        "file://x",
        "git+file://x",
        "jar://x",
        "res://x",
        "ftp://u@h",
        "HTTP://a",
        "x://y",
        "a b",
        "https://a\\b",
        "https://a?b@c",
        "custom://x:99999",
        "view-source://x",
        "https://a\u3000b",
    ],
)
def test_source_refs_are_what_the_project_takes_for_them(ref: str) -> None:
    assert standalone.is_source_ref(ref) == (source_ref_complaint(ref) is None)


CALL = {
    "schema_version": "external_evidence_provider_call_v0",
    "action": "regulations.search",
    "owner": "o",
    "target": "kbreg",
    "evidence": {"count": 1, "state": "ok", "revision": "r", "querySha256": "0" * 64},
}
ROTATED = {
    "schema_version": "external_evidence_key_rotated_v0",
    "origin": ORIGIN,
    "old_key": "k",
    "new_key": "n",
    "signature": "AAAA",
}
RESTORED = {
    "schema_version": "external_evidence_ledger_restored_v0",
    "origin": ORIGIN,
    "key": "k",
    "published": "a\nb",
    "reason": "r",
    "signature": "A" * 512,
}


def calls() -> list[dict[str, Any]]:
    told: list[object] = [CALL["evidence"], {"count": 0, "state": "failed"}, {"count": 2, "state": "ok"}]
    told += [{"count": 1, "state": state} for state in ("ok", "failed")]
    told += [{"count": 1, "state": "ok", "revision": revision} for revision in ("", "r")]
    actions = ("regulations.search", "regulations.evidence", "web.search", "web.capture")
    return [{**CALL, "action": action, "evidence": evidence} for action in actions for evidence in told]


@pytest.mark.parametrize(
    ("kind", "rule", "values"),
    [
        (ProviderCall, standalone.Lives().call, calls()),
        (KeyRotated, lambda value: standalone.CUSTODY["key.rotated"](value, ""), [ROTATED]),
        (
            LedgerRestored,
            lambda value: standalone.CUSTODY["ledger.restored"](value, ""),
            [RESTORED, {**RESTORED, "signature": "A" * 513}],
        ),
    ],
    ids=["call", "rotation", "restoral"],
)
def test_bodies_of_no_life_are_judged_as_the_project_judges_them(
    kind: type[Record], rule: Callable[[Any], object], values: list[dict[str, Any]]
) -> None:
    for value in values:
        for changed in [value, *(one.applied(value) for one in changes(value))]:
            stated = passes(rule, changed)
            try:
                ours = kind.read(changed).to_wire() == changed
            except InvalidError:
                ours = False
            assert stated == ours, changed


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


def test_every_change_of_a_record_is_judged_as_the_project_judges_it(signed: Carried) -> None:
    raws = [raw for kind, raw in items(signed.bundle) if kind == "record"]
    for raw in (raws[0], raws[-1]):
        for change in changes(json.loads(raw)):
            try:
                changed = canonical(change.applied(json.loads(raw)))
            except InvalidError:
                continue
            assert passes(standalone.read_record, changed) == allowed(read_raw, changed), change
    record = json.loads(raws[1])
    assert not passes(standalone.read_record, raws[1].replace(b":", b": ", 1))
    for odd in ({"prev": None}, {"at": "2026-02-30T00:00:00.000000Z"}, {"seq": 2**53}, {"seq": 1.5}):
        raw = json.dumps({**record, **odd}, separators=(",", ":")).encode()
        assert not passes(standalone.read_record, raw)
        assert not allowed(read_raw, raw)


def test_provider_rows_and_sources_are_judged_as_the_project_judges_them() -> None:
    for kind, rule, value in (
        (ProviderRow, standalone._provider, row().to_wire()),
        (ProviderRow, standalone._provider, row(ready=False).to_wire()),
        (Source, standalone._source, source(REFS[0]).to_wire()),
    ):
        for change in changes({"it": value}):
            changed = change.applied({"it": value}).get("it")
            try:
                ours = kind.read(changed).to_wire() == changed
            except InvalidError:
                ours = False
            assert passes(rule, changed, "it") == ours, change


def test_lists_are_bounded_and_hold_nothing_twice() -> None:
    one = row().to_wire()
    assert passes(standalone._providers, [one], "providers")
    wrongs: list[object] = [[one, one], "x", {}, [one] * 65]
    for wrong in wrongs:
        assert not passes(standalone._providers, wrong, "providers")
    assert standalone.tile_path("entries", 1234067, 3) == "tile/entries/x001/x234/067.p/3"

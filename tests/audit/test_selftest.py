"""The self-test sees that the audit sees every edit, and names what a worse verifier overlooks."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from evidence.doors.audit_selftest import tell
from evidence.rendering.selftest_text import render
from evidence.selftest import SelfTest, tamper, the_audit
from evidence.tampering import KINDS, WITH_A_KEY, another, changed, leaves
from evidence.verify import verify
from ledger.bundle import BundleLog
from ledger.chain import links
from ledger.erasure import erase
from ledger.forms import open_log
from ledger.rebuilt import pieces, rebuild, rechained
from schemas.errors import EvidenceError, UsageError
from schemas.ledger import read_raw
from tests.audit.histories import History, make
from tests.ledger.carried import carry, put
from tests.ledger.signing import opened
from tests.ledger.steps import edit, made


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of one life without a key."""
    return carry(tmp_path_factory.mktemp("plain"), signed=False).sqlite


def selftest_of(ledger: Path, folder: Path, most: int | None = None, **more: object) -> SelfTest:
    folder.mkdir(exist_ok=True)
    with open_log(ledger).read() as reader:
        return tamper(reader, folder, most, **more)  # type: ignore[arg-type]


def test_every_kind_of_edit_on_a_ledger_with_a_key_gets_its_word(history: History, tmp_path: Path) -> None:
    before = history.ledger.read_bytes()
    told = selftest_of(history.ledger, tmp_path, 72)
    assert (told.missed, told.word, told.tried) == (0, "VERIFIED", 72)
    assert [row.kind for row in told.rows] == list(KINDS)
    assert not told.not_tried
    assert told.known > 1000
    assert history.ledger.read_bytes() == before


def test_without_a_key_the_rest_is_caught_and_what_cannot_be_is_said(plain: Path, tmp_path: Path) -> None:
    told = selftest_of(plain, tmp_path, 50)
    assert (told.missed, told.word) == (0, "UNANCHORED")
    assert set(told.not_tried) == set(WITH_A_KEY)
    words = {row.kind: set(row.words) for row in told.rows}
    assert words["steps reordered"] == {"RULE-BROKEN"}
    assert words["bundle cut"] == words["file cut"] == {"TORN"}


def test_a_ledger_with_erased_bodies_is_tampered_with_too(tmp_path: Path) -> None:
    history = make(tmp_path / "h")
    ledger = opened(tmp_path / "h")
    with ledger.read() as reader:
        plan = read_raw(reader.of_kind("plan.created")[0][1]).subject.plan_id
    erase(ledger, plan or "", "asked for", "me")
    ledger.close()
    told = selftest_of(history.ledger, tmp_path / "w", 54)
    assert (told.missed, told.word, told.tried) == (0, "VERIFIED", 54)


def test_a_ledger_of_one_record_is_tampered_with_in_every_way_at_every_place(tmp_path: Path) -> None:
    told = selftest_of(made(tmp_path / "one.sqlite3", 0), tmp_path / "work")
    # Its record names a schema that is a test's, so that the rules are not asked.
    assert (told.missed, told.records, told.tried) == (0, 1, told.known)


def blind_to_bodies(path: Path, policy: bytes | None, against: Sequence[bytes]) -> str:
    """A verifier that reads the chain of a file and nothing else of it."""
    word = the_audit(path, policy, against)
    if word != "TAMPERED":
        return word
    try:
        with open_log(path).read() as reader:
            broken = any(link.breaks for link in links(reader.records())) or reader.head() is None
    except EvidenceError:
        broken = True
    return word if broken else "VERIFIED"


def test_what_a_worse_verifier_overlooks_is_named_and_the_exit_code_says_so(
    history: History, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    told = selftest_of(history.ledger, tmp_path, 72, verifier=blind_to_bodies)
    missed = {row.kind: row.missed for row in told.rows if row.missed}
    assert {"body field", "body lost", "bodies swapped", "checkpoint edited", "chained anew"} <= set(missed)
    assert not {"record field", "record dropped", "records swapped", "file cut"} & set(missed)
    first = missed["body field"][0]
    assert (first.expected, first.found) == ("TAMPERED", "VERIFIED")
    assert "body" in first.where
    wire = told.to_wire()
    assert (wire["all_caught"], wire["caught"]) == (False, 72 - told.missed)
    assert tell(wire, "json") == tell(wire, "text") == 1
    assert b"SOME WERE MISSED" in capsysbinary.readouterr().out
    text = render(wire)
    assert f"{first.where}: 应为 expected TAMPERED，实为 found VERIFIED" in text


def test_many_that_were_missed_end_somewhere_in_the_text(plain: Path, tmp_path: Path) -> None:
    told = selftest_of(plain, tmp_path, 200, verifier=says_nothing)
    assert told.missed == told.tried == 200
    assert "全部见 --format json" in render(told.to_wire())


def test_a_ledger_that_does_not_hold_is_not_tampered_with(plain: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(plain.read_bytes())
    edit(copy, "UPDATE records SET kind = 'x.y' WHERE seq = 2")  # the copy that is made is right again
    assert selftest_of(copy, tmp_path / "a", 20).missed == 0
    edit(copy, "UPDATE records SET raw = x'7b7d' WHERE seq = 4")
    with pytest.raises(UsageError, match="does not hold"):
        selftest_of(copy, tmp_path / "b")
    gone = tmp_path / "gone.sqlite3"
    gone.write_bytes(plain.read_bytes())
    edit(gone, "DELETE FROM bodies WHERE rowid = 4")
    with pytest.raises(UsageError, match="that is TAMPERED"):
        selftest_of(gone, tmp_path / "c")
    with (
        BundleLog(put(tmp_path / "empty", [])).read() as reader,
        pytest.raises(UsageError, match="no record"),
    ):
        tamper(reader, tmp_path)


def says_nothing(*_: object) -> str:
    return "UNANCHORED"


def test_more_records_than_fifty_are_sampled(tmp_path: Path) -> None:
    ledger = made(tmp_path / "many.sqlite3", 70)
    told = selftest_of(ledger, tmp_path / "a", 40, verifier=says_nothing)
    assert (told.records, told.tried) == (71, 40)
    assert told.known < 71 * 30
    assert selftest_of(ledger, tmp_path / "b", verifier=says_nothing).tried == 500


def test_a_rebuilt_ledger_is_verified_as_the_one_it_was_made_of(history: History, tmp_path: Path) -> None:
    with open_log(history.ledger).read() as reader:
        rebuild(tmp_path / "again.sqlite3", pieces(reader))
    kept = [history.checkpoint.read_bytes()]
    told = [verify(path, None, kept).to_wire() for path in (history.ledger, tmp_path / "again.sqlite3")]
    assert told[0] == told[1]


def test_a_body_that_is_gone_stays_gone_when_all_is_chained_anew(history: History) -> None:
    with open_log(history.ledger).read() as reader:
        held = [piece._replace(body=None) for piece in pieces(reader)]
    assert list(rechained(held)) == held


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, False), (0, 1), ("", "x"), ("现行", "现行x"), ("blake3:0f", "blake3:0a"), ("9", "0"),
        ("z-", "g-"),
        (None, "x"), ([], ["x"]), ({}, "x"),
    ],
)  # fmt: skip
def test_another_value_is_as_like_the_first_as_can_be(value: object, other: object) -> None:
    assert another(value) == other
    assert changed(value, ()) == other


def test_every_leaf_is_found_and_changed_alone() -> None:
    value = {"a": [1, {"b": []}], "c": {"d": None}}
    paths = list(leaves(value))
    assert paths == [("a", 0), ("a", 1, "b"), ("c", "d")]
    assert [changed(value, path) for path in paths] == [
        {"a": [2, {"b": []}], "c": {"d": None}},
        {"a": [1, {"b": ["x"]}], "c": {"d": None}},
        {"a": [1, {"b": []}], "c": {"d": "x"}},
    ]

"""What is hidden behind a list that is cut, a log that is cut, a name, or a key of the forger's own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evidence.replayed import replay_log
from evidence.verify import verify
from ledger import standalone
from ledger.checkpoint import Checkpoint
from ledger.sqlite_readonly import open_readonly
from ledger.tiles import export_tiles
from ledger.tree import EMPTY_ROOT
from schemas.canonical import canonical, digest_bytes
from tests.audit.fifty import Fifty, make
from tests.audit.rewrites import OTHER, Entry, bundle, chained, entries, sqlite
from tests.ledger.carried import items, put
from tests.ledger.signing import ORIGIN, cosigner, signer


@pytest.fixture(scope="module")
def fifty(tmp_path_factory: pytest.TempPathFactory) -> Fifty:
    return make(tmp_path_factory.mktemp("fifty"))


def words(path: Path, policy: Path, *kept: Path) -> tuple[str, str, str]:
    """Of `audit verify`, of `audit replay`, of the one-file verifier."""
    told = verify(path, policy.read_bytes(), [one.read_bytes() for one in kept])
    return str(told.verdict), str(replay_log(path).verdict), standalone.verify(path, policy, kept)["verdict"]


def begun_by_another(fifty: Fifty) -> list[Entry]:
    """The whole history under another key, in its own hand."""
    first, *rest = entries(fifty.bundle)
    body = canonical(json.loads(first.body) | {"key": str(OTHER.verifier)})
    named = {"digest": digest_bytes(body), "size": len(body)}
    return chained([Entry(canonical(first.wire | {"body": named}), body, first.note), *rest], 0, OTHER)


def cut(path: Path) -> Path:
    """The bundle without its last line."""
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    return path


@pytest.mark.parametrize("place", [5, -1])
def test_a_replay_believes_no_checkpoint_of_a_key_that_only_the_log_names(
    fifty: Fifty, tmp_path: Path, place: int
) -> None:
    forged = begun_by_another(fifty)
    path = sqlite(tmp_path / "forged.sqlite3", forged)
    note = [one.note for one in forged if one.note is not None][place]
    answer = replay_log(path, None, note, fifty.policy.read_bytes())
    assert (str(answer.verdict), answer.exit_code, answer.told.believed) == ("TAMPERED", 1, 0)


def test_a_replay_believes_a_checkpoint_of_the_key_that_the_policy_names(fifty: Fifty) -> None:
    answer = replay_log(fifty.sqlite, None, fifty.early.read_bytes(), fifty.policy.read_bytes())
    assert (answer.verdict, answer.exit_code) == (None, 0)
    assert answer.told.believed > 0


def test_a_policy_that_cannot_be_read_is_an_answer_of_replay_too(fifty: Fifty) -> None:
    answer = replay_log(fifty.sqlite, None, fifty.checkpoint.read_bytes(), b"")
    assert (str(answer.verdict), answer.exit_code, len(answer.reasons)) == ("CANNOT-VERIFY", 2, 1)


def test_nothing_hides_behind_a_thousand_broken_rules(fifty: Fifty, tmp_path: Path) -> None:
    history = entries(fifty.bundle)
    last = history[-1]
    for number in range(1005):
        changed = {"seq": len(history), "kind": "evidence.retired", "idem": digest_bytes(b"%d" % number)}
        history.append(Entry(canonical(last.wire | changed), last.body, last.note))
        history[-2] = history[-2]._replace(note=None)
    history = chained(history, 49, signer())
    _, stated = Checkpoint.of(history[-1].note or b"")
    history[-1] = history[-1]._replace(note=bytes(stated.signed(OTHER)))
    path = sqlite(tmp_path / "many.sqlite3", history)
    assert words(path, fifty.policy) == ("TAMPERED", "TAMPERED", "TAMPERED")


def test_of_a_cut_log_the_key_that_it_states_must_be_the_policys(fifty: Fifty, tmp_path: Path) -> None:
    forged = [one._replace(note=None) for one in begun_by_another(fifty)]
    carried = cut(bundle(tmp_path / "forged.bundle", forged))
    assert words(carried, fifty.policy) == ("TAMPERED", "TORN", "TAMPERED")
    stored = sqlite(tmp_path / "forged.sqlite3", forged)
    stored.write_bytes(stored.read_bytes()[:-4096])
    assert words(stored, fifty.policy) == ("TAMPERED", "TORN", "TAMPERED")


def test_of_a_cut_log_it_is_said_which_signatures_were_checked(fifty: Fifty, tmp_path: Path) -> None:
    shutil.copyfile(fifty.bundle, tmp_path / "l.bundle")
    told = "signatures before the cut were checked over the first 50 of the 50 records that can be read"
    carried = cut(tmp_path / "l.bundle")
    assert words(carried, fifty.policy) == ("TORN", "TORN", "TORN")
    assert told in verify(carried, fifty.policy.read_bytes()).notes
    assert told in replay_log(carried).notes
    assert told in standalone.verify(carried, fifty.policy)["notes"]
    bare = cut(bundle(tmp_path / "bare", [one._replace(note=None) for one in entries(fifty.bundle)]))
    none = "signatures before the cut were checked over no record that can be read"
    assert none in verify(bare, fifty.policy.read_bytes()).notes
    assert none in standalone.verify(bare, fifty.policy)["notes"]


def test_a_cosigned_checkpoint_of_no_records_meets_no_quorum(fifty: Fifty, tmp_path: Path) -> None:
    witness = cosigner("witness.example/w")
    kept, policy = tmp_path / "kept", tmp_path / "policy"
    stated = Checkpoint(ORIGIN, 0, EMPTY_ROOT)
    kept.write_bytes(bytes(stated.signed(signer()).signed(witness.sign(stated.text, 1_700_000_000))))
    policy.write_text(f"log {signer().verifier}\nwitness w {witness.verifier}\nquorum w\n")
    verified, _, alone = words(fifty.sqlite, policy, kept)
    assert (verified, alone) == ("CANNOT-VERIFY", "CANNOT-VERIFY")


@pytest.mark.parametrize("name", ["tests.example/other", ""])
def test_the_header_of_a_bundle_names_the_log_of_its_records(fifty: Fifty, tmp_path: Path, name: str) -> None:
    path = put(tmp_path / "l.bundle", items(fifty.bundle), name)
    assert words(path, fifty.policy) == ("TAMPERED", "TAMPERED", "TAMPERED")


@pytest.mark.parametrize("body", ["of nobody", "twice"])
def test_a_bundle_holds_no_body_of_nobody_and_none_twice(fifty: Fifty, tmp_path: Path, body: str) -> None:
    held = items(fifty.bundle)
    more = ("body", b'{"hidden":1}') if body == "of nobody" else next(one for one in held if one[0] == "body")
    path = put(tmp_path / "l.bundle", [*held, more])
    assert words(path, fifty.policy) == ("TAMPERED", "TAMPERED", "TAMPERED")


def test_groups_in_groups_have_an_end(fifty: Fifty, tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    lines = [f"log {signer().verifier}", f"witness w0 {cosigner('w').verifier}"]
    lines += [f"group w{number + 1} any w{number}" for number in range(5000)]
    policy.write_text("\n".join([*lines, "quorum w5000", ""]))
    verified, _, alone = words(fifty.sqlite, policy)
    assert (verified, alone) == ("CANNOT-VERIFY", "CANNOT-VERIFY")


def test_a_name_of_another_digit_beside_the_entries_is_no_tile(fifty: Fifty, tmp_path: Path) -> None:
    with open_readonly(fifty.sqlite).read() as reader:
        export_tiles(reader, tmp_path / "tiles")
    entries_tile = next((tmp_path / "tiles" / "tile" / "entries").rglob("50"))
    (entries_tile.parent / "²").write_bytes(b"x")
    assert words(tmp_path / "tiles", fifty.policy) == ("VERIFIED", "None", "VERIFIED")
    entries_tile.unlink()
    assert words(tmp_path / "tiles", fifty.policy) == ("TORN", "TORN", "TORN")


def test_a_report_that_nobody_could_be_given_is_no_verdict(fifty: Fifty) -> None:
    command = [sys.executable, standalone.__file__, "verify", str(fifty.bundle)]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("the report cannot be written: ")


def test_tiles_of_no_records_are_no_log(fifty: Fifty, tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(bytes(Checkpoint(ORIGIN, 0, EMPTY_ROOT).signed(signer())))
    assert words(tmp_path, fifty.policy) == ("TAMPERED", "TAMPERED", "TAMPERED")

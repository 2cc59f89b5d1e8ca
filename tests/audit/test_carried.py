"""A bundle or a tiles folder that was cut, damaged or rearranged gets its word, from both verifiers."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from evidence.verify import Verification, verify
from ledger import standalone
from ledger.bundle import BundleLog, write_bundle
from ledger.erasure import erase
from ledger.forms import open_log
from ledger.sqlite_file import NoLedgerError
from ledger.tiles_log import TilesLog
from schemas.errors import IntegrityError, NotFoundError, StorageError
from schemas.ledger import read_raw
from tests.audit.histories import History, make
from tests.ledger.carried import Carried, carry, filler, items, packed, put, records
from tests.ledger.signing import opened
from tests.ledger.steps import append, powerless, reachable


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("carried"))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    """More records than one tile holds."""
    folder = tmp_path_factory.mktemp("long")
    ledger = opened(folder)
    append(ledger, *(filler(number) for number in range(600)))
    return packed(folder, ledger)


def agreed(path: Path, carried: Carried) -> tuple[str, ...]:
    """The word bare, with a policy, with a kept checkpoint; the one-file verifier says the same."""
    policy, kept = carried.policy, carried.checkpoint
    told = (
        verify(path),
        verify(path, policy.read_bytes()),
        verify(path, None, [kept.read_bytes()]),
    )
    alone = (
        standalone.verify(path),
        standalone.verify(path, policy),
        standalone.verify(path, None, [kept]),
    )
    words = tuple(str(one.verdict) for one in told)
    assert words == tuple(report["verdict"] for report in alone)
    assert [one.torn for one in told] == [report.get("torn") for report in alone]
    return words


def test_a_bundle_and_its_tiles_are_verified_as_the_ledger_is(carried: Carried, long: Carried) -> None:
    for one, paths in ((carried, (carried.bundle, carried.tiles)), (long, (long.tiles,))):
        for path in paths:
            assert agreed(path, one) == ("UNANCHORED", "VERIFIED", "VERIFIED")


def test_a_bundle_that_was_cut_anywhere_is_torn_and_judged_up_to_there(
    carried: Carried, tmp_path: Path
) -> None:
    raw, path = carried.bundle.read_bytes(), tmp_path / "cut.bundle"
    header, chance = raw.index(b"\n") + 1, Random(4)
    at = 0
    ends = [at := raw.index(b"\n", at) + 1 for _ in range(raw.count(b"\n"))][:-1]
    for cut in sorted(
        {*chance.sample(ends, 6), ends[-1], len(raw) - 1, *chance.sample(range(header, len(raw)), 6)}
    ):
        path.write_bytes(raw[:cut])
        assert agreed(path, carried) == ("TORN", "TORN", "TORN")
    report = verify(path, None, [carried.checkpoint.read_bytes()])
    assert (report.facts.records, len(report.anchored_by)) == (verify(carried.bundle).facts.records, 1)
    path.write_bytes(raw[: ends[len(ends) // 2]])
    report = verify(path, None, [carried.checkpoint.read_bytes()])
    assert "reaches beyond what can be read here" in report.notes[0]
    assert report.torn == f"line {len(ends) // 2 + 2} is missing; the last one must say end"


def test_what_was_changed_before_a_cut_is_tampered(carried: Carried, tmp_path: Path) -> None:
    raw, path = carried.bundle.read_bytes(), tmp_path / "cut.bundle"
    lines = raw.splitlines(keepends=True)
    records = [place for place, line in enumerate(lines) if line.startswith(b'{"record"')]
    del lines[records[3]]
    path.write_bytes(b"".join(lines[:-1]))
    assert agreed(path, carried) == ("TAMPERED", "TAMPERED", "TAMPERED")


def test_what_has_no_header_is_no_bundle(carried: Carried, tmp_path: Path) -> None:
    raw, path = carried.bundle.read_bytes(), tmp_path / "x.bundle"
    for content in (raw[:20], b"\xef\xbb\xbf" + raw, raw.replace(b"\n", b"\r\n"), b'{"format":"other"}\n'):
        path.write_bytes(content)
        assert agreed(path, carried) == ("CANNOT-VERIFY",) * 3
        with pytest.raises(IntegrityError), open_log(path).read():
            pass


def test_a_cut_is_refused_by_whoever_does_not_judge_it(carried: Carried, tmp_path: Path) -> None:
    path, folder = tmp_path / "cut.bundle", tmp_path / "tiles"
    path.write_bytes(carried.bundle.read_bytes()[:-1])
    shutil.copytree(carried.tiles, folder)
    shutil.rmtree(folder / "tile/entries")
    for log in (open_log(path), open_log(folder), BundleLog(path), TilesLog(folder)):
        with pytest.raises(IntegrityError) as refused, log.read():
            pass
        assert "`audit verify`" in str(refused.value.hint)
        log.close()


def _gone(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def _flipped(name: str, at: int = 40) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        raw = bytearray((folder / name).read_bytes())
        raw[at] ^= 1
        (folder / name).write_bytes(raw)

    return change


def _longer(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes() + b"\0\0")


def _cut(name: str, size: int) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def _body(folder: Path) -> None:
    one = next(place for place in (folder / "bodies").iterdir() if place.stat().st_size)
    one.write_bytes(one.read_bytes() + b" ")


def _no_body(folder: Path) -> None:
    next((folder / "bodies").iterdir()).unlink()


def _pipe(folder: Path) -> None:
    (folder / "tile/0/000").unlink()
    (folder / "tile/0/000").mkdir()


def _grown(folder: Path) -> None:
    """As a mirror in the middle of its work: the new checkpoint, the old last tile."""
    wide, narrow = folder / "tile/entries/002.p/89", folder / "tile/entries/002.p/7"
    raw, at = wide.read_bytes(), 0
    for _ in range(7):
        at += 2 + int.from_bytes(raw[at : at + 2])
    narrow.write_bytes(raw[:at])
    wide.unlink()


def _lost(folder: Path) -> None:
    for name in (
        "tile/entries/001",
        "tile/entries/002.p/89",
        "tile/0/001",
        "tile/0/002.p/89",
        "tile/1/000.p/2",
    ):
        (folder / name).unlink()


CHANGES: list[tuple[Callable[[Path], object], str]] = [
    (_gone("tile/0/000"), "TAMPERED"),
    (_gone("tile/1/000.p/2"), "TAMPERED"),
    (_flipped("tile/0/001"), "TAMPERED"),
    (_flipped("tile/entries/000"), "TAMPERED"),
    (_gone("tile/entries/001"), "TAMPERED"),
    (_longer("tile/entries/002.p/89"), "TAMPERED"),
    (_body, "TAMPERED"),
    (_no_body, "TAMPERED"),
    (_pipe, "TAMPERED"),
    (_cut("tile/entries/002.p/89", 1000), "TORN"),
    (_gone("tile/entries/002.p/89"), "TORN"),
    (_grown, "TORN"),
    (_lost, "TORN"),
    (_gone("checkpoint"), "CANNOT-VERIFY"),
]


@pytest.mark.parametrize(("change", "word"), CHANGES, ids=[str(place) for place in range(len(CHANGES))])
def test_a_folder_of_tiles_gets_its_word(
    long: Carried, tmp_path: Path, change: Callable[[Path], object], word: str
) -> None:
    folder = tmp_path / "tiles"
    shutil.copytree(long.tiles, folder)
    change(folder)
    if word == "TORN":  # where it ends is known in three ways; what else is wrong is so to whoever looks
        assert agreed(folder, long) == (word, word, word)
    told = verify(folder, long.policy.read_bytes()).verdict
    assert (told, standalone.verify(folder, long.policy)["verdict"]) == (word, word)


def test_tiles_that_cannot_be_read_or_are_none_say_so(long: Carried, tmp_path: Path) -> None:
    with pytest.raises(NoLedgerError, match="folder: it is empty"), open_log(tmp_path).read():
        pass
    (tmp_path / "tile").mkdir()
    with pytest.raises(NoLedgerError, match="it has no file called checkpoint"), open_log(tmp_path).read():
        pass
    (tmp_path / "checkpoint").write_bytes(b"")
    with pytest.raises(NoLedgerError, match="has no signature"), open_log(tmp_path).read():
        pass
    with reachable() as folder:
        shutil.copytree(long.tiles, folder / "tiles")
        shutil.copyfile(long.bundle, folder / "x.bundle")
        (folder / "tiles" / "checkpoint").chmod(0)
        (folder / "x.bundle").chmod(0)
        with powerless(folder):
            with pytest.raises(StorageError), TilesLog(folder / "tiles").read():
                pass
            with pytest.raises(StorageError, match="cannot be read"):
                open_log(folder / "x.bundle")


def test_a_record_that_cannot_be_read_is_tampered_and_found_by_nothing(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    held = items(carried.bundle)
    place = records(held)[6]
    path = put(tmp_path / "x.bundle", [*held[:place], ("record", b"{}"), *held[place + 1 :]])
    assert agreed(path, carried) == ("TAMPERED", "TAMPERED", "TAMPERED")
    with open_log(path).read() as reader:
        assert 6 not in [seq for seq, _ in reader.of_kind("schema.registered")]
    with pytest.raises(NotFoundError):
        open_log(tmp_path / "none")


def test_a_bundle_that_changes_while_it_is_read_is_noticed(carried: Carried, tmp_path: Path) -> None:
    path = tmp_path / "x.bundle"
    path.write_bytes(carried.bundle.read_bytes())
    with open_log(path).read() as reader:
        path.write_bytes(bytes(path.stat().st_size))
        with pytest.raises(IntegrityError, match="it changed while it was read"):
            list(reader.records())


def test_a_body_that_is_gone_before_a_cut_may_have_been_erased_behind_it(tmp_path: Path) -> None:
    history = make(tmp_path / "h")
    ledger = opened(tmp_path / "h")
    with ledger.read() as reader:
        plan = read_raw(reader.of_kind("plan.created")[-1][1]).subject.plan_id
    erase(ledger, plan or "", "asked for", "me")
    ledger.close()
    path = tmp_path / "x.bundle"
    with open_log(history.ledger).read() as reader, path.open("wb") as out:
        write_bundle(reader, out)
    whole = verify(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for cut in range(len(lines) - 12, len(lines), 2):
        path.write_bytes(b"".join(lines[:cut]))
        told, alone = verify(path), standalone.verify(path)
        assert (str(told.verdict), told.erased) == (alone["verdict"], alone["erased"])
        assert told.verdict == "TORN"
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    told = verify(path)
    assert (told.verdict, told.erased, bool(told.not_derived), bool(whole.erased)) == ("TORN", [], True, True)


def word_of(path: Path, history: History) -> Verification:
    return verify(path, history.policy.read_bytes())


def test_a_bundle_of_a_ledger_that_goes_on_is_torn_in_the_middle_of_a_life_without_a_false_alarm(
    tmp_path: Path,
) -> None:
    history = make(tmp_path / "h")
    with open_log(history.ledger).read() as reader, (tmp_path / "x.bundle").open("wb") as out:
        write_bundle(reader, out)
    lines = (tmp_path / "x.bundle").read_bytes().splitlines(keepends=True)
    words = set()
    for cut in range(1, len(lines)):
        (tmp_path / "cut.bundle").write_bytes(b"".join(lines[:cut]))
        words.add(str(word_of(tmp_path / "cut.bundle", history).verdict))
    assert words == {"TORN"}

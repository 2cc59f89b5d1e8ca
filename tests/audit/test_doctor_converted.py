"""The doctor undoes on a copy what was done to texts, and names what a folder lacks and what was changed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evidence.doctor import Asked, look
from evidence.doctor_words import CAUSES
from ledger.bundle import write_bundle
from ledger.forms import open_log
from ledger.proof import prove
from ledger.tiles import export_tiles
from tests.audit.diagnosing import codes, only, put
from tests.audit.histories import History, make


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    history = make(tmp_path_factory.mktemp("history"))
    with open_log(history.ledger).read() as reader:
        with (history.ledger.parent / "l.bundle").open("wb") as out:
            write_bundle(reader, out)
        export_tiles(reader, history.ledger.parent / "tiles")
    return history


def bundle_of(history: History) -> Path:
    return history.ledger.parent / "l.bundle"


CONVERSIONS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("crlf", lambda raw: raw.replace(b"\n", b"\r\n")),
    ("bom", lambda raw: b"\xef\xbb\xbf" + raw),
    ("bom", lambda raw: b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n")),
    ("utf16", lambda raw: b"\xff\xfe" + raw.decode().replace("\n", "\r\n").encode("utf-16-le")),
    ("final-newline", lambda raw: raw[:-1]),
]


@pytest.mark.parametrize(("code", "convert"), CONVERSIONS, ids=range(len(CONVERSIONS)))
def test_a_converted_bundle_is_converted_back_on_a_copy_before_anything_is_said(
    history: History, tmp_path: Path, code: str, convert: Callable[[bytes], bytes]
) -> None:
    path = put(tmp_path, convert(bundle_of(history).read_bytes()))
    before = path.read_bytes()
    only(look(path), code, "with that undone, all 23 records hold")
    assert path.read_bytes() == before


@pytest.mark.parametrize(("code", "convert"), CONVERSIONS[:4], ids=range(4))
def test_a_bundle_that_was_converted_and_cut_is_told_of_both(
    history: History, tmp_path: Path, code: str, convert: Callable[[bytes], bytes]
) -> None:
    lines = bundle_of(history).read_bytes().splitlines(keepends=True)
    told = look(put(tmp_path, convert(b"".join(lines[:20]))))
    assert (codes(told), told.exit_code) == ([code, "torn"], 1)
    assert told.causes[0].evidence[0].endswith(" records are left")
    assert "line 21 is missing" in told.causes[1].evidence[0]


@pytest.mark.parametrize(("code", "convert"), [CONVERSIONS[one] for one in (0, 1, 3)], ids=range(3))
def test_a_folder_whose_texts_were_converted_is_converted_back_on_a_copy(
    history: History, tmp_path: Path, code: str, convert: Callable[[bytes], bytes]
) -> None:
    folder = tmp_path / "tiles"
    shutil.copytree(history.ledger.parent / "tiles", folder)
    for one in (folder / "checkpoint", *folder.glob("schemas/*/*")):
        one.write_bytes(convert(one.read_bytes()))
    only(look(folder), code, "with that undone, all 23 records hold")
    first = next(folder.glob("bodies/*"))
    first.write_bytes(first.read_bytes()[:-1] + b" ")
    only(look(folder), "unexplained", f"with {code} undone", "record ")


def test_a_folder_without_a_body_says_which_and_excuses_nothing_else(
    history: History, tmp_path: Path
) -> None:
    folder = tmp_path / "tiles"
    shutil.copytree(history.ledger.parent / "tiles", folder)
    bodies = sorted(folder.glob("bodies/*"))
    bodies[0].unlink()
    only(look(folder), "body-missing", "record ")
    assert CAUSES["body-missing"].benign is False
    bodies[1].write_bytes(b"{}")
    assert codes(look(folder)) == ["body-missing", "unexplained"]


def test_a_checkpoint_or_proof_that_was_changed_since_is_told(history: History, tmp_path: Path) -> None:
    text = history.checkpoint.read_text()
    size = text.splitlines()[1]
    changed = put(tmp_path, text.replace(f"\n{size}\n", "\n7\n").encode(), "changed")
    with open_log(history.ledger).read() as reader:
        found = prove(reader, 4)
    assert found is not None
    proof = bytes(found).decode().replace("index 4\n", "index 5\n")
    for place, why in ((changed, "does not hold"), (put(tmp_path, proof.encode(), "p"), "that was signed")):
        told = look(history.ledger, Asked(None, history.policy, (place,)))
        only(told, "kept-unreadable", f"{place.name}: ", why)

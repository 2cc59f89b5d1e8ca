"""Who looks at a ledger while others append to it sees a whole one: alone and as the doctor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from evidence.doctor import Asked, look
from ledger import standalone
from ledger.erasure import erase
from ledger.sqlite import SqliteLedger
from tests.ledger.carried import carry, filler
from tests.ledger.signing import opened
from tests.ledger.steps import begin


def _plain(folder: Path) -> SqliteLedger:
    return begin(folder / "l.sqlite3")


@contextmanager
def appending(
    folder: Path, writers: int = 2, open_one: Callable[[Path], SqliteLedger] = _plain
) -> Iterator[None]:
    """Others append to the ledger of `folder`, each by itself."""
    stop = Event()

    def append(writer: int) -> None:
        ledger = open_one(folder)
        number = writer
        while not stop.wait(0.005):
            number += writers
            ledger.append(filler(number))
        ledger.close()

    threads = [Thread(target=append, args=(1000 + writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_the_one_file_verifier_calls_no_ledger_torn_that_others_append_to(tmp_path: Path) -> None:
    begin(tmp_path / "l.sqlite3").close()
    with appending(tmp_path):
        for _ in range(12):
            told = standalone.verify(tmp_path / "l.sqlite3")
            assert (told["verdict"], told["torn"], told["findings"]) == ("UNANCHORED", None, [])
    assert standalone.verify(tmp_path / "l.sqlite3")["records"] > 1


def test_the_doctor_accuses_no_ledger_that_others_append_to_and_erase_from(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    key = tmp_path / "keys" / "log.key"
    with appending(tmp_path, 1, opened):
        for number in range(4):
            [done] = ledger.append(filler(number))
            assert look(tmp_path / "l.sqlite3", Asked(key)).causes == []
            erase(ledger, done.record.subject.plan_id or "", "asked", "me")
            assert look(tmp_path / "l.sqlite3", Asked(key)).causes == []
    ledger.close()


def test_what_never_stands_still_cannot_be_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = opened(tmp_path)
    ledger.append(filler(1))
    monkeypatch.setattr(standalone, "MOST_LOOKS", 0)
    with pytest.raises(standalone.CannotVerifyError, match="changes while it is read"):
        standalone.copied(tmp_path / "l.sqlite3", None)
    told = standalone.verify(tmp_path / "l.sqlite3")
    ledger.close()
    assert (told["verdict"], told["reasons"]) == (
        "CANNOT-VERIFY",
        ["it changes while it is read; try again"],
    )


def test_a_copy_of_other_content_or_another_length_is_looked_at_again(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"x" * 70)
    for content, alike in ((b"x" * 70, True), (b"x" * 71, False), (b"y" * 70, False), (b"", False)):
        two.write_bytes(content)
        assert standalone._alike(one, two) is alike
    assert standalone._head(tmp_path / "none") == b""


def test_a_ledger_that_nobody_has_open_is_read_where_it_lies(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    with standalone.settled(carried.sqlite) as place:
        assert place == carried.sqlite

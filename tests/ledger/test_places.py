"""A place is a file or a database; what opens it says what is missing."""

import sys
from contextlib import closing
from pathlib import Path

import pytest

from ledger import note
from ledger.places import is_begun, named, open_database, open_ledger, place
from ledger.postgres_url import PostgresUrl
from schemas.errors import NotReadyError, UsageError
from tests.ledger.steps import OPENING, Ticking, stored


def test_a_text_is_a_path_unless_it_is_meant_as_a_url() -> None:
    url = place("postgresql://owner@127.0.0.1:1/logs")
    assert isinstance(url, PostgresUrl)
    for text in ("l.sqlite3", "a/b.sqlite3", "/a/第 1 册:账本.sqlite3", "C:/l.sqlite3"):
        assert place(text) == Path(text)
    with pytest.raises(UsageError) as caught:
        place("mysql://owner:secret@127.0.0.1/logs")
    assert "secret" not in str(caught.value)


def test_a_log_is_named_where_a_place_can_hold_several() -> None:
    url = PostgresUrl.of("postgresql://owner@127.0.0.1:1/logs")
    assert named(Path("l"), "a/log") == Path("l")
    assert named(url, None) == url
    there = url.of_log("a/log")
    assert (named(url, "a/log"), named(there, "a/log")) == (there, there)
    with pytest.raises(UsageError, match="are two names"):
        named(there, "another/log")


def test_a_ledger_is_begun_once_in_a_file_and_in_a_database(tmp_path: Path, database: str) -> None:
    for where in (tmp_path / "l.sqlite3", place(database)):
        assert not is_begun(where)
        with closing(open_ledger(where, Ticking(), create=OPENING)) as ledger:
            assert is_begun(where)
            assert len(stored(ledger)) == 1


def test_what_an_extra_brings_is_missed_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    url = PostgresUrl.of("postgresql://owner@127.0.0.1:1/logs")
    for module in ("ledger.postgres", "cryptography.hazmat.primitives.asymmetric.ed25519"):
        monkeypatch.setitem(sys.modules, module, None)
    for use in (lambda: open_ledger(url, Ticking()), lambda: open_database(url)):
        with pytest.raises(UsageError, match="needs the extra postgres") as caught:
            use()
        assert caught.value.hint == "pip install '.[postgres]' in a checkout of the project"
    with pytest.raises(NotReadyError, match=r"need the extra \[sign\]"):
        note.require()

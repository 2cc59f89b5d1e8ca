"""The inner parts of the service, without a process: what is remembered, and what a request body means."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.standards.answer import answer
from providers.standards.library import load, starter
from providers.standards.query_log import QueryLog
from providers.standards.service.answering import Answering, Answers
from providers.standards.service.asking import _carefully, _checked, read_keywords
from providers.standards.service.shelf import Event, Shelf
from schemas.errors import InvalidError, StorageError
from tests.providers.standards.service.making import csv_text, put
from tests.world import Clock

KEYWORDS = ["GB 50330-2013", "GB 50330-2013", "验收规程", "没有"]


def now() -> datetime:
    return datetime(2026, 3, 4, tzinfo=UTC)


def test_a_remembered_answer_is_the_answer_and_memory_is_bounded() -> None:
    answers = Answers(starter(), remembered=3)
    for turn in range(50):
        query = f"GB {50320 + turn % 13}"
        assert json.loads(b"{" + answers.members(query) + b"}") == answer(starter(), query)
        assert len(answers._young) <= 3
        assert len(answers._old) <= 3
    assert answers.remembered(["never"]) == [None]


def test_nothing_is_remembered_where_nothing_may_be() -> None:
    answers = Answers(starter(), remembered=0)
    answers.members("GB 50330")
    assert (answers._young, answers._old) == ({}, {})


def test_a_batch_is_logged_as_it_was_answered_whether_remembered_or_not(tmp_path: Path) -> None:
    answers = Answers(starter())
    answering = Answering(lambda: answers, QueryLog(tmp_path, now), now)
    for turn in range(2):
        answered = asyncio.run(answering.answer(KEYWORDS))
        results = json.loads(answered.body)["results"]
        assert results == [answer(starter(), keyword) for keyword in KEYWORDS]
        [path] = tmp_path.iterdir()
        lines = [json.loads(line) for line in path.read_bytes().splitlines()][4 * turn :]
        assert [{name: line[name] for name in ("query", "candidates")} for line in lines] == results
        assert [line["position"] for line in lines] == [0, 1, 2, 3]
        assert {line["time"] for line in lines} == {"2026-03-04T00:00:00.000000Z"}
        assert {line["request_id"] for line in lines} == {answered.request_id}
        assert {line["library_revision"] for line in lines} == {starter().revision}
        assert all(0 <= line["elapsed_ms"] < 60_000 for line in lines)


def test_what_cannot_be_logged_is_not_answered(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    answers = Answers(starter())
    answering = Answering(lambda: answers, QueryLog(tmp_path / "file", now), now)
    with pytest.raises(StorageError):
        asyncio.run(answering.answer(KEYWORDS))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.text(min_size=199, max_size=202),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["keywords", "a"]), inner),
    max_leaves=8,
)


@given(
    JSON_VALUES | st.builds(lambda value: {"keywords": value}, st.lists(st.text(max_size=4))), st.booleans()
)
def test_the_quick_reading_of_a_body_is_the_careful_one(value: object, ascii_only: bool) -> None:
    body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")

    def careful() -> list[str]:
        read = _carefully(body)
        if not isinstance(read, dict) or set(read) != {"keywords"}:
            raise InvalidError("another shape")
        return _checked(read["keywords"])

    def outcome(read: object) -> object:
        try:
            return read() if callable(read) else read
        except InvalidError as error:
            return error.http_status

    assert outcome(lambda: read_keywords(body)) == outcome(careful)


@pytest.mark.parametrize(
    "twice", ['{"keywords":["a"],"keywords":["%s"]}', '{"keywords":["%s"],"k\\u0065ywords":[]}']
)
@given(st.text(max_size=5))
def test_a_key_twice_is_never_read(twice: str, text: str) -> None:
    with pytest.raises(InvalidError):
        read_keywords((twice % json.dumps(text)[1:-1]).encode())


def watched(path: Path) -> tuple[Shelf, list[Event]]:
    told: list[Event] = []
    return Shelf(str(path), Clock(), told.append), told


def test_a_file_that_is_still_being_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    path.write_bytes(csv_text(("GB 1-2000", "甲")))
    shelf, told = watched(path)
    rows = [("GB 1-2000", "甲")]
    for number in range(2, 6):  # each time it is looked at, it has grown
        rows.append((f"GB {number}-2000", "乙"))
        path.write_bytes(csv_text(*rows))
        shelf.look()
    assert told == []
    assert len(shelf.current.library) == 1
    shelf.look()
    assert [event["event"] for event in told] == ["library_reloaded"]
    assert len(shelf.current.library) == 5
    shelf.look()
    assert len(told) == 1


def test_a_bad_file_is_tried_once_and_told_once(tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    put(path, csv_text(("GB 1-2000", "甲")))
    shelf, told = watched(path)
    put(path, b"nothing")
    for _ in range(4):
        shelf.look()
    assert [event["event"] for event in told] == ["library_refused"]
    assert shelf.refused is not None
    assert shelf.current.library.revision == told[0]["revision_in_force"]


def test_a_file_that_changes_while_it_is_read_is_not_put_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "standards.csv"
    put(path, csv_text(("GB 1-2000", "甲")))
    shelf, told = watched(path)
    before = shelf.current

    def overtaken() -> object:
        found = load(path)
        put(path, csv_text(("GB 3-2000", "丙")))
        return found

    put(path, csv_text(("GB 2-2000", "乙")))
    monkeypatch.setattr(shelf, "_load", overtaken)
    shelf.reload()
    assert told[-1]["reason"] == "the file changed while it was read"
    assert shelf.current is before
    monkeypatch.undo()
    shelf.look()
    shelf.look()
    assert shelf.current.library.records[0].code == "GB 3-2000"


def test_a_library_that_breaks_the_matcher_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "standards.csv"
    put(path, csv_text(("GB 1-2000", "甲")))
    shelf, told = watched(path)

    def broken() -> object:
        raise ZeroDivisionError("no index")

    monkeypatch.setattr(shelf, "_load", broken)
    shelf.reload()
    assert told[-1]["reason"] == "ZeroDivisionError: no index"


def test_the_same_library_again_keeps_what_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    put(path, csv_text(("GB 1-2000", "甲")))
    shelf, told = watched(path)
    before = shelf.current
    put(path, csv_text(("GB 1-2000", "甲")) + b"\n")
    shelf.reload()
    assert told[-1]["event"] == "library_unchanged"
    assert shelf.current is before


def test_the_starter_library_never_changes() -> None:
    told: list[Event] = []
    shelf = Shelf(None, Clock(), told.append)
    shelf.look()
    shelf.look()
    assert told == []
    shelf.reload()
    assert [event["event"] for event in told] == ["library_unchanged"]

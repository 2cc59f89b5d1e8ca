"""What the doctor shows of what it sees: legible, once, and of a database no word of files."""

from pathlib import Path
from typing import Any

import pytest

from evidence.doctor import Asked, Diagnosis, look
from evidence.doctor_files import Seen
from evidence.doctor_words import CAUSES
from evidence.rendering.doctor_text import render
from evidence.rendering.verify_text import render as verify_text
from evidence.verify import DOCTOR, verify
from ledger import standalone
from ledger.bundle import write_bundle
from ledger.forms import open_log
from tests.audit.diagnosing import codes, put
from tests.audit.histories import History, make


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return make(tmp_path_factory.mktemp("history"))


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b"\x89PNG\r\n\x1a\n", r"'\x89PNG\r\n\x1a\n'"),
        ("账本在这里\n第二行".encode(), r"'账本在这里\n第二'"),  # the last letter of 24 bytes is cut
        ("a\u202eb\x1b[2J".encode(), r"'a\u202eb\x1b[2J'"),
    ],
)
def test_the_beginning_of_a_file_is_legible_and_moves_no_cursor(
    tmp_path: Path, content: bytes, seen: str
) -> None:
    (tmp_path / "账本").mkdir()
    told = look(put(tmp_path / "账本", content))
    assert told.causes[0].evidence == (f"it begins with {seen}",)
    text = render(told.to_wire())
    assert f"      所见 seen: 开头是 it begins with {seen}\n" in text
    assert f"  账本 ledger: {tmp_path}/账本/l.sqlite3\n" in text


def test_a_file_with_a_mark_and_other_line_ends_is_told_of_both_and_of_each_once(
    history: History, tmp_path: Path
) -> None:
    with open_log(history.ledger).read() as reader, (tmp_path / "b").open("wb") as out:
        write_bundle(reader, out)
    path = put(tmp_path, b"\xef\xbb\xbf" + (tmp_path / "b").read_bytes().replace(b"\n", b"\r\n"))
    assert look(path).causes[0].evidence[0] == "its line ends were turned into CRLF too"
    policy = b"\xef\xbb\xbf" + history.policy.read_bytes().replace(b"\n", b"\r\n")
    kept = history.checkpoint.read_bytes().replace(b"\n", b"\r\n")
    asked = Asked(None, put(tmp_path, policy, "trusted"), (put(tmp_path, kept, "kept"),))
    told = look(history.ledger, asked)
    assert codes(told) == ["kept-unreadable", "kept-unreadable"]
    assert [one.partition(":")[0] for one in told.causes[0].evidence] == ["trusted", "bom", "crlf"]
    assert told.causes[0].evidence[0] == "trusted: policy line 1: a control character"
    text = render(told.to_wire())
    assert text.count(CAUSES["kept-unreadable"].zh) == text.count(CAUSES["kept-unreadable"].do_zh) == 1
    assert "所见 seen: trusted：信任文件第 1 行：含有控制字符 trusted: policy line 1: a control" in text


@pytest.mark.parametrize(
    ("content", "cause", "chinese"),
    [
        (
            b"\xef\xbb\xbf{}\r\n",
            " (the file begins with a byte order mark and has CRLF line ends; save",
            "BOM，换行符",
        ),
        ("{}\r\n".encode("utf-16"), " (the file is in UTF-16; save it as UTF-8)", "文件是 UTF-16"),
        (b"{}\r\n", ": file is not a database (the file is JSON of another kind)", "文件是别的 JSON"),
        (b'{"format":1}\r\n', "bundle_v1 (the file has CRLF line ends; save it with LF)", "请存为 LF）"),
        (b"\x1f\x8b\x08rest", " (the file is a compressed archive; unpack it)", "文件是压缩包；请先解压"),
        (b"\n<!DOCTYPE html>", " (the file is a web page; fetch the ledger again)", "文件是网页"),
        (b"hello", ": file is not a database", "不是 SQLite 文件"),
    ],
)
def test_a_converted_text_in_a_ledgers_place_is_told_as_such(
    tmp_path: Path, content: bytes, cause: str, chinese: str
) -> None:
    path = put(tmp_path, content * 100)
    told = verify(path)
    assert (str(told.verdict), len(told.reasons)) == ("CANNOT-VERIFY", 1)
    assert cause in told.reasons[0]
    assert ("save" in told.reasons[0]) == ("save" in cause)
    assert chinese in verify_text(told.to_wire())
    assert told.notes == [DOCTOR]
    [alone] = standalone.verify(path)["reasons"]
    assert alone.partition(" (the file ")[2][:9] == told.reasons[0].partition(" (the file ")[2][:9]


def test_verify_names_the_doctor_where_the_file_is_what_is_wrong(history: History, tmp_path: Path) -> None:
    raw = history.ledger.read_bytes()
    for content, verdict in ((raw.replace(b"\n", b"\r\n"), "TAMPERED"), (raw[:-100], "TORN"), (b"", None)):
        told = verify(put(tmp_path, content))
        assert (told.verdict, told.notes[-1]) == (verdict or "CANNOT-VERIFY", DOCTOR)
        assert "说明 note: `audit doctor` 会说出文件变成这样的常见原因" in verify_text(told.to_wire())
    for told in (
        verify(history.ledger),
        verify(history.ledger, b"no policy"),
        verify(history.ledger, None, [b""]),
    ):
        assert DOCTOR not in told.notes


def test_of_a_key_that_is_not_there_no_harm_is_weighed() -> None:
    for code, label in (("key-missing", "[key-missing]"), ("web-page", "[web-page，看不出是否有害")):
        assert label in render(Diagnosis("l.sqlite3", causes=[Seen(code)]).to_wire())


def test_of_a_database_nothing_is_said_about_files() -> None:
    found = [Seen("older-than-seen"), Seen("unexplained"), Seen("key-old")]
    told = Diagnosis("postgresql://auditor@db/ledger", database=True, causes=found)
    wire: dict[str, Any] = told.to_wire()
    older, unexplained, key = (one["do_en"] + one["en"] for one in wire["causes"])
    assert "-wal" not in older
    assert "dump the database" in unexplained
    assert CAUSES["key-old"].en in key
    of_a_file: dict[str, Any] = Diagnosis("l.sqlite3", causes=found).to_wire()
    assert "-wal" in of_a_file["causes"][0]["en"]

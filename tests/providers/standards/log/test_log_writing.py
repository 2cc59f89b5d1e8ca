"""The query log: whole lines from many threads, files that turn, and a torn end that is mended."""

import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from providers.standards.query_log import QueryLog, forget, log_files, log_lines, mend
from schemas.errors import StorageError

START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def clock() -> datetime:
    return START


def line(thread: int, number: int, length: int = 300) -> bytes:
    return (
        json.dumps({"thread": thread, "number": number, "text": "规" * length}, ensure_ascii=False).encode()
        + b"\n"
    )


def test_lines_of_many_threads_are_whole_and_all_there(tmp_path: Path) -> None:
    log = QueryLog(tmp_path, clock, largest_bytes=50_000)

    def write(thread: int) -> None:
        for number in range(0, 60, 3):
            log.append(START, b"".join(line(thread, number + step) for step in range(3)))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()
    found = [json.loads(text) for _, _, text in log_lines(log_files(tmp_path))]
    assert sorted((one["thread"], one["number"]) for one in found) == [
        (thread, number) for thread in range(8) for number in range(60)
    ]
    sizes = [path.stat().st_size for path in log_files(tmp_path)]
    assert len(sizes) > 8 * 60 * 900 // 50_000
    assert max(sizes) <= 50_000


def test_a_new_day_has_a_new_file_and_the_oldest_days_go(tmp_path: Path) -> None:
    now = START
    log = QueryLog(tmp_path, lambda: now, keep_days=2)
    for day in range(5):
        now = START + timedelta(days=day)
        log.append(now, line(0, day))
    log.close()
    assert [path.name[8:16] for path in log_files(tmp_path)] == ["20260306", "20260307", "20260308"]
    (tmp_path / "queries-20250101.notes").write_bytes(b"mine")
    assert [path.name[8:16] for path in forget(tmp_path, lambda: now, 1)] == ["20260306"]
    assert forget(tmp_path, lambda: now, 0) == []
    assert (tmp_path / "queries-20250101.notes").exists()


def test_a_batch_larger_than_a_file_stays_in_one_piece(tmp_path: Path) -> None:
    log = QueryLog(tmp_path, clock, largest_bytes=1_000)
    for number in range(3):
        log.append(START, line(0, number) + line(1, number))
    log.close()
    assert [path.read_bytes() for path in log_files(tmp_path)] == [
        line(0, number) + line(1, number) for number in range(3)
    ]


def test_only_its_owner_may_read_a_log(tmp_path: Path) -> None:
    log = QueryLog(tmp_path / "log", clock)
    log.append(START, line(0, 0))
    log.close()
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in log_files(tmp_path / "log")] == [0o600]


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot be written"):
        QueryLog(tmp_path / "file", clock).append(START, line(0, 0))


FILLS = """
import os, resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from providers.standards.query_log import QueryLog
from schemas.errors import StorageError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
now = datetime(2026, 3, 4, tzinfo=UTC)
log = QueryLog(Path(sys.argv[1]), lambda: now)
written = 0
try:
    while True:
        log.append(now, b"x" * 6_999 + b"\\n")
        written += 1
except StorageError:
    print(written)
"""


def test_of_a_batch_that_finds_no_room_nothing_is_left(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", FILLS, tmp_path], capture_output=True, check=True)
    [path] = log_files(tmp_path)
    assert path.read_bytes() == (b"x" * 6_999 + b"\n") * int(ended.stdout)
    assert int(ended.stdout) == 14


def test_an_unfinished_line_is_cut_off_once_its_writer_is_gone(tmp_path: Path) -> None:
    log = QueryLog(tmp_path, clock)
    log.append(START, line(0, 0))
    [path] = log_files(tmp_path)
    os.write(log._file or 0, b'{"torn')
    assert mend(tmp_path) == {}
    log.close()
    assert mend(tmp_path) == {path: 6}
    assert path.read_bytes() == line(0, 0)
    assert mend(tmp_path) == {}


@pytest.mark.parametrize("torn", [b"x", b"x" * 200_000], ids=["short", "long"])
def test_a_file_that_is_one_unfinished_line_becomes_empty(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "queries-20260304-1-1.jsonl"
    path.write_bytes(torn)
    assert mend(tmp_path) == {path: len(torn)}
    assert path.read_bytes() == b""


def test_a_number_that_another_process_had_is_not_taken_again(tmp_path: Path) -> None:
    taken = tmp_path / f"queries-20260304-{os.getpid()}-1.jsonl"
    taken.write_bytes(b"theirs\n")
    log = QueryLog(tmp_path, clock)
    log.append(START, line(0, 0))
    log.close()
    assert taken.read_bytes() == b"theirs\n"
    assert len(log_files(tmp_path)) == 2


def test_a_folder_that_is_not_there_has_no_logs(tmp_path: Path) -> None:
    assert log_files(tmp_path / "none") == []

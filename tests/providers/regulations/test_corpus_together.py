"""Many readers and writers of one corpus, and a writer that is killed."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from providers.regulations.corpus import Corpus
from tests.providers.regulations.corpora import NODE, clock, opened, source
from tests.providers.regulations.law import CHAPTERS

WRITER = """
import sys
from pathlib import Path
from datetime import UTC, datetime
from providers.regulations.corpus import Corpus
from tests.providers.regulations.corpora import source
with Corpus.open(Path(sys.argv[1]), lambda: datetime(2031, 7, 1, tzinfo=UTC)) as corpus:
    for at in range(int(sys.argv[2]), int(sys.argv[3])):
        corpus.import_sources([source(note=f"state {at}")])
        corpus.publish(f"writer {at}")
"""

# The clock is asked inside the transaction that publishes: the last moment before the pointer moves.
KILLED = """
import os, signal, sys
from pathlib import Path
from datetime import UTC, datetime
from providers.regulations.corpus import Corpus
from tests.providers.regulations.corpora import source
calls = []
def clock():
    calls.append(1)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return datetime(2031, 7, 1, tzinfo=UTC)
corpus = Corpus.open(Path(sys.argv[1]), clock)
corpus.import_sources([source(note="the next state")])
corpus.publish("killed")
"""


def run(script: str, *arguments: object) -> subprocess.Popen[bytes]:
    root = Path(__file__).resolve().parents[3]
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], cwd=root)


def test_two_writers_and_eight_readers_meet_no_error(tmp_path: Path) -> None:
    with opened(tmp_path, source()) as corpus:
        first = corpus.publish()
        expected = corpus.resolve(first, NODE)
        stop = threading.Event()
        faults: list[Exception] = []
        reads: list[int] = []

        def read() -> None:
            count = 0
            try:
                while not stop.is_set() or not count:
                    pinned = corpus.pinned()
                    nodes = {node.node_id: node.sha256 for node in corpus.nodes(pinned)}
                    found = corpus.resolve(pinned, NODE)
                    assert found.hash_verified
                    assert nodes[NODE] == found.node_sha256
                    assert corpus.resolve(first, NODE) == expected
                    count += 1
            except Exception as fault:  # noqa: BLE001 - whatever a reader meets is what the test is about
                faults.append(fault)
            reads.append(count)

        readers = [threading.Thread(target=read) for _ in range(8)]
        path = tmp_path / "corpus.sqlite3"
        writers = [run(WRITER, path, 0, 5), run(WRITER, path, 5, 10)]
        for reader in readers:
            reader.start()
        codes = [writer.wait() for writer in writers]
        stop.set()
        for reader in readers:
            reader.join()
        assert (faults, codes) == ([], [0, 0])
        assert min(reads) >= 1
        # The drafts are common to both: what one imports the other may publish, and of one state there is
        # one revision.
        assert 6 <= len(corpus.revisions()) <= 11
        assert sum(one.current for one in corpus.revisions()) == 1
        assert all(corpus.verify(one.revision) for one in corpus.revisions())


@pytest.mark.parametrize("moment", [1, 2])
def test_a_kill_in_the_middle_of_a_publish_leaves_the_old_pointer(tmp_path: Path, moment: int) -> None:
    with opened(tmp_path, source(law=CHAPTERS)) as corpus:
        revision = corpus.publish()
        expected = corpus.resolve(revision, NODE)
        assert run(KILLED, tmp_path / "corpus.sqlite3", moment).wait() == -signal.SIGKILL
        assert corpus.current() == revision
        assert corpus.resolve("", NODE) == expected
    with Corpus.open(tmp_path / "corpus.sqlite3", clock) as again:
        assert [one.revision for one in again.revisions()] == [revision]
        assert again.verify() == len(list(again.nodes()))
        assert again.publish("after") != revision

"""Half an hour of mixed load with another library every ten seconds: no error, no torn line, flat memory.

SOAK_SECONDS sets another duration.
"""

import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from providers.standards.library import load
from tests.providers.standards.service.making import numbered, put
from tests.providers.standards.service.running import JSON, Service, asking, exchange, running

SECONDS = float(os.environ.get("SOAK_SECONDS", "1800"))
RELOAD_SECONDS = 10.0
CLIENTS = 4
GENERATIONS = 7


class Load:
    """Clients of every kind, and what was wrong with any answer."""

    def __init__(self, service: Service, revisions: dict[str, str]) -> None:
        self.service = service
        self.revisions = revisions
        self.enough = threading.Event()
        self.wrong: list[str] = []
        self.answered: Counter[str] = Counter()
        self.queries = 0
        self._lock = threading.Lock()

    def run(self, seed: int) -> None:
        draw = random.Random(seed)
        connection = self.service.connect()
        kinds = (self.batch, self.batch, self.fresh, self.refused, self.look)
        while not self.enough.is_set():
            try:
                draw.choice(kinds)(connection, draw)
            except Exception as error:  # noqa: BLE001 - whatever breaks is what this test looks for
                self.wrong.append(repr(error))
                return
            self.enough.wait(draw.random() / 50)
        connection.close()

    def batch(self, connection: Any, draw: random.Random) -> None:
        self._search(
            connection, [f"GB {50000 + draw.randrange(40)}-2010" for _ in range(draw.randint(1, 100))]
        )

    def fresh(self, connection: Any, draw: random.Random) -> None:
        count = draw.randint(1, 30)
        self._search(
            connection, [f"标准第{draw.randrange(40)}号技术规范 {draw.random()}" for _ in range(count)], 0
        )

    def _search(self, connection: Any, keywords: list[str], fewest: int = 1) -> None:
        response = exchange(connection, "POST", "/v1/search", asking(keywords), JSON)
        results = response.json["results"]
        generation = self.revisions[response.headers["library-revision"]]
        told = {one["status"] for result in results for one in result["candidates"]}
        right = told == {generation} if fewest else told <= {generation}
        if response.status != 200 or [result["query"] for result in results] != keywords or not right:
            self.wrong.append(f"{response.status} {told} {generation}")
        with self._lock:
            self.answered[generation] += 1
            self.queries += len(keywords)

    def refused(self, connection: Any, draw: random.Random) -> None:
        body, status = draw.choice(
            [(b"{", 400), (b"{}", 422), (asking(["a"] * 101), 422), (b" " * 600_000, 413)]
        )
        response = exchange(connection, "POST", "/v1/search", body, JSON)
        if response.status != status or "message" not in response.json:
            self.wrong.append(f"{response.status} where {status} was due")

    def look(self, connection: Any, draw: random.Random) -> None:
        path = draw.choice(["/healthz", "/readyz", "/openapi.json"])
        if exchange(connection, "GET", path).status != 200:
            self.wrong.append(path)


def taken_in(log: Path, revisions: dict[str, str], *, all_files: bool) -> int:
    """Check and remove log files that nobody writes any more; how many lines they held."""
    lines = 0
    # One look at the folder: a file that is begun after it is still being written.
    files = sorted(log.iterdir(), key=lambda one: int(one.stem.split("-")[3]))
    newest = {path.name.split("-")[2]: path for path in files}
    for path in files:
        if path in newest.values() and not all_files:
            continue
        data = path.read_bytes()
        assert data.endswith(b"\n")
        for line in data.splitlines():
            entry = json.loads(line)
            told = {one["status"] for one in entry["candidates"]}
            assert told <= {revisions[entry["library_revision"]]}
            lines += 1
        path.unlink()
    return lines


def resident(process: int) -> int:
    """The kilobytes of memory that a process holds."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0])


@pytest.mark.soak
def test_a_service_runs_for_long_under_load_with_a_new_library_every_ten_seconds(tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    revisions = {}
    for generation in range(GENERATIONS):
        put(path, numbered(generation))
        revisions[load(path).revision] = f"第{generation}代"
    options = ("--library", path, "--workers", "2", "--poll", "0.5", "--log-mb", "2")
    memory: list[int] = []
    lines = turns = 0
    with running(tmp_path, *options) as service:
        load_on = Load(service, revisions)
        threads = [threading.Thread(target=load_on.run, args=(seed,)) for seed in range(CLIENTS)]
        for thread in threads:
            thread.start()
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends and not load_on.wrong:
            load_on.enough.wait(min(RELOAD_SECONDS, max(0.0, ends - time.monotonic())))
            turns += 1
            if turns % 5 == 0:
                put(path, b"half a li")
                service.signal(signal.SIGHUP)
                service.wait_for("library_refused", times=2)
            put(path, numbered(turns % GENERATIONS))
            service.wait_for("library_reloaded", times=2)
            memory.append(sum(map(resident, service.workers)))
            lines += taken_in(service.log, revisions, all_files=False)
        load_on.enough.set()
        for thread in threads:
            thread.join(60)
        assert load_on.wrong == []
    lines += taken_in(service.log, revisions, all_files=True)
    searches = sum(load_on.answered.values())
    sys.stdout.write(f"{turns} reloads, {searches} searches, {lines} log lines, memory {memory} kB\n")
    assert lines == load_on.queries
    assert [event for event in service.events if event["event"] == "worker_died"] == []
    # Memory of answers fills up once; after a quarter of the time it is as it stays.
    settled, rest = memory[len(memory) // 4], memory[len(memory) // 4 :]
    assert max(rest) <= 1.10 * settled + 4_000

"""How a service starts, stops, and survives the death of a worker."""

import os
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.doors.command import run
from tests.providers.standards.service.load import asking_clients
from tests.providers.standards.service.making import csv_text, put
from tests.providers.standards.service.running import JSON, Service, asking, exchange, running

MIXED = [
    [f"GB {number}-2013 建筑边坡工程技术规范" for number in range(start, start + 100)]
    for start in range(50_000, 50_600, 100)
]


def worker_of(log: Path) -> int:
    """The process number of the worker that writes that file."""
    return int(log.stem.split("-")[-2])


def at_work(folder: Path) -> int:
    """The worker that answered last: new connections may all go to one."""
    return worker_of(max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns))


def test_every_answered_query_is_in_the_log_although_workers_are_killed_under_load(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2") as service:
        with asking_clients(service, MIXED, 6, pause=0.02) as clients:
            for _ in range(3):
                clients.wait_for(15)
                os.kill(at_work(service.log), signal.SIGKILL)
                assert service.wait_for("worker_died")["status"] == -signal.SIGKILL
                service.wait_for("worker_ready")
            clients.wait_for(15)
        assert service.search("GB 50330").status == 200
    lines = service.lines()
    by_request = Counter(line["request_id"] for line in lines)
    found = {(line["request_id"], line["position"]): line for line in lines}
    assert len(found) == len(lines)
    for batch, response in clients.answers:
        assert response.status == 200
        request = response.headers["request-id"]
        assert by_request[request] == len(batch)
        for position, result in enumerate(response.json["results"]):
            line = found[request, position]
            assert (line["query"], line["candidates"]) == (result["query"], result["candidates"])
    assert len({worker_of(path) for path in service.log.iterdir()}) >= 2


def test_requests_under_way_are_answered_when_the_service_is_told_to_stop(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2") as service:
        with asking_clients(service, MIXED, 6) as clients:
            clients.wait_for(30)
            heard = len(clients.answers)
            clients.enough.set()
            status = service.stop()
        assert status == 0
        assert clients.broken == 0
        assert len(clients.answers) >= heard
        assert {response.status for _, response in clients.answers} == {200}
    assert [event["event"] for event in service.events[-2:]] == ["stopping", "stopped"]
    assert len(service.lines()) == sum(len(batch) for batch, _ in clients.answers)


def test_under_load_a_stop_breaks_no_connection_that_was_asked_to_stay(tmp_path: Path) -> None:
    with running(tmp_path) as service, until_told_to_close(service, 4) as heard:
        service.signal(signal.SIGTERM)
        service.wait_for("stopped")
    assert {ended for _, ended in heard} == {"told to close"}
    assert all(count > 0 for count, _ in heard)


@contextmanager
def until_told_to_close(service: Service, connections: int) -> Iterator[list[tuple[int, str]]]:
    """Connections that ask until an answer tells them to close; how many answers each had, and its end."""
    heard: list[tuple[int, str]] = []
    first = threading.Barrier(connections + 1)

    def ask() -> None:
        connection = service.connect()
        answers, ended = 0, "broken"
        try:
            while ended == "broken":
                response = exchange(connection, "POST", "/v1/search", asking(MIXED[0]), JSON)
                answers += response.status == 200
                if answers == 1:
                    first.wait(60)
                if response.headers.get("connection") == "close":
                    ended = "told to close"
        finally:
            connection.close()
            heard.append((answers, ended))

    threads = [threading.Thread(target=ask) for _ in range(connections)]
    for thread in threads:
        thread.start()
    first.wait(60)
    yield heard
    for thread in threads:
        thread.join(60)


def test_workers_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        address = service.address
        service.signal(signal.SIGKILL)
        service.process.wait(60)
        # The worker holds the other end of stderr: the events end when it does.
        service.rest()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, timeout=5)
        service.process.returncode = 0


def test_a_service_that_cannot_start_says_why_and_listens_nowhere(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_bytes(csv_text(("GB 1-2000", "甲"), ("GB 1-2000", "乙")))
    serve = ("standards", "serve", "--format", "json", "--port", "0", "--log-dir", "log")
    refused = run(*serve, "--library", bad, cwd=tmp_path)
    assert (refused.status, refused.error["code"]) == (3, "invalid_library")
    missing = run(*serve, "--library", "nowhere.csv", cwd=tmp_path)
    assert (missing.status, missing.error["code"]) == (4, "not_found")
    (tmp_path / "taken").write_bytes(b"")
    no_log = run(*serve[:-1], "taken", cwd=tmp_path)
    assert (no_log.status, no_log.error["code"]) == (75, "storage")
    nowhere = run(*serve, "--host", "no.such.host.invalid", cwd=tmp_path)
    assert (nowhere.status, nowhere.error["code"]) == (2, "usage")


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("standards", "serve", "--format", "json", "--port", port, cwd=tmp_path, measured=True)
    assert (done.status, done.error["code"]) == (75, "busy")


def test_listening_for_others_is_told(tmp_path: Path) -> None:
    with running(tmp_path, "--host", "0.0.0.0", measured=True) as service:  # noqa: S104 - what is tested
        assert service.events[0]["event"] == "open_to_others"


def test_a_second_signal_does_not_wait_for_a_request_under_way(tmp_path: Path) -> None:
    head = b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    with running(tmp_path, "--grace", "600") as service, socket.create_connection(service.address) as slow:
        slow.sendall(head + b"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{")
        assert service.call("GET", "/healthz").status == 200
        service.signal(signal.SIGTERM)
        service.wait_for("stopping")
        service.signal(signal.SIGINT)
        service.wait_for("stopped")


def test_a_worker_that_dies_while_the_library_is_bad_comes_back_when_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    put(path, csv_text(("GB 50330-2013", "建筑边坡工程技术规范")))
    with running(tmp_path, "--library", path, "--workers", "2", "--poll", "0.05") as service:
        put(path, b"bad")
        service.wait_for("library_refused", times=2)
        os.kill(service.workers[0], signal.SIGKILL)
        assert "standards.csv: " in service.wait_for("worker_failed")["reason"]
        assert service.search("GB 50330").json["results"][0]["candidates"]
        put(path, csv_text(("GB 50330-2013", "建筑边坡工程技术规范", "现行")))
        service.wait_for("worker_ready")


def test_a_library_whose_name_is_no_text_is_served(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.csv")
    put(path, csv_text(("GB 50330-2013", "建筑边坡工程技术规范")))
    with running(tmp_path, "--library", path, "--poll", "0.05", measured=True) as service:
        assert service.call("GET", "/readyz").json["library"]["name"] == "\\udcff.csv"
        put(path, b"bad")
        service.wait_for("library_refused")
        assert service.call("GET", "/readyz").json["refused"]["message"].startswith("\\udcff.csv: ")

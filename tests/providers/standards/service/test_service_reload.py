"""Another library takes the place of the one in force, under load, and a bad one does not."""

import signal
from pathlib import Path

import pytest

from providers.standards.library import load
from tests.providers.standards.service.load import asking_clients
from tests.providers.standards.service.making import csv_text, numbered, put
from tests.providers.standards.service.running import running

BATCHES = [[f"GB {50000 + number}-2010" for number in range(start, start + 20)] for start in (0, 10, 20)]


@pytest.mark.parametrize("told", [True, False], ids=["SIGHUP", "polling"])
def test_libraries_change_under_load_and_every_batch_is_of_one_library(told: bool, tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    put(path, numbered(0))
    revisions = {load(path).revision: "第0代"}
    poll = "0" if told else "0.05"
    with running(tmp_path, "--library", path, "--workers", "2", "--poll", poll) as service:
        with asking_clients(service, BATCHES, 4) as clients:
            for generation in range(1, 6):
                put(path, numbered(generation))
                latest = load(path).revision
                revisions[latest] = f"第{generation}代"
                if told:
                    service.signal(signal.SIGHUP)
                service.wait_for("library_reloaded", times=2)
                clients.wait_for(20)
                while not any(one.headers["library-revision"] == latest for _, one in clients.answers[-40:]):
                    clients.wait_for(1)
        assert clients.broken == 0
        for batch, response in clients.answers:
            assert response.status == 200
            results = response.json["results"]
            assert [result["query"] for result in results] == batch
            statuses = {result["candidates"][0]["status"] for result in results}
            assert statuses == {revisions[response.headers["library-revision"]]}
        seen = {response.headers["library-revision"] for _, response in clients.answers}
        assert seen == set(revisions)
        last = service.search("GB 50000-2010")
        assert last.json["results"][0]["candidates"][0]["status"] == "第5代"
    lines = service.lines()
    assert len(lines) == 20 * len(clients.answers) + 1
    for line in lines:
        assert line["candidates"][0]["status"] == revisions[line["library_revision"]]


def test_a_bad_library_is_refused_and_the_old_one_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "standards.csv"
    good = csv_text(("GB 50330-2013", "建筑边坡工程技术规范", "现行"))
    put(path, good)
    revision = load(path).revision
    bad = {
        "half": good[: len(good) // 2],
        "twice": good + good.splitlines()[1] + b"\n",
        "no text": b"\xff\xfe\x00",
        "empty": b"",
    }
    with running(tmp_path, "--library", path, "--poll", "0.05", measured=True) as service:
        for content in bad.values():
            put(path, content)
            event = service.wait_for("library_refused")
            assert event["revision_in_force"] == revision
            assert event["reason"].startswith("standards.csv: ")
            ready = service.call("GET", "/readyz")
            assert (ready.status, ready.json["library"]["revision"]) == (200, revision)
            assert ready.json["refused"]["message"] == event["reason"]
            assert service.search("GB 50330").json["results"][0]["candidates"]
        path.unlink()
        assert "there is no library" in service.wait_for("library_refused")["reason"]
        service.signal(signal.SIGHUP)
        assert "there is no library" in service.wait_for("library_refused")["reason"]
        put(path, csv_text(("GB 1-2000", "另一标准", "现行")))
        assert service.wait_for("library_reloaded")["revision_before"] == revision
        assert service.call("GET", "/readyz").json["refused"] is None
        assert service.search("GB 50330").json["results"][0]["candidates"] == []

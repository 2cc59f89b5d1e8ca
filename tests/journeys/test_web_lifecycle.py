"""From a question to its retirement through a real search server and captured pages, by the command line."""

import json
import signal
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from schemas.canonical import digest_bytes
from tests.doors.command import clean, start
from tests.doors.forking import Forking
from tests.journeys.web_world import BODIES, PAGES, WebWorld
from tests.providers.web.relay import Relay
from tests.searx.running import T2026

QUESTION = (
    *("--objective", "边坡支护有哪些地方规定？", "--user-activity", "审查施工方案"),
    *("--decision", "是否补充依据", "--evidence-kind", "regulation", "--prefer", "connector:web-search"),
    *("--search-term", "边坡支护", "--search-term", "支护", "--search-term", "没有这样的公告"),
)
ADMIT = ("--decision", "admit", "--reason", "原页可查", "--all-sources")
PROBES = ["/healthz", "/config", "/search?format=json"]


def keep(quick: Forking, folder: Path, name: str, *arguments: str, status: int = 0) -> Any:
    done = quick(*arguments, cwd=folder)
    assert (done.status, done.err) == (status, b""), done
    (folder / f"{name}.json").write_bytes(done.out)
    return done.answer


def test_a_question_goes_through_search_and_capture_to_retirement(
    web_world: WebWorld, relay: Relay, tmp_path: Path, quick: Forking
) -> None:
    web_world.site.requests.clear()
    web = ("--web", web_world.settings(tmp_path, relay))
    kept = partial(keep, quick, tmp_path)
    found = kept("discovery", "discover", *web)
    [row] = [one for one in found["providers"] if one["provider_id"] == "connector:web-search"]
    assert row["ready"]
    plan = kept("plan", "plan", *QUESTION, *web)
    assert plan["selected_provider"]["provider_id"] == "connector:web-search"
    assert relay.targets == PROBES * 2
    asked = web_world.asked()

    shown = kept("outgoing", "execute", "plan.json", *web, status=1)
    assert shown["network_allowed"] is False
    assert relay.targets == PROBES * 2
    assert (web_world.asked(), web_world.site.requests) == (asked, [])

    seen = kept("receipt", "execute", "plan.json", "--allow-network", *web)
    sent = relay.requests[len(PROBES * 2) :]
    messages = [one["content"].encode() for one in shown["outgoing"]]
    assert sorted(set(sent)) == sorted(messages[:-1])  # the last one is about the pages that will be found
    assert {one["destination"] for one in shown["outgoing"][:-1]} == {
        relay.url + request.split(b" ")[1].decode() for request in sent
    }
    _the_receipt_says_what_happened(web_world, seen)
    assert "/robots.txt" in web_world.site.targets
    assert {"/gbk.html", "/moved.html", "/target.html", "/gone.html"} <= set(web_world.site.targets)

    kept("admission", "admit", "receipt.json", *ADMIT)
    assert kept("early", "retire", "admission.json", status=1)["status"] == "retained"
    written = kept("readback", "readback", "--execute", "admission.json")
    refs = [source["source_ref"] for source in seen["receipt"]["sources"]]
    assert sorted(written["downstream_source_refs"]) == sorted(refs)
    [document] = (tmp_path / ".external-evidence" / "dossiers").glob("*.md")
    text = document.read_text(encoding="utf-8")
    assert all(title in text for title, path, _, _ in PAGES[:4])
    assert "由𠮷野、㐂村两地试行" not in text
    assert kept("retired", "retire", "admission.json")["status"] == "retire_ready"
    report = clean(tmp_path, call=quick)
    assert [report[name] for name in ("plans", "receipts", "admissions", "retired")] == [1, 1, 1, 1]
    _no_page_is_kept(tmp_path)


def _the_receipt_says_what_happened(world: WebWorld, seen: Any) -> None:
    receipt = seen["receipt"]
    assert receipt["status"] == "succeeded"
    where = world.site.url("", "127.0.0.1")
    digests = {source["source_ref"]: source["content_digest"] for source in receipt["sources"]}
    assert digests == {where + target: digest_bytes(body, "blake3") for target, body in BODIES.items()}
    titles = dict(zip(BODIES, [PAGES[0][0], PAGES[1][0], PAGES[2][0], PAGES[3][0]], strict=True))
    for source in receipt["sources"]:
        target = source["source_ref"].removeprefix(where)
        assert (source["basis"], source["source_family"]) == ("observed", "web_page")
        assert source["finding"].startswith(f"网页《{titles[target]}》")
        assert "第二条 边坡支护结构的设计使用年限" in source["finding"]
        assert source["publication_date"] == ("2024-05-08" if target == "/utf8.html" else None)
        # Three searches, of which two found it; one source all the same.
        assert source["finding"].count("第 ") >= 2
    limits = "\n".join(receipt["limitations"])
    assert f"{where}/gone.html 没有抓取：失败 failed，对方答复 404 status 404" in limits
    assert f"{where}/slow.html 没有抓取：失败 failed，" in limits
    assert "检索“没有这样的公告”没有结果" in limits


def _no_page_is_kept(folder: Path) -> None:
    """Only what stands in excerpts may lie on the disk, never a body."""
    for path in folder.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not any(body in content for body in BODIES.values()), path


@pytest.mark.parametrize("web_world", [T2026], indirect=True, ids=["2026"])
def test_an_interrupt_ends_a_run_and_nothing_more_is_asked_for(
    web_world: WebWorld, relay: Relay, tmp_path: Path, quick: Forking
) -> None:
    site, asked = web_world.site, threading.Event()

    def stalling() -> Iterator[bytes | float]:
        asked.set()
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
        yield 300.0

    web = ("--web", web_world.settings(tmp_path, relay, {"at_once": 1, "seconds": 70, "robots": "false"}))
    first = next(iter(BODIES))
    kept = site.answers[first]
    site.answers[first] = stalling
    site.requests.clear()
    keep(quick, tmp_path, "plan", "plan", *QUESTION, *web)
    process = start("execute", "plan.json", "--allow-network", *web, cwd=tmp_path)
    assert asked.wait(60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    site.answers[first] = kept
    assert (process.returncode, out, site.targets) == (130, b"", [first])
    assert b'"code":"interrupted"' in err
    assert clean(tmp_path, call=quick)["receipts"] == 0


def test_a_server_that_died_after_the_plan_is_asked_nothing(
    web_world: WebWorld, relay: Relay, tmp_path: Path, quick: Forking
) -> None:
    web = ("--web", web_world.settings(tmp_path, relay))
    keep(quick, tmp_path, "plan", "plan", *QUESTION, *web)
    before = (len(relay.requests), web_world.asked())
    relay.cut()
    done = quick("execute", "plan.json", "--allow-network", *web, cwd=tmp_path)
    assert (done.status, done.out, done.error["code"]) == (4, b"", "provider_not_ready")
    assert "cannot be reached" in done.error["message"]
    assert (len(relay.requests), web_world.asked()) == before
    row = json.loads(quick("discover", *web, cwd=tmp_path).out)["providers"]
    assert [one["ready"] for one in row if one["provider_id"] == "connector:web-search"] == [False]
    blocked = quick("plan", *QUESTION, *web, cwd=tmp_path)
    assert (blocked.status, blocked.answer["blocker"]) == (1, "preferred_provider_not_ready")
    clean(tmp_path, call=quick)

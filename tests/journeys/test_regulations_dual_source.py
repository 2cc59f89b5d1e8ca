"""`dual_source`: a run that claims both the corpus and the web, or says that it cannot."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas.canonical import digest_bytes
from tests.doors.command import clean
from tests.doors.forking import Forking
from tests.doors.statutes import NEW, OLD, publish
from tests.journeys.regulations_world import (
    ASK,
    DEEP,
    DUAL,
    PAGE,
    QUERY,
    QUESTION,
    Life,
    finding,
    web_file,
)
from tests.journeys.web_world import BODIES, WebWorld
from tests.providers.web.asking import body, healthy, queries
from tests.providers.web.capture.peer import Peer, page
from tests.providers.web.capture.peer import running as serving
from tests.providers.web.relay import Relay
from tests.providers.web.search.faking import Fake, faking, says
from tests.searx.running import T2026

INCOMPLETE = "双源核验未完成："


@pytest.fixture(scope="module")
def peers() -> Iterator[tuple[Fake, Peer]]:
    with faking() as fake, serving() as site:
        yield fake, site


@pytest.fixture
def fake(peers: tuple[Fake, Peer]) -> Fake:
    peers[0].received.clear()
    return peers[0]


@pytest.fixture
def site(peers: tuple[Fake, Peer]) -> Peer:
    peers[1].answers.clear()
    peers[1].requests.clear()
    return peers[1]


@pytest.fixture
def life(quick: Forking, tmp_path: Path) -> Life:
    made = Life(quick, tmp_path)
    publish(quick, tmp_path, OLD, NEW)
    return made


def test_both_sources_together_reach_retirement(life: Life, fake: Fake, site: Peer) -> None:
    [url] = finding(fake, site, "/bulletin")
    web = web_file(life.folder, fake, site)
    plan = life.keep("plan", "plan", *ASK, *DUAL, *web, corpus=True)
    assert plan["selected_provider"]["provider_id"] == "connector:regulations"
    fake.received.clear()
    shown = life("execute", "plan.json", *web, status=1, corpus=True)["outgoing"]
    assert (fake.received, site.requests) == ([], [])
    receipt = life.keep("receipt", "execute", "plan.json", "--allow-network", *web, corpus=True)["receipt"]
    assert queries(fake) == [QUERY]
    messages = [one["content"].encode() for one in shown]
    assert all(message in messages for message in fake.received)
    assert receipt["status"] == "succeeded"
    *nodes, web_page = receipt["sources"]
    assert [one["basis"] for one in nodes] == ["stated"] * 3
    assert (web_page["source_ref"], web_page["basis"]) == (url, "observed")
    assert web_page["content_digest"] == f"sha256:{hashlib.sha256(PAGE.encode()).hexdigest()}"
    assert "每三年检验一次" in web_page["finding"]
    assert "网页 1 个" in receipt["summary"]
    report = life.finish()
    assert report["retired"] == 1
    made = life.calls()
    assert [action for action, _ in made] == [
        "regulations.search",
        *["regulations.evidence"] * 3,
        "web.search",
        "web.capture",
    ]
    asked = hashlib.sha256(QUERY.encode()).hexdigest()
    assert made[-2][1] == {"count": 1, "state": "ok", "querySha256": asked}
    assert made[-1][1]["querySha256"] == asked
    _nothing_said_is_audited(life)


def _nothing_said_is_audited(life: Life) -> None:
    """Queries and excerpts stand in plan and receipt; what the page says deeper stands nowhere."""
    for path, content in life.kept().items():
        assert DEEP.encode() not in content, path
    for _, evidence in life.calls():
        for words in (QUERY, "检验", DEEP, "http"):
            assert words not in str(evidence)


@pytest.mark.parametrize("web_world", [T2026], indirect=True, ids=["2026"])
def test_a_real_search_server_and_the_corpus_together_reach_retirement(
    web_world: WebWorld, relay: Relay, life: Life
) -> None:
    web_world.site.requests.clear()
    web = ("--web", web_world.settings(life.folder, relay, {"pages": 3}))
    receipt = life.receipt(*QUESTION, "--search-term", "边坡支护", *DUAL, options=web)
    assert receipt["status"] == "succeeded"
    pages = {one["source_ref"]: one for one in receipt["sources"] if one["basis"] == "observed"}
    where = web_world.site.url("", "127.0.0.1")
    assert pages
    for url, one in pages.items():
        assert one["content_digest"] == digest_bytes(BODIES[url.removeprefix(where)], "sha256")
    assert sum(one["basis"] == "stated" for one in receipt["sources"]) == 3
    report = life.finish()
    assert (report["clean"], report["retired"]) == (True, 1)
    actions = [action for action, _ in life.calls()]
    assert actions.count("web.search") == 1
    assert actions.count("web.capture") >= len(pages)
    _nothing_said_is_audited(life)
    for path, content in life.kept().items():
        assert not any(one in content for one in BODIES.values()), path


Setting = Callable[[Fake, Peer], None]


def _empty(fake: Fake, _site: Peer) -> None:
    healthy(fake, says(200, body(QUERY, [])))


def _down(fake: Fake, _site: Peer) -> None:
    fake.does = {"/search": says(503, {"error": "down"})}


def _limited(fake: Fake, _site: Peer) -> None:
    fake.does = {"/search": says(429, {"error": "slow down"}, Retry_After="60")}


def _rejected(fake: Fake, _site: Peer) -> None:
    healthy(fake, says(200, body(QUERY, ["http://10.1.2.3/private"])))


def _gone(fake: Fake, site: Peer) -> None:
    finding(fake, site, "/gone")
    site.answer("/gone", page(b"gone", 410))


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        (_empty, "没有结果。 The web search found nothing."),
        (_down, "没有完成：不可用 unavailable"),
        (_limited, "没有完成：被限流 rate_limited"),
        (_rejected, "没有抓取：被拒绝 rejected"),
        (_gone, "没有抓取：失败 failed，对方答复 410"),
    ],
    ids=["empty", "unavailable", "limited", "rejected", "gone"],
)
def test_without_the_web_nothing_is_claimed(
    life: Life, fake: Fake, site: Peer, setting: Setting, told: str
) -> None:
    setting(fake, site)
    receipt = life.receipt(*ASK, *DUAL, status=1, options=web_file(life.folder, fake, site))
    assert (receipt["status"], receipt["sources"]) == ("failed", [])
    assert receipt["limitations"][0].startswith(f"{INCOMPLETE}网络 web 没有提供证据")
    assert "Dual verification was not completed" in receipt["limitations"][0]
    assert any(told in one for one in receipt["limitations"]), receipt["limitations"]
    # The corpus was asked all the same, and a question without the demand succeeds by it alone.
    assert life.receipt(*ASK)["status"] == "succeeded"
    clean(life.folder, call=life.quick)


def test_where_no_web_is_set_up_nothing_is_claimed(life: Life) -> None:
    (life.folder / "web.toml").write_text("[capture]\npages = 2\n", encoding="utf-8")  # no search service
    for options in ((), ("--web", "web.toml")):
        life.keep("plan", "plan", *ASK, *DUAL, *options, corpus=True)
        preview = life("execute", "plan.json", *options, status=1, corpus=True)
        assert preview["outgoing"] == []
        [kept] = preview["withheld"]
        assert kept["what"] == "dual_source"
        assert "双源核验需要网络检索：请用 --search-url 或 --web" in kept["reason"]
        run = ("execute", "plan.json", "--allow-network", *options)
        receipt = life(*run, status=1, corpus=True)["receipt"]
        assert (receipt["status"], receipt["sources"]) == ("failed", [])
        assert INCOMPLETE in receipt["limitations"][0]
        assert "没有配置网络检索" in receipt["limitations"][1]
        assert "请用 --search-url 或 --web" in receipt["limitations"][1]
        assert "没有交付来源：语料库侧得到 3 条（未交付），网络侧 0 个。" in receipt["summary"]
        assert "已应用约束 constraints applied: dual_source." in receipt["summary"]


def test_where_nobody_listens_nothing_is_claimed(life: Life, site: Peer) -> None:
    with faking() as gone:
        web = web_file(life.folder, gone, site)
    receipt = life.receipt(*ASK, *DUAL, status=1, options=web)
    assert (receipt["status"], receipt["sources"]) == ("failed", [])
    assert any("没有完成：不可用 unavailable" in one for one in receipt["limitations"])


def test_where_the_corpus_has_nothing_the_web_alone_is_not_claimed(
    life: Life, fake: Fake, site: Peer
) -> None:
    finding(fake, site, "/bulletin")
    web = web_file(life.folder, fake, site)
    receipt = life.receipt(*QUESTION, "--search-term", "氢燃料电池汽车", *DUAL, status=1, options=web)
    assert (receipt["status"], receipt["sources"]) == ("failed", [])
    assert receipt["limitations"][0].startswith(f"{INCOMPLETE}语料库 corpus 没有提供证据")
    assert "没有交付来源：语料库侧得到 0 条，网络侧 1 个（未交付）。" in receipt["summary"]


def test_where_both_have_nothing_that_is_no_failure(life: Life, fake: Fake, site: Peer) -> None:
    _empty(fake, site)
    web = web_file(life.folder, fake, site)
    receipt = life.receipt(*QUESTION, "--search-term", "氢燃料电池汽车", *DUAL, status=1, options=web)
    assert receipt["status"] == "no_evidence"
    assert receipt["limitations"][0].startswith(f"{INCOMPLETE}语料库 corpus、网络 web 没有提供证据")


def test_a_page_and_a_node_that_are_named_are_both_sources(life: Life, fake: Fake, site: Peer) -> None:
    [url] = finding(fake, site, "/bulletin")
    web = web_file(life.folder, fake, site)
    revision = life("regulations", "revisions", corpus=True)[0]["corpusRevision"]
    ref = f"urn:kbreg:{revision}:{NEW}#art3"
    asked = (*QUESTION, "--source", ref, "--source", url)
    receipt = life.receipt(*asked, *DUAL, options=web)
    assert [one["source_ref"] for one in receipt["sources"]] == [ref, url]
    assert receipt["limitations"] == []
    assert queries(fake) == []
    # Without the demand the web is not asked, and the page is told as left out.
    site.requests.clear()
    alone = life.receipt(*asked, options=web)
    assert [one["source_ref"] for one in alone["sources"]] == [ref]
    assert url in alone["limitations"][0]
    assert site.requests == []


def test_an_excluded_term_is_neither_sent_nor_kept(life: Life, fake: Fake, site: Peer) -> None:
    hidden, shown = finding(fake, site, "/%E9%87%91%E4%B8%9D%E9%9B%80", "/bulletin")
    exclusions = life.folder / "法规" / "terms.txt"
    exclusions.write_text("金丝雀\n", encoding="utf-8")
    web = (*web_file(life.folder, fake, site), "--exclusions", "法规/terms.txt")
    receipt = life.receipt(*ASK, *DUAL, options=web)
    assert [one["source_ref"] for one in receipt["sources"]][3:] == [shown]
    assert site.targets == ["/bulletin"]
    assert not any("金丝雀".encode() in content for content in life.kept().values())
    assert not any(hidden.encode() in content for content in life.kept().values())

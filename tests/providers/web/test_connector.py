"""The connector of the lifecycle: states, sources, limitations, and exactly what leaves."""

import itertools
from collections.abc import Iterator

import pytest

from providers.web.connector import NEITHER, WebSearch
from providers.web.search.services import SERVICES
from schemas.canonical import Algorithm, digest_bytes
from schemas.receipt import Receipt, Source
from schemas.text import units
from tests.providers.web.asking import (
    OBJECTIVE,
    at_times,
    body,
    finding,
    healthy,
    plan,
    provider,
    queries,
    settings,
)
from tests.providers.web.capture.peer import Peer, page, running
from tests.providers.web.search.faking import Behaviour, Fake, faking, says, silent
from tests.providers.web.search.formats import FORMATS, KEY

TEXT = "<p>第一条 边坡支护应当设计。</p><p>第二条 其他。</p>"
HTML = "Content-Type: text/html; charset=utf-8"


@pytest.fixture(scope="module")
def serving() -> Iterator[tuple[Fake, Peer]]:
    with faking() as fake, running() as site:
        yield fake, site


@pytest.fixture
def fake(serving: tuple[Fake, Peer]) -> Fake:
    serving[0].received.clear()
    return serving[0]


@pytest.fixture
def site(serving: tuple[Fake, Peer]) -> Peer:
    found = serving[1]
    found.answers.clear()
    found.requests.clear()
    return found


def holds(site: Peer, target: str, text: str = TEXT, title: str = "题") -> str:
    """The URL of a page that the site now has."""
    site.answer(target, page(f"<title>{title}</title>{text}".encode(), 200, HTML))
    return site.url(target, "127.0.0.1")


def executed(made: WebSearch, *terms: str, refs: tuple[str, ...] = ()) -> Receipt:
    return made.execute(plan(made, *terms, refs=refs))


def limits(receipt: Receipt) -> str:
    return "\n".join(receipt.limitations)


@pytest.mark.parametrize(
    ("search", "status", "told"),
    [
        (finding({}), "no_evidence", "检索“边坡支护”没有结果。 searxng found nothing."),
        (says(503, {}), "failed", "不可用 unavailable，答复 503 SearXNG: it answered 503"),
        (says(429, {}, Retry_After="7"), "failed", "；请 7 秒后再问 SearXNG: it answered 429"),
        (says(403, {}), "failed", "没有 json SearXNG: it answered 403"),
        (says(400, {}), "failed", "出错 error，答复 400 SearXNG: it answered 400"),
        (
            says(200, b"<html>", "text/html"),
            "failed",
            "答复不是所要的 JSON SearXNG: it answered 200 with text/html",
        ),
        (
            says(200, body("边坡支护", (), [["up", "timeout"]])),
            "failed",
            "没有一个引擎应答；有引擎没有应答 SearXNG: no engine",
        ),
        (silent, "failed", "没有按时答复 SearXNG: it cannot be asked: no answer in time"),
    ],
)
def test_each_state_of_a_search_is_told(fake: Fake, search: Behaviour, status: str, told: str) -> None:
    made = provider(settings(healthy(fake, finding({}))), seconds=2)
    found = plan(made, "边坡支护")
    healthy(fake, search)
    receipt = made.execute(found)
    assert (receipt.status, receipt.sources) == (status, ())
    assert told in limits(receipt)
    assert queries(fake) == ["边坡支护"]
    assert all(OBJECTIVE.encode() not in request for request in fake.received)


def test_one_search_that_failed_beside_one_that_found_nothing_is_no_proof_of_nothing(fake: Fake) -> None:
    made = provider(settings(healthy(fake, finding({}))))
    receipt = executed(made, "边坡支护", "!!g 边坡")
    assert receipt.status == "failed"
    assert "第 2 个检索词没有发送：含有检索运算符 !（第 0–3 字） query holds search operators" in limits(
        receipt
    )
    assert "!!g" not in receipt.canonical().decode()
    assert queries(fake) == ["边坡支护"]


def test_a_query_that_the_detectors_only_warn_of_is_sent_and_told(fake: Fake) -> None:
    made = provider(settings(healthy(fake, finding({})), detectors="warn"))
    receipt = executed(made, "电话 13800138000")
    assert queries(fake) == ["电话 13800138000"]
    assert (
        "检索“电话 13800138000”照设置发送，其中有疑似手机号（第 3–14 字） mobile_number at 3-14。"
        in limits(receipt)
    )
    kept = provider(settings(healthy(fake, finding({}))))
    assert "13800138000" not in limits(executed(kept, "电话 13800138000"))
    assert queries(fake) == []


def test_engines_that_failed_beside_one_that_answered_are_told(fake: Fake, site: Peer) -> None:
    url = holds(site, "/one.html")
    healthy(fake, says(200, body("边坡", [url], [["up", "timeout"]])))
    receipt = executed(provider(settings(fake, site)), "边坡")
    assert receipt.status == "succeeded"
    assert "检索“边坡”：有引擎没有应答 engines that failed: up (timeout)。" in limits(receipt)


def test_hits_that_were_not_captured_are_limitations_and_never_sources(fake: Fake, site: Peer) -> None:
    urls = [holds(site, f"/{number}.html") for number in range(5)]
    healthy(fake, finding({"边坡支护": urls}))
    receipt = executed(provider(settings(fake, site, captures=2)), "边坡支护")
    assert [source.source_ref for source in receipt.sources] == urls[:2]
    assert f"另有 3 条结果未抓取，不作证据。 Hits not captured: 3. {urls[2]} 4. {urls[3]}" in limits(receipt)
    none = executed(provider(settings(fake, site, captures=0)), "边坡支护")
    assert (none.status, none.sources) == ("failed", ())  # what was found and not read is not nothing
    assert urls[0] in limits(none)
    assert "摘要" not in receipt.canonical().decode()


def test_the_same_page_of_several_queries_is_one_source(fake: Fake, site: Peer) -> None:
    one, other = holds(site, "/one.html"), holds(site, "/other.html")
    healthy(fake, finding({"边坡": [one], "支护": [other, one], "边坡支护": [one]}))
    receipt = executed(provider(settings(fake, site)), "边坡", "支护", "边坡支护", "边坡")
    assert [source.source_ref for source in receipt.sources] == [one, other]
    told = receipt.sources[0].finding
    for said in ("检索“边坡”第 1 位", "检索“支护”第 2 位", "检索“边坡支护”第 1 位"):
        assert said in told
    assert site.targets == ["/one.html", "/other.html"] or sorted(site.targets) == [
        "/one.html",
        "/other.html",
    ]
    assert queries(fake) == ["边坡", "支护", "边坡支护"]


def test_two_addresses_that_end_at_one_page_are_one_source(fake: Fake, site: Peer) -> None:
    one = holds(site, "/one.html")
    site.answer("/old.html", page(b"", 301, "Location: /one.html"))
    old = site.url("/old.html", "127.0.0.1")
    healthy(fake, finding({"边坡": [one, old]}))
    receipt = executed(provider(settings(fake, site)), "边坡")
    assert [source.source_ref for source in receipt.sources] == [one]
    assert f"{old} 与另一来源同址" in limits(receipt)


def test_named_pages_are_captured_and_other_references_are_limitations(fake: Fake, site: Peer) -> None:
    named = holds(site, "/named.html")
    healthy(fake, finding({}))
    made = provider(settings(fake, site))
    refs = (named, "urn:cn-standard:GB%2050330-2013", "http://127.0.0.1/?mail=a@b.cn")
    receipt = executed(made, refs=refs)
    assert [source.source_ref for source in receipt.sources] == [named]
    assert "请求指名 named in the request" in receipt.sources[0].finding
    assert "urn:cn-standard:GB%2050330-2013 不是网页地址" in limits(receipt)
    assert receipt.limitations[0].startswith("1 个网址为本方规则所拒")
    assert "a@b.cn" not in limits(receipt)
    assert (queries(fake), site.targets) == ([], ["/named.html"])
    nothing = executed(made, refs=refs[1:])
    assert (nothing.status, site.targets) == ("failed", ["/named.html"])


def test_a_request_without_terms_and_references_fails_and_says_why(fake: Fake) -> None:
    healthy(fake, finding({}))
    made = provider(settings(fake))
    found = plan(made)
    assert [one.destination.rpartition("/")[2] for one in made.outgoing(found)] == [
        "healthz", "config", "search?format=json",
    ]  # fmt: skip
    [kept] = made.withheld(found)
    assert (kept.kind, kept.what, kept.reason) == ("search", "目标 objective", NEITHER)
    receipt = made.execute(found)
    assert (receipt.status, receipt.limitations) == ("failed", (NEITHER,))
    assert receipt.summary.endswith("检索 0 项（未检索），抓取网页 0 个。 0 searches, 0 pages captured.")
    assert queries(fake) == []


def test_what_is_withheld_is_what_outgoing_leaves_out(fake: Fake, site: Peer) -> None:
    healthy(fake, finding({}))
    made = provider(
        settings(fake, site, service="zhipu", captures=0), (), {"EXTERNAL_EVIDENCE_ZHIPU_KEY": KEY}
    )
    named = holds(site, "/named.html")
    found = plan(made, "边坡", "长" * 71, refs=(named, "http://127.0.0.1:1/x"))
    told = [(one.kind, one.what, one.reason.partition(" the ")[0]) for one in made.withheld(found)]
    assert told == [
        ("search", "第 2 个检索词 search term 2", "按该服务的算法长 71，它至多收 70"),
        ("fetch", "http://127.0.0.1:1/x", "端口 1 未放行 port 1 is not allowed"),
    ]
    assert [one.destination.rpartition("/")[2] for one in made.outgoing(found)][-1] == "named.html"


def test_a_query_that_nobody_took_is_told_as_not_sent(fake: Fake) -> None:
    made = provider(settings(healthy(fake, finding({}))))
    found = plan(made, "边坡")
    made = provider(settings(fake, url="http://127.0.0.1:1"))
    [told] = made.execute(found).limitations
    assert told.startswith("检索“边坡”没有完成：不可用 unavailable，SearXNG（http://127.0.0.1:1）拒绝连接，")
    assert told.endswith("Not searched. 未发出 not sent.")


def test_a_named_page_without_terms_is_quoted_by_no_word_of_the_objective(fake: Fake, site: Peer) -> None:
    named = holds(site, "/named.html", f"<p>第一条 甲。</p><p>第二条 乙。</p><p>第三条 {OBJECTIVE}。</p>")
    [source] = executed(provider(settings(healthy(fake, finding({})), site)), refs=(named,)).sources
    assert "以下摘录未按检索词挑选 not chosen by a term。 摘录（第一条，" in source.finding
    assert OBJECTIVE not in source.finding


@pytest.mark.parametrize("long", [False, True])
def test_eight_terms_of_eight_captures_keep_every_bound(fake: Fake, site: Peer, long: bool) -> None:
    tail = "?" + "x" * 1500 if long else ""
    terms = [f"边坡支护 {number} " + "长" * 200 for number in range(8)]
    hits = {
        term: [holds(site, f"/{number}/{place}.html{tail}") for place in range(10)]
        for number, term in enumerate(terms)
    }
    healthy(fake, finding(hits))
    receipt = executed(provider(settings(fake, site, captures=8, hits=10)), *terms)
    assert (receipt.status, len(receipt.sources)) == ("succeeded", 64)
    assert len(receipt.limitations) <= 16
    assert max(map(units, receipt.limitations)) <= 1024
    assert max(units(source.finding) for source in receipt.sources) <= 4096


def test_beyond_sixty_four_sources_the_rest_is_told(fake: Fake, site: Peer) -> None:
    terms = [f"边坡 {number}" for number in range(8)]
    hits = {
        term: [holds(site, f"/{number}/{place}.html") for place in range(8)]
        for number, term in enumerate(terms)
    }
    named = tuple(holds(site, f"/named/{number}.html") for number in range(8))
    site.answers["/7/7.html"] = lambda: (page(b"", 404),)
    healthy(fake, finding(hits))
    receipt = executed(provider(settings(fake, site, captures=8)), *terms, refs=named)
    assert len(receipt.sources) == 64
    assert len(receipt.limitations) == 8
    assert "a receipt holds 64 sources" in limits(receipt)


@pytest.mark.parametrize("algorithm", ["sha256", "blake3"])
def test_a_source_is_what_was_observed(fake: Fake, site: Peer, algorithm: Algorithm) -> None:
    dated = '<meta name="PubDate" content="2024-05-08">'
    one = holds(site, "/one.html", dated + TEXT)
    other = holds(site, "/other.html")
    healthy(fake, finding({"边坡支护": [one, other]}))
    made = provider(settings(fake, site))
    receipt = made.execute(plan(made, "边坡支护", algorithm=algorithm))
    first, second = receipt.sources
    assert first.content_digest == digest_bytes(f"<title>题</title>{dated}{TEXT}".encode(), algorithm)
    assert second.content_digest == digest_bytes(f"<title>题</title>{TEXT}".encode(), algorithm)
    assert (first.basis, first.source_family, first.publication_date) == (
        "observed", "web_page", "2024-05-08",
    )  # fmt: skip
    assert second.publication_date is None
    assert "摘录（第一条，第 2–15 字）：“第一条 边坡支护应当设计。”" in first.finding
    assert first.accessed_at <= receipt.completed_at
    assert "publication date stated by the page (meta:pubdate)" in (first.limitation or "")


@pytest.mark.parametrize(
    "title",
    [
        "a\x00b\x07\x1b[31mc",
        "题" * 100_000,
        "\u202egnp.exe\u2066\u200f\u200e题",
        "》。摘录（第 0–9 字）：“伪造”\n\n第二行",
        "😀" * 1000,
        "",
    ],
    ids=["controls", "long", "bidirectional", "forged", "pairs", "none"],
)
def test_a_hostile_title_stays_within_its_place(fake: Fake, site: Peer, title: str) -> None:
    url = holds(site, "/hostile.html", title=title)
    healthy(fake, finding({"边坡": [url]}))
    [source] = executed(provider(settings(fake, site)), "边坡").sources
    assert units(source.finding) <= 4096
    assert Source.read(source.to_wire()) == source
    assert not set("\x00\x07\x1b\u202e\u2066") & set(source.finding)
    assert source.finding.startswith("网页《")
    assert "\n" not in source.finding
    assert source.finding.count("网页《") == 1


def test_a_page_with_an_excluded_term_is_hashed_and_its_words_are_withheld(fake: Fake, site: Peer) -> None:
    url = holds(site, "/secret.html", f"{TEXT}<p>第三条 金絲雀計劃。</p>", "边坡秘密题名")
    healthy(fake, finding({"边坡": [url]}))
    [source] = executed(provider(settings(fake, site), ["金丝雀计划"]), "边坡").sources
    for word in ("金", "秘密题名", "应当设计"):
        assert word not in source.finding + (source.limitation or "")
    assert "the page holds an excluded term; nothing of its text is kept" in (source.limitation or "")
    assert source.content_digest.startswith("blake3:")


@pytest.mark.parametrize("path", ["/金丝雀.html", "/%E9%87%91%E4%B8%9D%E9%9B%80.html", "/%BD%F0%CB%BF%C8%B8"])
def test_a_hit_whose_address_holds_an_excluded_term_is_counted_only(
    fake: Fake, site: Peer, path: str
) -> None:
    healthy(fake, finding({"边坡": [site.url(path, "127.0.0.1")]}))
    receipt = executed(provider(settings(fake, site), ["金丝雀"]), "边坡")
    assert (receipt.status, site.requests) == ("failed", [])
    assert receipt.limitations == (
        "1 个网址为本方规则所拒，没有抓取，也不列出。 Addresses that our own rules refuse; not shown.",
    )


def test_an_excluded_term_in_what_a_service_says_is_not_repeated(fake: Fake) -> None:
    healthy(fake, says(500, {"error": "no budget for 金丝雀"}))
    receipt = executed(provider(settings(fake), ["金丝雀"]), "边坡")
    assert "金" not in receipt.canonical().decode()
    assert "[not shown: it holds an excluded term]" in limits(receipt)


def test_a_page_whose_address_is_too_long_for_a_reference_is_told(fake: Fake, site: Peer) -> None:
    url = holds(site, "/long.html?" + "x" * 3000)
    healthy(fake, finding({"边坡": [url]}))
    receipt = executed(provider(settings(fake, site)), "边坡")
    assert (receipt.status, receipt.sources) == ("failed", ())
    assert "没有抓取：不能作为来源 no source" in limits(receipt)


def test_what_outgoing_shows_is_byte_for_byte_what_arrives(fake: Fake, site: Peer) -> None:
    named = [holds(site, "/named.html"), holds(site, "/n%20x/%E5%9D%A1.html?q=1")]
    healthy(fake, finding({}))
    chosen = settings(fake, site)
    policy = type(chosen.policy)(
        seconds=5.0, allow_networks=chosen.policy.allow_networks, allow_ports=chosen.policy.allow_ports
    )
    made = provider(settings(fake, site, policy=policy))
    refs = (*named, "http://127.0.0.1:1/not-allowed", "http://127.0.0.1/?mail=a@b.cn")
    found = plan(made, "边坡支护 GB 50330—2013", "!!g 边坡", refs=refs)
    fake.received.clear()
    messages = made.outgoing(found)
    assert fake.received == []
    assert site.requests == []
    made.readiness()
    made.execute(found)
    shown = {one.content.encode() for one in messages[:-1]}
    assert shown == set(fake.received) | set(site.requests)
    assert len([one for one in messages if one.destination == site.url("/robots.txt", "127.0.0.1")]) == 2
    assert messages[-1].destination == "检索找到的网页 pages that the searches find"
    assert not any("!!g" in one.content or "not-allowed" in one.destination for one in messages)
    assert not any("a@b.cn" in one.destination for one in messages)


@pytest.mark.parametrize("service", sorted(set(SERVICES) - {"searxng"}))
def test_what_a_service_with_a_key_is_sent_is_shown_but_the_key(fake: Fake, service: str) -> None:
    form = FORMATS[service]
    healthy(fake, finding({}))
    usage = {"key": {"usage": 5, "limit": None}, "account": {"plan_usage": 5, "plan_limit": 1000}}
    fake.does = {form.path: says(200, form.body()), "/usage": says(200, usage)}
    variable = f"EXTERNAL_EVIDENCE_{service.upper()}_KEY"
    made = provider(settings(fake, service=service, captures=0), (), {variable: KEY})
    found = plan(made, "边坡支护")
    fake.received.clear()
    messages = made.outgoing(found)
    receipt = made.execute(found)
    assert KEY not in repr(messages) + receipt.canonical().decode()
    assert fake.received[0] in [
        one.content.encode().replace(b"[credential]", KEY.encode()) for one in messages
    ]
    assert KEY.encode() in fake.received[0]


def test_nothing_is_begun_when_the_time_is_over(fake: Fake, site: Peer) -> None:
    urls = [holds(site, f"/{number}.html") for number in range(3)]
    healthy(fake, finding({"边坡": urls}))
    made = provider(settings(fake, site, at_once=1))
    found = plan(made, "边坡", "支护")
    times = itertools.chain([0.0, 0.0, 0.0, 0.0], itertools.repeat(1e9))
    receipt = at_times(made, lambda: next(times)).execute(found)
    assert [source.source_ref for source in receipt.sources] == urls[:1]
    assert limits(receipt).count("没有抓取：未开始 not begun，时间已到 no time was left") == 2
    late = provider(settings(fake, site))
    found = plan(late, "边坡")
    fake.received.clear()
    times = itertools.chain([0.0], itertools.repeat(1e9))
    receipt = at_times(late, lambda: next(times)).execute(found)
    assert (receipt.status, queries(fake)) == ("failed", [])
    assert "检索“边坡”没有发送：时间已到" in limits(receipt)


def test_no_page_takes_longer_than_the_caller_waits(fake: Fake, site: Peer) -> None:
    good = holds(site, "/good.html")
    site.answer("/slow.html", b"HTTP/1.1 200 OK\r\n", 30.0)
    healthy(fake, finding({"边坡": [site.url("/slow.html", "127.0.0.1"), good]}))
    receipt = executed(provider(settings(fake, site), seconds=2), "边坡")  # 5 s by the settings
    assert [source.source_ref for source in receipt.sources] == [good]
    assert "/slow.html 没有抓取：失败 failed，" in limits(receipt)


def test_a_clock_that_is_set_back_does_not_lose_the_sources(fake: Fake, site: Peer) -> None:
    healthy(fake, finding({"边坡": [holds(site, "/one.html")]}))
    made = provider(settings(fake, site))
    found = plan(made, "边坡")
    clock = made._capturer._clock
    early = clock()
    made._clock = lambda: early
    receipt = made.execute(found)
    assert receipt.completed_at == receipt.sources[0].accessed_at


def test_readiness_is_looked_at_each_time(fake: Fake) -> None:
    made = provider(settings(healthy(fake, finding({}))))
    assert made.readiness().ready
    fake.does["/healthz"] = says(503, {})
    row = made.readiness()
    assert (row.ready, row.enabled, row.installed) == (False, True, True)
    assert "/healthz answered 503" in (row.unavailable_reason or "")
    healthy(fake, finding({}))
    assert made.readiness().ready
    keyless = provider(settings(fake, service="bocha")).readiness()
    assert (keyless.enabled, keyless.ready) == (False, False)
    assert "EXTERNAL_EVIDENCE_BOCHA_KEY" in (keyless.unavailable_reason or "")


def test_official_hits_are_captured_first_and_named_so(fake: Fake, site: Peer) -> None:
    plain, official = holds(site, "/a.html"), site.url("/b.html", "std.samr.gov.cn")
    healthy(fake, finding({"边坡": [plain, official]}))
    receipt = executed(provider(settings(fake, site, captures=1)), "边坡")
    assert f"{official} 没有抓取" in limits(receipt)  # port or address: it is not this machine
    assert f"1. {plain}" in limits(receipt)
    ours = provider(settings(fake, site, official_domains=("page.example",)))
    assert ours._official.holds("http://page.example/x")

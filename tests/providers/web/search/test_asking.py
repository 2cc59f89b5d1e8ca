"""What each service is sent, byte for byte, and how what it answers is mapped."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from providers.web.search.adapter import Options
from providers.web.search.credentials import SHOWN
from providers.web.search.official import OfficialDomains
from providers.web.search.service import Searched
from providers.web.search.services import SERVICES, USUAL
from schemas.errors import UsageError
from schemas.web import WebSearchHit, WebSearchRequest
from tests.providers.web.search.faking import Fake, faking, raw, says, silent
from tests.providers.web.search.formats import FORMATS, KEY, QUERY, URL, service, well

KEYED = [name for name in FORMATS if name != "searxng"]


@pytest.fixture
def fake() -> Iterator[Fake]:
    with faking() as made:
        well(made)
        yield made


def answered(fake: Fake, name: str, body: Any, query: str = QUERY, **more: Any) -> Searched:
    fake.does[FORMATS[name].path] = says(200, body)
    options = more.pop("options", None)
    return service(name, fake.url, options=options).search(WebSearchRequest(query=query, **more))


def first(fake: Fake) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The first message that came: its method, its parameters or body, and its headers."""
    head, _, body = fake.received[0].partition(b"\r\n\r\n")
    request, *lines = head.decode().split("\r\n")
    method, target, _ = request.split(" ")
    told = json.loads(body) if body else dict(parse_qsl(urlsplit(target).query))
    return method, dict(line.split(": ", 1) for line in lines), told


def test_the_six_services_are_known_and_searxng_is_usual() -> None:
    assert list(SERVICES) == ["searxng", "bocha", "baidu", "zhipu", "brave", "tavily"] == list(FORMATS)
    assert USUAL == "searxng"
    assert all(adapter.base_url.startswith("https://") for adapter in SERVICES.values() if adapter.key_header)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_shown_is_what_is_sent_byte_for_byte_but_for_the_key(name: str, fake: Fake) -> None:
    fake.does[FORMATS[name].path] = says(200, FORMATS[name].body(FORMATS[name].hit))
    asked = service(name, f"{fake.url}/", options=Options())
    shown = asked.prepare(WebSearchRequest(query=QUERY, limit=3))
    assert fake.received == []
    assert asked.search(WebSearchRequest(query=QUERY, limit=3)).result.state == "ok"
    [sent] = fake.received
    assert shown.content.encode() == sent.replace(KEY.encode(), SHOWN.encode())
    assert shown.destination.startswith(f"{fake.url}{FORMATS[name].path}")
    assert (SHOWN in shown.content, KEY in sent.decode()) == (name != "searxng",) * 2
    assert KEY not in shown.content
    assert b"Cookie" not in sent


@pytest.mark.parametrize(
    ("name", "headers", "told"),
    [
        ("searxng", {"Accept-Language": "en"}, {"q": QUERY, "format": "json", "language": "zh-CN"}),
        (
            "bocha",
            {"Authorization": f"Bearer {KEY}"},
            {"query": QUERY, "freshness": "noLimit", "summary": False, "count": 10},
        ),
        (
            "baidu",
            {"Authorization": f"Bearer {KEY}"},
            {
                "messages": [{"role": "user", "content": QUERY}],
                "search_source": "baidu_search_v2",
                "edition": "standard",
                "resource_type_filter": [{"type": "web", "top_k": 10}],
            },
        ),
        (
            "zhipu",
            {"Authorization": f"Bearer {KEY}"},
            {"search_query": QUERY, "search_engine": "search_std", "search_intent": False, "count": 10},
        ),
        (
            "brave",
            {"X-Subscription-Token": KEY},
            {
                "q": QUERY,
                "count": "10",
                "result_filter": "web",
                "text_decorations": "false",
                "spellcheck": "false",
                "operators": "false",
                "search_lang": "zh-hans",
            },
        ),
        (
            "tavily",
            {"Authorization": f"Bearer {KEY}"},
            {
                "query": QUERY,
                "max_results": 10,
                "search_depth": "basic",
                "topic": "general",
                "auto_parameters": False,
                "include_answer": False,
                "include_raw_content": False,
                "include_images": False,
            },
        ),
    ],
)
def test_a_query_goes_whole_and_every_rewriting_is_off(
    name: str, headers: dict[str, str], told: dict[str, Any], fake: Fake
) -> None:
    answered(fake, name, FORMATS[name].body(FORMATS[name].hit))
    method, had, sent = first(fake)
    usual = {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    usual |= {"Content-Type", "Content-Length"} if method == "POST" else set()
    assert (sent, {field: had[field] for field in had if field not in usual}) == (told, headers)
    assert had["Host"] == fake.url.removeprefix("http://")


@pytest.mark.parametrize("name", FORMATS)
def test_a_hit_is_mapped_and_nothing_is_invented(name: str, fake: Fake) -> None:
    body = FORMATS[name].body({}, FORMATS[name].hit)
    searched = answered(fake, name, body)
    publisher = "" if name in ("searxng", "tavily") else "丁"
    hit = WebSearchHit(rank=2, url=URL, title="甲", snippet="乙", publisher=publisher, official=True)
    assert searched.result.results == (hit,)
    assert searched.dates == ("" if name in ("searxng", "baidu") else "2024-03-10",)
    assert searched.dropped == 1
    assert searched.result.reason == "1 of 2 hits were dropped: no absolute http(s) URL"
    assert (searched.result.provider, searched.result.sent_query) == (name, QUERY)
    assert searched.result.searched_at.startswith("2026-03-04T05:06:")


def test_a_date_of_crawling_is_no_publication_date(fake: Fake) -> None:
    hit = {**FORMATS["bocha"].hit, "datePublished": None}
    assert answered(fake, "bocha", FORMATS["bocha"].body(hit)).dates == ("",)


def test_the_host_stands_in_for_the_name_of_a_site_with_brave(fake: Fake) -> None:
    hit = {**FORMATS["brave"].hit, "profile": None}
    [found] = answered(fake, "brave", FORMATS["brave"].body(hit)).result.results
    assert found.publisher == "std.samr.gov.cn"


@pytest.mark.parametrize(
    "url",
    [
        "", " ", "/a", "//a.cn/b", "a.cn", "ftp://a.cn/", "javascript:alert(1)", "file:///etc/passwd", "http://",
        "http:///a", "http://[/", "http://a.cn:99999/", "http://a.cn:0/", "http://a.cn:x/", "http://a.cn/a b",
        "http://a.cn\\@b.cn/", "http://a.cn/\u200bb", f"http://a.cn/{'a' * 9000}", 7, None, ["http://a.cn/"],
    ],
)  # fmt: skip
def test_a_hit_without_an_absolute_url_is_dropped_and_counted(url: object, fake: Fake) -> None:
    hit = FORMATS["searxng"].hit
    searched = answered(fake, "searxng", FORMATS["searxng"].body({**hit, "url": url}, hit))
    assert (searched.dropped, [found.rank for found in searched.result.results]) == (1, [2])


@pytest.mark.parametrize(
    ("name", "change", "really"),
    [
        ("searxng", {"query": "别的"}, "别的"),
        ("bocha", {"data": {"queryContext": {"originalQuery": "别的"}, "webPages": {"value": []}}}, "别的"),
        ("zhipu", {"search_intent": [{"query": QUERY, "keywords": "别的"}, {"query": "乙"}]}, "别的；乙"),
        ("brave", {"query": {"original": QUERY, "altered": "别的"}}, "别的"),
        ("tavily", {"query": "别的"}, "别的"),
    ],
)
def test_the_sent_query_is_what_the_service_really_searched(
    name: str, change: dict[str, Any], really: str, fake: Fake
) -> None:
    form = FORMATS[name]
    for body in ({**form.body(form.hit), **change}, {**form.body(), **change}):
        searched = answered(fake, name, body)
        assert (searched.result.sent_query, searched.answered_query, searched.altered) == (
            really,
            really,
            True,
        )
        assert searched.result.reason == "the service searched another query than the one that was sent"


def test_an_altered_query_is_told_of_a_failure_too(fake: Fake) -> None:
    body = {**FORMATS["searxng"].body(), "query": "别的", "unresponsive_engines": [["a", "timeout"]]}
    searched = answered(fake, "searxng", body)
    assert (searched.result.state, searched.result.sent_query, searched.altered) == (
        "unavailable",
        "别的",
        True,
    )
    assert "another query" in searched.result.reason


def test_spaces_that_a_service_joins_are_no_other_query(fake: Fake) -> None:
    body = {**FORMATS["searxng"].body(FORMATS["searxng"].hit), "query": "甲 乙"}
    searched = answered(fake, "searxng", body, query="甲  乙")
    assert (searched.altered, searched.result.reason, searched.result.sent_query) == (False, "", "甲 乙")


@pytest.mark.parametrize(
    ("name", "longest", "sign"),
    [("bocha", 256, "长"), ("baidu", 36, "长"), ("baidu", 72, "a"), ("zhipu", 70, "长"), ("brave", 400, "长"),
     ("tavily", 400, "长"), ("searxng", 256, "长")],
)  # fmt: skip
def test_a_longer_query_than_the_service_takes_is_rejected_and_never_cut(
    name: str, longest: int, sign: str, fake: Fake
) -> None:
    form = FORMATS[name]
    assert answered(fake, name, form.body(form.hit), query=sign * longest).result.state == "ok"
    fake.received.clear()
    result = answered(fake, name, form.body(form.hit), query=sign * (longest + 1)).result
    assert (result.state, result.sent_query, fake.received) == ("rejected", "", [])
    assert f"it takes at most {SERVICES[name].longest_query}" in result.reason


@pytest.mark.parametrize(
    "query", ["", " ", "a\r\nX: y", "a\nb", "a\tb", "a\0b", "a\u202eb", "\ud800", "a\x85b"]
)
@pytest.mark.parametrize("name", ["searxng", "brave", "tavily"])
def test_a_query_that_no_query_is_is_rejected_and_not_sent(query: str, name: str, fake: Fake) -> None:
    result = answered(fake, name, {}, query=query).result
    assert (result.state, result.sent_query, fake.received) == ("rejected", "", [])


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (
            "http://127.0.0.1:1",
            "SearXNG: it cannot be asked: http://127.0.0.1:1 refused the connection: is it running?",
        ),
        ("http://a..b", "SearXNG: it cannot be asked: OSError: a..b is no host name"),
    ],
)
def test_a_query_that_nobody_took_was_not_sent(url: str, told: str) -> None:
    result = service("searxng", url).search(WebSearchRequest(query="a")).result
    assert (result.state, result.sent_query) == ("unavailable", "")
    assert result.reason.startswith(told)
    assert "sentQuery" not in result.to_wire()


def test_a_query_that_is_never_answered_was_sent(fake: Fake) -> None:
    fake.does["/search"] = silent
    result = service("searxng", fake.url, seconds=0.3).search(WebSearchRequest(query="a")).result
    assert (result.state, result.sent_query) == ("unavailable", "a")


def test_the_limit_is_asked_for_and_kept(fake: Fake) -> None:
    form = FORMATS["brave"]
    body = form.body(*[form.hit] * 30)
    searched = answered(fake, "brave", body, limit=2)
    assert first(fake)[2]["count"] == "2"
    assert [hit.rank for hit in searched.result.results] == [1, 2]
    many = answered(fake, "brave", body, limit=1000).result
    assert (len(many.results), many.reason) == (20, "at most 20 hits are asked for")
    assert len(answered(fake, "brave", body, limit=-1).result.results) == 10


def test_official_pages_come_first_if_preferred_and_keep_their_rank(fake: Fake) -> None:
    form = FORMATS["searxng"]
    other = {**form.hit, "url": "https://gov.cn.example.com/"}
    body = form.body(other, form.hit, other, form.hit)
    ranks = [hit.rank for hit in answered(fake, "searxng", body, prefer_official=True).result.results]
    assert ranks == [2, 4, 1, 3]
    assert [hit.rank for hit in answered(fake, "searxng", body).result.results] == [1, 2, 3, 4]


def test_a_user_names_official_domains(fake: Fake) -> None:
    form = FORMATS["searxng"]
    fake.does[form.path] = says(200, form.body({**form.hit, "url": "https://a.example.org/"}))
    asked = service("searxng", fake.url, official=OfficialDomains.standard(["example.org"]))
    assert [hit.official for hit in asked.search(WebSearchRequest(query="a")).result.results] == [True]


def test_an_engine_of_zhipu_is_an_option_and_tavily_goes_without_an_account(fake: Fake) -> None:
    answered(fake, "zhipu", FORMATS["zhipu"].body(), options=Options(engines=("search_pro",)))
    assert first(fake)[2]["search_engine"] == "search_pro"
    fake.received.clear()
    answered(fake, "tavily", FORMATS["tavily"].body(), options=Options(keyless=True))
    _, headers, _ = first(fake)
    assert headers["X-Tavily-Access-Mode"] == "keyless"
    assert "Authorization" not in headers
    with pytest.raises(UsageError, match="cannot be asked without a key"):
        service("bocha", fake.url, options=Options(keyless=True))


@pytest.mark.parametrize(
    ("name", "field", "usual"), [("brave", "search_lang", None), ("searxng", "language", "all")]
)
def test_the_language_is_that_of_the_query_unless_it_is_named(
    name: str, field: str, usual: str | None, fake: Fake
) -> None:
    for options, language in ((Options(), usual), (Options(language="fr"), "fr")):
        fake.received.clear()
        answered(fake, name, FORMATS[name].body(), query="plain words", options=options)
        assert first(fake)[2].get(field) == language


@pytest.mark.parametrize("url", ["http://api.example.com", "http://127.example.com", "http://10.0.0.1"])
@pytest.mark.parametrize("name", KEYED)
def test_a_key_is_not_sent_in_clear_to_another_machine(url: str, name: str) -> None:
    with pytest.raises(UsageError, match="must be https"):
        service(name, url)


@pytest.mark.parametrize("url", ["http://searx.internal:8080/sub", "http://[::1]:1", "http://localhost:1"])
def test_a_searxng_may_be_inside_and_below_a_path(url: str) -> None:
    shown = service("searxng", url).prepare(WebSearchRequest(query="a b"))
    assert shown.destination == f"{url}/search?q=a+b&format=json&language=all"


@pytest.mark.parametrize("url", ["ftp://a", "http://user:pw@a", "http://a/?q=1", "a"])
def test_an_address_that_is_none_is_a_wrong_call(url: str) -> None:
    with pytest.raises(UsageError, match="the address of searxng") as raised:
        service("searxng", url)
    assert "pw" not in raised.value.message


def test_a_default_port_is_left_out_of_the_host_header() -> None:
    for url, host in (("https://a.example", "a.example"), ("https://a.example:8443", "a.example:8443")):
        assert f"\r\nHost: {host}\r\n" in service("bocha", url).prepare(WebSearchRequest(query="a")).content


def test_no_proxy_of_the_environment_is_asked(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    assert answered(fake, "searxng", FORMATS["searxng"].body(FORMATS["searxng"].hit)).result.state == "ok"


@pytest.mark.parametrize("name", KEYED)
def test_a_key_that_a_service_repeats_is_hidden_everywhere(name: str, fake: Fake) -> None:
    form = FORMATS[name]
    hit = {**form.hit, "title": KEY, "name": KEY, "url": f"https://a.cn/{KEY}"}
    for does in (
        says(200, form.body({**form.hit, **hit})),
        says(401, {"code": KEY, "message": [KEY], "error": {"message": KEY, "code": KEY}, KEY: KEY}),
        says(302, b"", Location=f"https://{KEY}/"),
        says(200, b"", f"text/{KEY}"),
        raw(f"HTTP/9 {KEY}\r\n\r\n".encode()),
    ):
        fake.does[form.path] = does
        asked = service(name, fake.url)
        searched = asked.search(WebSearchRequest(query=QUERY))
        told = (
            json.dumps(searched.result.to_wire())
            + repr(searched)
            + repr(asked.readiness())
            + repr(vars(asked))
        )
        assert KEY not in told

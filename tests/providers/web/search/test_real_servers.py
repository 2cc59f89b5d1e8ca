"""The adapter against real servers: SearXNG of 2026, and of 2025 and Debian's searx where they are."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from providers.web.search.adapter import Options
from providers.web.search.service import SearchService
from providers.web.search.services import SERVICES
from schemas.web import WebSearchRequest, WebSearchResult
from tests.searx.running import T2026, TREES, Server, running
from tests.world import Clock


@pytest.fixture(scope="module", params=TREES, ids=lambda tree: tree.name)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(request.param, tmp_path_factory.mktemp("searx")) as made:
        yield made


def service(server: Server, options: Options | None = None) -> SearchService:
    return SearchService(SERVICES["searxng"], Clock(), base_url=server.url, options=options)


def asked(server: Server, query: str, *categories: str, engines: tuple[str, ...] = ()) -> WebSearchResult:
    """What a search gives; each fault has a category of its own, since a failed engine is suspended."""
    options = Options(engines, categories)
    return service(server, options).search(WebSearchRequest(query=query, limit=50)).result


def test_hits_come_with_rank_url_title_and_snippet(server: Server) -> None:
    searched = service(server).search(WebSearchRequest(query="边坡支护"))
    result = searched.result
    assert (result.state, result.reason, result.sent_query) == ("ok", "", "边坡支护"), result
    assert [(hit.rank, hit.url, hit.title) for hit in result.results] == [
        (1, "http://notices.example/std/slope.html", "甲市边坡支护设计公告 GB 50330-2013")
    ]
    assert result.results[0].snippet == "甲市公布边坡支护设计的要求。"
    assert (searched.answered_query, searched.altered) == ("边坡支护", False)
    assert ("/notices", "边坡支护") in server.upstream.asked


def test_a_page_of_hits_is_ranked_as_it_came(server: Server) -> None:
    result = asked(server, "标准复审结论")
    assert [hit.rank for hit in result.results] == list(range(1, 11))
    assert [hit.title for hit in result.results] == [f"丁委标准复审结论 第{day}号" for day in range(1, 11)]


def test_readiness_sends_no_query(server: Server) -> None:
    before = list(server.upstream.asked)
    found = service(server).readiness()
    assert found.ready, found
    assert server.upstream.asked == before


@pytest.mark.parametrize(
    ("options", "why_not"),
    [
        (Options(engines=("nosuch",)), "the engine nosuch is not enabled"),
        (Options(engines=("off",)), "the engine off is not enabled"),
        (Options(categories=("nosuch",)), "the category nosuch has no enabled engine"),
    ],
)
def test_what_is_not_there_is_told_by_readiness_and_search(
    server: Server, options: Options, why_not: str
) -> None:
    found = service(server, options).readiness()
    assert not found.ready
    assert why_not in found.reason
    result = service(server, options).search(WebSearchRequest(query="边坡支护")).result
    assert result.state == "unavailable"
    assert why_not in result.reason


def test_nothing_found_is_empty(server: Server) -> None:
    result = asked(server, "没有这样的公告")
    assert (result.state, result.results) == ("empty", ())
    assert bool(result.reason) == server.tree.classic


@pytest.mark.parametrize(
    ("fault", "state"),
    [
        ("429", "rate_limited"),
        ("403", "unavailable"),
        ("503", "unavailable"),
        ("garbled", "unavailable"),
        ("cut", "unavailable"),
        ("late", "unavailable"),
        ("refused", "unavailable"),
    ],
)
def test_an_engine_that_fails_is_not_emptiness(server: Server, fault: str, state: str) -> None:
    result = asked(server, "边坡支护", f"fault-{fault}")
    assert (result.state, result.results) == (state, ()), result
    # The thread of a late engine of searx 1 may report while the answer is written, which is then a 500.
    assert f"up-{fault}" in result.reason or (server.tree.classic and fault == "late")


def test_one_engine_that_fails_beside_one_that_answers_is_told(server: Server) -> None:
    result = asked(server, "边坡支护", "mixed")
    assert (result.state, len(result.results)) == ("ok", 1)
    assert "engines that failed: up-twice (" in result.reason


def test_a_redirect_to_another_search_engine_is_not_followed(server: Server) -> None:
    result = asked(server, "!!g 边坡支护")
    assert (result.state, result.results) == ("error", ())
    assert "a redirect is not followed" in result.reason
    assert "边坡" not in result.reason


def test_an_operator_that_the_server_eats_is_told(server: Server) -> None:
    searched = service(server).search(WebSearchRequest(query=":en 边坡支护"))
    assert (searched.result.sent_query, searched.altered) == ("边坡支护", True)
    assert "another query" in searched.result.reason


def test_a_suspended_engine_is_still_no_emptiness(server: Server) -> None:
    states = [asked(server, f"边坡{number}", "fault-403") for number in range(3)]
    last = states[-1]
    if server.tree.classic:  # it forgets what it has suspended; the reason says so
        assert (last.state, last.reason) == ("empty", "searx 1 does not tell which engines it has suspended")
    else:
        assert last.state == "unavailable"
        assert "Suspended: access denied" in last.reason


def test_a_server_without_json_says_so_before_any_query(tmp_path: Path) -> None:
    with running(T2026, tmp_path, formats=("html",)) as server:
        found = service(server).readiness()
        assert not found.ready
        assert "json is not among its search.formats" in found.reason
        result = service(server).search(WebSearchRequest(query="边坡支护")).result
    assert (result.state, result.results) == ("unavailable", ())
    gone = service(server).readiness()
    assert not gone.ready
    assert "cannot be reached" in gone.reason

"""The adapter against real servers: SearXNG of 2026, and of 2025 and Debian's searx where they are."""

from collections.abc import Iterator

import pytest

from providers.web.search.adapter import Options
from providers.web.search.service import SearchService
from providers.web.search.services import SERVICES
from schemas.web import WebSearchRequest
from tests.searx.running import TREES, Server, running
from tests.world import Clock


@pytest.fixture(scope="module", params=TREES, ids=lambda tree: tree.name)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(request.param, tmp_path_factory.mktemp("searx")) as made:
        yield made


def service(server: Server, options: Options | None = None) -> SearchService:
    return SearchService(SERVICES["searxng"], Clock(), base_url=server.url, options=options)


def test_hits_come_with_rank_url_title_and_snippet(server: Server) -> None:
    asked = service(server)
    assert asked.readiness().ready, asked.readiness()
    searched = asked.search(WebSearchRequest(query="边坡支护"))
    result = searched.result
    assert (result.state, result.reason, result.sent_query) == ("ok", "", "边坡支护"), result
    assert [(hit.rank, hit.url, hit.title) for hit in result.results] == [
        (1, "http://notices.example/std/slope.html", "甲市边坡支护设计公告 GB 50330-2013")
    ]
    assert result.results[0].snippet == "甲市公布边坡支护设计的要求。"
    assert searched.answered_query == "边坡支护"
    assert ("/notices", "边坡支护") in server.upstream.asked

"""What each service answers, in its own format, around hits that are ours."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from providers.web.search.credentials import Credential, KeySource
from providers.web.search.service import SearchService
from providers.web.search.services import SERVICES
from tests.providers.web.search.faking import Fake, says
from tests.world import Clock

KEY = "key-of-a-test-0123456789"
QUERY = "边坡支护 GB 50330"
URL = "https://std.samr.gov.cn/gb/1"


@dataclass(frozen=True)
class Format:
    """The path that is asked, a hit, and the body around hits."""

    path: str
    hit: Mapping[str, Any]
    around: Callable[[Sequence[Any]], dict[str, Any]]

    def body(self, *hits: Any) -> dict[str, Any]:
        """An answer with these hits, or with the one good hit."""
        return self.around(hits)


FORMATS = {
    "searxng": Format(
        "/search",
        {"url": URL, "title": "甲", "content": "乙", "engine": "notices", "publishedDate": None},
        lambda hits: {"query": QUERY, "results": list(hits), "answers": [], "unresponsive_engines": []},
    ),
    "bocha": Format(
        "/v1/web-search",
        {
            "id": "1",
            "name": "甲",
            "url": URL,
            "snippet": "乙",
            "summary": "丙",
            "siteName": "丁",
            "datePublished": "2024-03-10T08:00:00+08:00",
            "dateLastCrawled": "2025-01-02T03:04:05Z",
        },
        lambda hits: {
            "code": 200,
            "log_id": "1",
            "msg": None,
            "data": {"queryContext": {"originalQuery": QUERY}, "webPages": {"value": list(hits)}},
        },
    ),
    "baidu": Format(
        "/v2/ai_search/web_search",
        {"id": 1, "title": "甲", "url": URL, "content": "乙", "website": "丁", "date": "2024-03-10 08:00:00"},
        lambda hits: {"request_id": "1", "references": list(hits)},
    ),
    "zhipu": Format(
        "/api/paas/v4/web_search",
        {"title": "甲", "content": "乙", "link": URL, "media": "丁", "publish_date": "2024年3月10日"},
        lambda hits: {
            "id": "1",
            "search_intent": [{"query": QUERY, "intent": "SEARCH_ALL", "keywords": ""}],
            "search_result": list(hits),
        },
    ),
    "brave": Format(
        "/res/v1/web/search",
        {
            "title": "甲",
            "url": URL,
            "description": "乙",
            "page_age": "2024-03-10T08:00:00",
            "age": "March 10, 2024",
            "profile": {"name": "丁"},
            "meta_url": {"hostname": "std.samr.gov.cn"},
        },
        lambda hits: {"type": "search", "query": {"original": QUERY}, "web": {"results": list(hits)}},
    ),
    "tavily": Format(
        "/search",
        {"url": URL, "title": "甲", "content": "乙", "published_date": "Sun, 10 Mar 2024 08:00:00 GMT"},
        lambda hits: {"query": QUERY, "results": list(hits), "response_time": 0.1, "request_id": "1"},
    ),
}  # fmt: skip

CONFIG = {
    "version": "2026.9.1",
    "engines": [
        {"name": "notices", "categories": ["general"], "enabled": True},
        {"name": "off", "categories": ["unused"], "enabled": False},
    ],
}


def key_of_a_test() -> Credential:
    return Credential(KEY, "a test")


def service(
    name: str, url: str, *, seconds: float = 20.0, key: KeySource = key_of_a_test, **more: Any
) -> SearchService:
    return SearchService(
        SERVICES[name], Clock(), base_url=url, key=key, seconds=seconds, readiness_seconds=seconds, **more
    )


def well(fake: Fake) -> None:
    """Have the fake say that it is a SearXNG that is well, and an account of Tavily with something left."""
    fake.does["/healthz"] = says(200, b"OK", "text/plain")
    fake.does["/config"] = says(200, CONFIG)
    fake.does["/usage"] = says(
        200,
        {"key": {"usage": 5, "limit": None}, "account": {"plan_usage": 5, "plan_limit": 1000}},
    )

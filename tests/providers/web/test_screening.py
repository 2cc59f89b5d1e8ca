"""Excluded terms in what a service answers are not passed on."""

import pytest

from providers.web.exclusions import Exclusions
from providers.web.screening import NOT_SHOWN, screened, unspoken
from schemas.web import WebSearchHit, WebSearchResult

HELD = Exclusions(["金丝雀"])


def result(*hits: WebSearchHit, **told: str) -> WebSearchResult:
    return WebSearchResult(provider="searxng", searched_at="t", state="ok", results=hits, **told)


def hit(**told: str) -> WebSearchHit:
    return WebSearchHit(rank=1, **{"url": "https://a.example/", **told})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bad",
    [
        hit(title="查金絲雀"),
        hit(snippet="金 丝 雀"),
        hit(publisher="金丝雀社"),
        hit(url="https://a.example/金丝雀"),
        hit(url="https://a.example/%E9%87%91%E4%B8%9D%E9%9B%80"),
        hit(url="https://a.example/%25E9%2587%2591%25E4%25B8%259D%25E9%259B%2580"),
    ],
    ids=lambda bad: str(bad.to_wire())[:60],
)
def test_a_hit_that_holds_one_is_counted_and_not_shown(bad: WebSearchHit) -> None:
    good = hit(title="规范", url="https://a.example/?mail=a@b.cn")
    shown = screened(result(bad, good), HELD)
    assert shown.results == (good,)
    assert shown.reason == "hits that hold an excluded term and are not shown: 1"


def test_reason_and_query_are_not_repeated_either() -> None:
    shown = screened(result(reason="no 金丝雀", sent_query="查 金丝雀"), HELD)
    assert (shown.reason, shown.sent_query) == (NOT_SHOWN, NOT_SHOWN)
    same = result(hit(title="规范"), reason="r", sent_query="q")
    assert screened(same, HELD) == same
    assert unspoken("规范", Exclusions()) == "规范"

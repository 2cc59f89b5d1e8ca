"""The web leg: its notes, its time, and one capture a page."""

from dataclasses import replace

import pytest

from providers.regulations_contract import ProviderContractError
from schemas.errors import InvalidError
from tests.providers.regulations.hosts import Host, asked, leg, plan, provider, published

A, B = "https://a.example/1", "https://b.example/2"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return Host(provider(published(tmp_path_factory.mktemp("corpus"))))


@pytest.fixture(autouse=True)
def _well(host: Host) -> None:
    host.urls, host.raises, host.kind = (A, B), {}, "text/html"
    host.searched.clear()
    host.captured.clear()


def test_a_page_is_captured_once_however_often_it_is_found(host: Host) -> None:
    found = leg().asked(host, ("甲", "乙"), (A,))
    assert host.captured == [A, B]
    assert [*found.sources] == [A, B]
    assert (found.notes, found.undone) == ([], False)
    assert "请求指名" in found.sources[A].finding
    assert "网络检索“甲”第 2 位" in found.sources[B].finding


def test_no_more_pages_are_captured_than_are_wanted(host: Host) -> None:
    assert [*leg(captures=1).asked(host, ("甲",), ()).sources] == [A]


def test_a_page_without_a_type_says_so(host: Host) -> None:
    host.kind = ""
    assert "未声明类型" in leg().asked(host, ("甲",), ()).sources[A].finding


def test_an_address_that_no_source_can_have_is_told(host: Host) -> None:
    host.urls = ("https://user@a.example/",)
    found = leg().asked(host, ("甲",), ())
    assert (found.sources, found.undone) == ({}, True)
    assert "第 1 位没有抓取" in found.notes[0]


def test_errors_become_notes(host: Host) -> None:
    host.raises = {"web": InvalidError("the query is empty")}
    found = leg().asked(host, ("甲",), (A,))
    assert [*found.sources] == [A]
    assert found.notes == ["网络检索“甲”没有完成：查询为空 the query is empty。 Not searched."]
    host.raises = {"capture": ProviderContractError("none")}
    found = leg().asked(host, ("甲",), ())
    assert found.notes[0] == "网络检索“甲”第 1 位没有抓取：none。 Not captured."
    assert found.undone


def test_states_and_reasons_are_told_in_both_languages(host: Host) -> None:
    class Refused(Host):
        """A service that limits, and pages that are not there."""

        def search_web(self, request):  # type: ignore[no-untyped-def]  # as its base
            return replace(super().search_web(request), state="rate_limited", reason="")

        def capture_web(self, request):  # type: ignore[no-untyped-def]  # as its base
            return replace(super().capture_web(request), state="failed", reason="status 404")

    refused = Refused(host.provider, urls=(A,))
    assert leg().asked(refused, ("甲",), ()).notes == [
        "网络检索“甲”没有完成：被限流 rate_limited。 Not searched.",
        "网络检索“甲”第 1 位没有抓取：失败 failed，对方答复 404 status 404。 Not captured.",
    ]


def test_a_node_of_the_corpus_is_not_told_as_a_page_that_is_kept_back(host: Host) -> None:
    made = asked(host, leg())
    refs = (f"urn:kbreg:kbr1-{'0' * 32}:x@1#art1", "http://10.0.0.1/")
    [kept] = made.withheld(plan(made, refs=refs, constraints=("dual_source",)))
    assert (kept.kind, "10.0.0.1" in kept.reason) == ("fetch", True)
    assert made.withheld(plan(made, "甲")) == []


def test_nothing_is_begun_when_the_time_is_over(host: Host) -> None:
    # Looked at: the start, the first page, before the search, its two pages, before the second search.
    found = leg(times=(0.0, 1.0, 2.0, 3.0, 11.0)).asked(host, ("甲", "乙"), ("https://c.example/",))
    assert [*found.sources] == ["https://c.example/", A]
    assert host.searched == ["甲"]
    assert found.undone
    assert found.notes == [
        "网络检索“甲”第 2 位没有抓取：没有时间。 Not captured: no time was left.",
        "没有时间检索网络“乙”。 No time was left to search.",
    ]


def test_where_nothing_was_found_that_is_no_failure(host: Host) -> None:
    host.urls = ()
    found = leg().asked(host, ("甲",), ())
    assert (found.notes, found.undone) == (["网络检索“甲”没有结果。 The web search found nothing."], False)

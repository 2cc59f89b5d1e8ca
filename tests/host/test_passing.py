"""What the provider answers or raises reaches the caller untouched (host.md D)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from providers.regulations_contract import (
    InvalidRegulationsRequestError,
    ProviderContractError,
    RegulationsHost,
    RegulationsSearchResult,
    RegulationsUnavailableError,
    WebSearchHit,
    WebSearchResult,
)
from tests.host.world import (
    ANSWERS,
    CAPTURED,
    DISPATCH,
    EVIDENCE,
    METHODS,
    SEARCHED,
    WEB,
    Kept,
    World,
    call,
    empty,
)


def passed(method: str, answer: Any) -> dict[str, object]:
    """The audit of a call whose answer is `answer`, which the caller gets as the same object."""
    world = World(method, answer)
    before = replace(answer)
    assert world.call(method) is answer
    assert answer == before
    [told] = world.kept.told
    return told


@pytest.mark.req("ext20-10")
@pytest.mark.parametrize("state", ["ok", "empty", "degraded", "unavailable", "moonlit", "", "降级"])
def test_d1_every_state_of_a_search_passes_and_is_audited_as_it_is(state: str) -> None:
    told = passed("search_regulations", replace(SEARCHED, state=state, degraded_reasons=("no vectors",)))
    assert (told["state"], told["count"]) == (state, 2)


@pytest.mark.req("ext20-10")
@pytest.mark.parametrize("disclosure", ["withheld", "metadata_only", "odd"])
def test_d2_evidence_passes_with_its_disclosure_and_the_providers_word_on_the_hash(disclosure: str) -> None:
    answer = replace(EVIDENCE, disclosure=disclosure, withheld_reason="rights", hash_verified=False)
    told = passed("resolve_regulation_evidence", answer)
    assert (told["state"], told["count"]) == ("ok", 1)


@pytest.mark.req("ext20-10")
@pytest.mark.parametrize("state", ["rate_limited", "rejected", "error", "unavailable", "new"])
def test_d3_a_web_state_is_neither_retried_nor_turned_into_an_error(state: str) -> None:
    assert passed("search_web", replace(WEB, state=state, reason="r"))["state"] == state


@pytest.mark.req("ext20-10")
@pytest.mark.parametrize("state", ["rejected", "failed"])
def test_d4_a_capture_passes_with_its_state_and_retention(state: str) -> None:
    answer = replace(CAPTURED, state=state, retention="metadata_only", text="", candidates=())
    told = passed("capture_web", answer)
    assert (told["state"], told["count"]) == (state, 0)


class OwnError(Exception):
    """The provider's."""


@pytest.mark.req("ext20-10")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "error",
    [OwnError("canary"), InvalidRegulationsRequestError("theirs"), RegulationsUnavailableError()],
    ids=type,
)
def test_d5_the_providers_error_is_the_callers_and_audited_without_its_text(
    method: str, error: Exception
) -> None:
    world = World(method, error)
    with pytest.raises(type(error)) as caught:
        world.call(method)
    assert caught.value is error
    assert (error.__cause__, error.__context__, getattr(error, "__notes__", [])) == (None, None, [])
    assert [(told["state"], told["count"]) for told in world.kept.told] == [("error", 0)]
    assert "canary" not in repr(world.kept.events)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), asyncio.CancelledError()], ids=type)
def test_d6_an_interruption_goes_on_and_is_audited(method: str, error: BaseException) -> None:
    world = World(method, error)
    with pytest.raises(type(error)) as caught:
        world.call(method)
    assert caught.value is error
    assert [told["state"] for told in world.kept.told] == ["error"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("answer", [None, {}, "ok", (1, 2), ValueError], ids=repr)
def test_d7_what_is_no_result_breaks_the_contract(method: str, answer: Any) -> None:
    world = World(method, lambda *_: answer)
    with pytest.raises(ProviderContractError, match="answer"):
        world.call(method)
    assert [told["state"] for told in world.kept.told] == ["error"]


@pytest.mark.parametrize(
    ("method", "changes"),
    [
        ("search_regulations", {"state": 7}),
        ("search_regulations", {"hits": "abc"}),
        ("search_regulations", {"hits": ({"nodeId": "n"},)}),
        ("search_web", {"results": (SEARCHED,)}),
        ("search_web", {"results": (WebSearchHit(rank="1", url=""),)}),  # type: ignore[arg-type]
        ("capture_web", {"byte_size": 1.5}),
    ],
)
def test_d7_a_result_with_a_field_of_another_type_breaks_the_contract(
    method: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(ProviderContractError):
        World(method, replace(ANSWERS[method], **changes)).call(method)


def test_d7_the_result_of_another_method_breaks_the_contract() -> None:
    with pytest.raises(ProviderContractError, match="must be a WebSearchResult, found a Regulations"):
        World("search_web", SEARCHED).call("search_web")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://169.254.169.254/", "", "//x", "a b"])
def test_d8_the_safety_of_a_url_is_the_providers_to_judge(url: str) -> None:
    world = World()
    assert world.call("capture_web", url=url) is CAPTURED
    assert world.provider.asked[0][2].url == url


def test_d9_no_hits_are_an_empty_list() -> None:
    answer = RegulationsSearchResult(corpus_revision="", state="ok", hits=None)  # type: ignore[arg-type]
    assert passed("search_regulations", answer) == {
        "count": 0,
        "state": "ok",
        "querySha256": passed("search_regulations", SEARCHED)["querySha256"],
    }
    assert answer.to_wire() == {"corpusRevision": "", "state": "ok", "hits": []}


class KnowledgeSearch:
    """The project's own search, which no call may fall back to."""

    def __init__(self) -> None:
        self.asked = 0

    def search(self) -> None:
        """Count."""
        self.asked += 1


def test_d10_nothing_falls_back_to_the_projects_own_search() -> None:
    spy = KnowledgeSearch()
    host = empty(Kept()).host(DISPATCH, {KnowledgeSearch: spy})
    found = host.capability(RegulationsHost)
    assert found is not None
    for method in METHODS:
        with pytest.raises(RegulationsUnavailableError):
            call(found, method)
    assert host.capability(KnowledgeSearch) is spy
    assert spy.asked == 0


def test_a_subclass_of_a_result_passes_as_it_is() -> None:
    class More(WebSearchResult):
        """Has something of its own."""

    answer = More(searched_at="t", state="ok")
    assert World("search_web", answer).call("search_web") is answer

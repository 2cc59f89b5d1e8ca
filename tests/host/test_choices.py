"""Where Go and Python differ, what we chose (host.md G); what others show is shown once more, small."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, replace
from hashlib import sha256
from typing import Any

import orjson
import pytest

from evidence.plugins import Capabilities
from providers.regulations_contract import (
    NO_TIME,
    InvalidRegulationsRequestError,
    RegulationHit,
    RegulationsHost,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    RegulationsUnavailableError,
    WebSearchRequest,
    WebSearchResult,
)
from providers.web.exclusions import Exclusions, trim
from schemas.errors import NotReadyError
from schemas.outside import parse
from tests.host.world import ANSWERS, DISPATCH, METHODS, SEARCHED, World, call, calls


def test_g1_text_that_is_no_unicode_can_be_stated_and_is_refused_by_the_host() -> None:
    request = WebSearchRequest.read(parse(b'{"schemaVersion":1,"query":"\\ud800"}'))
    assert request.query == "\ud800"
    with pytest.raises(InvalidRegulationsRequestError, match="not valid Unicode"):
        World().calls.search_web(request)


def test_g2_a_rune_is_a_code_point() -> None:
    assert World().call("search_web", query="𠀀" * 256).state == "ok"


def test_g3_white_space_is_unicodes_and_not_pythons() -> None:
    every = [chr(point) for point in range(0x110000) if chr(point).isspace()]
    assert len(every) - 4 == 25
    assert [sign for sign in every if trim(sign)] == ["\x1c", "\x1d", "\x1e", "\x1f"]


def test_g4_a_term_is_found_lowered_by_runes_or_folded() -> None:
    assert Exclusions(["ας"]).found_folded("ΑΣ")
    assert World().call("search_web", query="ＡＣＭＥ", exclusions=("acme",)).state == "rejected"


@pytest.mark.parametrize("version", [True, 1.0, "1", None, [1]], ids=repr)
def test_g5_a_schema_version_is_an_integer_and_nothing_like_one(version: object) -> None:
    with pytest.raises(InvalidRegulationsRequestError, match="schemaVersion must be an integer"):
        WebSearchRequest.read({"schemaVersion": version, "query": "q"})
    with pytest.raises(InvalidRegulationsRequestError):
        World().call("search_web", schema_version=version)


def test_g6_an_error_brings_no_result() -> None:
    error = ValueError(SEARCHED)
    world = World("search_regulations", error)
    with pytest.raises(ValueError, match="RegulationsSearchResult") as caught:
        world.call("search_regulations")
    assert caught.value is error
    assert world.kept.told[0]["count"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_g7_a_call_takes_its_request_and_no_context(method: str) -> None:
    [parameter] = inspect.signature(getattr(World().calls, method)).parameters.values()
    assert (parameter.name, parameter.default) == ("request", inspect.Parameter.empty)


def test_g8_a_capability_is_looked_up_in_the_hosts_table() -> None:
    class Pretending(Capabilities):
        """Has the methods, and does not say so in its table."""

        search_regulations = search_web = capture_web = resolve_regulation_evidence = None

    assert Pretending().capability(RegulationsHost) is None
    assert not getattr(RegulationsHost, "_is_runtime_protocol", False)


def test_g9_a_query_of_zero_width_characters_passes_the_host() -> None:
    world = World()
    world.call("search_web", query="\u200b\ufeff")
    assert world.provider.asked[0][2].query == "\u200b\ufeff"


def test_g10_a_list_is_a_tuple_and_never_none() -> None:
    kinds = ["law"]
    request = RegulationsSearchRequest(query="q", kinds=kinds)  # type: ignore[arg-type]
    kinds.append("standard")
    assert request.kinds == ("law",)
    assert WebSearchRequest(query="q", exclusions=None).exclusions == ()  # type: ignore[arg-type]
    assert RegulationsSearchResult.read({"corpusRevision": "r", "state": "ok", "hits": None}).hits == ()


def test_g11_zero_values_are_left_out_and_absent_is_zero() -> None:
    request = RegulationsSearchRequest(query="", current_only=False, limit=0, kinds=())
    assert request.to_wire() == {"schemaVersion": 1, "query": ""}
    assert RegulationsSearchRequest.read({}) == replace(request, schema_version=0)
    hit = RegulationHit(regulation_id="r", edition_id="e", node_id="n", disclosure="full", score=0.0)
    assert RegulationHit.read(hit.to_wire()) == hit
    whole, part = (orjson.dumps(replace(hit, score=score).to_wire()["score"]) for score in (1.0, 0.95))
    assert (whole, part) == (b"1", b"0.95")


def test_g12_a_rejected_search_shows_gos_zero_time() -> None:
    result = World().call("search_web", query="acme", exclusions=("acme",))
    assert (result.searched_at, NO_TIME) == (NO_TIME, "0001-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("method", "field"), [("search_regulations", "query"), ("capture_web", "search_query")]
)
def test_g13_an_empty_text_has_no_hash(method: str, field: str) -> None:
    world = World()
    world.call(method, **{field: ""})
    assert "querySha256" not in world.kept.told[0]


def test_g14_a_rejected_and_an_invalid_query_are_hashed_trimmed() -> None:
    world = World()
    world.call("search_web", query=" acme ", exclusions=("acme",))
    with pytest.raises(InvalidRegulationsRequestError):
        world.call("search_web", query=" acme ", schema_version=2)
    assert {told["querySha256"] for told in world.kept.told} == {sha256(b"acme").hexdigest()}


def test_g15_an_unknown_state_is_read_and_passes() -> None:
    answer = WebSearchResult.read(
        {"searchedAt": "t", "state": "moonlit", "results": [{"rank": 1, "url": "u"}]}
    )
    assert World("search_web", answer).call("search_web").state == "moonlit"


def test_g16_unknown_keys_are_refused_in_requests_and_ignored_in_results() -> None:
    with pytest.raises(InvalidRegulationsRequestError, match="unknown key 'later'"):
        WebSearchRequest.read({"schemaVersion": 1, "query": "q", "later": 1})
    read = WebSearchResult.read(
        {"searchedAt": "t", "state": "ok", "results": [{"rank": 1, "x": 1}], "later": 1}
    )
    assert read.to_wire() == {"searchedAt": "t", "state": "ok", "results": [{"rank": 1, "url": ""}]}


def test_g17_unavailable_is_one_class() -> None:
    assert RegulationsUnavailableError.__subclasses__() == []
    assert RegulationsUnavailableError.__bases__ == (NotReadyError,)
    error = RegulationsUnavailableError()
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - it is our own


def test_g18_while_the_provider_works_there_is_no_event_yet() -> None:
    seen: list[int] = []

    def answer(*_: object) -> Any:
        seen.append(len(world.kept.events))
        return SEARCHED

    world = World("search_regulations", answer)
    world.call("search_regulations")
    assert (seen, len(world.kept.events)) == ([0], 1)


def test_g19_an_empty_owner_is_the_guards_business() -> None:
    world = World()
    call(calls(world.composition, replace(DISPATCH, owner="")), "search_web")
    assert world.kept.events[0].call.owner == ""
    assert world.provider.asked[0][1].owner == ""


@pytest.mark.parametrize("state", ["degraded", "unavailable"])
def test_g20_the_hits_of_a_degraded_result_are_counted_as_they_are(state: str) -> None:
    world = World("search_regulations", replace(SEARCHED, state=state))
    world.call("search_regulations")
    assert world.kept.told[0]["count"] == 2


def test_g21_a_provider_that_changes_its_request_changes_a_copy() -> None:
    def answer(_caller: object, request: Any) -> Any:
        with pytest.raises(FrozenInstanceError):
            request.query = "other"
        object.__setattr__(request, "query", "other")
        return SEARCHED

    request = RegulationsSearchRequest(query="mine")
    World("search_regulations", answer).calls.search_regulations(request)
    assert request.query == "mine"


def test_g22_a_copied_or_pickled_handle_is_no_second_caller() -> None:
    world = World()
    handle = world.calls
    assert copy.copy(handle) is handle
    assert copy.deepcopy(handle) is handle
    assert copy.deepcopy({"kept": handle})["kept"] is handle
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError):
            pickle.dumps(handle, protocol)
    with pytest.raises(AttributeError):
        handle.dispatch = DISPATCH  # type: ignore[attr-defined]
    assert call(copy.deepcopy(handle), "search_web") is ANSWERS["search_web"]
    assert [event.actor for event in world.kept.events] == ["plugin:rdm"]

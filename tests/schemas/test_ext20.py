"""EXT-20's wire objects: names, order, what is left out."""

from dataclasses import fields
from typing import Any, get_args, get_origin

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InvalidError
from schemas.ext20 import WireObject, WireRequest
from schemas.regulations import (
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationHit,
    RegulationsCaller,
    RegulationsSearchRequest,
    RegulationsSearchResult,
)
from schemas.regulations_errors import InvalidRegulationsRequestError
from schemas.web import (
    WebCapture,
    WebCaptureRequest,
    WebClauseCandidate,
    WebSearchHit,
    WebSearchRequest,
    WebSearchResult,
)

OBJECTS: list[type[WireObject]] = [
    RegulationsCaller,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    RegulationHit,
    RegulationEvidenceRequest,
    RegulationEvidence,
    WebSearchRequest,
    WebSearchResult,
    WebSearchHit,
    WebCaptureRequest,
    WebCapture,
    WebClauseCandidate,
]
VALUES = {
    str: st.text(max_size=20),
    int: st.integers(-(2**53), 2**53),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a field's type."""
    if get_origin(kind) is tuple:
        return st.lists(values(get_args(kind)[0]), max_size=3).map(tuple)
    return VALUES[kind] if kind in VALUES else objects(kind)


def objects(kind: type[WireObject]) -> st.SearchStrategy[Any]:
    """Any object of one class."""
    return st.builds(kind, **{spec.name: values(spec.type) for spec in fields(kind)})


def test_the_least_search_request_is_the_one_of_the_contract() -> None:
    assert orjson.dumps(WebSearchRequest(query="q").to_wire()) == b'{"schemaVersion":1,"query":"q"}'


def test_what_is_always_written_is_written_empty_and_nested_objects_follow_the_same_rule() -> None:
    result = WebSearchResult(searched_at="", state="", results=(WebSearchHit(rank=0, url=""),))
    assert result.to_wire() == {"searchedAt": "", "state": "", "results": [{"rank": 0, "url": ""}]}
    capture = WebCapture(
        capture_id="c",
        final_url="https://example.test/",
        fetched_at="2026-11-30T00:00:00Z",
        sha256="00",
        candidates=(WebClauseCandidate(excerpt="甲", start=0, end=1),),
        state="captured",
    )
    assert capture.to_wire() == {
        "captureId": "c",
        "finalUrl": "https://example.test/",
        "fetchedAt": "2026-11-30T00:00:00Z",
        "sha256": "00",
        "candidates": [{"excerpt": "甲", "start": 0, "end": 1}],
        "state": "captured",
    }


def test_a_request_never_shows_its_query_or_its_exclusions() -> None:
    request = WebSearchRequest(query="秘密工程", exclusions=("金茂",))
    assert "秘密" not in repr(request)
    assert "金茂" not in f"{request}"


@given(st.data())
def test_any_object_is_read_back_from_its_json(data: st.DataObject) -> None:
    made = data.draw(objects(data.draw(st.sampled_from(OBJECTS))))
    kind = type(made)
    assert kind.read(orjson.loads(orjson.dumps(made.to_wire()))) == made
    copied = kind.checked(made)
    assert (copied, copied is made) == (made, False)
    # A result of a later day is still read; a request that brings more than the contract knows is not.
    wire = {**made.to_wire(), "later": 1}
    if isinstance(made, WireRequest):
        with pytest.raises(InvalidRegulationsRequestError, match="unknown key 'later'"):
            kind.read(wire)
    else:
        assert kind.read(wire) == made


@pytest.mark.parametrize(
    ("score", "written"), [(1.0, b"1"), (0.95, b"0.95"), (2.0**64, b"1.8446744073709552e+19")]
)
def test_a_whole_score_is_written_without_a_point_and_any_number_can_be_one(
    score: float, written: bytes
) -> None:
    hit = RegulationHit(regulation_id="", edition_id="", node_id="", disclosure="", score=score)
    assert orjson.dumps(hit.to_wire()["score"]) == written


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_empty_object_reads_as_zero_values_and_writes_the_required_ones(kind: type[WireObject]) -> None:
    zero = kind.read({})
    required = [spec.name for spec in fields(kind) if spec.metadata]
    assert len(zero.to_wire()) == len(required)
    assert not any(getattr(zero, spec.name) for spec in fields(kind))


def test_null_is_zero_in_what_came_from_a_peer_and_refused_in_a_request() -> None:
    assert WebSearchResult.read({"searchedAt": None, "state": "ok", "results": None}).results == ()
    with pytest.raises(InvalidRegulationsRequestError, match="limit must be an integer, found null"):
        WebSearchRequest.read({"schemaVersion": 1, "query": "q", "limit": None})


SEARCHED = RegulationsSearchResult(
    corpus_revision="kbr1-0001",
    state="ok",
    hits=(RegulationHit(regulation_id="r", edition_id="e", node_id="n", disclosure="full", score=0.5),),
)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ([], "WebSearchRequest must be an object, found an array"),
        ({"query": 1}, "query must be text, found a number"),
        ({"query": None}, "query must be text, found null"),
        ({"exclusions": "canary"}, "exclusions must be an array, found text"),
        ({"exclusions": ["a", 1]}, r"exclusions\[1\] must be text, found a number"),
        ({"preferOfficial": "canary"}, "preferOfficial must be true or false, found text"),
        ({"limit": 1.5}, "limit must be an integer, found a number"),
        ({"searchQuery": "canary"}, "has the unknown key 'searchQuery'"),
    ],
    ids=str,
)
def test_what_a_request_states_is_read_strictly_and_never_shown(stated: object, said: str) -> None:
    with pytest.raises(InvalidRegulationsRequestError, match=said) as caught:
        WebSearchRequest.read(stated)
    assert "canary" not in str(caught.value)


def test_a_result_is_read_with_its_parts_and_a_fault_is_named_by_its_path() -> None:
    wire = SEARCHED.to_wire()
    assert RegulationsSearchResult.read(orjson.loads(orjson.dumps(wire))) == SEARCHED
    with pytest.raises(InvalidError, match=r"hits\[0\].score must be a number, found text"):
        RegulationsSearchResult.read({**wire, "hits": [{"score": "high"}]})
    with pytest.raises(InvalidError, match=r"hits\[0\] must be an object"):
        RegulationsSearchResult.read({**wire, "hits": ["high"]})

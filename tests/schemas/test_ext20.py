"""EXT-20's wire objects: names, order, what is left out."""

import orjson

from schemas.web import (
    WebCapture,
    WebClauseCandidate,
    WebSearchHit,
    WebSearchRequest,
    WebSearchResult,
)


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

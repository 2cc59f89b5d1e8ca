"""What a web search may ask: the host's minimisation before a provider sees anything (host.md C)."""

import logging
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from providers.regulations_contract import InvalidRegulationsRequestError, WebSearchRequest
from providers.web.exclusions import Exclusions
from providers.web.minimise import ext20
from tests.host.world import REQUESTS, WEB, World

ASTRAL = "𠀀"


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def invalid(query: Any) -> dict[str, object]:
    """The one audit event of a query that is refused."""
    world = World()
    with pytest.raises(InvalidRegulationsRequestError) as caught:
        world.call("search_web", query=query)
    assert world.provider.asked == []
    assert not query or str(query) not in str(caught.value)
    [told] = world.kept.told
    return told


def asked(query: str, *exclusions: str) -> tuple[str | None, dict[str, object]]:
    """The query that the provider got, None when it was not asked, and the audit."""
    world = World()
    result = world.call("search_web", query=query, exclusions=exclusions)
    [told] = world.kept.told
    if not world.provider.asked:
        assert result.state == "rejected"
        assert result.reason.startswith("query contains an excluded term")
        assert told == {"count": 0, "state": "rejected", "querySha256": told["querySha256"]}
        return None, told
    assert result is WEB
    return world.provider.asked[0][2].query, told


@pytest.mark.req("ext20-08")
@pytest.mark.parametrize("query", ["", "   ", "\u3000\u00a0\u2003\n", "\x85"])
def test_c1_an_empty_or_blank_query_is_invalid_and_has_no_hash(query: str) -> None:
    assert invalid(query) == {"count": 0, "state": "invalid"}


@pytest.mark.req("ext20-08")
def test_c2_a_query_of_256_characters_passes_as_it_is() -> None:
    assert asked("法" * 256)[0] == "法" * 256


@pytest.mark.req("ext20-08")
def test_c3_characters_are_code_points() -> None:
    assert invalid("法" * 257) == {"count": 0, "state": "invalid", "querySha256": digest("法" * 257)}
    invalid(ASTRAL * 257)
    assert asked(ASTRAL * 256)[0] == ASTRAL * 256


@pytest.mark.req("ext20-08")
def test_c4_a_query_is_trimmed_before_it_is_counted_and_arrives_trimmed() -> None:
    query, told = asked("  " + "法" * 256 + "\u3000")
    assert query == "法" * 256
    assert told["querySha256"] == digest("法" * 256)


def test_c5_nothing_is_composed_before_it_is_counted() -> None:
    invalid("e\u0301" * 129)


@pytest.mark.parametrize("query", ["a\ud800", b"\xff".decode("utf-8", "surrogateescape")])
def test_c6_a_lone_surrogate_is_invalid_and_hashed_as_it_is(query: str) -> None:
    assert invalid(query)["querySha256"] == digest(query)


def test_c7_what_python_would_trim_and_go_would_not_stays() -> None:
    assert asked("\x1cq")[0] == "\x1cq"
    assert asked("q\x1f ")[0] == "q\x1f"


@pytest.mark.parametrize("query", ["\u200b", "\ufeffq"])
def test_c8_zero_width_characters_are_no_white_space_here(query: str) -> None:
    assert asked(query)[0] == query


@pytest.mark.req("ext20-09")
def test_c9_a_query_with_an_excluded_term_is_rejected_and_not_sent() -> None:
    world = World()
    result = world.call("search_web", query=" Acme 塔楼 规范 ", exclusions=("acme",))
    assert result.to_wire() == {
        "searchedAt": "0001-01-01T00:00:00Z",
        "state": "rejected",
        "reason": "query contains an excluded term",
    }
    assert world.provider.asked == []
    assert world.kept.told == [{"count": 0, "state": "rejected", "querySha256": digest("Acme 塔楼 规范")}]


@pytest.mark.req("ext20-09")
def test_c10_terms_are_trimmed_and_blank_ones_exclude_nothing() -> None:
    assert asked("acme", "  ACME ")[0] is None
    assert asked("acme", "", " ", "\u3000")[0] == "acme"


@pytest.mark.parametrize(
    ("query", "term", "reason"),
    [
        ("国标 ＡＣＭＥ", "acme", "query contains an excluded term after folding"),
        ("straße", "STRASSE", "query contains an excluded term after folding"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", "query contains an excluded term after folding"),
        ("İstanbul", "istanbul", "query contains an excluded term"),
    ],
)
def test_c11_full_width_and_folded_forms_of_a_term_are_found(query: str, term: str, reason: str) -> None:
    world = World()
    result = world.call("search_web", query=query, exclusions=(term,))
    assert (result.state, result.reason, world.provider.asked) == ("rejected", reason, [])


def test_c12_a_blank_inside_a_term_is_beyond_ext20s_rule_and_found_by_the_second_one() -> None:
    assert ext20("金茂 大厦", Exclusions(["金茂大厦"])).state == "ok"
    assert asked("金茂 大厦", "金茂大厦")[0] is None
    assert asked("金 陵 茂 名 大厦", "金茂大厦")[0] == "金 陵 茂 名 大厦"


@pytest.mark.req("ext20-09")
def test_c13_neither_audit_nor_log_nor_error_holds_the_term_or_the_query(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    world = World()
    world.call("search_web", query="canary-query canary-term", exclusions=("canary-term",))
    for query in ("canary-query" * 30, "canary\ud800"):
        with pytest.raises(InvalidRegulationsRequestError) as caught:
            world.call("search_web", query=query, exclusions=("canary-term",))
        assert "canary" not in f"{caught.value!r} {caught.value} {caught.value.to_wire()}"
    assert "canary" not in f"{world.kept.events} {caplog.text}"


def test_c14_the_callers_request_stays_as_it_was_and_the_provider_gets_a_copy() -> None:
    for method, request in REQUESTS.items():
        world = World()
        before = replace(request)
        getattr(world.calls, method)(request)
        assert request == before
        assert world.provider.asked[0][2] is not request
    padded = WebSearchRequest(query=" q ", exclusions=("x",), prefer_official=True, limit=3)
    world = World()
    world.calls.search_web(padded)
    assert padded.query == " q "
    assert world.provider.asked[0][2] == replace(padded, query="q")


@pytest.mark.parametrize("text", ["", "法" * 10_000, "\ud800", "  q "], ids=len)
def test_c15_the_other_methods_are_not_checked_and_hand_on_every_character(text: str) -> None:
    world = World()
    world.call("search_regulations", query=text, doc_no=text)
    world.call("resolve_regulation_evidence", node_id=text)
    world.call("capture_web", url=text, search_query=text)
    search, resolve, capture = (request for _, _, request in world.provider.asked)
    assert [search.query, search.doc_no, resolve.node_id] == [text] * 3
    assert [capture.url, capture.search_query] == [text] * 2


def test_c16_exclusions_reach_the_provider_and_are_never_shown() -> None:
    world = World()
    world.call("search_web", query="canary-query", exclusions=("canary-term",))
    [(_, _, request)] = world.provider.asked
    assert request.exclusions == ("canary-term",)
    for shown in (repr(request), f"{request}", f"{request!s}"):
        assert "canary" not in shown


@pytest.mark.parametrize(
    "changes",
    [
        {"query": None},
        {"query": 7},
        {"exclusions": "acme"},
        {"exclusions": (None,)},
        {"exclusions": ("a", 1)},
        {"limit": "1"},
        {"limit": True},
        {"prefer_official": 1},
    ],
    ids=repr,
)
def test_a_field_of_another_type_is_invalid_and_not_shown(changes: dict[str, Any]) -> None:
    world = World()
    with pytest.raises(InvalidRegulationsRequestError) as caught:
        world.call("search_web", **changes)
    assert world.provider.asked == []
    assert [told["state"] for told in world.kept.told] == ["invalid"]
    assert "acme" not in str(caught.value)


class Lying(str):
    """Text that says one thing when it is checked and another when it is read."""

    __slots__ = ()

    def strip(self, *_: object) -> str:
        return "harmless"

    def encode(self, *_: object) -> bytes:
        return b"harmless"


def test_what_is_checked_is_what_is_sent_also_where_text_lies() -> None:
    assert asked(Lying("acme"), "acme")[0] is None
    world = World()
    with pytest.raises(InvalidRegulationsRequestError):
        world.call("search_web", query=Lying("法" * 257))
    assert world.kept.told[0]["querySha256"] == digest("法" * 257)

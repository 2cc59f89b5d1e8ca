"""The connector to a standards service: what it sends, and what it believes of what comes back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evidence.lifecycle.plan import plan as make_plan
from providers.base import Connector
from providers.exchange import Address
from providers.standards.library import StandardRecord, starter
from providers.standards.matching import search
from providers.standards.provider import LocalStandards
from providers.standards.remote import LARGEST_ANSWER, PROVIDER_ID, StandardsService
from providers.standards.rescoring import rescored
from schemas.errors import EvidenceError, InvalidError, ProviderError, UsageError
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.request import Request
from tests.providers.standards.remote.lying import READY, REVISION, Lying, http, lying
from tests.providers.standards.service.running import running
from tests.world import Clock, row

FOUND = {
    "code": "GB 1-2000", "title": "甲", "status": "现行", "relation_text": "", "implement_date": "2000-01-01",
    "match_score": 0.91,
}  # fmt: skip
QUERY = "GB 1-2000 甲"


def plan(*terms: str, objective: str = "规范现行？", provider: ProviderRow | None = None) -> Plan:
    request = Request(
        objective=objective,
        user_activity="审查",
        decision="通过",
        evidence_kinds=("standard_status",),
        search_terms=terms,
    )
    return make_plan(request, (provider or row(PROVIDER_ID, kind="connector"),), None, "blake3")


def answering(*candidates: Any, query: str = QUERY, **more: Any) -> list[bytes]:
    body = {"results": [{"query": query, "candidates": list(candidates)}], **more}
    return http(200, body, Library_Revision=REVISION)


@pytest.fixture
def server() -> Iterator[Lying]:
    with lying() as made:
        yield made


def connector(server: Lying, seconds: float = 30.0) -> StandardsService:
    return StandardsService(server.url, Clock(), seconds, seconds)


def test_a_real_service_is_asked_and_its_revision_stands_in_the_receipt(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        host, port = service.address
        asked = StandardsService(f"http://{host}:{port}/", Clock())
        assert asked.readiness().ready
        receipt = asked.execute(plan("GB 50330-2013", "验收规程", "没有这个", "规" * 201))
        assert receipt.status == "succeeded"
        assert [source.source_ref for source in receipt.sources] == [
            "urn:cn-standard:GB%2050330-2013",
            "urn:cn-standard:GB%2050330-2002",
            "urn:cn-standard:JGJ%2018-2012",
        ]
        assert all(starter().revision in source.finding for source in receipt.sources)
        assert starter().revision in receipt.summary
        assert len(receipt.limitations) == 2
        assert [line["query"] for line in service.lines()] == ["GB 50330-2013", "验收规程", "没有这个"]
    gone = asked.readiness()
    assert (gone.ready, gone.installed) == (False, True)
    assert "cannot be asked" in (gone.unavailable_reason or "")


def test_what_is_shown_is_what_is_sent_byte_for_byte(server: Lying) -> None:
    server.answers["/v1/search"] = answering(FOUND)
    made = connector(server)
    shown = made.outgoing(plan(QUERY))
    assert server.received == []
    assert made.readiness().ready
    made.execute(plan(QUERY))
    assert [message.content.encode() for message in shown] == server.received
    assert [message.destination for message in shown] == [f"{server.url}/readyz", f"{server.url}/v1/search"]
    assert isinstance(made, Connector)


def test_readiness_sends_nothing_of_a_plan(server: Lying) -> None:
    connector(server).readiness()
    assert len(server.received) == 1
    assert server.received[0].startswith(b"GET /readyz HTTP/1.1\r\n")
    assert server.received[0].endswith(b"\r\n\r\n")


def test_a_candidate_becomes_a_source_that_states_what_the_service_states(server: Lying) -> None:
    server.answers["/v1/search"] = answering(FOUND)
    receipt = connector(server).execute(plan(QUERY))
    [source] = receipt.sources
    assert (source.source_ref, source.basis, source.source_family) == (
        "urn:cn-standard:GB%201-2000", "stated", "standards_service",
    )  # fmt: skip
    assert (
        f"《甲》GB 1-2000，状态：现行，实施日期：2000-01-01，替代关系：库中未载。查询“{QUERY}”匹配度 0.9100"
        in source.finding
    )
    assert server.url in (source.limitation or "")


CITED = [
    "GB 50330-2013 建筑边坡工程技术规范", "建筑边坡工程技术规范", "GB 50330-2018", "GB 50330",
    "钢筋焊接及验收规程 JGJ 18-2003", "《砌体结构设计规范》GB 50330-2013", "没有这个",
]  # fmt: skip


def test_a_receipt_of_the_service_says_what_one_of_the_library_says(tmp_path: Path) -> None:
    local = LocalStandards(starter, Clock())
    here = local.execute(plan(*CITED, provider=local.readiness()))
    with running(tmp_path) as service:
        host, port = service.address
        there = StandardsService(f"http://{host}:{port}", Clock()).execute(plan(*CITED))
    assert [source.finding for source in there.sources] == [source.finding for source in here.sources]
    assert there.limitations == here.limitations
    assert sum("所写的编号不在规范库中，所列只是相近的规范" in said for said in there.limitations) == 2
    assert any("（编号一致，年号不同）" in source.finding for source in there.sources)


def test_the_scores_of_a_candidate_are_told_by_its_query_and_itself() -> None:
    for query in [*CITED, "GB 50330-13", "GBT 50330-2013", "GB 50331-2013", "JGJ 18", "验收规程"]:
        for found in search(starter(), query):
            stated = found.record.to_wire()
            bare = StandardRecord(**{**stated, "normalized_code": ""})  # type: ignore[arg-type]
            again = rescored(query, bare)
            assert again is not None
            assert (again.score, again.code_score, again.name_score) == (
                found.score, found.code_score, found.name_score,
            )  # fmt: skip


def test_a_score_that_the_words_would_not_fit_is_told_without_them(server: Lying) -> None:
    for wrong in (FOUND, {**FOUND, "code": "GB 7-2000", "title": "乙"}):
        server.answers["/v1/search"] = answering(wrong)
        receipt = connector(server).execute(plan(QUERY))
        assert "匹配度 0.9100（编号与名称是否相符未能核对）" in receipt.sources[0].finding
        [said] = receipt.limitations
        assert "请自行核对" in said
    server.answers["/v1/search"] = answering({**FOUND, "match_score": 1.0})
    receipt = connector(server).execute(plan(QUERY))
    assert "匹配度 1.0000（编号一致）" in receipt.sources[0].finding
    assert receipt.limitations == ()


def test_the_objective_is_never_sent(server: Lying) -> None:
    made, bare = connector(server), plan(objective="GB 50330-2013 现行？")
    [looking] = made.outgoing(bare)
    assert looking.destination == f"{server.url}/readyz"
    with pytest.raises(InvalidError, match="has no search_terms; its objective is never sent") as raised:
        made.execute(bare)
    assert raised.value.subject == "search_terms"
    assert server.received == []


def test_without_a_candidate_there_is_no_evidence(server: Lying) -> None:
    server.answers["/v1/search"] = answering()
    receipt = connector(server).execute(plan(QUERY))
    assert (receipt.status, receipt.sources, len(receipt.limitations)) == ("no_evidence", (), 1)


def test_a_candidate_that_cannot_be_a_source_loses_no_other(server: Lying) -> None:
    server.answers["/v1/search"] = answering({**FOUND, "code": "规" * 3_000}, FOUND)
    receipt = connector(server).execute(plan(QUERY))
    assert [source.source_ref for source in receipt.sources] == ["urn:cn-standard:GB%201-2000"]
    assert "1 条候选规范不能作为来源" in receipt.limitations[-1]


def test_queries_that_are_all_too_long_are_no_search(server: Lying) -> None:
    with pytest.raises(ProviderError, match="no query has at most 200"):
        connector(server).execute(plan("规" * 201))
    assert server.received == []


WRONG: dict[str, list[bytes]] = {
    "another number of results": http(200, {"results": []}, Library_Revision=REVISION),
    "another query": answering(FOUND, query="GB 2"),
    "a field more": answering({**FOUND, "data_trust": 1}),
    "a field less": answering({name: value for name, value in FOUND.items() if name != "status"}),
    "a member more": answering(FOUND, note="a"),
    "four candidates": answering(*[{**FOUND, "code": f"GB {number}"} for number in range(4)]),
    "a number for a text": answering({**FOUND, "status": 1}),
    "null for a text": answering({**FOUND, "implement_date": None}),
    "a control character": answering({**FOUND, "title": "a\x1b[31m"}),
    "a long text": answering({**FOUND, "relation_text": "规" * 4_001}),
    "no code": answering({**FOUND, "code": ""}),
    "a score beyond 1": answering({**FOUND, "match_score": 1.1}),
    "a score that is true": answering({**FOUND, "match_score": True}),
    "two contents of one code": answering(FOUND, {**FOUND, "status": "废止"}),
    "no revision": http(200, {"results": [{"query": QUERY, "candidates": [FOUND]}]}),
    "a revision that is none": http(200, {"results": []}, Library_Revision="latest"),
    "no JSON": http(200, b"<html>", Library_Revision=REVISION),
    "a key twice": http(200, b'{"results":[],"results":[]}', Library_Revision=REVISION),
    "deep": http(200, b"[" * 100_000, Library_Revision=REVISION),
    "a list": http(200, [], Library_Revision=REVISION),
    "too much": http(200, b" " * (LARGEST_ANSWER + 1), Library_Revision=REVISION),
    "cut off": [answering(FOUND)[0][:-5]],
    "a redirect": http(302, b"", Location="http://127.0.0.1:9/"),
    "an error": http(422, {"code": "invalid", "message": "keywords has 0 items"}),
    "an error without words": http(500, b"\xff\xfe"),
    "no HTTP": [b"SSH-2.0-OpenSSH\r\n"],
    "nothing": [b""],
    "a head without end": [b"HTTP/1.1 200 X\r\n" + b"A: b\r\n" * 200],
    "a status that is none": [b"HTTP/1.1 abc\r\n\r\n"],
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_an_answer_of_another_form_is_no_evidence(server: Lying, name: str) -> None:
    server.answers["/v1/search"] = WRONG[name]
    with pytest.raises(EvidenceError):
        connector(server).execute(plan(QUERY))


def test_an_error_of_the_service_is_told_in_its_words(server: Lying) -> None:
    server.answers["/v1/search"] = WRONG["an error"]
    with pytest.raises(ProviderError, match="answered 422: keywords has 0 items"):
        connector(server).execute(plan(QUERY))


def test_an_answer_that_drips_is_ended(server: Lying) -> None:
    whole = answering(FOUND)[0]
    server.answers["/v1/search"] = [whole[place : place + 1] for place in range(len(whole))]
    with pytest.raises(ProviderError, match="no answer in time"):
        connector(server, 0.4).execute(plan(QUERY))


@pytest.mark.parametrize(
    "told",
    [http(200, {**READY, "status": "starting"}), http(503, READY), http(200, {"status": "ready"}),
     http(200, b"ok"), http(200, {"status": "ready", "library": {"revision": "latest"}}), [b""]],
)  # fmt: skip
def test_a_service_that_does_not_name_its_library_is_not_ready(server: Lying, told: list[bytes]) -> None:
    server.answers["/readyz"] = told
    found = connector(server).readiness()
    assert not found.ready
    assert found.unavailable_reason


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8077", "ftp://a", "http://", "http://a:b", "http://a:99999", "http://user:pw@a",
     "http://a?b=c", "http://a#b", "http://a b", "http://a\r\nX: y", "http://规范", "file:///etc/passwd"],
)  # fmt: skip
def test_what_is_no_plain_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        Address.of(url, "--standards-service")
    assert "pw" not in raised.value.message


def test_a_path_and_an_ipv6_address_are_kept() -> None:
    assert (
        Address.of("https://[::1]/standards/", "a").url("/v1/search")
        == "https://[::1]:443/standards/v1/search"
    )

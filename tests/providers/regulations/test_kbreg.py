"""`kbreg` over a corpus and the web: what it answers where a part is not set up, and what it never sends."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from providers.web.assembly import capturer, search_service
from providers.web.exclusions import Exclusions
from schemas.regulations import RegulationEvidenceRequest, RegulationsSearchRequest
from schemas.web import WebCaptureRequest, WebSearchRequest
from tests.providers.regulations.corpora import NODE, clock, opened, source
from tests.providers.regulations.hosts import CALLER, provider, published
from tests.providers.web.asking import body, healthy, queries, settings
from tests.providers.web.search.faking import Fake, faking, says


@pytest.fixture(scope="module")
def fake() -> Iterator[Fake]:
    with faking() as made:
        yield made


def test_without_a_web_both_methods_say_so(tmp_path: Path) -> None:
    made = provider(published(tmp_path))
    found = made.search_web(CALLER, WebSearchRequest(query="q"))
    assert (found.state, found.reason, found.results) == ("unavailable", "no search service is set up", ())
    capture = made.capture_web(CALLER, WebCaptureRequest(url="https://a.example/"))
    assert (capture.state, capture.reason) == ("failed", "no capture of pages is set up")
    assert capture.fetched_at == found.searched_at == "2031-07-01T00:00:00.000000Z"


def test_an_excluded_term_is_not_sent_and_not_shown(tmp_path: Path, fake: Fake) -> None:
    chosen = settings(fake)
    kept = Exclusions(("金丝雀",))
    made = provider(
        published(tmp_path),
        web=search_service(chosen, clock, {}),
        capturer=capturer(chosen, clock, kept, lambda _: None),
        exclusions=kept,
    )
    urls = ["https://a.example/金丝雀", "https://a.example/1", "https://a.example/鹞子"]
    healthy(fake, says(200, body("灯塔", urls)))
    refused = made.search_web(CALLER, WebSearchRequest(query="查金絲雀"))
    assert (refused.state, queries(fake)) == ("rejected", [])
    assert made.search_web(CALLER, WebSearchRequest(query="鹞子", exclusions=("鹞子",))).state == "rejected"
    found = made.search_web(CALLER, WebSearchRequest(query=" 灯塔 ", exclusions=("鹞子",)))
    assert [hit.url for hit in found.results] == ["https://a.example/1"]
    assert queries(fake) == ["灯塔"]
    assert made.capture_web(CALLER, WebCaptureRequest(url=urls[0])).state == "rejected"


def test_the_query_that_is_sent_is_trimmed_whoever_asks(tmp_path: Path, fake: Fake) -> None:
    chosen = settings(fake)
    healthy(fake, says(200, body("灯塔", [])))
    made = provider(published(tmp_path), web=search_service(chosen, clock, {}))
    assert made.search_web(CALLER, WebSearchRequest(query="　灯塔 ")).state == "empty"
    assert queries(fake) == ["灯塔"]


def test_a_manifest_that_does_not_hold_is_told_without_its_words(tmp_path: Path) -> None:
    corpus = published(tmp_path)
    made = provider(corpus)
    request = RegulationEvidenceRequest(corpus_revision=corpus.current() or "", node_id=NODE)
    assert made.resolve_regulation_evidence(CALLER, request).hash_verified is True
    with closing(sqlite3.connect(corpus.path)) as db:
        db.execute("UPDATE entries SET data = CAST('{}' AS BLOB)")
        db.commit()
    found = made.resolve_regulation_evidence(CALLER, request)
    assert found.to_wire() == {
        "corpusRevision": request.corpus_revision,
        "nodeId": NODE,
        "disclosure": "withheld",
        "withheldReason": "hash mismatch",
        "hashVerified": False,
    }


@pytest.mark.parametrize(("level", "headings"), [("withheld", 0), ("metadata_only", 1), ("full", 1)])
def test_headings_are_shown_unless_the_text_is_withheld(tmp_path: Path, level: str, headings: int) -> None:
    corpus = opened(tmp_path, source(disclosure=level))
    corpus.publish("tester")
    made = provider(corpus)
    found = made.search_regulations(CALLER, RegulationsSearchRequest(query="灯塔维护条例第二条"))
    [hit] = found.hits
    assert len(hit.heading_path) == headings
    assert bool(hit.excerpt) == (level == "full")


def test_a_search_that_is_not_indexed_is_the_provider_s_own_answer(tmp_path: Path) -> None:
    corpus = published(tmp_path)
    search = RegulationsSearch(corpus, SqliteIndex(tmp_path / "none"), clock)
    made = provider(corpus)
    made._search = search
    assert made.search_regulations(CALLER, RegulationsSearchRequest(query="雾天")).state == "unavailable"

"""`connector:regulations` before a host that fails: what becomes a limitation, and what ends the run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from providers.base import Connector
from providers.regulations.connector import Opened, Regulations
from providers.regulations_contract import (
    AuditWriteError,
    InvalidRegulationsRequestError,
    ProviderContractError,
    RegulationsUnavailableError,
)
from schemas.errors import NotReadyError, UsageError
from tests.providers.regulations.corpora import NODE
from tests.providers.regulations.hosts import Host, asked, leg, plan, provider, published
from tests.world import refusal

LAMP, WICK = "守塔人 灯罩", "雾天"
DUAL = ("dual_source",)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return Host(provider(published(tmp_path_factory.mktemp("corpus"))))


@pytest.fixture(autouse=True)
def _well(host: Host) -> None:
    host.urls, host.raises, host.kind = (), {}, "text/html"
    host.searched.clear()
    host.captured.clear()


def test_it_is_a_connector(host: Host) -> None:
    assert isinstance(asked(host), Connector)


def test_what_cannot_be_opened_is_not_ready_and_says_what_to_do() -> None:
    def fails() -> Opened:
        raise UsageError("no corpus is named", hint="name one")

    row = Regulations(fails, lambda: datetime(2031, 1, 1, tzinfo=UTC)).readiness()
    assert (row.ready, row.unavailable_reason) == (False, "no corpus is named; name one")


def test_one_query_that_fails_loses_no_other(host: Host) -> None:
    made = asked(host)
    host.raises = {f"search {WICK}": InvalidRegulationsRequestError("limit is below 0")}
    receipt = made.execute(plan(made, LAMP, WICK))
    assert receipt.status == "succeeded"
    assert receipt.limitations == (f"查询“{WICK}”没有完成：limit is below 0。 Not searched.",)
    host.raises |= {f"search {LAMP}": ProviderContractError("no answer")}
    assert made.execute(plan(made, LAMP, WICK)).status == "failed"


def test_one_node_that_fails_is_a_limitation(host: Host) -> None:
    made = asked(host)
    host.raises = {"resolve": ProviderContractError("the provider's answer is none")}
    receipt = made.execute(plan(made, LAMP))
    assert (receipt.status, receipt.sources) == ("failed", ())
    assert "不能作为来源：the provider's answer is none" in receipt.limitations[0]


@pytest.mark.parametrize("method", [f"search {LAMP}", "resolve", "web", "capture"])
def test_a_call_whose_audit_was_lost_ends_the_run(host: Host, method: str) -> None:
    made = asked(host, leg())
    host.urls = ("https://a.example/",)
    host.raises = {method: AuditWriteError("the audit event could not be written")}
    assert refusal(lambda: made.execute(plan(made, LAMP, constraints=DUAL))) is host.raises[method]
    host.raises = {method: RegulationsUnavailableError()}
    error = refusal(lambda: made.execute(plan(made, LAMP, constraints=DUAL)))
    assert type(error) is NotReadyError
    assert "no --no-ledger" in error.message


def test_a_clock_that_was_set_back_puts_no_end_before_a_source(host: Host) -> None:
    days = count()
    start = datetime(2031, 7, 1, tzinfo=UTC)
    corpus = host.provider.corpus
    made = Regulations(lambda: Opened(corpus, host), lambda: start - timedelta(days=next(days)))
    receipt = made.execute(plan(made, LAMP))
    assert receipt.completed_at == max(one.accessed_at for one in receipt.sources)


def test_pages_beyond_the_room_of_a_receipt_are_told(host: Host) -> None:
    """Nodes leave room for pages always, so that a claim of both never stands on one alone."""
    terms = [f"{LAMP} {number}" for number in "甲乙丙丁戊己庚辛"]
    made = asked(host, leg(captures=8))
    receipts = []
    for at, _ in enumerate(terms):
        host.urls = [f"https://a.example/{at}/{number}" for number in range(8)]
        receipts.append(made.execute(plan(made, *terms[: at + 1], constraints=DUAL)))
    assert all(one.status == "succeeded" for one in receipts)
    assert all(one.sources[-1].basis == "observed" for one in receipts)


def test_a_receipt_that_is_full_says_what_it_leaves_out(host: Host) -> None:
    class Many(Host):
        """Another page for every query."""

        def search_web(self, request):  # type: ignore[no-untyped-def]  # as its base
            self.urls = [f"https://a.example/{len(self.searched)}/{number}" for number in range(8)]
            return super().search_web(request)

    many = Many(host.provider)
    made = asked(many, leg(captures=8))
    receipt = made.execute(plan(made, *[f"{LAMP} {one}" for one in "甲乙丙丁戊己庚辛"], constraints=DUAL))
    assert len(receipt.sources) == 64
    nodes = sum(one.basis == "stated" for one in receipt.sources)
    assert f"{nodes} 个网页未列入：至多 64 条来源。 No room." in receipt.limitations


def test_a_corpus_that_says_no_reason_is_told_as_such(host: Host) -> None:
    class Silent(Host):
        """Not verified, and no word why."""

        def resolve_regulation_evidence(self, request):  # type: ignore[no-untyped-def]  # as its base
            return replace(super().resolve_regulation_evidence(request), hash_verified=False)

    made = asked(Silent(host.provider))
    revision = host.provider.corpus.current()
    receipt = made.execute(plan(made, refs=(f"urn:kbreg:{revision}:{NODE}",)))
    assert (receipt.status, receipt.sources) == ("no_evidence", ())
    assert "hashVerified is false: no reason is told" in receipt.limitations[0]


@pytest.mark.parametrize(
    "written", ["dual_source", "dual-source", "Dual Source", "DUAL_SOURCE", "dualsource", "须ｄｕａｌ—source"]
)
def test_a_demand_for_two_sources_is_never_overlooked_for_its_spelling(host: Host, written: str) -> None:
    made = asked(host)
    receipt = made.execute(plan(made, LAMP, constraints=(written, "复查")))
    assert (receipt.status, receipt.sources) == ("failed", ())
    assert "没有交付来源：语料库侧得到 3 条（未交付），网络侧 0 个。" in receipt.summary
    assert receipt.summary.endswith(
        " 已应用约束 constraints applied: dual_source；未由检索应用 not applied: “复查”."
    )


@pytest.mark.parametrize("written", ["双源核验", "需双源核验", "双来源"])
def test_the_documents_own_words_for_two_sources_are_understood(host: Host, written: str) -> None:
    made = asked(host)
    receipt = made.execute(plan(made, LAMP, constraints=(written,)))
    assert (receipt.status, receipt.sources) == ("failed", ())


@pytest.mark.parametrize(
    "written",
    [
        *("current_only", "Current-Only", "只要 current only", "only_current", "only current"),
        *("现行", "现行有效", "只要现行有效的", "仅限现行版本", "只看现行"),
    ],
)
def test_what_is_in_force_alone_is_asked_for_in_any_spelling(host: Host, written: str) -> None:
    made = asked(host)
    assert any("@2001-01-01#" in one.source_ref for one in made.execute(plan(made, LAMP)).sources)
    receipt = made.execute(plan(made, LAMP, constraints=(written,)))
    assert receipt.sources
    assert not any("@2001-01-01#" in one.source_ref for one in receipt.sources)
    assert "constraints applied: current_only." in receipt.summary


@pytest.mark.parametrize(
    "written",
    [
        "individual_source",
        "dual_sourced",
        "currently only",
        "不要求现行有效",
        "无需双源核验",
        "比较现行与旧版",
    ],
)
def test_other_words_are_no_constraint_of_these(host: Host, written: str) -> None:
    made = asked(host)
    receipt = made.execute(plan(made, LAMP, constraints=(written,)))
    assert receipt.status == "succeeded"
    assert f"constraints applied: 无 none；未由检索应用 not applied: “{written}”." in receipt.summary


@pytest.mark.parametrize(
    ("written", "meant"),
    [("dual_sorce", "dual_source"), ("Duel Source", "dual_source"), ("curent-only", "current_only")],
)
def test_a_misspelt_constraint_is_named_with_what_it_may_mean(host: Host, written: str, meant: str) -> None:
    made = asked(host)
    receipt = made.execute(plan(made, LAMP, constraints=(written, "2026-12 复查")))
    assert receipt.status == "succeeded"
    assert receipt.limitations[0] == (
        f"约束“{written}”未应用；是否指 {meant}？ The constraint was not applied; was {meant} meant?"
    )
    assert receipt.limitations[1] == (
        "约束“2026-12 复查”未应用；请自行核对。 The constraint was not applied; see to it yourself."
    )
    assert f"not applied: “{written}”、“2026-12 复查”." in receipt.summary


def test_a_finding_says_how_it_was_found_how_well_and_whether_in_part(host: Host) -> None:
    made = asked(host)
    [whole, *_] = made.execute(plan(made, "灯罩")).sources
    assert "查询“灯罩”（全文匹配 fulltext，分数 score " in whole.finding
    assert "仅部分字词相符" not in whole.finding
    [part, *_] = made.execute(plan(made, "擦拭灯罩 无人飞艇")).sources
    assert "，仅部分字词相符 only some of its words）" in part.finding
    [number, *_] = made.execute(plan(made, "灯塔维护条例（2031）第二条")).sources
    assert "编号相符 number、名称相符 title，分数 score 1.00）" in number.finding


def test_a_word_that_the_corpus_does_not_hold_gives_no_source(host: Host) -> None:
    made = asked(host)
    receipt = made.execute(plan(made, "灯罩厂"))
    assert (receipt.status, receipt.sources) == ("no_evidence", ())
    assert receipt.limitations == ("查询“灯罩厂”在语料库中没有命中（empty）。 No hit.",)


@pytest.mark.parametrize(("scores", "kept"), [((0.8, 0.21, 0.19), 2), ((0.11, 0.1, 0.09), 0)])
def test_hits_with_too_low_a_score_are_told_and_are_no_sources(
    host: Host, scores: tuple[float, ...], kept: int
) -> None:
    class Scored(Host):
        """Gives its hits these scores."""

        def search_regulations(self, request):  # type: ignore[no-untyped-def]  # as its base
            found = super().search_regulations(request)
            hits = [replace(hit, score=score) for hit, score in zip(found.hits, scores, strict=True)]
            return replace(found, hits=tuple(hits))

    made = asked(Scored(host.provider))
    receipt = made.execute(plan(made, f"{LAMP} 无人飞艇"))
    assert len(receipt.sources) == kept
    assert receipt.limitations[0].startswith(f"查询“{LAMP} 无人飞艇”另有 {3 - kept} 个命中分数过低")


def test_a_withdrawn_revision_fails_and_says_why_it_was_withdrawn(tmp_path: Path) -> None:
    corpus = published(tmp_path)
    made = asked(Host(provider(corpus)))
    revision = corpus.current()
    asked_for = plan(made, refs=(f"urn:kbreg:{revision}:{NODE}",))
    corpus.withdraw(revision or "", "权利人要求。", "tester")
    receipt = made.execute(asked_for)
    assert (receipt.status, receipt.sources) == ("failed", ())
    assert receipt.limitations == (
        (
            f"urn:kbreg:{revision}:{NODE} 不能作为来源："
            "该语料修订已撤回（原因：权利人要求） the revision was withdrawn。 No source."
        ),
    )


def test_degraded_is_told_and_still_evidence(tmp_path: Path) -> None:
    corpus = published(tmp_path)
    made = asked(Host(provider(corpus)))
    for file in tmp_path.glob("*.index/*"):
        file.unlink()
    receipt = made.execute(plan(made, f"灯塔维护条例第三条 {LAMP}"))
    assert receipt.status == "succeeded"
    assert "检索不完整 degraded，" in receipt.limitations[0]


def test_more_limitations_than_a_receipt_holds_are_gathered_in_its_last(host: Host) -> None:
    made = asked(host)
    refs = [f"urn:isbn:{number}" for number in range(8)]
    terms = [f"氢燃料{letter}" for letter in "甲乙丙丁戊己庚辛"]
    receipt = made.execute(plan(made, *terms, refs=refs, constraints=DUAL))
    assert (receipt.status, len(receipt.limitations)) == ("failed", 16)
    assert receipt.limitations[0].startswith("双源核验未完成：")
    assert receipt.limitations[-1].startswith("另有 3 条限制。")
    assert "没有配置网络检索" in receipt.limitations[-1]

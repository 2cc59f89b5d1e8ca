"""What an id names, and what two ledgers or two states say differently."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evidence.diff import Difference, diff, state_at
from evidence.lifecycle.receipt import receipt as observe
from evidence.plan_story import DAMAGED, MISSING
from evidence.rendering.diff_text import render as diff_text
from evidence.rendering.show_text import render as show_text
from evidence.show import show
from evidence.story import Story
from ledger.erasure import erase
from ledger.sqlite import SqliteLedger
from ledger.sqlite_readonly import open_readonly
from schemas.admission import Decision
from schemas.canonical import digest_bytes
from schemas.errors import AmbiguousError, NotFoundError, UsageError
from tests.audit.telling import Gaps, Told, body_of, reading, say_erased, take_away, told
from tests.world import REFS, Clock, engine, open_ledger, opening


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(tmp_path_factory.mktemp("told") / "l.sqlite3")


@pytest.fixture(scope="module")
def said(made: Told) -> Iterator[Story]:
    with reading(made.path) as story:
        yield story


@pytest.fixture
def copy(made: Told, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(made.path, tmp_path / "copy.sqlite3"))


def test_every_kind_of_id_is_found_whole_and_by_its_beginning(made: Told, said: Story) -> None:
    plan, receipt = made.plans["retired"], made.receipts["retired"]
    admission = made.admissions["retired"]
    observed = observe(plan, receipt).receipt_observation_id
    expected = {
        plan.plan_id: ("plan_id", plan.to_wire()),
        plan.request.request_id: ("request_id", plan.request.to_wire()),
        receipt.digest("blake3"): ("receipt_digest", receipt.to_wire()),
        observed: ("observation_id", receipt.to_wire()),
        admission.admission_id: ("admission_id", admission.to_wire()),
        body_of(made.path, "provider.observed"): ("body", None),
    }
    for identity, (kind, artifact) in expected.items():
        for asked in (str(identity), str(identity)[:19], str(identity).partition(":")[2][:12]):
            shown = show(said, asked)
            assert (shown.id, shown.kind) == (identity, kind), asked
            assert artifact is None or shown.artifact == artifact
            assert shown.records == len(shown.steps) >= 1


def test_a_record_is_found_by_its_number_and_by_its_id(said: Story) -> None:
    one = show(said, "3")
    assert (one.kind, [step.seq for step in one.steps]) == ("record", [3])
    assert show(said, one.id) == show(said, "seq:3") == one


@pytest.mark.parametrize("asked", ["zz", "abc", "md5:abcdef", "blake3:", "x" * 65])
def test_what_can_be_no_id_is_refused(said: Story, asked: str) -> None:
    with pytest.raises(UsageError):
        show(said, asked)


@pytest.mark.parametrize("asked", ["seq:999999", "998", "0000000000000000"])
def test_what_is_not_there_is_not_found(said: Story, asked: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        show(said, asked)
    assert not isinstance(caught.value, AmbiguousError)


def test_a_beginning_of_several_ids_is_ambiguous_and_some_are_named(
    said: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evidence.show.SHORTEST", 1)
    with pytest.raises(AmbiguousError) as caught:
        show(said, "blake3:1")
    assert "blake3:1" in str(caught.value.hint)


def test_a_body_that_is_gone_or_another_is_said_so_in_both_forms(made: Told, copy: Path) -> None:
    take_away(copy, made.receipts["retired"].digest("blake3"))
    take_away(copy, body_of(copy, "admission.decided"), b"[]")
    with reading(copy) as story:
        lost = show(story, made.receipts["retired"].digest("blake3"))
        other = show(story, str(made.admissions["retained"].admission_id))
        assert {one.body for one in (lost, other)} <= {MISSING, DAMAGED, "held"}
    assert (lost.body, lost.artifact) == (MISSING, None)
    assert "缺失 missing" in show_text(lost.to_wire())
    assert lost.to_wire()["artifact"] is None


def test_an_id_that_is_only_named_has_records_and_no_artifact(made: Told, copy: Path) -> None:
    with reading(copy, until=5) as story:
        shown = show(story, str(made.plans["retired"].request.request_id))
    assert shown.kind == "request_id"
    with open_readonly(copy).read() as reader:
        kinds = [raw for _, raw in reader.records()]
    assert len(kinds) > 5


def test_what_is_shown_reads_in_two_languages(made: Told, said: Story) -> None:
    receipt = show_text(show(said, made.receipts["retired"].digest("blake3")).to_wire())
    assert "回执 receipt" in receipt
    assert "回执观察编号 receipt observation id" in receipt
    plan = show_text(show(said, str(made.plans["superseded"].plan_id)).to_wire())
    assert "\x1b" not in plan
    assert "<script>alert(1)</script>" in plan
    assert "记录 record: " in show_text(show(said, "0").to_wire())


def test_what_is_no_object_or_no_json_or_nowhere_is_shown_as_far_as_it_goes(made: Told) -> None:
    gaps = Gaps.of(made.path)
    digest = made.receipts["retired"].digest("blake3")
    for body, text in {b"[1]": "[1]", b"nothing": "正文不可读", b"{}": ""}.items():
        gaps.bodies[digest] = body.ljust(len(gaps.bodies[digest]))
        shown = show(gaps.story(), digest)
        assert text in show_text(shown.to_wire())
        assert shown.observation_id is None
    plan_id = str(made.plans["retired"].plan_id)
    shown = show(gaps.without("plan.created").story(), plan_id)
    assert (shown.body, shown.artifact, shown.records) == (None, None, 6)
    assert "正文" in show_text(shown.to_wire())
    with pytest.raises(NotFoundError):
        show(gaps.story(), "0123456789ab")


def test_a_ledger_with_holes_is_compared_as_far_as_it_reads(made: Told) -> None:
    gaps = Gaps.of(made.path)
    found = diff(gaps.without("plan.created", "admission.decided").story(), gaps.story())
    assert {fact.state for fact in found.only_b} == {"planned", "admitted", "rejected", "uncovered"}
    found = diff(gaps.without("execution.finished", "receipt.observed").story(), gaps.story())
    assert {fact.state for fact in found.only_b} == {"executed", "received"}


def test_a_long_list_of_records_says_how_many_it_leaves_out(
    made: Told, said: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evidence.rendering.show_text.SHOWN", 2)
    assert "另有 5 条" in show_text(show(said, str(made.plans["retired"].plan_id)).to_wire())


def difference(a: Path, b: Path, until_a: int | None = None, until_b: int | None = None) -> Difference:
    with reading(a, until_a) as one, reading(b, until_b) as other:
        return diff(one, other)


def decisions(facts: object) -> set[tuple[str, str]]:
    assert isinstance(facts, dict)
    return {(fact.state, fact.source_ref) for fact in facts}


def test_a_ledger_is_the_same_as_its_copy(made: Told, copy: Path) -> None:
    found = difference(made.path, copy)
    assert (found.relation, found.fork, found.only_a, found.only_b) == ("same", None, {}, {})
    assert "两者记录相同" in diff_text(found.to_wire())


def test_a_later_state_extends_an_earlier_one_and_says_what_came_to_be(made: Told) -> None:
    whole = difference(made.path, made.path, until_a=0)
    assert whole.relation == "extends"
    assert whole.fork is not None
    assert (whole.fork.seq, whole.fork.a) == (1, None)
    assert whole.only_a == {}
    states = {fact.state for fact in whole.only_b}
    decided = {"admitted", "rejected", "superseded", "uncovered", "retired"}
    assert states == {"planned", "started", "executed", "received", *decided}
    received = {fact.id for fact in whole.only_b if fact.state == "received"}
    assert received == {one.digest("blake3") for one in made.receipts.values()}
    assert "回执 receipt observed: 5" in diff_text(whole.to_wire())
    assert ("uncovered", REFS[0]) in decisions(whole.only_b)
    back = difference(made.path, made.path, until_b=0)
    assert (back.relation, back.only_b, back.only_a) == ("behind", {}, whole.only_b)


def test_two_continuations_of_one_ledger_fork_where_they_first_differ(made: Told, copy: Path) -> None:
    other = Path(shutil.copyfile(copy, copy.with_name("other.sqlite3")))
    plan, receipt = made.plans["undecided"], made.receipts["undecided"]
    for path, decision in (
        (copy, Decision(disposition="reject", reason="不对")),
        (other, Decision(disposition="admit", reason="对", admitted_source_refs=REFS[:1])),
    ):
        with closing(open_ledger(path)) as ledger:
            engine(ledger=ledger).admit(plan, receipt, decision)
    found = difference(copy, other)
    with reading(made.path) as story:
        assert found.fork is not None
        assert (found.relation, found.fork.seq) == ("forked", story.records)
    assert decisions(found.only_a) == {("rejected", "")}
    assert decisions(found.only_b) == {("admitted", REFS[0]), ("uncovered", REFS[0])}
    text = diff_text(found.to_wire())
    for words in ("分叉 forked", "拒绝 rejected: 1", "采纳 admitted: 1", "不对", REFS[0]):
        assert words in text


def test_ledgers_of_two_logs_have_no_record_in_common(made: Told, tmp_path: Path) -> None:
    elsewhere = opening()._replace(origin="tests.example/elsewhere")
    SqliteLedger.open(tmp_path / "o.sqlite3", Clock(), create=elsewhere).close()
    found = difference(made.path, tmp_path / "o.sqlite3")
    assert found.fork is not None
    assert (found.relation, found.fork.seq) == ("other_log", 0)
    assert found.only_b == {}
    assert len(found.only_a) > 5


def test_erasures_and_decisions_without_a_body_are_told(made: Told, copy: Path) -> None:
    erased = body_of(copy, "admission.decided")
    say_erased(copy, erased)
    found = difference(made.path, copy)
    assert {fact.id for fact in found.only_b if fact.state == "erased"} == {erased}
    assert {fact.state for fact in found.only_b} == {"erased", "unknown"}
    assert "正文已删除 body erased" in diff_text(found.to_wire())


def test_a_long_list_of_facts_says_how_many_it_leaves_out(
    made: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evidence.rendering.diff_text.SHOWN", 1)
    assert "… --format json" in diff_text(difference(made.path, made.path, until_a=0).to_wire())


def test_a_state_is_named_by_a_number_or_a_time(made: Told) -> None:
    with open_readonly(made.path).read() as reader:
        with reading(made.path) as story:
            steps = list(story.steps())
        assert state_at(reader, "7") == 7
        assert state_at(reader, steps[9].record.at) == 9
        assert state_at(reader, "2000-01-01T00:00:00Z") == -1
        assert state_at(reader, "2099-01-01T08:00:00+08:00") == steps[-1].seq
        with pytest.raises(UsageError, match="neither a seq nor a time"):
            state_at(reader, "yesterday")
        last = steps[-1].seq
        assert state_at(reader, str(last)) == last
        for beyond in (str(last + 1), "9" * 40):
            with pytest.raises(NotFoundError, match=f"has {last + 1} records"):
                state_at(reader, beyond)


def test_digests_of_nothing_are_not_ids_of_the_ledger(said: Story) -> None:
    with pytest.raises(NotFoundError):
        show(said, digest_bytes(b"never stored"))


def test_an_erased_body_is_shown_with_who_erased_it_when_and_why(copy: Path, made: Told) -> None:
    plan = made.plans["retired"]
    with closing(open_ledger(copy)) as ledger:
        done = erase(ledger, str(plan.request.request_id), "asked for", "keeper").record
    assert done is not None
    with reading(copy) as story:
        shown = show(story, str(plan.plan_id)).to_wire()
        seq = shown["records"][0]["seq"]
        one = show(story, f"seq:{seq}").to_wire()
        held = show(story, str(done.seq)).to_wire()
    for wire in (shown, one):
        by = wire["erased_by"]
        assert (wire["body"], by["seq"], by["actor"], by["reason"]) == (
            "erased",
            done.seq,
            "keeper",
            "asked for",
        )
        text = show_text(wire)
        assert f"erased by record {done.seq}: keeper，{done.record.at}" in text
        assert "原因 reason: asked for" in text
    assert (held["body"], held["erased_by"]) == ("held", None)

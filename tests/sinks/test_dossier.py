"""The dossier holds, cites, withdraws and gives back admitted sources (lifecycle.md section 9)."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.admit import admit
from evidence.lifecycle.readback import covered_refs, held_of, readback
from evidence.sinks.base import Sink
from evidence.sinks.dossier import Dossier
from schemas.canonical import digest, digest_bytes
from schemas.errors import InvalidError, MismatchError
from schemas.receipt import Source
from tests.sinks.builders import LATER, LATEST, NOW, REFS, Life, life, source
from tests.sinks.strategies import decisions, lives


@pytest.fixture
def a_life() -> Life:
    return life()


@pytest.fixture
def dossier(a_life: Life, tmp_path: Path) -> Dossier:
    return Dossier(tmp_path, a_life.plan.request)


def plan_id(a_life: Life) -> str:
    return a_life.plan.plan_id or ""


def edit(dossier: Dossier, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(dossier.path)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


@pytest.mark.req("coverage-before-retirement")
@given(st.data())
def test_no_admission_can_become_impossible_to_retire(data: st.DataObject) -> None:
    a_life = data.draw(lives())
    earlier = data.draw(st.lists(decisions(a_life.receipt), max_size=2))
    decision = data.draw(decisions(a_life.receipt))
    with tempfile.TemporaryDirectory() as folder:
        sink: Sink = Dossier(Path(folder), a_life.plan.request)
        for step in (*earlier, decision):
            admission = admit(a_life.plan, a_life.receipt, step)
            for other in {row.admission_id for row in sink.held(plan_id(a_life))} - {admission.admission_id}:
                sink.withdraw(other, admission.admission_id or "", LATER)
            assert sink.write(admission, admission.downstream_projection.sources, NOW) == []
        assert sink.damaged(plan_id(a_life)) == []
        result = readback(a_life.plan, a_life.receipt, decision, sink.held(plan_id(a_life)))
    assert result.retirement is not None
    assert result.retirement.retire_ready


def test_writing_again_changes_nothing(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(*REFS)
    assert dossier.write(admission, a_life.receipt.sources, NOW) == []
    held, document = dossier.held(plan_id(a_life)), dossier.document.read_bytes()
    assert dossier.write(admission, a_life.receipt.sources, LATER) == []
    assert (
        dossier.held(plan_id(a_life)) == held == [held_of(admission, s, NOW) for s in a_life.receipt.sources]
    )
    assert dossier.document.read_bytes() == document


def test_a_withdrawn_row_is_kept_marked_and_covers_nothing(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.receipt.sources, NOW)
    assert dossier.withdraw(admission.admission_id or "", "parent_rejected", LATER) == 3
    assert dossier.withdraw(admission.admission_id or "", "another", LATEST) == 0
    held = dossier.held(plan_id(a_life))
    assert {(row.withdrawn, row.recorded_at) for row in held} == {("parent_rejected", LATER)}
    assert covered_refs(admission, held) == ()


def test_an_admission_that_is_decided_again_becomes_current_again(a_life: Life, dossier: Dossier) -> None:
    first, second = a_life.admit(*REFS[:2]), a_life.admit(*REFS[1:])
    ids = [first.admission_id or "", second.admission_id or ""]
    dossier.write(first, a_life.sources(*REFS[:2]), NOW)
    dossier.withdraw(ids[0], ids[1], LATER)
    dossier.write(second, a_life.sources(*REFS[1:]), LATER)
    assert covered_refs(first, dossier.held(plan_id(a_life))) == ()
    assert covered_refs(second, dossier.held(plan_id(a_life))) == REFS[1:]
    dossier.withdraw(ids[1], ids[0], LATEST)
    dossier.write(first, a_life.sources(*REFS[:2]), LATEST)
    assert covered_refs(first, dossier.held(plan_id(a_life))) == REFS[:2]
    assert covered_refs(second, dossier.held(plan_id(a_life))) == ()
    document = dossier.document.read_text("utf-8")
    assert "### [1] `urn:" in document
    assert "### [3]" not in document
    assert f"撤回依据 Withdrawn by: `{ids[0]}`" in document


def test_two_admissions_of_one_ref_live_side_by_side(a_life: Life, dossier: Dossier) -> None:
    first, second = a_life.admit(REFS[0]), a_life.admit(REFS[0], reason="other words")
    for admission in (first, second):
        assert dossier.write(admission, a_life.sources(REFS[0]), NOW) == []
    held = dossier.held(plan_id(a_life))
    assert len(held) == 2
    assert covered_refs(first, held) == covered_refs(second, held) == (REFS[0],)
    dossier.withdraw(first.admission_id or "", "parent_rejected", LATER)
    assert covered_refs(second, dossier.held(plan_id(a_life))) == (REFS[0],)


def test_a_row_with_another_finding_is_a_conflict_and_stops_no_other(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.sources(REFS[1]), NOW)
    forged = held_of(admission, a_life.sources(REFS[1])[0].replace(finding="forged"), NOW)
    body = forged.canonical()
    edit(dossier, "UPDATE entry SET body = ?, digest = ?", body, digest_bytes(body))
    blockers = dossier.write(admission, a_life.receipt.sources, LATER)
    assert [(blocker.source_ref, blocker.code) for blocker in blockers] == [(REFS[1], "conflict")]
    held = dossier.held(plan_id(a_life))
    assert forged in held
    assert covered_refs(admission, held) == (REFS[0], REFS[2])


def test_every_source_that_was_not_admitted_is_named_and_stops_no_other(
    a_life: Life, dossier: Dossier
) -> None:
    admission = a_life.admit(REFS[1])
    changed = a_life.sources(REFS[1])[0].replace(finding="changed")
    blockers = dossier.write(admission, [*a_life.receipt.sources, changed], NOW)
    assert [(blocker.source_ref, blocker.code) for blocker in blockers] == [
        (REFS[0], "not_admitted"),
        (REFS[2], "not_admitted"),
        (REFS[1], "not_admitted"),
    ]
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == (REFS[1],)


def test_refs_that_differ_only_by_slash_case_or_encoding_are_other_rows(tmp_path: Path) -> None:
    near = ["https://e.x/a", "https://e.x/a/", "https://e.x/A", "https://e.x/%61"]
    a_life = life([source(ref) for ref in near])
    dossier = Dossier(tmp_path, a_life.plan.request)
    admission = a_life.admit(*near)
    dossier.write(admission, a_life.sources(*near[1:]), NOW)
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == tuple(near[1:])


def test_rows_of_another_plan_of_the_same_question_stay_out_of_the_reading(tmp_path: Path) -> None:
    one, two = life(), life([source(REFS[0], finding="seen later")], receipt_summary="second run")
    assert one.plan == two.plan
    dossier = Dossier(tmp_path, one.plan.request)
    dossier.write(one.admit(REFS[0]), one.sources(REFS[0]), NOW)
    dossier.write(two.admit(REFS[0]), two.sources(REFS[0]), NOW)
    assert len(dossier.held(plan_id(one))) == 2
    assert dossier.held(digest("another plan")) == []


@pytest.mark.parametrize("column", ["plan_id", "admission_id", "source_ref", "digest", "body"])
def test_a_damaged_row_covers_nothing_is_reported_and_can_be_written_again(
    a_life: Life, dossier: Dossier, column: str
) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.receipt.sources, NOW)
    other = "urn:x:y" if column == "source_ref" else digest("other")
    edit(dossier, f"UPDATE entry SET {column} = ? WHERE number = 2", other)  # noqa: S608 - a column's name
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == (REFS[0], REFS[2])
    reported = dossier.damaged(plan_id(a_life))
    assert [blocker.code for blocker in reported] == ["damaged"]
    assert dossier.damaged(digest("another plan")) == []
    assert dossier.write(admission, a_life.receipt.sources, LATER) == []
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == REFS


@pytest.mark.parametrize("junk", [b"", b"\xff\xfe", b"{}", b"[", 7, "text"])
def test_bytes_that_were_never_a_row_are_damage(a_life: Life, dossier: Dossier, junk: object) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.receipt.sources, NOW)
    mark = digest_bytes(junk) if isinstance(junk, bytes) else "x"
    edit(dossier, "UPDATE entry SET body = ?, digest = ? WHERE number = 1", junk, mark)
    edit(dossier, "UPDATE entry SET plan_id = ?, source_ref = ? WHERE number = 1", b"\xff", b"\xff\x00")
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == REFS[1:]
    assert [(b.source_ref, b.code) for b in dossier.damaged(plan_id(a_life))] == [(None, "damaged")]
    dossier.render()
    assert "已损坏，不可读 damaged, unreadable" in dossier.document.read_text("utf-8")


def test_bytes_in_another_key_order_are_damage(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(REFS[0])
    dossier.write(admission, a_life.sources(REFS[0]), NOW)
    body = b" " + held_of(admission, a_life.receipt.sources[0], NOW).canonical()
    edit(dossier, "UPDATE entry SET body = ?, digest = ?", body, digest_bytes(body))
    assert dossier.held(plan_id(a_life)) == []
    assert "canonical" in dossier.damaged(plan_id(a_life))[0].reason


@pytest.mark.parametrize("table", ["question", "admission"])
def test_a_damaged_question_or_admission_is_reported_and_healed(
    a_life: Life, dossier: Dossier, table: str
) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.receipt.sources, NOW)
    before = dossier.document.read_bytes()
    edit(dossier, f"UPDATE {table} SET digest = 'x'")  # noqa: S608 - a table's name
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == REFS
    assert [(b.source_ref, b.code) for b in dossier.damaged(plan_id(a_life))] == [(None, "damaged")]
    dossier.render()
    assert "## 已损坏 Damaged\n\n- 已损坏，不可读 damaged, unreadable: " in dossier.document.read_text(
        "utf-8"
    )
    dossier.write(admission, a_life.receipt.sources, LATER)
    assert dossier.damaged(plan_id(a_life)) == []
    assert dossier.document.read_bytes() == before


def test_an_admission_under_another_id_is_damage(a_life: Life, dossier: Dossier) -> None:
    dossier.write(a_life.admit(*REFS), a_life.receipt.sources, NOW)
    edit(dossier, "UPDATE admission SET admission_id = ?", digest("other"))
    assert "another id" in dossier.damaged(plan_id(a_life))[0].reason


def test_an_admission_that_its_id_does_not_name_is_damage(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.receipt.sources, NOW)
    forged = admission.replace(reason="forged").canonical()
    edit(dossier, "UPDATE admission SET body = ?, digest = ?", forged, digest_bytes(forged))
    assert "admission_id" in dossier.damaged(plan_id(a_life))[0].reason
    dossier.render()
    assert "采纳理由 Reason: 已损坏，不可读 damaged, unreadable" in dossier.document.read_text("utf-8")


def test_the_number_of_an_entry_that_was_deleted_is_not_given_again(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.receipt.sources, NOW)
    edit(dossier, "DELETE FROM entry WHERE number = 3")
    assert covered_refs(admission, dossier.held(plan_id(a_life))) == REFS[:2]
    dossier.write(admission, a_life.receipt.sources, LATER)
    assert f"### [4] `{REFS[2]}`" in dossier.document.read_text("utf-8")


def test_an_admission_or_a_question_that_is_not_what_its_id_names_is_refused(
    a_life: Life, dossier: Dossier, tmp_path: Path
) -> None:
    admission = a_life.admit(REFS[0])
    with pytest.raises(MismatchError, match="admission_id"):
        dossier.write(admission.replace(reason="forged"), a_life.sources(REFS[0]), NOW)
    other = life(objective="another question")
    with pytest.raises(MismatchError, match=r"admission\.request_id"):
        dossier.write(other.admit(REFS[0]), other.sources(REFS[0]), NOW)
    request = a_life.plan.request
    for forged in (request.replace(objective="forged"), request.replace(request_id=None)):
        with pytest.raises(MismatchError, match="request_id"):
            Dossier(tmp_path, forged)
    assert list(tmp_path.iterdir()) == []


def test_an_instant_that_is_none_leaves_the_dossier_as_it_was(a_life: Life, dossier: Dossier) -> None:
    admission = a_life.admit(*REFS)
    dossier.write(admission, a_life.sources(REFS[0]), NOW)
    before = dossier.path.read_bytes()
    with pytest.raises(InvalidError, match="recorded_at"):
        dossier.write(admission, a_life.receipt.sources, "yesterday")
    with pytest.raises(InvalidError, match="withdrawn"):
        dossier.withdraw(admission.admission_id or "", " ", LATER)
    assert dossier.path.read_bytes() == before


def test_a_rejection_writes_its_reason_and_no_citation(a_life: Life, dossier: Dossier) -> None:
    assert dossier.write(a_life.reject(), (), NOW) == []
    assert dossier.held(plan_id(a_life)) == []
    document = dossier.document.read_text("utf-8")
    assert "### 拒绝 reject" in document
    assert "off the point" in document
    assert "### [" not in document


def test_reading_and_withdrawing_make_no_file(a_life: Life, dossier: Dossier, tmp_path: Path) -> None:
    assert dossier.held(plan_id(a_life)) == []
    assert dossier.damaged(plan_id(a_life)) == []
    assert dossier.withdraw(a_life.admit(REFS[0]).admission_id or "", "by", NOW) == 0
    dossier.render()
    assert list(tmp_path.iterdir()) == []


@given(st.data())
def test_the_document_depends_on_the_rows_only(data: st.DataObject) -> None:
    a_life = data.draw(lives())
    refs = [one.source_ref for one in a_life.receipt.sources]
    admission = a_life.admit(*refs)
    written: list[Source] = data.draw(st.permutations(a_life.receipt.sources))
    documents = []
    for chunks in ([written], [[one] for one in written]):
        with tempfile.TemporaryDirectory() as folder:
            dossier = Dossier(Path(folder), a_life.plan.request)
            for chunk in chunks:
                dossier.write(admission, chunk, NOW)
            dossier.render()
            documents.append(dossier.document.read_bytes())
    assert documents[0] == documents[1]


def test_the_document_tells_a_reviewer_everything(tmp_path: Path) -> None:
    web = source(
        REFS[1],
        finding="坡度不应大于 1:12",
        limitation="only the 2012 edition",
        publication_date="2012-03-30",
        basis="tested",
    )
    a_life = life([web, source(REFS[0])], receipt_limitations=("one server was down",))
    dossier = Dossier(tmp_path, a_life.plan.request)
    admission = a_life.admit(REFS[1], REFS[0], reason="现行标准")
    dossier.write(admission, a_life.receipt.sources, NOW)
    dossier.withdraw(admission.admission_id or "", "parent_rejected", LATER)
    dossier.write(admission, [web], LATEST)
    document = dossier.document.read_text("utf-8")
    for said in (
        "坡道坡度?", "review", "accept the ramp", "## 证据 Evidence", f"### [1] `{REFS[1]}`",
        "坡度不应大于 1:12", "经过测试 tested", "发布日期 Published: `2012-03-30`",
        "访问时间 Accessed: `2026-02-28T08:00:00Z`", f"记录时间 Recorded: `{LATEST}`", web.content_digest,
        "only the 2012 edition", admission.admission_id or "", "现行标准", f"[打开 open](<{REFS[1]}>)",
        f"### 已撤回 withdrawn `{REFS[0]}`", "曾用编号 Former number: 2", "one server was down",
        "条目 Entries: 现有 current 1, 已撤回 withdrawn 1",
        "发布日期 Published: 未知 unknown", f"撤回记录时间 Withdrawal recorded: `{LATER}`",
    ):  # fmt: skip
        assert said in document, said
    assert document.endswith(
        "- 原始来源仍可使用 original sources stay available\n"
        "- 证据是否齐全未经核实 completeness is unverified\n"
    )
    assert "### [2]" not in document

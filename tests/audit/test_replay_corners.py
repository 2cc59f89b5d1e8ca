"""What a replay does where a store shows something else meanwhile, and other rare turns."""

from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from evidence.audit import Replay, replay
from evidence.replay.erased import own_form
from evidence.replay.findings import MOST_FINDINGS, RECORDS, Findings, Place, RuleBreak
from evidence.replay.lives import Context
from evidence.replay.notes import Notes, raw_id
from evidence.replay.views import View
from evidence.replay.walk import walk
from evidence.replay.workers import checked, derived_part, index_breaks, signatures
from evidence.replayed import replay_log
from ledger.chain import Break
from ledger.sqlite_readonly import open_readonly
from ledger.store import Draft, Head, Reader
from schemas.canonical import digest, digest_bytes
from schemas.ledger import Subject
from schemas.ledger_erasure import ERASURE, BodyErased
from schemas.outside import MAX_BYTES
from tests.audit.histories import clean
from tests.audit.histories import make as make_history
from tests.audit.lives import Shelf, Step, make, shelf_of, steps
from tests.audit.plain import plain_replay
from tests.ledger.steps import edit
from tests.world import open_ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make(tmp_path / "l.sqlite3", 6, seed=5)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    return steps(make(tmp_path_factory.mktemp("whole") / "l.sqlite3", 6, seed=5))


def more(path: Path) -> None:
    with closing(open_ledger(path)) as ledger:
        ledger.append(
            Draft("policy.changed", "tester", "policy", Subject(), "policy_v9", digest_bytes(b"x"), b"{}")
        )


def head_of(reader: Reader) -> Head:
    head = reader.head()
    assert head is not None
    return head


def test_a_writer_at_work_changes_nothing_that_several_processes_find(path: Path) -> None:
    edit(path, "UPDATE bodies SET bytes = CAST(replace(bytes, '坡道', '扶手') AS BLOB)")
    log = open_readonly(path)
    with closing(open_ledger(path)), log.read() as reader:
        expected = plain_replay(reader).to_wire()
        more(path)
        assert replay(reader, log=log, jobs=2, few=0).to_wire() == expected
    with log.read() as reader:
        assert replay(reader).records == int(str(expected["records"])) + 1


def test_a_process_that_sees_other_records_leaves_its_findings_to_the_caller(
    path: Path, tmp_path: Path
) -> None:
    log = open_readonly(path)
    with log.read() as reader:
        head = head_of(reader)
    assert checked(index_breaks, log, head) == []
    assert checked(signatures, log, head) == []
    edit(path, "DELETE FROM subjects WHERE seq = 9")
    found = checked(index_breaks, log, head)
    assert found
    assert checked(index_breaks, log, head._replace(id=digest("another"))) is None
    edit(path, "UPDATE bodies SET bytes = CAST(replace(bytes, '坡道', '扶手') AS BLOB)")
    with log.read() as reader, closing(Notes.begin(tmp_path / "notes")) as notes:
        walked = walk(reader, notes, View(), {})
    context = Context(walked.records, schemas=walked.schemas)
    asked = (tmp_path / "notes", context, 0, walked.steps)
    told = derived_part(log, head, *asked)
    assert told is not None
    assert told.findings.tampered
    assert derived_part(log, head._replace(id=digest("another")), *asked) is None
    edit(path, "UPDATE records SET raw = x'00' WHERE seq = 9")
    assert derived_part(log, head, *asked) is None
    edit(path, "UPDATE records SET raw = 'text' WHERE seq = 9")
    assert checked(index_breaks, log, head) is None
    assert derived_part(log, head, *asked) is None


class Forgetful(Shelf):
    """A store that looks up another record, or no body, than it showed before."""

    def __init__(self, whole: list[Step], record: int | None, body: int | None) -> None:
        super().__init__(
            [(step.record.seq, step.record.canonical()) for step in whole], [s.body for s in whole]
        )
        self._record = record
        self._body = None if body is None else whole[body].record.body.digest
        self._asked = 0

    def raw(self, seq: int) -> bytes | None:
        """Another record, for one of them."""
        return b"{}" if seq == self._record else super().raw(seq)

    def body(self, digest: str) -> bytes | None:
        """Each body, but one of them only once."""
        self._asked += digest == self._body
        return None if digest == self._body and self._asked > 1 else super().body(digest)


def of_kind(whole: list[Step], kind: str) -> int:
    return next(at for at, step in enumerate(whole) if step.record.kind == kind)


def test_a_store_that_looks_up_something_else_is_a_finding(whole: list[Step]) -> None:
    last = whole[-1].record  # looked up because it does not name all that its artifact is about
    other = whole[-1]._replace(record=last.replace(subject=Subject(plan_id=last.subject.plan_id)))
    record = Forgetful([*whole[:-1], other], last.seq, None).replay()
    body = Forgetful(whole, None, of_kind(whole, "provider.observed")).replay()
    for report in (record, body):
        assert [finding.field for finding in report.findings] == ["file"]
        assert "another one when it is looked up" in report.findings[0].found
        assert report.tampered


def same(whole: list[Step]) -> Replay:
    shelf = shelf_of(whole)
    report = shelf.replay()
    assert report.to_wire() == plain_replay(cast(Reader, shelf)).to_wire()
    return report


def test_a_body_too_long_to_be_read_or_written_with_spaces_is_named(whole: list[Step]) -> None:
    at = of_kind(whole, "execution.started")
    for body in (b'{"plan_id":"' + b"x" * MAX_BYTES + b'"}', whole[at].body.replace(b"{", b"{ ", 1)):
        report = same([*whole[:at], whole[at]._replace(body=body), *whole[at + 1 :]])
        assert report.findings[0][:2] == (at, "body")


def test_lives_told_by_artifacts_go_on_where_an_artifact_cannot_be_read(whole: list[Step]) -> None:
    at, other = of_kind(whole, "plan.created"), of_kind(whole, "receipt.observed")
    made = list(whole)
    made[at] = whole[at]._replace(record=whole[at].record.replace(subject=Subject()))
    made[other] = whole[other]._replace(body=b"no artifact")
    assert len(same(made).findings) > 1
    shelf = shelf_of(made)
    lacking = Shelf(shelf.records(), [step.body for step in made if step is not made[other]])
    assert lacking.replay().to_wire() == plain_replay(cast(Reader, lacking)).to_wire()


def test_notes_of_many_steps_are_sorted_by_lives_and_tell_repeated_keys(whole: list[Step]) -> None:
    like = whole[of_kind(whole, "plan.created")].record
    like = like.replace(subject=Subject(request_id=like.subject.request_id))
    with closing(Notes.begin()) as notes:
        for seq in range(3000):
            identity = digest(seq)
            notes.step(digest(seq % 700), seq, identity, like, usual=seq != 4)
            notes.first_use(digest(seq % 2999), seq)
        assert notes.finish() == 3000
        lives = list(notes.lives())
        assert [life.plan_id for life in lives] == [digest(number) for number in range(700)]
        assert all(
            [step.seq for step in life.steps] == sorted(step.seq for step in life.steps) for life in lives
        )
        said = (*like.subject.ids().values(), None, None, like.body.digest, like.body.size)
        assert lives[3].steps[0] == (3, raw_id(digest(3)), like.kind, *said)
        assert lives[4].steps[0] == (4, raw_id(digest(4)), None, *said)
        assert list(notes.repeated()) == [(2999, 0)]


def test_the_first_findings_are_kept_and_the_rest_is_counted() -> None:
    found = Findings()
    for seq in reversed(range(6 * MOST_FINDINGS)):
        found.add(Place(RECORDS, seq), (RuleBreak(seq, "kind", "rule", "a", "b"),))
    first, last = found.listed()[0], found.listed()[-1]
    assert (first.seq, last.seq, found.truncated) == (0, MOST_FINDINGS - 1, True)
    assert (found.rule_broken, found.tampered, found.none) == (True, False, False)


def test_an_artifact_that_is_not_as_it_would_be_written_is_told_although_its_life_was_erased(
    whole: list[Step],
) -> None:
    step = whole[of_kind(whole, "execution.started")]
    assert list(own_form(step.record, parsed(step))) == []
    [found] = own_form(step.record, {**parsed(step), "state": "begun"})
    assert found.field == "body execution.state"
    receipt = whole[of_kind(whole, "receipt.observed")]
    [padded] = own_form(receipt.record, {**parsed(receipt), "summary": " padded "})
    assert padded.rule == "identity_mismatch"


def parsed(step: Step) -> dict[str, object]:
    from schemas.outside import parse

    value = parse(step.body)
    assert isinstance(value, dict)
    return value


def test_a_damaged_log_is_replayed_as_far_as_it_goes(tmp_path: Path) -> None:
    history = make_history(tmp_path)
    copy = tmp_path / "copy"
    clean(history, copy)
    edit(copy, "CREATE TABLE more (one)")
    assert [one.field for one in replay_log(copy).told.findings] == ["file"]
    kept = history.early.read_bytes()
    for change in (
        "UPDATE records SET raw = x'00' WHERE seq = 0",
        "UPDATE bodies SET bytes = CAST(replace(bytes, '\"profile\"', '\"profilE\"') AS BLOB)",
    ):
        copy.unlink()
        clean(history, copy)
        edit(copy, change)
        answer = replay_log(copy, believed=kept)
        assert answer.verdict == "TAMPERED", change
    copy.unlink()
    clean(history, copy)
    edit(copy, "UPDATE records SET raw = CAST(replace(raw, 'tester', 'tesTer') AS BLOB) WHERE seq = 1")
    raw = copy.read_bytes()
    copy.write_bytes(raw[: len(raw) - 4096])
    answer = replay_log(copy)
    assert answer.torn is not None
    assert answer.verdict in ("TAMPERED", "TORN")
    assert isinstance(answer.told.findings[0], Break)


def test_the_erased_body_of_a_kind_that_nobody_interprets_is_listed(whole: list[Step]) -> None:
    like = whole[of_kind(whole, "provider.observed")]
    unknown = Step(like.record.replace(kind="moon.rose", idem=digest("a"), subject=Subject()), b"{}")
    stated = BodyErased(origin=like.record.log, bodies=(digest_bytes(b"{}"),), reason="asked for")
    about = Subject(plan_id=digest("some plan"))
    record = like.record.replace(kind=ERASURE, idem=digest("b"), subject=about)
    shelf = shelf_of([*whole, unknown, Step(record, stated.canonical())])
    kept = [step.body for step in whole]
    report = Shelf(shelf.records(), [*kept, stated.canonical()]).replay()
    assert (report.erased, report.uninterpreted) == ([len(whole)], [])
    assert report.findings[0].field == "schema.name"
    assert not report.tampered

"""Several engines on one ledger file at once."""

from pathlib import Path
from threading import Barrier, Thread

from evidence.audit import replay
from evidence.engine import Engine
from providers.registry import Registry
from schemas.admission import Admission, Decision
from schemas.errors import BusyError, EvidenceError, OrderError
from schemas.plan import Plan
from schemas.readback import Held
from schemas.receipt import Receipt
from tests.world import REFS, Memory, World, engine, honest, kinds, open_ledger, refusal, request

ADMIT = Decision(disposition="admit", reason="fits", admitted_source_refs=REFS)


def test_two_engines_may_take_turns_in_one_life(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    first, second = (engine(ledger=open_ledger(path)) for _ in range(2))
    plan = first.plan(request())
    receipt = second.execute(plan).receipt
    admission = first.admit(plan, receipt, ADMIT)
    second.readback(plan, receipt, ADMIT, Memory(), execute=True)
    assert first.retire(admission).retire_ready
    assert second.retire(admission).retire_ready


def test_executions_that_overlap_both_come_home(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    inner = engine(ledger=open_ledger(path))

    def meanwhile(plan: Plan) -> Receipt:
        inner.execute(plan)
        return honest(plan, summary="the slower one")

    outer = engine(World(answer=meanwhile), open_ledger(path))
    plan = outer.plan(request())
    assert outer.execute(plan).receipt.summary == "the slower one"
    assert kinds(open_ledger(path))[2:] == [
        "execution.started", "execution.started", "execution.finished", "receipt.observed",
        "execution.finished",
        "receipt.observed",
    ]  # fmt: skip
    with open_ledger(path).read() as reader:
        assert replay(reader).clean


def test_of_two_decisions_at_once_one_comes_into_force(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    begun = engine(ledger=open_ledger(path))
    plan = begun.plan(request())
    receipt = begun.execute(plan).receipt
    start = Barrier(4)
    made: list[Admission] = []
    refused: list[EvidenceError] = []

    def decide(number: int) -> None:
        runs = Engine(Registry(), begun.clock, open_ledger(path), actor=f"actor-{number}")
        start.wait()
        try:
            made.append(runs.admit(plan, receipt, Decision(disposition="reject", reason=f"reason {number}")))
        except OrderError as error:
            refused.append(error)

    threads = [Thread(target=decide, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 3)
    assert kinds(open_ledger(path)).count("admission.decided") == 1


def test_nobody_supersedes_between_the_writing_and_the_record(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    first = engine(ledger=open_ledger(path))
    other = engine(ledger=open_ledger(path, timeout_seconds=0))
    plan = first.plan(request())
    receipt = first.execute(plan).receipt
    first.admit(plan, receipt, ADMIT)
    later = Decision(disposition="admit", reason="on second thoughts", admitted_source_refs=REFS[:1])
    met: list[EvidenceError | None] = []

    class Overtaken(Memory):
        def held(self, plan_id: str) -> list[Held]:
            if not met:
                met.append(refusal(lambda: other.admit(plan, receipt, later, supersede=True)))
            return super().held(plan_id)

    sink = Overtaken()
    assert len(first.readback(plan, receipt, ADMIT, sink, execute=True).downstream_source_refs) == 3
    assert [type(refused) for refused in met] == [BusyError]
    new = other.admit(plan, receipt, later, supersede=True)
    other.readback(plan, receipt, later, sink, execute=True)
    current = {held.admission_id for held in sink.held(plan.plan_id or "") if held.withdrawn is None}
    assert current == {new.admission_id}


def test_lives_that_run_at_once_are_all_whole(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    open_ledger(path).close()
    start = Barrier(3)
    verdicts: list[bool] = []

    def live(number: int) -> None:
        runs = Engine(Registry((World(),)), World().clock, open_ledger(path), actor=f"actor-{number}")
        start.wait()
        plan = runs.plan(request(f"question {number}"))
        receipt = runs.execute(plan).receipt
        admission = runs.admit(plan, receipt, ADMIT)
        runs.readback(plan, receipt, ADMIT, Memory(), execute=True)
        verdicts.append(runs.retire(admission).retire_ready)

    threads = [Thread(target=live, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [True] * 3
    with open_ledger(path).read() as reader:
        report = replay(reader)
    assert report.findings == []
    assert (report.plans, report.receipts, report.admissions, report.retired) == (3, 3, 3, 3)

"""Nothing more is recorded about what was erased; what was not touched by it goes on."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evidence.audit import replay
from evidence.engine import Engine
from ledger.erasure import erase
from ledger.sqlite import SqliteLedger
from schemas.admission import Admission, Decision
from schemas.errors import ErasedError, IntegrityError, OrderError
from schemas.plan import Plan
from schemas.receipt import Receipt
from tests.ledger.steps import edit
from tests.world import REFS, Memory, World, engine, honest, kinds, open_ledger, request, row

ADMIT = Decision(disposition="admit", reason="fits", admitted_source_refs=REFS[:2])
OTHER = Decision(disposition="reject", reason="on second thoughts")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    """A ledger that holds whatever was done to it."""
    with closing(open_ledger(tmp_path / "l.sqlite3")) as held:
        yield held
        with held.read() as reader:
            assert replay(reader).findings == []


class Lived:
    """A plan, its receipt and the decision on it, and whoever takes the next step."""

    def __init__(self, ledger: SqliteLedger) -> None:
        self.ledger = ledger
        self.runs: Engine = engine(ledger=ledger)
        self.plan: Plan = self.runs.plan(request())
        self.receipt: Receipt = self.runs.execute(self.plan).receipt
        self.admission: Admission = self.runs.admit(self.plan, self.receipt, ADMIT)

    def erase(self, field: str) -> None:
        """Erase it by that id."""
        named = {**self.admission.to_wire(), "plan_id": self.plan.plan_id}
        erase(self.ledger, str(named[field]), "asked for", "keeper")


@pytest.fixture
def lived(ledger: SqliteLedger) -> Lived:
    return Lived(ledger)


def again(lived: Lived) -> object:
    return lived.runs.plan(request())


def elsewhere(lived: Lived) -> object:
    return engine(World(probes=[row("method:other")]), lived.ledger).plan(request())


def execute(lived: Lived) -> object:
    return lived.runs.execute(lived.plan)


def receive(lived: Lived) -> object:
    return lived.runs.receipt(lived.plan, lived.receipt)


def receive_other(lived: Lived) -> object:
    return lived.runs.receipt(lived.plan, honest(lived.plan, summary="another"))


def admit(lived: Lived) -> object:
    return lived.runs.admit(lived.plan, lived.receipt, OTHER, supersede=True)


def read_back(lived: Lived) -> object:
    return lived.runs.readback(lived.plan, lived.receipt, ADMIT, Memory(), execute=True)


def retire(lived: Lived) -> object:
    return lived.runs.retire(lived.admission)


ALL = (again, elsewhere, execute, receive, receive_other, admit, read_back, retire)
OF_RECEIPT = (receive, admit, read_back, retire)
REFUSED = {
    "request_id": ALL,
    "plan_id": tuple(one for one in ALL if one is not elsewhere),
    "receipt_digest": OF_RECEIPT,
    "admission_id": OF_RECEIPT,
}


@pytest.mark.parametrize("step", ALL, ids=lambda one: one.__name__)
@pytest.mark.parametrize("field", REFUSED)
def test_what_was_erased_takes_no_further_step_and_the_rest_does(
    lived: Lived, field: str, step: Callable[[Lived], object]
) -> None:
    lived.erase(field)
    before = kinds(lived.ledger)
    if step not in REFUSED[field]:
        assert step(lived)
        return
    with pytest.raises(ErasedError, match="was erased from this ledger") as refused:
        step(lived)
    assert (refused.value.code, refused.value.exit_status, refused.value.http_status) == ("erased", 4, 410)
    assert "another one" in str(refused.value.hint)
    assert kinds(lived.ledger) == before


def test_the_next_attempt_counts_on_from_those_of_an_erased_receipt(lived: Lived) -> None:
    lived.erase("receipt_digest")
    receipt = lived.runs.execute(lived.plan).receipt
    assert lived.runs.admit(lived.plan, receipt, ADMIT).receipt_digest != lived.admission.receipt_digest
    with lived.ledger.read() as reader:
        assert (replay(reader).plans, replay(reader).receipts) == (1, 1)


def test_a_plan_whose_erased_evidence_retired_gathers_nothing_new(lived: Lived) -> None:
    lived.runs.readback(lived.plan, lived.receipt, ADMIT, Memory(), execute=True)
    lived.runs.retire(lived.admission)
    lived.erase("receipt_digest")
    for step in (execute, receive_other):
        with pytest.raises(OrderError, check=lambda error: error.rule == "nothing-after-retirement"):
            step(lived)


def test_a_provider_that_answers_again_with_an_erased_receipt_is_not_recorded(ledger: SqliteLedger) -> None:
    runs = engine(World(answer=honest), ledger)
    plan = runs.plan(request())
    observation = runs.execute(plan)
    erase(ledger, observation.receipt.digest(), "asked for", "keeper")
    with pytest.raises(ErasedError, match="the receipt"):
        runs.execute(plan)
    assert kinds(ledger)[-1] == "execution.started"


def test_a_body_that_is_gone_without_a_word_is_no_erased_one(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with closing(open_ledger(path)) as ledger:
        lived = Lived(ledger)
        other = lived.runs.execute(lived.plan).receipt
        lived.runs.admit(lived.plan, other, ADMIT)
        lived.erase("receipt_digest")
        edit(path, "DELETE FROM bodies WHERE instr(bytes, ?)", other.digest().encode())
        for step in (execute, receive_other):
            with pytest.raises(IntegrityError, match="has no body"):
                step(lived)

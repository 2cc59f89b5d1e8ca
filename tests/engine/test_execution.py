"""Running a provider (lifecycle.md section 8): verified and probed before, bound after, whatever it does."""

from pathlib import Path
from typing import Any

import pytest

from evidence.engine import Engine
from evidence.execution import failed_receipt, run
from providers.base import Connector, Provider, is_connector
from providers.registry import Registry
from schemas.canonical import ALGORITHMS, Algorithm, digest
from schemas.errors import (
    EvidenceError,
    MismatchError,
    NetworkRefusedError,
    NotFoundError,
    NotReadyError,
    ProviderError,
    UsageError,
)
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import Receipt
from schemas.text import refused_character
from tests.world import (
    LIES,
    REFS,
    Clock,
    Late,
    World,
    connector,
    engine,
    honest,
    kinds,
    open_ledger,
    request,
    row,
)


@pytest.mark.req("one-protocol")
@pytest.mark.parametrize("kind", ["method", "connector"])
def test_methods_and_connectors_run_through_one_protocol(kind: str) -> None:
    world = World() if kind == "method" else connector()
    assert isinstance(world, Provider)
    assert isinstance(world, Connector) is is_connector(world) is (kind == "connector")
    runs = engine(world)
    plan = runs.plan(request())
    seen = runs.execute(plan, allow_network=True)
    assert (seen.status, seen.provider_kind) == ("succeeded", kind)
    assert seen.plan_id == plan.plan_id
    assert world.asked == ["readiness", "readiness", "execute"]


@pytest.mark.req("receipt-refusals", "receipt-binding")
@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_provider_that_fails_or_lies_gives_a_failed_receipt_that_names_the_step(
    lie: str, algorithm: Algorithm
) -> None:
    answer, step = LIES[lie]
    runs = engine(World(answer=answer), algorithm=algorithm)
    plan = runs.plan(request())
    seen = runs.execute(plan)
    assert (seen.status, seen.receipt.sources, seen.plan_id) == ("failed", (), plan.plan_id)
    (said,) = seen.receipt.limitations
    assert said.startswith(f"failed while {step}")
    assert refused_character(said) is None
    assert seen.truth_contract.raw_source_fallback_allowed
    assert Receipt.read(seen.receipt.to_wire()) == seen.receipt


def test_a_failed_execution_is_recorded_and_may_be_tried_again(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    world = World(answer=LIES["raises ours"][0])
    runs = engine(world, ledger)
    plan = runs.plan(request())
    assert runs.execute(plan).status == "failed"
    world.answer = None
    assert runs.execute(plan).status == "succeeded"
    assert kinds(ledger)[2:] == ["execution.started", "execution.finished", "receipt.observed"] * 2
    ledger.close()


def test_the_same_answer_again_is_one_receipt(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    runs = engine(World(answer=honest), ledger)
    plan = runs.plan(request())
    assert runs.execute(plan) == runs.execute(plan)
    assert kinds(ledger).count("execution.finished") == 2
    assert kinds(ledger).count("receipt.observed") == 1
    ledger.close()


def test_a_late_provider_is_left_behind_and_never_heard_again(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    late = Late()
    runs = Engine(Registry((late,)), late.clock, ledger, timeout_seconds=0.01)
    plan = runs.plan(request())
    seen = runs.execute(plan)
    assert seen.receipt.limitations == (
        "failed while waiting for the provider: no answer after 0.01 seconds",
    )
    before = kinds(ledger)
    late.gate.set()
    assert runs.receipt(plan, seen.receipt) == seen
    assert kinds(ledger) == before
    ledger.close()


def test_what_a_provider_does_to_its_plan_reaches_no_record(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    other = engine().plan(request("another question"))

    def answer(plan: Plan) -> Receipt:
        plan.__dict__.update(other.__dict__)
        return honest(plan)

    runs = engine(World(answer=answer), ledger)
    plan = runs.plan(request())
    (said,) = runs.execute(plan).receipt.limitations
    assert said.startswith("failed while binding its receipt to the plan: receipt.plan_id")
    assert plan == runs.plan(request())
    assert kinds(ledger)[2:] == ["execution.started", "execution.finished", "receipt.observed"]
    ledger.close()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_timeout_is_a_number_above_zero(seconds: float) -> None:
    with pytest.raises(UsageError, match="timeout"):
        Engine(Registry((World(),)), Clock(), timeout_seconds=seconds)


@pytest.mark.parametrize("seconds", [1e10, 1e300, float("inf")])
def test_a_timeout_may_be_longer_than_any_clock_counts(seconds: float) -> None:
    runs = Engine(Registry((World(),)), Clock(), timeout_seconds=seconds)
    assert runs.execute(runs.plan(request())).status == "succeeded"


def test_an_empty_answer_is_no_failure() -> None:
    runs = engine(World(answer=lambda plan: honest(plan, refs=())))
    assert runs.execute(runs.plan(request())).status == "no_evidence"


@pytest.mark.parametrize(
    ("probed", "why"),
    [
        (row(ready=False), "switched off"),
        (ProviderError("no key\x1b[31m"), "readiness probe failed: no key\ufffd[31m"),
        (RuntimeError("broken"), "readiness probe failed: RuntimeError: broken"),
        (None, "readiness probe failed: its probe answered with a NoneType"),
        (row("method:else"), "readiness probe failed: its probe answered for method method:else"),
        (row(kind="connector"), "readiness probe failed: its probe answered for connector method:world"),
    ],
    ids=["not ready", "our error", "foreign error", "none", "another id", "another kind"],
)
def test_a_provider_that_is_no_longer_ready_does_not_run(
    tmp_path: Path, probed: ProviderRow | BaseException | None, why: str
) -> None:
    ledger = open_ledger(tmp_path / "l.sqlite3")
    world = World(probes=[row(), probed])
    runs = engine(world, ledger)
    plan = runs.plan(request())
    with pytest.raises(NotReadyError) as caught:
        runs.execute(plan)
    assert caught.value.message == f"method:world is not ready now: {why}"
    assert "execute" not in world.asked
    assert kinds(ledger) == ["provider.observed", "plan.created"]
    assert runs.execute(plan).status == "succeeded"
    ledger.close()


@pytest.mark.req("plan-tamper")
@pytest.mark.parametrize(
    "change",
    [
        {"request": request("another question").identified("blake3")},
        {"request": request().replace(decision="another").identified("blake3")},
        {"request": request().replace(constraints=("x",)).identified("blake3")},
        {"provider_candidates": (row().replace(unavailable_reason="x"),)},
        {"execution_envelope": None},
        {"plan_id": digest("x")},
    ],
    ids=["objective", "decision", "constraints", "readiness", "envelope", "id"],
)
def test_no_provider_code_runs_for_a_plan_that_does_not_verify(change: dict[str, Any]) -> None:
    world = connector()
    runs = engine(world)
    plan = runs.plan(request())
    changed = plan.replace(**change)
    world.asked.clear()
    for step in (lambda: runs.execute(changed, allow_network=True), lambda: runs.outgoing(changed)):
        with pytest.raises(MismatchError):
            step()
    assert world.asked == []


def test_a_connector_sends_nothing_without_leave_and_shows_what_it_would() -> None:
    world = connector()
    runs = engine(world)
    plan = runs.plan(request("坡道坡度?"))
    world.asked.clear()
    with pytest.raises(NetworkRefusedError) as caught:
        runs.execute(plan)
    assert world.asked == []
    assert caught.value.hint is not None
    assert [message.to_wire() for message in runs.outgoing(plan)] == [
        {"destination": "https://example.org/search", "content": "坡道坡度?"}
    ]
    assert world.asked == ["outgoing"]
    assert runs.execute(plan, allow_network=True).status == "succeeded"


def test_a_method_has_nothing_to_send() -> None:
    runs = engine()
    assert runs.outgoing(runs.plan(request())) == ()


def test_a_row_from_a_file_cannot_be_executed_here() -> None:
    runs = Engine(Registry(observed=(row("method:elsewhere"),)), Clock())
    plan = runs.plan(request())
    assert plan.status == "ready"
    with pytest.raises(NotFoundError, match="method:elsewhere does not run here") as caught:
        runs.execute(plan)
    assert caught.value.hint is not None
    assert runs.receipt(plan, honest(plan)).status == "succeeded"


def test_a_source_that_was_refused_does_not_cost_the_others() -> None:
    limited = World(
        answer=lambda plan: honest(plan, refs=REFS[:1], limitations=("https://example.org/a: timed out",))
    )
    runs = engine(limited)
    seen = runs.execute(runs.plan(request()))
    assert (seen.status, len(seen.receipt.sources)) == ("succeeded", 1)


def test_the_failed_receipt_of_a_plan_without_a_provider_cannot_be_made() -> None:
    blocked = engine(World(probes=[row(ready=False)])).plan(request())
    with pytest.raises(EvidenceError, match=r"receipt\.provider_id"):
        failed_receipt(blocked, Clock(), "anything")


def test_a_provider_sees_the_very_plan_that_was_verified() -> None:
    seen: list[Plan] = []

    def answer(plan: Plan) -> Receipt:
        seen.append(plan)
        return honest(plan)

    world = World(answer=answer)
    plan = engine(world).plan(request())
    assert run(world, plan, Clock(), 30) == honest(plan)
    assert seen == [plan]

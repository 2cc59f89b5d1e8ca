"""What a life is after its steps were taken by their bytes: what it is after `interpret` took them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.lifecycle.interpret import interpret
from evidence.lifecycle.life import LedgerLife
from evidence.replay.lives import OF_A_LIFE
from evidence.replay.swift import Rows, Swift
from schemas.outside import parse
from schemas.provider import Discovery
from schemas.record import Record
from tests.audit.lives import make, steps


def shown(life: LedgerLife) -> list[tuple[object, ...]]:
    """All that a life holds, each record with its fields in their order."""
    return [
        (number, plan.attempts, plan.running, plan.delivered, fields(plan.plan), [
            (digest, receipt.history, receipt.superseding, receipt.projections, receipt.retired,
             fields(receipt.receipt), fields(receipt.in_force), fields(receipt.readback))
            for digest, receipt in plan.receipts.items()
        ])
        for number, plan in life.plans.items()
    ]  # fmt: skip


def fields(value: object) -> object:
    """The value, where records are told field by field."""
    if isinstance(value, Record):
        return type(value), [(name, fields(one)) for name, one in vars(value).items()]
    return [fields(one) for one in value] if isinstance(value, tuple) else value


@settings(max_examples=8)
@given(st.integers(0, 2**32))
def test_steps_by_their_bytes_make_the_same_life(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    whole, rows = LedgerLife(), None
    lives: dict[str, tuple[LedgerLife, Swift]] = {}
    for record, body in steps(make(tmp_path_factory.mktemp("lives") / "l.sqlite3", 4, seed)):
        artifact = parse(body) if record.kind in OF_A_LIFE or record.kind == "provider.observed" else None
        if record.kind == "provider.observed":
            interpret(whole, record.kind, artifact)
            rows = Rows(Discovery.read(artifact))
        if record.kind in OF_A_LIFE:
            plan_id = str(record.subject.plan_id)
            life = LedgerLife()
            life, swift = lives.setdefault(plan_id, (life, Swift(plan_id, life)))
            swift.rows, life.observed = rows, whole.observed
            assert fields(swift.step(record.kind, body)) == fields(interpret(whole, record.kind, artifact))
            assert shown(life) == [one for one in shown(whole) if one[0] == plan_id]
    assert lives

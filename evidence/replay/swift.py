"""The steps of a life by their bytes: what can only be one text is made and compared whole.

An honest artifact mostly repeats what was verified before it. Here its expected bytes are made of those
parts and of the few words that are its own, and compared with the stored ones. Where they are equal, the step
is taken exactly as `interpret` takes it; where anything is otherwise, nothing was done and `interpret` has
the word, so that findings come from one place.
"""

from collections.abc import Mapping

import orjson

from evidence.lifecycle.interpret import interpret
from evidence.lifecycle.life import LedgerLife
from schemas.admission import ADMISSION
from schemas.canonical import canonical_record
from schemas.errors import EvidenceError, OrderError
from schemas.ledger import EXECUTION, SUPERSESSION, Subject
from schemas.outside import MAX_BYTES
from schemas.plan import PLAN, RECEIPT
from schemas.provider import Discovery
from schemas.readback import READBACK
from schemas.retirement import RETIREMENT

SCHEMAS: Mapping[str, str] = {
    "plan.created": PLAN,
    "execution.started": EXECUTION,
    "execution.finished": EXECUTION,
    "receipt.observed": RECEIPT,
    "admission.superseded": SUPERSESSION,
    "admission.decided": ADMISSION,
    "projection.observed": READBACK,
    "evidence.retired": RETIREMENT,
}


class Rows:
    """An observation, and its rows as they are written."""

    def __init__(self, discovery: Discovery) -> None:
        self.discovery = discovery
        self.wires = [row.to_wire() for row in discovery.providers]


class Swift:
    """The life of one plan, beside what its verified artifacts look like in bytes."""

    def __init__(self, plan_id: str, life: LedgerLife) -> None:
        self._plan_id = plan_id
        self._life = life
        self.rows: Rows | None = None

    def step(self, kind: str, body: bytes) -> Subject | None:
        """Take one step; None, and nothing was done, when `interpret` must look at it.

        OrderError: as `interpret`.
        """
        if len(body) > MAX_BYTES:
            return None
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(value, dict) or value.get("plan_id") != self._plan_id:
            return None
        if canonical_record(value) != body:
            return None
        try:
            return interpret(self._life, kind, value)
        except OrderError:
            raise
        except EvidenceError:
            return None

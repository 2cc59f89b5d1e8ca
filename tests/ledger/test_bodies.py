"""The bodies that the ledger itself owns: opening, execution, supersession."""

from typing import Any

import pytest

from schemas.errors import InvalidError
from schemas.ledger import EXECUTION, OPENED, PROFILE, SUPERSESSION, Execution, LedgerOpened, Supersession
from schemas.provider import ProviderRow
from schemas.record import Record

PLAN = "blake3:" + "01" * 32
OTHER = "blake3:" + "02" * 32
READY = ProviderRow(
    provider_id="method:x", provider_kind="method", declared=True, installed=True, enabled=True, ready=True
)
GONE = READY.replace(ready=False, unavailable_reason="went away")
STARTED: dict[str, Any] = {
    "schema_version": EXECUTION,
    "plan_id": PLAN,
    "provider_id": "method:x",
    "attempt": 1,
    "state": "started",
    "provider": READY.to_wire(),
    "receipt_status": None,
    "receipt_digest": None,
}
FINISHED = {
    **STARTED,
    "state": "finished",
    "provider": None,
    "receipt_status": "failed",
    "receipt_digest": OTHER,
}
OPEN: dict[str, Any] = {
    "schema_version": OPENED,
    "origin": "example.org/log",
    "profile": PROFILE,
    "key": None,
}
SUPERSEDED: dict[str, Any] = {
    "schema_version": SUPERSESSION,
    "plan_id": PLAN,
    "superseded_admission_id": PLAN,
    "admission_id": OTHER,
}


@pytest.mark.parametrize(
    ("record", "value"),
    [
        (LedgerOpened, OPEN),
        (LedgerOpened, {**OPEN, "key": "example.org/log+00112233+AQID"}),
        (Execution, STARTED),
        (Execution, FINISHED),
        (Execution, {**FINISHED, "provider": GONE.to_wire()}),
        (Supersession, SUPERSEDED),
    ],
)
def test_a_body_is_read_and_written_whole(record: type[Record], value: dict[str, Any]) -> None:
    assert record.read(value).to_wire() == value


@pytest.mark.parametrize(
    ("record", "value", "subject"),
    [
        (LedgerOpened, {**OPEN, "origin": "https://example.org"}, "opened.origin"),
        (LedgerOpened, {**OPEN, "profile": "other"}, "opened.profile"),
        (LedgerOpened, {**OPEN, "key": ""}, "opened.key"),
        (LedgerOpened, {**OPEN, "more": 1}, "opened"),
        (Execution, {**STARTED, "attempt": 0}, "execution.attempt"),
        (Execution, {**STARTED, "state": "paused"}, "execution.state"),
        (Execution, {**STARTED, "provider": None}, "execution.provider"),
        (Execution, {**STARTED, "provider": GONE.to_wire()}, "execution.provider"),
        (Execution, {**STARTED, "provider_id": "method:y"}, "execution.provider"),
        (Execution, {**STARTED, "receipt_status": "failed"}, "execution.receipt_status"),
        (Execution, {**STARTED, "receipt_digest": OTHER}, "execution.receipt_digest"),
        (Execution, {**FINISHED, "receipt_status": None}, "execution.receipt_status"),
        (Execution, {**FINISHED, "receipt_digest": None}, "execution.receipt_digest"),
        (Supersession, {**SUPERSEDED, "admission_id": PLAN}, "supersession.admission_id"),
    ],
)
def test_a_body_that_says_nonsense_is_refused(
    record: type[Record], value: dict[str, Any], subject: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        record.read(value)
    assert caught.value.subject == subject

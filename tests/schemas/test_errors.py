"""The error tree as a caller sees it."""

import pytest

from schemas.errors import (
    AmbiguousError,
    BusyError,
    ConflictError,
    ErasedError,
    EvidenceError,
    IntegrityError,
    InvalidError,
    MismatchError,
    NetworkRefusedError,
    NotFoundError,
    NotReadyError,
    OrderError,
    ProviderError,
    StorageError,
    UsageError,
)

STATUSES = {
    UsageError: ("usage", 2, 400),
    InvalidError: ("invalid", 3, 422),
    MismatchError: ("identity_mismatch", 3, 409),
    ConflictError: ("conflict", 3, 409),
    NetworkRefusedError: ("network_not_allowed", 1, 403),
    NotFoundError: ("not_found", 4, 404),
    AmbiguousError: ("ambiguous", 4, 404),
    ErasedError: ("erased", 4, 410),
    NotReadyError: ("provider_not_ready", 4, 503),
    ProviderError: ("provider_failed", 3, 502),
    IntegrityError: ("integrity", 5, 500),
    StorageError: ("storage", 75, 503),
    BusyError: ("busy", 75, 503),
}


@pytest.mark.parametrize("error", STATUSES)
def test_each_class_has_its_code_and_statuses(error: type[EvidenceError]) -> None:
    assert (error.code, error.exit_status, error.http_status) == STATUSES[error]
    assert error.retryable is issubclass(error, StorageError)


def test_an_error_is_written_whole() -> None:
    wire = MismatchError("plan.plan_id differs", subject="plan.plan_id", hint="look").to_wire()
    assert wire == {
        "code": "identity_mismatch",
        "message": "plan.plan_id differs",
        "hint": "look",
        "retryable": False,
        "subject": "plan.plan_id",
    }
    assert "subject" not in EvidenceError("bare").to_wire()


def test_an_error_of_order_names_its_rule() -> None:
    error = OrderError("no plan", rule="plan-first", subject="blake3:00")
    assert error.to_wire()["rule"] == "plan-first"
    assert (error.code, error.exit_status) == ("out_of_order", 3)

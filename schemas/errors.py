"""The one error tree: every refusal has a stable code, an exit status and an HTTP status.

The class says what a caller can do about it; the message says what was seen. `subject` names
the field, id or path that the message is about. Exit statuses are those of the README.
"""

from typing import ClassVar


class EvidenceError(Exception):
    """Base of every error that this project raises on purpose."""

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 3
    http_status: ClassVar[int] = 400
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, subject: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.subject = subject
        self.hint = hint

    def to_wire(self) -> dict[str, object]:
        """The error as the doors print it: code, message, hint, retryable, and subject if known."""
        wire: dict[str, object] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
        }
        if self.subject is not None:
            wire["subject"] = self.subject
        return wire


class UsageError(EvidenceError):
    """The call itself is wrong: an option, an argument, a combination."""

    code = "usage"
    exit_status = 2


class InvalidError(EvidenceError):
    """A value from outside breaks the rule of its field; `subject` is the field's path."""

    code = "invalid"
    http_status = 422


class MismatchError(EvidenceError):
    """An artifact is well formed but is not the one that its identity or its plan names."""

    code = "identity_mismatch"
    http_status = 409


class OrderError(EvidenceError):
    """A step that the lifecycle does not allow here (lifecycle.md section 10); `rule` says by which rule."""

    code = "out_of_order"
    http_status = 409

    def __init__(
        self, message: str, *, rule: str, subject: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, subject=subject, hint=hint)
        self.rule = rule

    def to_wire(self) -> dict[str, object]:
        return {**super().to_wire(), "rule": self.rule}


class ConflictError(EvidenceError):
    """The same idempotency key or name is already taken by other content."""

    code = "conflict"
    http_status = 409


class NetworkRefusedError(EvidenceError):
    """A connector would send something outside and was not allowed to."""

    code = "network_not_allowed"
    exit_status = 1
    http_status = 403


class NotFoundError(EvidenceError):
    """A file, id, provider or standard that is not there."""

    code = "not_found"
    exit_status = 4
    http_status = 404


class AmbiguousError(NotFoundError):
    """An id prefix that more than one artifact answers to."""

    code = "ambiguous"


class ErasedError(NotFoundError):
    """What was recorded about an id was erased on purpose; nothing more is recorded about it."""

    code = "erased"
    http_status = 410


class NotReadyError(EvidenceError):
    """A provider that is not ready now; the plan stays valid."""

    code = "provider_not_ready"
    exit_status = 4
    http_status = 503


class ProviderError(EvidenceError):
    """A provider failed while it ran; the message names the step."""

    code = "provider_failed"
    http_status = 502


class IntegrityError(EvidenceError):
    """Stored bytes do not hold together: chain, digest, order or transition."""

    code = "integrity"
    exit_status = 5
    http_status = 500


class StorageError(EvidenceError):
    """The disk or file cannot be written or read now; nothing was half-written."""

    code = "storage"
    exit_status = 75
    http_status = 503
    retryable = True


class BusyError(StorageError):
    """Another writer holds the ledger longer than the time allowed."""

    code = "busy"

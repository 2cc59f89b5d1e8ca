"""Whether a rule lets something pass: one of the one-file verifier, and its twin of the project."""

from collections.abc import Callable

from ledger import standalone
from schemas.errors import EvidenceError


def passes(rule: Callable[..., object], *values: object) -> bool:
    """Whether a rule of the file lets something pass."""
    try:
        rule(*values)
    except (standalone.RuleError, ValueError):
        return False
    return True


def allowed(rule: Callable[..., object], *values: object) -> bool:
    """Whether a rule of the project lets something pass."""
    try:
        rule(*values)
    except EvidenceError:
        return False
    return True

"""Commands for whoever checks a ledger; they write nothing."""

import click

from evidence.doors.lazy import LazyGroup

COMMANDS = {
    "verify": "evidence.doors.audit_verify:verify",
    "replay": "evidence.doors.audit_replay:replay",
    "show": "evidence.doors.audit_show:show",
    "diff": "evidence.doors.audit_show:diff",
    "report": "evidence.doors.audit_report:report",
    "checkpoint": "evidence.doors.audit_proofs:checkpoint",
    "prove": "evidence.doors.audit_proofs:prove",
    "consistency": "evidence.doors.audit_proofs:consistency",
    "witness": "evidence.doors.audit_witness:witness",
    "export": "evidence.doors.audit_export:export",
    "doctor": "evidence.doors.audit_doctor:doctor",
    "selftest": "evidence.doors.audit_selftest:selftest",
}


@click.group(cls=LazyGroup, places=COMMANDS)
def audit() -> None:
    """Check a ledger from its stored bytes."""

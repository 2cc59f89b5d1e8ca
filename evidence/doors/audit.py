"""Commands for whoever checks a ledger; they write nothing."""

import click

from evidence.doors import output
from evidence.doors.audit_export import export
from evidence.doors.audit_proofs import checkpoint, consistency, prove
from evidence.doors.audit_report import report
from evidence.doors.audit_selftest import selftest
from evidence.doors.audit_show import diff, show
from evidence.doors.audit_verify import verify
from evidence.doors.audit_witness import witness
from evidence.doors.options import format_option, ledger_path
from schemas.errors import IntegrityError


@click.group()
def audit() -> None:
    """Check a ledger from its stored bytes."""


@audit.command(epilog="Exit status 5: a record, body, id or transition does not hold.")
@click.option("--ledger", "given", metavar="FILE", help="The ledger file; else as everywhere.")
@format_option()
def replay(given: str | None, chosen_format: str | None) -> int:
    """Derive every id and every transition again; name the first record and rule that break."""
    from evidence.audit import replay as run
    from ledger.sqlite_readonly import open_readonly

    with open_readonly(ledger_path(given)).read() as reader:
        told = run(reader)
    if output.wants_json(chosen_format):
        output.print_json(told.to_wire())
    else:
        from evidence.rendering.replay_text import render

        output.print_text(render(told.to_wire()))
    return 0 if told.clean else IntegrityError.exit_status


for command in (verify, show, diff, report, export, checkpoint, prove, consistency, witness, selftest):
    audit.add_command(command)

"""`audit replay`: everything derived again from the stored bytes."""

import click

from evidence.doors import output
from evidence.doors.options import format_option, ledger_path
from schemas.errors import IntegrityError


@click.command(epilog="Exit status 5: a record, body, id or transition does not hold.")
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

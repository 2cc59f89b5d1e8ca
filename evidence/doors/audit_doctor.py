"""`audit doctor`: why a ledger cannot be read, or is not what it was; harmless causes by name."""

import os
from pathlib import Path

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option
from evidence.doors.audit_verify import policy_option
from evidence.doors.options import KEY_VARIABLE, format_option, key_option, key_path, ledger_place
from ledger.places import Place


@click.command(epilog="Exit status: 0 nothing was found, 1 something was, 2 it cannot be looked at.")
@ledger_option
@key_option
@policy_option
@click.option(
    "--against",
    metavar="FILE",
    multiple=True,
    help="A checkpoint, proof or witness's file that you kept. Repeatable.",
)
@format_option()
def doctor(given: str | None, policy: str | None, against: tuple[str, ...], chosen_format: str | None) -> int:
    """Name what commonly happens to ledgers: cut or converted files, a lost -wal, old backups (诊断).

    It gives no verdict, that is `verify`'s; what no known cause explains, it says so.
    The environment's key is looked at only beside the ledger that is meant without --ledger.
    """
    from evidence.doctor import Asked, look

    asked = Asked(_key_of(given), None if policy is None else Path(policy), tuple(map(Path, against)))
    told = look(ledger_place(given), asked)
    if output.wants_json(chosen_format):
        output.print_json(told.to_wire())
    else:
        from evidence.rendering.doctor_text import render

        output.print_text(render(told.to_wire()))
    return told.exit_code


def _key_of(given: str | None) -> Path | None:
    """The key that `--key` names; the environment's only where the ledger is the environment's own."""
    named = click.get_current_context().meta.get(KEY_VARIABLE)
    # Of somebody else's copy this key says nothing: that it is older, or of another key, is as it should be.
    return key_path() if named or _same(ledger_place(given), ledger_place(None)) else None


def _same(one: Place, other: Place) -> bool:
    """Whether two names are of one ledger."""
    if isinstance(one, Path) and isinstance(other, Path):
        return os.path.realpath(one) == os.path.realpath(other)  # unlike resolve, also of a loop of links
    return one == other

"""`audit verify`: the one word on a ledger, against what the auditor trusts."""

import os
from pathlib import Path

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option
from evidence.doors.options import format_option, ledger_place
from schemas.errors import UsageError
from schemas.outside import MAX_BYTES

policy_option = click.option(
    "--policy",
    metavar="FILE",
    help="Whom you trust: your own tlog-policy, none that came with the ledger.",
)

against_option = click.option(
    "--against",
    metavar="FILE",
    multiple=True,
    help="A checkpoint, proof or witness's file that you kept. Repeatable.",
)


@click.command(
    epilog="Exit: 0 VERIFIED, 1 TAMPERED, FORKED or RULE-BROKEN, 2 CANNOT-VERIFY, 3 UNANCHORED, 4 TORN."
)
@policy_option
@against_option
@ledger_option
@format_option()
def verify(policy: str | None, against: tuple[str, ...], given: str | None, chosen_format: str | None) -> int:
    """Check bytes, chain, tree, checkpoints and rules, and compare with what you trust.

    The ledger may also be a bundle. Without --policy or --against a whole ledger is UNANCHORED.
    """
    from evidence.verify import verify as run

    trusted = None if policy is None else read_kept(policy, "--policy")
    kept = [read_kept(one, "--against") for one in against]
    told = run(ledger_place(given), trusted, kept, cores())
    if output.wants_json(chosen_format):
        output.print_json(told.to_wire())
    else:
        from evidence.rendering.verify_text import render

        output.print_text(render(told.to_wire()))
    return told.verdict.exit_code


def cores() -> int:
    """How many processes may run here at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_kept(name: str, option: str) -> bytes:
    """The bytes of a file that the auditor names; UsageError when there are none to read."""
    try:
        with Path(name).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        # Not 4 or 75: to this command they are words on the ledger.
        raise UsageError(f"{name!r} cannot be read: {error}", subject=option) from error
    if len(raw) > MAX_BYTES:
        raise UsageError(f"{name!r} has more than {MAX_BYTES} bytes", subject=option)
    return raw

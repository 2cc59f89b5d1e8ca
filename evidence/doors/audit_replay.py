"""`audit replay`: every id and every transition again, from the stored bytes."""

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option
from evidence.doors.audit_verify import cores, policy_option, read_kept
from evidence.doors.options import format_option, ledger_place
from schemas.errors import UsageError


@click.command(
    epilog="Exit: 0 every step holds, 1 TAMPERED or RULE-BROKEN, 2 CANNOT-VERIFY, 4 TORN. A replay compares"
    " with nothing outside the ledger; `audit verify` does that."
)
@click.option("--at", metavar="SEQ|TIME", help="As of that record or instant; what came later is left out.")
@click.option(
    "--from-checkpoint",
    "believed",
    metavar="FILE",
    help="Believe the records that this checkpoint, which you kept, covers; derive what came later.",
)
@policy_option
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="How many processes; else one a core.")
@ledger_option
@format_option()
def replay(
    at: str | None,
    believed: str | None,
    policy: str | None,
    jobs: int | None,
    given: str | None,
    chosen_format: str | None,
) -> int:
    """Derive every id and every transition again; list each record and rule that does not hold."""
    from evidence.replayed import replay_log

    if at is not None and believed is not None:
        raise UsageError("--at and --from-checkpoint exclude each other", subject="--at")
    if policy is not None and believed is None:
        raise UsageError("--policy is for --from-checkpoint; see `audit verify`", subject="--policy")
    answer = replay_log(
        ledger_place(given),
        at,
        None if believed is None else read_kept(believed, "--from-checkpoint"),
        None if policy is None else read_kept(policy, "--policy"),
        jobs or cores(),
    )
    if output.wants_json(chosen_format):
        output.print_json(answer.to_wire())
    else:
        from evidence.rendering.replay_text import render

        output.print_text(render(answer.to_wire()))
    return answer.exit_code

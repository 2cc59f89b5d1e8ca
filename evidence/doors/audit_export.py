"""`audit export`: a ledger in other people's formats."""

from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, output_options, reading
from evidence.doors.result_file import write_result

if TYPE_CHECKING:
    from evidence.plan_story import PlanStory
    from evidence.story import Story

_PLAN = click.option("--plan", "plan", metavar="ID", help="Only this plan: its id, or a unique beginning.")


@click.group()
def export() -> None:
    """Write a ledger in a format of others (导出)."""


@export.command()
@ledger_option
@_PLAN
@output_options
def prov(given: str | None, plan: str | None, to: str, force: bool) -> int:
    """W3C PROV as PROV-JSON: steps, artifacts, and who did what."""
    from evidence.exports.prov import export as exported
    from evidence.story import story

    with reading(given) as reader:
        told = story(reader)
        document = exported(told, None if plan is None else (_chosen(told, plan),))
    write_result(to, [output.json_text(document)], force=force)
    return 0


@export.command("in-toto")
@ledger_option
@_PLAN
@click.option(
    "--key", metavar="FILE", help="An Ed25519 key file; then the answer is a signed DSSE envelope (签名)."
)
@output_options
def in_toto(given: str | None, plan: str | None, key: str | None, to: str, force: bool) -> int:
    """An in-toto Statement v1 over the records and bodies, by their sha256 and blake3.

    Without a key it is the bare statement, which proves nothing of who made it.
    """
    from evidence.exports.in_toto import envelope, statement
    from evidence.story import story

    with reading(given) as reader:
        told = story(reader)
        document = statement(told, None if plan is None else _chosen(told, plan))
    if key is not None:
        from pathlib import Path

        from ledger.keys import load

        document = envelope(document, load(Path(key)))
    write_result(to, [output.json_text(document)], force=force)
    return 0


def _chosen(story: "Story", plan: str) -> "PlanStory":
    """The one plan of that id or beginning; NotFoundError, AmbiguousError."""
    from schemas.errors import AmbiguousError, NotFoundError

    found = [
        one for one in story.plan_ids() if one.startswith(plan) or one.partition(":")[2].startswith(plan)
    ]
    if not found:
        raise NotFoundError(f"the ledger has no plan_id that starts with {plan}", subject="--plan")
    if len(found) > 1:
        hint = f"write more of it: {', '.join(found[:4])}"
        raise AmbiguousError(f"{plan} is the start of {len(found)} plan ids", subject="--plan", hint=hint)
    return story.plan(found[0])

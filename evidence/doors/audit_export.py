"""`audit export`: a ledger in other people's formats."""

from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, output_options, reading
from evidence.doors.options import format_option
from evidence.doors.result_file import write_durably, write_result

if TYPE_CHECKING:
    from evidence.plan_story import PlanStory
    from evidence.story import Story
    from ledger.store import Reader

_PLAN = click.option("--plan", "plan", metavar="ID", help="Only this plan: its id, or a unique beginning.")


@click.group()
def export() -> None:
    """Write a ledger in a format of others (导出)."""


@export.command()
@ledger_option
@output_options
def bundle(given: str | None, to: str, force: bool) -> int:
    """The whole log in one file to carry away (单文件包); `audit verify` and others read it as a ledger.

    The form is in docs/ledger-format.md: JSON Lines, with every record, body and checkpoint. A damaged
    ledger is not exported.
    """
    from ledger.bundle import write_bundle

    with reading(given) as reader:
        write_durably(to, lambda out: write_bundle(reader, out), force=force)
    return 0


@export.command()
@ledger_option
@output_options
def jsonl(given: str | None, to: str, force: bool) -> int:
    """Every record with its body, one JSON object a line (逐行 JSON): to read, search and count."""
    from ledger.jsonl import write_jsonl

    with reading(given) as reader:
        write_durably(to, lambda out: write_jsonl(reader, out), force=force)
    return 0


@export.command()
@ledger_option
@click.option("-o", "--output", "to", metavar="FOLDER", required=True, help="A new or an empty folder.")
@click.option("--force", is_flag=True, help="Replace FOLDER when it holds older tiles of the same log.")
@format_option()
def tiles(given: str | None, to: str, force: bool, chosen_format: str | None) -> int:
    """A folder of static files for a web server (瓦片目录): C2SP tlog-tiles, with the bodies beside them.

    A log without a key has none: its checkpoint is what such a folder begins with.
    """
    from pathlib import Path

    from ledger.tiles import export_tiles

    with reading(given) as reader:
        export_tiles(reader, Path(to), force=force)
        head = reader.head()
    records = 0 if head is None else head.seq + 1
    if output.wants_json(chosen_format):
        output.print_json({"folder": to, "log": None if head is None else head.log, "records": records})
    else:
        output.print_text(f"瓦片目录 tiles: {to}，{records} 条记录 records")
    return 0


@export.command(epilog="Exit status 5: the ledger does not hold; nothing is written.")
@ledger_option
@_PLAN
@output_options
def prov(given: str | None, plan: str | None, to: str, force: bool) -> int:
    """W3C PROV as PROV-JSON: steps, artifacts, and who did what. A ledger that does not hold is refused."""
    from evidence.exports.prov import export as exported
    from evidence.story import story

    with reading(given) as reader:
        _refuse_broken(reader)
        told = story(reader)
        document = exported(told, None if plan is None else (_chosen(told, plan),))
    write_result(to, [output.json_text(document)], force=force)
    return 0


@export.command("in-toto", epilog="Exit status 5: the ledger does not hold; nothing is written.")
@ledger_option
@_PLAN
@click.option(
    "--key",
    metavar="FILE",
    help="An Ed25519 key file; then the answer is a signed DSSE envelope (签名). No variable stands for it.",
)
@output_options
def in_toto(given: str | None, plan: str | None, key: str | None, to: str, force: bool) -> int:
    """An in-toto Statement v1 over the records and bodies, by their sha256 and blake3.

    Without a key it is the bare statement, which proves nothing of who made it. A ledger that does not hold
    is refused, and never signed.
    """
    from evidence.exports.in_toto import envelope, statement
    from evidence.story import story

    with reading(given) as reader:
        _refuse_broken(reader)
        told = story(reader)
        document = statement(told, None if plan is None else _chosen(told, plan))
    if key is not None:
        from pathlib import Path

        from ledger.keys import load

        document = envelope(document, load(Path(key)))
    write_result(to, [output.json_text(document)], force=force)
    return 0


def _refuse_broken(reader: "Reader") -> None:
    """IntegrityError where a replay finds what does not hold: what is handed on must be what was recorded."""
    from evidence.audit import replay
    from schemas.errors import IntegrityError

    findings = replay(reader).findings
    if findings:
        first = findings[0]
        raise IntegrityError(
            f"the ledger does not hold: record {first.seq}, {first.field}: {first.rule}",
            subject=first.field,
            hint="`audit verify` gives the word, `audit replay` lists all that is wrong",
        )


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

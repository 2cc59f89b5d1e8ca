"""`audit report`: what a ledger says, for a reader, with the replay's verdict."""

from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, output_options, reading
from evidence.doors.audit_verify import against_option, policy_option, read_kept
from evidence.doors.options import system_clock
from evidence.doors.result_file import write_result
from schemas.dates import instant
from schemas.errors import UsageError

if TYPE_CHECKING:
    from evidence.verify import Verification

_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json"}


@click.command(
    epilog="Exit: 0 VERIFIED, or UNANCHORED where nothing was given to compare with; else as `audit verify`:"
    " 1 TAMPERED, FORKED or RULE-BROKEN, 2 CANNOT-VERIFY, 4 TORN. The report is written in each case. 5: the"
    " ledger cannot be read, so that there is none."
)
@policy_option
@against_option
@ledger_option
@click.option(
    "--lang", type=click.Choice(["zh", "en"]), default="zh", show_default=True, help="The report's language."
)
@click.option(
    "--format",
    "chosen_format",
    type=click.Choice(["md", "html", "json"]),
    help="Without it, as FILE ends, else Markdown on a terminal and JSON when piped.",
)
@output_options
def report(
    policy: str | None,
    against: tuple[str, ...],
    given: str | None,
    lang: str,
    chosen_format: str | None,
    to: str,
    force: bool,
) -> int:
    """Write down every question, receipt, decision, readback and retirement (审计报告), with the verdict.

    html is one file that needs no network: it works without scripts, and with them it recomputes every
    hash and count that it shows.
    """
    from importlib.metadata import version  # half of a cold start, and only here

    from evidence.audit import replay
    from evidence.rendering.report_content import Made
    from evidence.story import story
    from evidence.verify import verify_replayed

    form = chosen_format or _form_of(to)
    made = Made(version("external-evidence"), instant(system_clock()))
    trusted = None if policy is None else read_kept(policy, "--policy")
    kept = [read_kept(one, "--against") for one in against]
    with reading(given, cut_too=True) as reader:
        replayed, told = replay(reader), story(reader)
        judged = verify_replayed(reader, replayed, trusted, kept)
        wire = judged.to_wire()
        if form == "json":
            from evidence.rendering import report_json

            parts = report_json.render(told, replayed.to_wire(), wire, made)
        elif form == "html":
            from evidence.rendering import report_html

            parts = report_html.render(told, wire, made, lang)
        else:
            from evidence.rendering import report_markdown

            parts = report_markdown.render(told, wire, made, lang)
        write_result(to, map(str.encode, parts), force=force)
    return _exit(judged, alone=trusted is None and not kept)


def _exit(judged: "Verification", *, alone: bool) -> int:
    """The exit status of the verdict; what does not hold is said beside the report too."""
    from evidence.verdict import Verdict

    if judged.verdict in (Verdict.VERIFIED, Verdict.UNANCHORED):
        return 0 if alone else judged.verdict.exit_code
    from evidence.rendering.chinese import both

    why = [f"record {one.seq} {one.field}: {one.rule}" for one in judged.findings]
    why += [*([] if judged.torn is None else [judged.torn]), *judged.reasons]
    told = both(why[0] if why else "the ledger has no record")
    output.print_notice(f"账本未通过核实 the ledger does not pass: {judged.verdict}; {told}")
    return judged.verdict.exit_code


def _form_of(to: str) -> str:
    ending = PurePath(to).suffix.lower()
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    if ending and to != "-":
        known = ", ".join(_ENDINGS)
        raise UsageError(
            f"no report is written as {ending!a}", subject="--output", hint=f"{known}, or say --format"
        )
    return "json" if output.wants_json(None) else "md"

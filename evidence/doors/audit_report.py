"""`audit report`: what a ledger says, for a reader, with the replay's verdict."""

from pathlib import PurePath

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, output_options, reading
from evidence.doors.options import system_clock
from evidence.doors.result_file import write_result
from schemas.dates import instant
from schemas.errors import IntegrityError

_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json"}


@click.command(epilog="Exit status 5: the report is written, and the ledger does not hold.")
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
def report(given: str | None, lang: str, chosen_format: str | None, to: str, force: bool) -> int:
    """Write down every question, receipt, decision, readback and retirement (审计报告).

    html is one file that needs no network: it works without scripts, and with them it recomputes every
    hash that it shows.
    """
    from importlib.metadata import version  # half of a cold start, and only here

    from evidence.audit import replay
    from evidence.rendering.report_content import Made
    from evidence.story import story

    form = chosen_format or _ENDINGS.get(PurePath(to).suffix.lower()) or _unnamed()
    made = Made(version("external-evidence"), instant(system_clock()))
    with reading(given) as reader:
        replayed, told = replay(reader), story(reader)
        if form == "json":
            from evidence.rendering import report_json

            parts = report_json.render(told, replayed.to_wire(), made)
        elif form == "html":
            from evidence.rendering import report_html

            parts = report_html.render(told, replayed.to_wire(), made, lang)
        else:
            from evidence.rendering import report_markdown

            parts = report_markdown.render(told, replayed.to_wire(), made, lang)
        write_result(to, map(str.encode, parts), force=force)
    return 0 if replayed.clean else IntegrityError.exit_status


def _unnamed() -> str:
    return "json" if output.wants_json(None) else "md"

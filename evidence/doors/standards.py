"""Commands on the standards library."""

from typing import Any

import click

from evidence.doors import output
from evidence.doors.options import LIBRARY_VARIABLE, format_option, open_library
from evidence.doors.standards_library import library as library_commands
from evidence.doors.standards_log import log
from evidence.doors.standards_match import match
from evidence.doors.standards_serve import serve
from schemas.text import shown


@click.group()
def standards() -> None:
    """The local standards library: look citations up (规范检索)."""


standards.add_command(library_commands)
standards.add_command(log)
standards.add_command(match)
standards.add_command(serve)


@standards.command(epilog="Exit status 1: no query has a candidate.")
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@click.option("--library", metavar="FILE", help=f"A CSV library; else ${LIBRARY_VARIABLE}, else the starter.")
@format_option()
def search(queries: tuple[str, ...], library: str | None, chosen_format: str | None) -> int:
    """Look up standards by code, title or both; at most three candidates a query, best first."""
    from providers.standards.answer import answer

    loaded = open_library(library)
    results = [answer(loaded, query) for query in queries]
    if output.wants_json(chosen_format):
        output.print_json({"results": results})
    else:
        output.print_text("\n".join(line for result in results for line in _lines(result)))
    return 0 if any(result["candidates"] for result in results) else 1


def _lines(result: Any) -> list[str]:
    lines = [f"查询 {shown(result['query'], 200)}"]
    for found in result["candidates"]:
        facts = "，".join(
            fact for fact in (found["status"], found["implement_date"], found["relation_text"]) if fact
        )
        lines.append(f"  {found['match_score']:.4f}  {found['code']}  《{found['title']}》  {facts}")
    return lines if result["candidates"] else [*lines, "  无候选 no candidate"]

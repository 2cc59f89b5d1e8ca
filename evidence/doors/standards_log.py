"""Commands on the query log of the standards service: report, replay."""

from typing import Any

import click

from evidence.doors import output
from evidence.doors.options import LIBRARY_VARIABLE, format_option, open_library
from evidence.doors.standards_import import named
from evidence.doors.standards_serve import log_folder
from schemas.text import shown

SHOWN = 20
"""How many rows of one kind the text shows."""


@click.group("log")
def log() -> None:
    """Read the query log: what is missing, and what another library would answer (查询日志)."""


def _read(places: tuple[str, ...], since: str | None, until: str | None) -> Any:
    from providers.standards.log_reading import moment, paths_of, read_log

    begins = None if since is None else moment(since, "--since")
    ends = None if until is None else moment(until, "--until")
    return read_log(paths_of(places or [log_folder(None)]), begins, ends)


_PLACES = click.argument("places", metavar="[FILE|DIR]...", nargs=-1)
_SINCE = click.option(
    "--since",
    metavar="TIME",
    help="From this moment on: 2026-03-04 (that day begins, UTC), 2026-03-04T05:06, or with an offset "
    "2026-03-04T05:06:07+08:00; without one it is UTC.",
)
_UNTIL = click.option(
    "--until", metavar="TIME", help="Before this moment, written the same ways; a date alone is not included."
)


@log.command()
@_PLACES
@click.option("--library", metavar="FILE", hidden=True, help="A report reads only the log.")
@_SINCE
@_UNTIL
@click.option("--low", type=click.FloatRange(0, 1), default=0.9, show_default=True, help="A low best score.")
@click.option(
    "--close",
    type=click.FloatRange(0, 1),
    default=0.02,
    show_default=True,
    help="Ambiguous: the second this near.",
)
@click.option(
    "--most", type=click.IntRange(1, 1_000_000), default=50, show_default=True, help="Rows of a kind."
)
@format_option()
def report(
    places: tuple[str, ...],
    library: str | None,  # noqa: ARG001 - every command on standards takes it
    since: str | None,
    until: str | None,
    chosen_format: str | None,
    **given: Any,
) -> int:
    """Tell what was not matched, matched low, ambiguous, frequent, and what the library may lack."""
    from providers.standards.log_report import report as report_on

    found = report_on(_read(places, since, until), **given)
    if output.wants_json(chosen_format):
        output.print_json(found)
    else:
        output.print_text("\n".join(_report_text(found)))
    return 0


def _counted(counted: dict[str, int]) -> str:
    """So many queries, asked so often."""
    return f"{counted['queries']} 种 queries，{counted['times']} 次 times"


def _report_text(found: dict[str, Any]) -> list[str]:
    from providers.standards.log_report import SUGGESTIONS

    lines = [f"{found['lines']} 次查询 look-ups，{found['queries']} 种 different"]
    if not found["files"]:
        lines.append("没有读到日志文件 no log file was read")
    if found["lines"]:
        times = "，".join(f"{name} {value:.3f} ms" for name, value in found["elapsed_ms"].items())
        lines += [f"时段 period: {found['first']} – {found['last']}", f"耗时 elapsed: {times}"]
    if found["damaged"] or found["unfinished"]:
        told = f"未写完 unfinished: {found['unfinished']} 行"
        lines.append(f"坏行 damaged: {len(found['damaged'])} 行；{told}")
        lines += [f"  {where}" for where in found["damaged"][:SHOWN]]
    titles = {
        "unmatched": "未命中 unmatched",
        "low": "分数低 low scores",
        "ambiguous": "有歧义 ambiguous",
        "frequent": "最常查询 most frequent",
    }
    for kind, title in titles.items():
        counted = found["counts"].get(kind)
        lines.append(f"{title}" + (f": {_counted(counted)}" if counted else ""))
        for row in found[kind][:SHOWN]:
            best = "；".join(f"{one['code']} {one['match_score']:.4f}" for one in row["candidates"])
            lines.append(f"  {row['count']:>5} 次 × {shown(row['query'], 80)}  {best or '—'}")
    lines.append("规范库建议 suggestions for the library")
    for one in found["suggestions"][:SHOWN]:
        held = f"  库中 held {'；'.join(one['held'])}" if one["held"] else ""
        lines.append(f"  {one['count']:>5} 次 × {shown(one['cited'], 80)}  {SUGGESTIONS[one['kind']]}{held}")
    return lines


@log.command()
@_PLACES
@click.option("--library", metavar="FILE", help=f"Ask this one; else ${LIBRARY_VARIABLE}, else the starter.")
@click.option("--rule-off", "off", metavar="R1…R8", multiple=True, help="Without this rule. Repeatable.")
@_SINCE
@_UNTIL
@format_option()
def replay(
    places: tuple[str, ...],
    library: str | None,
    off: tuple[str, ...],
    since: str | None,
    until: str | None,
    chosen_format: str | None,
) -> int:
    """Ask every query of the log again; tell what this library, or these rules, answer otherwise."""
    from providers.standards.log_replay import replay as ask_again
    from providers.standards.log_replay import rules_without

    rules = rules_without(off)
    found = ask_again(_read(places, since, until).asked.values(), open_library(library), rules)
    if output.wants_json(chosen_format):
        output.print_json(found)
    else:
        output.print_text("\n".join(_replay_text(found)))
    return 0


def _replay_text(found: Any) -> list[str]:
    from providers.standards.log_replay import KINDS

    lines = [
        named(found["library"]["name"], found["library"]),
        f"停用规则 rules off: {' '.join(found['rules_off']) or '无 none'}",
        f"{found['queries']} 种查询 queries，不变 unchanged: {found['unchanged']} 种",
    ]
    for kind, counted in found["changed"].items():
        if counted["queries"]:
            lines.append(f"{KINDS[kind]}: {_counted(counted)}")
    for one in found["changes"][: 5 * SHOWN]:
        lines.append(f"  {one['count']:>5} 次 × {shown(one['query'], 80)}  {KINDS[one['change']]}")
        for word, candidates in (("原 before", one["before"]), ("今 now   ", one["now"])):
            told = "；".join(
                f"{found['code']} {found['status']} {found['match_score']:.4f}" for found in candidates
            )
            lines.append(f"          {word} {told or '—'}")
    return lines

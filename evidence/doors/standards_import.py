"""The command that makes a library of a maintainer's list."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from evidence.doors import output
from evidence.doors.options import format_option, open_library
from evidence.doors.result_file import write_result
from schemas.errors import UsageError
from schemas.text import shown

NEWS = {"added": "新增 added", "removed": "删除 removed", "changed": "修改 changed"}


def sheet_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--sheet` and `--all-sheets`: which sheets of a workbook are meant; handed on as one `Sheets`."""

    @wraps(command)
    def with_sheets(*args: Any, sheet: tuple[str, ...], all_sheets: bool, **given: Any) -> int:
        if sheet and all_sheets:
            raise UsageError("--sheet and --all-sheets are two ways to say it", subject="--all-sheets")
        return command(*args, sheets=Sheets(sheet, all_sheets), **given)

    named = click.option(
        "--sheet",
        metavar="NAME",
        multiple=True,
        help="A sheet of an XLSX; else the first visible one with the headings. Repeatable: joined.",
    )
    every = click.option("--all-sheets", is_flag=True, help="Join every visible sheet with the headings.")
    return named(every(with_sheets))


class Sheets(NamedTuple):
    """The sheets that are named, or whether all are meant; neither: one is chosen."""

    names: tuple[str, ...]
    every: bool


@click.command(
    "import",
    epilog="With `-o -` the library goes to stdout and the report to stderr. Exit status 3: a fault; nothing "
    "is written.",
)
@click.argument("file")
@click.option(
    "-o",
    "--output",
    "to",
    metavar="OUT.csv",
    required=True,
    help="Where the library is written; - for stdout.",
)
@click.option("--force", is_flag=True, help="Replace OUT.csv where it is there.")
@sheet_options
@click.option("--keep-codes", is_flag=True, help="Leave codes as they are written.")
@click.option("--verbose", is_flag=True, help="List every code that is written otherwise.")
@click.option("--library", "against", metavar="FILE", help="Count what is new against this one.")
@format_option()
def bring(
    file: str,
    to: str,
    sheets: Sheets,
    against: str | None,
    chosen_format: str | None,
    **flags: bool,
) -> int:
    """Write FILE (CSV in UTF-8, GB18030 or UTF-16, or XLSX) as a library: UTF-8 CSV, codes in one form.

    Refuses a file with a fault, all of them told at once. Columns may be named 规范编号, 规范名称, 状态,
    替代情况, 实施日期. What is above the headings and columns of other names are left behind, and told.
    Codes get one writing, GB50330—2013 as GB 50330-2013, where only one can be meant, and that is told.
    """
    from providers.standards.library_file import import_table
    from providers.standards.table import read_file

    done = import_table(
        read_file(file), Path(file).name, sheets.names, flags["keep_codes"], every_sheet=sheets.every
    )
    news = {} if against is None else _news(open_library(against), done.library)
    write_result(to, [done.written], force=flags["force"])
    answer = {
        "written": to,
        "standards": len(done.library),
        "revision": done.library.revision,
        "sheets": done.sheets,
        "ignored_columns": done.ignored,
        "missing_columns": done.missing,
        "codes_rewritten": [one._asdict() for one in done.rewritten],
        "notices": done.notices,
        **news,
    }
    if output.wants_json(chosen_format if to != "-" else chosen_format or "text"):
        if to == "-":
            output.print_notice(output.json_text(answer).decode().rstrip())
        else:
            output.print_json(answer)
        return 0
    for notice in _notices(done, flags["verbose"]):
        output.print_notice(notice)
    told = "\n".join([named(to, answer), *(f"{NEWS[name]} {count} 条" for name, count in news.items())])
    # stdout is the library's where it goes there.
    (output.print_notice if to == "-" else output.print_text)(told)
    return 0


def _notices(done: Any, verbose: bool) -> list[str]:
    lines = [*done.notices, *columns(done)]
    if done.rewritten:
        more = "" if verbose else " (--verbose)"
        lines.append(f"改写的编号 codes written otherwise: {len(done.rewritten)} 个{more}")
    if verbose:
        several = len(done.sheets) > 1
        for one in done.rewritten:
            where = f"{shown(one.sheet)} {one.line}" if several else one.line
            lines.append(f"  {where}: {shown(one.was)} → {one.now}")
    return lines


def columns(done: Any) -> list[str]:
    """The columns that did not come along."""
    titles = {
        "未取用的列 columns not taken": done.ignored,
        "表中没有的列，留空 columns that the table lacks, left empty": done.missing,
    }
    return [f"{title}: {'、'.join(map(shown_text, names))}" for title, names in titles.items() if names]


def _news(before: Any, after: Any) -> dict[str, int]:
    from providers.standards.library_diff import difference

    found = difference(before, after)
    return {"added": len(found.added), "removed": len(found.removed), "changed": len(found.changed)}


def named(name: str, answer: dict[str, Any]) -> str:
    """A library by its name, its size and its revision."""
    word = "standard" if answer["standards"] == 1 else "standards"
    return f"{name}: {answer['standards']} 条 {word}, 修订 revision {answer['revision']}"


def shown_text(text: str, most: int = 160) -> str:
    """`text` on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"

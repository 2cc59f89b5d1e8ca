"""Commands for whoever keeps a standards library: check, import, diff, info."""

import os
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click

from evidence.doors import output
from evidence.doors.options import LIBRARY_VARIABLE, format_option, open_library, system_clock
from schemas.errors import ConflictError, InvalidError, NotFoundError, StorageError, UsageError
from schemas.text import shown

SHOWN = 20
"""How many findings of one kind the text shows; JSON holds all."""


@click.group()
def library() -> None:
    """Check, import, compare and describe libraries (规范库维护)."""


def _library(command: Callable[..., int]) -> Callable[..., int]:
    return click.option(
        "--library", "given", metavar="FILE", help=f"The same; else ${LIBRARY_VARIABLE}, else the starter."
    )(command)


def _today(command: Callable[..., int]) -> Callable[..., int]:
    return click.option(
        "--today",
        type=click.DateTime(["%Y-%m-%d"]),
        help="The day that dates are judged by; else today (UTC).",
    )(command)


def _day(given: datetime | None) -> date:
    return (given or system_clock()).date()


@library.command(
    epilog="Exit status 1: the file has a fault and does not load; with --strict also a finding."
)
@click.argument("file", required=False)
@click.option(
    "--library", "given", metavar="FILE", help=f"The same; else ${LIBRARY_VARIABLE}, else the starter."
)
@click.option("--strict", is_flag=True, help="A finding fails the check too.")
@_today
@format_option()
def check(
    file: str | None, given: str | None, strict: bool, today: datetime | None, chosen_format: str | None
) -> int:
    """Tell faults, which keep FILE (CSV or XLSX) from loading, and findings, which want a look."""
    from providers.standards.library_check import counts, survey

    loaded, faults, repeats = _read(file or given)
    findings = survey(loaded, _day(today)) if loaded is not None else []
    answer = {
        "library": loaded.name if loaded is not None else shown(Path(file or given or "starter").name, 200),
        "revision": loaded.revision if loaded is not None else None,
        "standards": len(loaded) if loaded is not None else None,
        "loads": loaded is not None,
        "faults": faults,
        "repeated": repeats,
        "counts": counts(findings),
        "findings": [finding.to_wire() for finding in findings],
    }
    if output.wants_json(chosen_format):
        output.print_json(answer)
    else:
        output.print_text("\n".join(_check_text(answer)))
    return int(loaded is None or (strict and bool(findings)))


def _read(given: str | None) -> tuple[Any, list[str], list[dict[str, object]]]:
    """The library, or why there is none: its faults, and the codes that stand twice."""
    from providers.standards.library import LibraryError, loads
    from providers.standards.library_file import import_library, repeated
    from providers.standards.spreadsheet import MAGIC
    from providers.standards.table import read_file

    path = given or os.environ.get(LIBRARY_VARIABLE)
    if not path:
        return open_library(None), [], []
    data = read_file(path)
    name = Path(path).name
    try:
        return (import_library(data, name)[1] if data.startswith(MAGIC) else loads(data, name)), [], []
    except LibraryError as error:
        try:
            return None, error.problems, repeated(data, name)
        except InvalidError:  # no table at all; the problems say so
            return None, error.problems, []


def _check_text(answer: dict[str, Any]) -> list[str]:
    from providers.standards.library_check import KINDS

    if not answer["loads"]:
        lines = [
            f"{answer['library']}: 不能加载 does not load",
            *(f"  {fault}" for fault in answer["faults"]),
        ]
        for repeat in answer["repeated"]:
            where = "、".join(map(str, repeat["lines"]))
            lines.append(f"  {repeat['code']} 重复 repeated, 行 lines {where}")
            lines += [f"    {name}: {' | '.join(values)}" for name, values in repeat["conflicts"].items()]
        return lines
    lines = [f"{answer['library']}: {answer['standards']} 条 standards, 修订 revision {answer['revision']}"]
    for kind, count in answer["counts"].items():
        if not count:
            continue
        lines.append(f"{count} × {KINDS[kind]}")
        listed = [finding for finding in answer["findings"] if finding["kind"] == kind]
        lines += [f"  {one['code']}  {shown_text(one['seen'])}" for one in listed[:SHOWN]]
        if count > SHOWN:
            lines.append(f"  … 另有 and {count - SHOWN} more (--format json)")
    return lines if any(answer["counts"].values()) else [*lines, "没有疑点 nothing to look at"]


def shown_text(text: str, most: int = 160) -> str:
    """`text` on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


@library.command("import")
@click.argument("file")
@click.option("-o", "--output", "to", metavar="OUT.csv", required=True, help="Where the library is written.")
@click.option("--force", is_flag=True, help="Replace OUT.csv where it is there.")
@click.option("--library", "against", metavar="FILE", help="Count what is new against this one.")
@format_option()
def bring(file: str, to: str, force: bool, against: str | None, chosen_format: str | None) -> int:
    """Write FILE (CSV in UTF-8 or GB18030, or XLSX) as a library: UTF-8 CSV, codes and dates in one form.

    Refuses a file with a fault, all of them told at once. Columns may be named 规范编号, 规范名称, 状态,
    替代情况, 实施日期. Columns of other names are left behind, and told.
    """
    from providers.standards.library_file import import_table
    from providers.standards.table import read_file

    done = import_table(read_file(file), Path(file).name)
    loaded = done.library
    news = {} if against is None else _news(open_library(against), loaded)
    _write(Path(to), done.written, force)
    left = {"ignored_columns": done.ignored, "missing_columns": done.missing}
    answer = {"written": to, "standards": len(loaded), "revision": loaded.revision, **left, **news}
    if output.wants_json(chosen_format):
        output.print_json(answer)
    else:
        _tell_columns("未取用的列 columns not taken", done.ignored)
        _tell_columns("表中没有的列，留空 columns that the table lacks, left empty", done.missing)
        lines = [f"{to}: {len(loaded)} 条 standards, 修订 revision {loaded.revision}"]
        output.print_text("\n".join([*lines, *(f"{name} {count}" for name, count in news.items())]))
    return 0


def _tell_columns(title: str, names: list[str]) -> None:
    if names:
        output.print_notice(f"{title}: {'、'.join(map(shown_text, names))}")


def _news(before: Any, after: Any) -> dict[str, int]:
    from providers.standards.library_diff import difference

    found = difference(before, after)
    return {"added": len(found.added), "removed": len(found.removed), "changed": len(found.changed)}


def _write(path: Path, content: bytes, force: bool) -> None:
    """The whole file or none: a service that watches it never sees a half."""
    if path.exists() and not force:
        raise ConflictError(f"{path} is there already", subject="--output", hint="say --force to replace it")
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        aside.write_bytes(content)
        aside.replace(path)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no folder {str(path.parent)!r}", subject="--output") from error
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StorageError(f"{path} cannot be written: {error.strerror}", subject="--output") from error


@library.command()
@click.argument("files", metavar="[OLD] NEW", nargs=-1, required=True)
@click.option(
    "--library", "given", metavar="FILE", help=f"In place of OLD; else ${LIBRARY_VARIABLE}, else the starter."
)
@format_option()
def diff(files: tuple[str, ...], given: str | None, chosen_format: str | None) -> int:
    """Tell what NEW has added, removed and changed, by code and field by field."""
    from providers.standards.library_diff import difference

    if len(files) > 2 or (len(files) == 2 and given):
        raise UsageError("two libraries are compared: OLD NEW, or NEW with --library", subject="diff")
    before, after = open_library(files[0] if len(files) == 2 else given), open_library(files[-1])
    found = difference(before, after)
    answer = {
        "old": {"name": before.name, "standards": len(before), "revision": before.revision},
        "new": {"name": after.name, "standards": len(after), "revision": after.revision},
        **found.to_wire(),
    }
    if output.wants_json(chosen_format):
        output.print_json(answer)
        return 0
    lines = [
        f"{before.name} {before.revision} → {after.name} {after.revision}",
        f"新增 added {len(found.added)}",
        f"删除 removed {len(found.removed)}",
        f"修改 changed {len(found.changed)}",
        *(f"+ {record.code}  {record.title}  {record.status}" for record in found.added),
        *(f"- {record.code}  {record.title}  {record.status}" for record in found.removed),
    ]
    for code, fields in found.changed:
        lines.append(f"~ {code}")
        for name, (was, now) in fields.items():
            lines.append(f"    {name}: {shown_text(was) or '（空）'} → {shown_text(now) or '（空）'}")
    output.print_text("\n".join(lines))
    return 0


@library.command()
@click.argument("file", required=False)
@click.option(
    "--library", "given", metavar="FILE", help=f"The same; else ${LIBRARY_VARIABLE}, else the starter."
)
@_today
@format_option()
def info(file: str | None, given: str | None, today: datetime | None, chosen_format: str | None) -> int:
    """Describe a library in numbers: revision, statuses, series, and how much wants a look."""
    from providers.standards.library_check import KINDS, counts, outline, survey

    loaded = open_library(file or given)
    numbers = outline(loaded)
    seen = counts(survey(loaded, _day(today)))
    if output.wants_json(chosen_format):
        output.print_json({**numbers, "findings": seen})
        return 0
    statuses: Any = numbers["statuses"]
    series: Any = numbers["largest_series"]
    years: Any = numbers["years"]
    lines = [
        f"{numbers['name']}: {numbers['standards']} 条 standards",
        f"修订 revision {numbers['revision']}",
        f"状态 status: {_listed(statuses)}",
        f"有实施日期 with a date {numbers['with_date']}",
        f"有替代情况 with a relation {numbers['with_relation']}",
        f"编号年份 years {'–'.join(map(str, years))}",
        f"主要系列 largest series: {_listed(series)}",
        *(f"{count} × {KINDS[kind]}" for kind, count in seen.items() if count),
    ]
    output.print_text("\n".join(lines))
    return 0


def _listed(numbers: dict[str, int]) -> str:
    return "，".join(f"{name or '（空）'} {count}" for name, count in numbers.items())

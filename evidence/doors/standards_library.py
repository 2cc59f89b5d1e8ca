"""Commands for whoever keeps a standards library: check, import, diff, info."""

import os
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click

from evidence.doors import output
from evidence.doors.options import LIBRARY_VARIABLE, format_option, open_library, system_clock
from evidence.doors.standards_import import NEWS, Sheets, bring, columns, named, sheet_options, shown_text
from schemas.errors import InvalidError, UsageError
from schemas.text import shown

SHOWN = 20
"""How many findings of one kind the text shows; JSON holds all."""
FIELDS = {
    "code": "编号 code",
    "normalized_code": "标准化编号 normalized_code",
    "title": "名称 title",
    "status": "状态 status",
    "relation_text": "替代情况 relation_text",
    "implement_date": "实施日期 implement_date",
    "csres_normalized_code": "标准化编号 normalized_code",
    "csres_title": "名称 title",
}


@click.group()
def library() -> None:
    """Check, import, compare and describe libraries (规范库维护)."""


library.add_command(bring)


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


class Looked(NamedTuple):
    """A file that was looked at: the library of it, or its faults and the codes that stand twice."""

    loaded: Any
    form: str
    """`library`, or `list`: what `import` would make a library of."""
    notices: list[str]
    faults: list[str]
    repeated: list[dict[str, object]]


@library.command(
    epilog="Exit status 0: it loads. 1: it has a fault; with --strict also a doubt. Doubts are "
    "replaced_but_in_force, ended_before_it_begins, several_editions_in_force, one_alias_for_several, "
    "impossible_date and upcoming_date_has_passed; other findings never fail a check."
)
@click.argument("file", required=False)
@click.option(
    "--library", "given", metavar="FILE", help=f"The same; else ${LIBRARY_VARIABLE}, else the starter."
)
@sheet_options
@click.option("--strict", is_flag=True, help="A doubt fails the check too: exit status 1.")
@click.option("--accept", metavar="KIND", multiple=True, help="Doubts that do not fail it. Repeatable.")
@_today
@format_option()
def check(
    file: str | None,
    given: str | None,
    sheets: Sheets,
    strict: bool,
    accept: tuple[str, ...],
    today: datetime | None,
    chosen_format: str | None,
) -> int:
    """Tell faults, which keep FILE from loading, and findings, which want a look.

    A list as `import` takes it, XLSX or with other headings, is judged by import's rules.
    """
    from providers.standards.library_check import DOUBTS, counts, survey

    counted = _counted(accept, DOUBTS)
    seen = _look(file or given, sheets)
    findings = survey(seen.loaded, _day(today)) if seen.loaded is not None else []
    found = counts(findings)
    answer = {
        "library": seen.loaded.name
        if seen.loaded is not None
        else shown(Path(file or given or "starter").name, 200),
        "form": seen.form,
        "revision": seen.loaded.revision if seen.loaded is not None else None,
        "standards": len(seen.loaded) if seen.loaded is not None else None,
        "loads": seen.loaded is not None,
        "notices": seen.notices,
        "faults": seen.faults,
        "repeated": seen.repeated,
        "doubts": sum(found[kind] for kind in counted),
        "counts": found,
        "findings": [finding.to_wire() for finding in findings],
    }
    if output.wants_json(chosen_format):
        output.print_json(answer)
    else:
        output.print_text("\n".join(_check_text(answer)))
    return int(not answer["loads"] or (strict and bool(answer["doubts"])))


def _counted(accept: tuple[str, ...], doubts: tuple[str, ...]) -> list[str]:
    """The kinds that are doubts and are not accepted."""
    unknown = [kind for kind in accept if kind not in doubts]
    if unknown:
        message = f"--accept takes a kind of doubt, found {shown(unknown[0])}"
        raise UsageError(message, subject="--accept", hint=f"one of {', '.join(doubts)}")
    return [kind for kind in doubts if kind not in accept]


def _look(given: str | None, sheets: Sheets) -> Looked:
    from providers.standards.library import LibraryError, loads
    from providers.standards.library_file import import_table, is_list, repeated
    from providers.standards.table import read_file

    path = given or os.environ.get(LIBRARY_VARIABLE)
    if not path:
        return Looked(open_library(None), "library", [], [], [])
    data, name = read_file(path), Path(path).name
    form = "list" if is_list(data, name, bool(sheets.names) or sheets.every) else "library"
    try:
        if form == "library":
            return Looked(loads(data, name), form, [], [], [])
        done = import_table(data, name, sheets.names, every_sheet=sheets.every)
        return Looked(done.library, form, [*done.notices, *columns(done)], [], [])
    except LibraryError as error:
        hints = [error.hint] if error.hint else []
        try:
            found = repeated(data, name, sheets.names, every_sheet=sheets.every)
            return Looked(None, form, hints, error.problems, found)
        except InvalidError:  # no table at all; the problems say so
            return Looked(None, form, hints, error.problems, [])


def _check_text(answer: dict[str, Any]) -> list[str]:
    from providers.standards.library_check import DOUBTS, KINDS

    lines = _check_head(answer)
    if not answer["loads"]:
        for repeat in answer["repeated"]:
            where = "、".join(map(str, repeat["lines"]))
            lines.append(f"  {repeat['code']} 重复 repeated, 行 lines {where}")
            lines += [
                f"    {FIELDS.get(name, name)}: {' | '.join(values)}"
                for name, values in repeat["conflicts"].items()
            ]
        return lines
    for kind, count in answer["counts"].items():
        if not count:
            continue
        weight = "疑点 doubt" if kind in DOUBTS else "提示 note"
        lines.append(f"{count} 条 × {weight}: {KINDS[kind]} ({kind})")
        listed = [finding for finding in answer["findings"] if finding["kind"] == kind]
        lines += [f"  {one['code']}  {shown_text(one['seen'])}" for one in listed[:SHOWN]]
        if count > SHOWN:
            lines.append(f"  … 另有 and {count - SHOWN} 条 more (--format json)")
    if not any(answer["counts"].values()):
        lines.append("没有疑点 nothing to look at")
    return [
        *lines,
        f"可以加载 it loads；计入 --strict 的疑点 doubts that --strict counts: {answer['doubts']} 条",
    ]


def _check_head(answer: dict[str, Any]) -> list[str]:
    name, notices = answer["library"], [f"  {notice}" for notice in answer["notices"]]
    if not answer["loads"]:
        faults = [f"  {fault}" for fault in answer["faults"]]
        word = "fault" if len(faults) == 1 else "faults"
        return [f"{name}: 不能加载 does not load，错误 {word} {len(faults)} 处", *faults, *notices]
    head = named(name, answer)
    if answer["form"] == "library":
        return [head, *notices]
    told = "是清单，按 import 的规则检查；先 import 再用 a list, judged as import does; import it to use it"
    return [head, f"  {told}", *notices]


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
        *(f"{NEWS[name]} {len(getattr(found, name))} 条" for name in NEWS),
        *(f"+ {record.code}  {record.title}  {record.status}" for record in found.added),
        *(f"- {record.code}  {record.title}  {record.status}" for record in found.removed),
    ]
    for code, fields in found.changed:
        lines.append(f"~ {code}")
        for name, (was, now) in fields.items():
            old, new = (shown_text(text) or "（空 empty）" for text in (was, now))
            lines.append(f"    {FIELDS[name]}: {old} → {new}")
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
        f"{numbers['name']}: {numbers['standards']} 条 {'standard' if len(loaded) == 1 else 'standards'}",
        f"修订 revision {numbers['revision']}",
        f"状态 status: {_listed(statuses)}",
        f"有实施日期 with a date: {numbers['with_date']} 条",
        f"有替代情况 with a relation: {numbers['with_relation']} 条",
        f"编号年份 years of the codes: {'–'.join(f'{year} 年' for year in years) or '无 none'}",
        f"主要系列 largest series: {_listed(series)}",
        *(f"{KINDS[kind]}: {count} 条" for kind, count in seen.items() if count),
    ]
    output.print_text("\n".join(lines))
    return 0


def _listed(numbers: dict[str, int]) -> str:
    return "，".join(f"{name or '（空 empty）'} {count} 条" for name, count in numbers.items())

"""The command that looks a whole file of citations up."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from evidence.doors import output
from evidence.doors.options import LIBRARY_VARIABLE, open_library
from evidence.doors.result_file import binary_stdout
from schemas.errors import ConflictError, InvalidError, NotFoundError, UsageError

LARGEST_BYTES = 256 * 1024 * 1024
CHUNK = 64
"""How often the bar moves."""


@click.command(
    epilog="An interrupted run with --output goes on where it stopped: run the same command again. "
    "CSV and text may be UTF-8, GB18030 or UTF-16; XLSX needs the extra `xlsx`."
)
@click.option("--input", "given", metavar="FILE", required=True, help="Citations; - for stdin.")
@click.option(
    "--input-format",
    type=click.Choice(["txt", "csv", "jsonl", "xlsx"]),
    help='Else by the name; without one that tells, jsonl if the first line begins {"query":, or txt.',
)
@click.option("--column", metavar="NAME", help="The column of CSV or XLSX that holds the citations.")
@click.option(
    "--sheet",
    metavar="NAME",
    multiple=True,
    help="The sheet of XLSX; else the first visible one with that column.",
)
@click.option("--output", "to", metavar="FILE", help="Where the answers go; else stdout.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "xlsx"]),
    help="Else by the name of --output, or jsonl.",
)
@click.option(
    "--headings",
    type=click.Choice(["en", "zh"]),
    help="The language of the headings of CSV and XLSX; else en, whose names never change.",
)
@click.option("--library", metavar="FILE", help=f"A CSV library; else ${LIBRARY_VARIABLE}, else the starter.")
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; else one for each core.")
@click.option("--restart", is_flag=True, help="Begin anew, whatever an earlier run left.")
@click.option("--force", is_flag=True, help="Replace --output where it is there.")
def match(
    given: str,
    input_format: str | None,
    column: str | None,
    sheet: tuple[str, ...],
    to: str | None,
    kind: str | None,
    headings: str | None,
    library: str | None,
    **run: Any,
) -> int:
    """Look every citation of a file up, in order, with all cores.

    JSONL in: one {"query": …} a line; text: one citation a line; CSV and XLSX: the column query, 引用,
    规范编号 or the like, or the only one. JSONL out: one {"query", "candidates"} a line; CSV and XLSX: one
    row for each candidate, behind the line or row of the citation and the other columns of its table.
    """
    from providers.standards.bulk_input import format_of, read_batch

    kind = kind or _kind(to)
    if headings and kind == "jsonl":
        raise UsageError("JSONL has no headings", subject="--headings", hint="choose csv or xlsx")
    if len(sheet) > 1:
        hint = "run it once for each sheet: the answers name rows of one"
        raise UsageError("one sheet is read at a time", subject="--sheet", hint=hint)
    data = _bytes(given)
    name = "stdin" if given == "-" else Path(given).name
    batch = read_batch(data, name, input_format or format_of(name, data), column, *sheet)
    loaded = open_library(library)
    for notice in batch.notices:
        output.print_notice(notice)
    cores = run["workers"] or _cores()
    form = (kind, headings or "en")
    if to is None or to == "-":
        return _to_stdout(loaded, batch, cores, form)
    return _to_file(loaded, batch, cores, form, Path(to), restart=run["restart"], force=run["force"])


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _kind(to: str | None) -> str:
    ending = (to or "").lower().rpartition(".")[2]
    return ending if ending in ("csv", "xlsx") else "jsonl"


def _bytes(given: str) -> bytes:
    from providers.standards.table import read_file

    if given != "-":
        return read_file(given)
    if sys.stdin is None:
        raise UsageError("--input is to be read from stdin, which is closed", subject="--input")
    data = sys.stdin.buffer.read(LARGEST_BYTES + 1)
    if len(data) > LARGEST_BYTES:
        raise InvalidError(f"stdin holds more than {LARGEST_BYTES} bytes", subject="--input")
    return data


def _to_stdout(library: Any, batch: Any, cores: int, form: tuple[str, str]) -> int:
    from providers.standards.bulk import answers
    from providers.standards.bulk_output import write

    kind, language = form
    if kind == "xlsx" and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError("a workbook is nothing for a terminal", subject="--format", hint="say --output FILE")
    with binary_stdout() as stream, _bar(len(batch.queries), 0) as told:
        write(stream, kind, _watched(answers(library, batch.queries, cores), told), batch, language)
    return 0


def _to_file(
    library: Any, batch: Any, cores: int, form: tuple[str, str], path: Path, *, restart: bool, force: bool
) -> int:
    from providers.standards.bulk import Partial, answers, head_of
    from providers.standards.bulk_output import write_output

    queries = batch.queries
    if path.exists() and not force:
        raise ConflictError(f"{path} is there already", subject="--output", hint="say --force to replace it")
    if not path.parent.is_dir():
        raise NotFoundError(f"there is no folder {str(path.parent)!r}", subject="--output")
    partial = Partial(path.with_name(f"{path.name}.partial"), head_of(queries, library))
    if restart:
        partial.path.unlink(missing_ok=True)
    done = partial.resume()
    if done:
        output.print_notice(f"已答 answered already: {done} / {len(queries)} 条")
    with _bar(len(queries), done) as told:
        partial.extend(answers(library, queries[done:], cores), told)
    kind, language = form
    tally = write_output(path, kind, partial.lines(), batch, language)
    partial.path.unlink()
    output.print_notice(tally.told(path.name))
    return 0


@contextmanager
def _bar(length: int, done: int) -> Iterator[Callable[[int], None]]:
    """A progress bar where stderr is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=length, file=sys.stderr, show_pos=True, update_min_steps=CHUNK) as bar:
        bar.update(done)
        yield bar.update


def _watched(lines: Iterator[bytes], told: Callable[[int], None]) -> Iterator[bytes]:
    for line in lines:
        yield line
        told(1)

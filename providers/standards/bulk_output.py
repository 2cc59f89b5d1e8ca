"""The answers of a batch as a file: JSON lines, or a table behind the columns of the table that was asked."""

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import orjson

from providers.standards.answer import AnswerWire
from providers.standards.bulk_input import Batch
from providers.standards.spreadsheet import write_sheet
from schemas.errors import StorageError

FORMATS = ("jsonl", "csv", "xlsx")
LINE = "line"
HEADER = ("query", "rank", "code", "title", "status", "relation_text", "implement_date", "match_score")
_CHINESE = ("引用", "序", "规范编号", "规范名称", "状态", "替代情况", "实施日期", "匹配度")
HEADINGS = {"en": (LINE, HEADER, "{} (input)"), "zh": ("行号", _CHINESE, "{}（原表）")}
"""The words for the line, for what is ours, and for a column of the input that is named as one of ours."""
MISSING = "库中没有"
"""What a sheet says in place of a title where the library has nothing."""
_NONE = b'"candidates":[]}\n'
_WIDTHS = (6, (40, 5, 20, 36, 10, 32, 12, 8), 14)


@dataclass
class Tally:
    """How many citations were answered, and how many of them have a candidate."""

    queries: int = 0
    found: int = 0

    def told(self, name: str) -> str:
        """In words, of the file that holds the answers."""
        missed = self.queries - self.found
        return (
            f"{name}: {self.queries} 条引用，{self.found} 条有候选，{missed} 条未命中"
            f" (citations: {self.queries}, with candidates: {self.found}, without: {missed})"
        )


def write_output(path: Path, kind: str, lines: Iterable[bytes], batch: Batch, language: str = "en") -> Tally:
    """Make the output, whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with aside.open("wb") as file:
            tally = write(file, kind, lines, batch, language)
        aside.replace(path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}", subject=str(path)) from error
    finally:
        aside.unlink(missing_ok=True)
    return tally


def write(file: IO[bytes], kind: str, lines: Iterable[bytes], batch: Batch, language: str = "en") -> Tally:
    """Write answers as JSON lines, or a row for each candidate and one for a query without any.

    `lines` answer the queries of `batch` in order. In a table each row begins with the line of its query
    and what else stood there; its headings are in the `language`.
    """
    tally = Tally()
    counted = _counted(lines, tally)
    if kind == "jsonl":
        file.writelines(counted)
    elif kind == "csv":
        file.write(_csv_row(header(batch, language)))
        file.writelines(_csv_row(row) for row in _rows(counted, batch, ""))
    else:
        line, own, other = _WIDTHS
        widths = [line, *[other] * len(batch.columns), *own]
        write_sheet(file, header(batch, language), _rows(counted, batch, MISSING), widths)
    return tally


def header(batch: Batch, language: str = "en") -> list[str]:
    """The columns of a table of answers; one of the input's that has a name of ours is marked."""
    line, own, marked = HEADINGS[language]
    others = [marked.format(name) if name in (line, *own) else name for name in batch.columns]
    return [line, *others, *own]


def _counted(lines: Iterable[bytes], tally: Tally) -> Iterator[bytes]:
    for line in lines:
        tally.queries += 1
        tally.found += not line.endswith(_NONE)
        yield line


def _csv_row(row: Sequence[Any]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(row)
    return text.getvalue().encode()


def _rows(lines: Iterable[bytes], batch: Batch, missing: str) -> Iterator[list[str | float]]:
    for line, at, others in zip(lines, batch.lines, batch.others, strict=True):
        told: AnswerWire = orjson.loads(line)
        before: list[str | float] = [at, *others, told["query"]]
        for rank, found in enumerate(told["candidates"], 1):
            fields = (found["code"], found["title"], found["status"], found["relation_text"])
            yield [*before, rank, *fields, found["implement_date"], found["match_score"]]
        if not told["candidates"]:
            yield [*before, "", "", missing, "", "", "", ""]

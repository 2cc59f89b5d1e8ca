"""The answers of a batch as a file: JSON lines, or a table behind the columns of the table that was asked."""

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
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


def write_output(path: Path, kind: str, lines: Iterable[bytes], batch: Batch) -> None:
    """Make the output, whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with aside.open("wb") as file:
            write(file, kind, lines, batch)
        aside.replace(path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}", subject=str(path)) from error
    finally:
        aside.unlink(missing_ok=True)


def write(file: IO[bytes], kind: str, lines: Iterable[bytes], batch: Batch) -> None:
    """Write answers as JSON lines, or a row for each candidate and one for a query without any.

    `lines` answer the queries of `batch` in order. In a table each row begins with the line of its query
    and what else stood there.
    """
    if kind == "jsonl":
        file.writelines(lines)
    elif kind == "csv":
        file.write(_csv_row(header(batch)))
        file.writelines(_csv_row(row) for row in _rows(lines, batch))
    else:
        write_sheet(file, header(batch), _rows(lines, batch))


def header(batch: Batch) -> list[str]:
    """The columns of a table of answers; one of the input's that has a name of ours is marked."""
    own = {LINE, *HEADER}
    others = [f"{name} (input)" if name in own else name for name in batch.columns]
    return [LINE, *others, *HEADER]


def _csv_row(row: Sequence[Any]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerow(row)
    return text.getvalue().encode()


def _rows(lines: Iterable[bytes], batch: Batch) -> Iterator[list[str | float]]:
    for line, at, others in zip(lines, batch.lines, batch.others, strict=True):
        told: AnswerWire = orjson.loads(line)
        before: list[str | float] = [at, *others, told["query"]]
        for rank, found in enumerate(told["candidates"], 1):
            fields = (found["code"], found["title"], found["status"], found["relation_text"])
            yield [*before, rank, *fields, found["implement_date"], found["match_score"]]
        if not told["candidates"]:
            yield [*before, "", "", "", "", "", "", ""]

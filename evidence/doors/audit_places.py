"""What the auditor's commands read and where their results go."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from evidence.doors.options import ledger_path
from ledger.store import Reader
from schemas.errors import ConflictError, NotFoundError, StorageError

F = TypeVar("F", bound=Callable[..., Any])

ledger_option = click.option(
    "--ledger", "given", metavar="FILE", help="The ledger file; else as everywhere. Nothing is written to it."
)


def output_options(command: F) -> F:
    """`-o FILE` and `--force`."""
    command = click.option("--force", is_flag=True, help="Replace FILE when it is there already.")(command)
    return click.option(
        "-o", "--output", "to", metavar="FILE", default="-", help="Where the result goes; else stdout."
    )(command)


@contextmanager
def reading(given: str | None) -> Iterator[Reader]:
    """One snapshot of the ledger that `--ledger` means."""
    from ledger.sqlite_readonly import open_readonly

    with open_readonly(ledger_path(given)).read() as reader:
        yield reader


def write(to: str, parts: Iterable[str], *, force: bool) -> None:
    """The whole result or nothing at a file's place; on stdout, part by part.

    ConflictError: the file is there and `force` does not say to replace it.
    """
    if to == "-":
        from evidence.doors.standards_match import binary_stdout

        with binary_stdout() as stream:
            _fill(stream, parts)
        return
    path = Path(to)
    if path.exists() and not force:
        raise ConflictError(f"{path} is there already", subject="--output", hint="say --force to replace it")
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with aside.open("xb") as stream:
            _fill(stream, parts)
        aside.replace(path)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no folder {str(path.parent)!r}", subject="--output") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}", subject="--output") from error
    finally:
        if aside.parent.is_dir():
            aside.unlink(missing_ok=True)


def _fill(stream: IO[bytes], parts: Iterable[str]) -> None:
    for part in parts:
        stream.write(part.encode())

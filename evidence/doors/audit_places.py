"""What the auditor's commands read and where their results go."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from evidence.doors.options import ledger_path
from ledger.store import Reader

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
    """One snapshot of the ledger, bundle or tiles folder that `--ledger` means."""
    from ledger.forms import open_log

    with open_log(ledger_path(given)).read() as reader:
        yield reader

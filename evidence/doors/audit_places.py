"""What the auditor's commands read and where their results go."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import click

from evidence.doors.options import ledger_place
from ledger.store import Reader
from schemas.errors import IntegrityError

F = TypeVar("F", bound=Callable[..., Any])

ledger_option = click.option(
    "--ledger", "given", metavar="FILE|URL", help="The ledger; else as everywhere. Nothing is written to it."
)


def output_options(command: F) -> F:
    """`-o FILE` and `--force`."""
    command = click.option("--force", is_flag=True, help="Replace FILE when it is there already.")(command)
    return click.option(
        "-o", "--output", "to", metavar="FILE", default="-", help="Where the result goes; else stdout."
    )(command)


@contextmanager
def reading(given: str | None, *, cut_too: bool = False) -> Iterator[Reader]:
    """One snapshot of the ledger, bundle or tiles folder that `--ledger` means, `cut_too` what is left."""
    from ledger.forms import open_log

    try:
        with closing(open_log(ledger_place(given), cut_too=cut_too)) as log, log.read() as reader:
            yield reader
    except IntegrityError as error:
        error.hint = error.hint or "`audit verify` says what is wrong, and judges what is left of it"
        raise

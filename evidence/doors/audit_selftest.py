"""`audit selftest --tamper`: would this program see it? Copies are tampered with, never the ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from evidence.doors import output
from evidence.doors.audit_places import reading
from evidence.doors.options import engine, format_option, opening, system_clock
from ledger.store import Reader
from schemas.errors import UsageError

MISSED = 1


@click.command(
    epilog="Exit status: 0 every edit was caught, 1 one was missed, 2 the ledger itself does not hold."
)
@click.option("--tamper", is_flag=True, help="Edit copies at every field, and look whether verify sees it.")
@click.option(
    "--ledger", "given", metavar="FILE", help="Copy this one; else a small ledger is made. Only read."
)
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(min=1),
    help="At most so many edits, spread evenly; else all of them up to 50 records, and 500 beyond.",
)
@format_option()
def selftest(tamper: bool, given: str | None, most: int | None, chosen_format: str | None) -> int:
    """Tamper with copies of a ledger in every way that is known; each must get its verdict (篡改自测).

    Each edit is one whole verification. Without --ledger a small ledger with a whole life is made.
    """
    if not tamper:
        raise UsageError("there is one self-test; say --tamper", subject="--tamper")
    from evidence.selftest import tamper as run

    with TemporaryDirectory(prefix="external-evidence-") as name:
        folder = Path(name)
        with reading(given) if given else _made(folder) as reader:
            told = run(reader, folder, most).to_wire()
    return tell(told, chosen_format)


def tell(told: dict[str, object], chosen_format: str | None) -> int:
    """Print a self-test's report; its exit status."""
    if output.wants_json(chosen_format):
        output.print_json(told)
    else:
        from evidence.rendering.selftest_text import render

        output.print_text(render(told))
    return 0 if told["all_caught"] else MISSED


@contextmanager
def _made(folder: Path) -> Iterator[Reader]:
    """A small ledger of one whole life, with a key."""
    from evidence.doors.demo import Story, live
    from evidence.doors.inventory import open_registry
    from ledger.keys import generate, store
    from ledger.signing import Signing
    from ledger.sqlite import SqliteLedger

    key = folder / "log.key"
    store(key, generate("selftest.example/log"))
    signing = Signing.load(key)
    ledger = SqliteLedger.open(
        folder / "made.sqlite3", system_clock, create=opening("selftest"), signing=signing
    )
    try:
        live(engine(ledger, open_registry(), "selftest"), folder, Story(lambda _line: None))
        with ledger.read() as reader:
            yield reader
    finally:
        ledger.close()

"""Steps to append in tests, a clock that a test moves, and ways to damage a ledger file."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from ledger.postgres import PostgresLedger
from ledger.postgres_url import PostgresUrl
from ledger.sqlite import SqliteLedger
from ledger.store import Appended, Draft, Ledger, Opening, Readable
from schemas.canonical import digest_bytes
from schemas.ledger import Subject

if TYPE_CHECKING:
    import pytest

SCHEMA = digest_bytes(b"the schema")
OPENING = Opening("tester", SCHEMA, origin="tests.example/log")
START = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)


class Ticking:
    """A clock that is one second further each time."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def name_of(number: int) -> str:
    """The id of the plan with that number."""
    return digest_bytes(str(number).encode())


def step(
    number: int,
    kind: str = "plan.created",
    body: bytes | None = None,
    command: str = "plan",
    actor: str = "me",
) -> Draft:
    """One step about the plan with that number."""
    content = b'{"plan":%d}' % number if body is None else body
    return Draft(kind, actor, command, Subject(plan_id=name_of(number)), "plan_v0", SCHEMA, content)


def begin(path: Path, timeout_seconds: float = 10.0) -> SqliteLedger:
    """The ledger at `path`, begun if it is not there."""
    return SqliteLedger.open(path, Ticking(), create=OPENING, timeout_seconds=timeout_seconds)


class Begin(Protocol):
    """As `begin`, in one store or the other; the same path is the same ledger again."""

    def __call__(self, path: Path, timeout_seconds: float = 10.0) -> Ledger: ...


def begin_in(url: str, timeout_seconds: float = 10.0) -> PostgresLedger:
    """The ledger in that database, begun if it is not there."""
    place = PostgresUrl.of(url)
    return PostgresLedger.open(place, Ticking(), create=OPENING, timeout_seconds=timeout_seconds)


def append(ledger: Ledger, *drafts: Draft) -> list[Appended]:
    """Append in one transaction."""
    with ledger.write() as writer:
        return [writer.append(draft) for draft in drafts]


def stored(ledger: Readable) -> list[tuple[int, bytes]]:
    """All (seq, raw) of a ledger."""
    with ledger.read() as reader:
        return list(reader.records())


def made(path: Path, steps: int) -> Path:
    """A closed ledger of `steps` steps after its opening: one file, no side files."""
    ledger = begin(path)
    append(ledger, *(step(number) for number in range(steps)))
    ledger.close()
    return path


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(place.name for place in folder.iterdir())


def edit(path: Path, sql: str, *values: object) -> None:
    """Change a ledger file behind its back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql, values)


@contextmanager
def reachable() -> Iterator[Path]:
    """A folder that also somebody else than its owner can reach, unlike pytest's own."""
    before = os.umask(0o022)
    try:
        with TemporaryDirectory(prefix="external-evidence-test-") as folder:
            Path(folder).chmod(0o755)
            yield Path(folder)
    finally:
        os.umask(before)


@contextmanager
def powerless(*places: Path) -> Iterator[None]:
    """No writing to these files and folders, also for root, who gives up being root meanwhile."""
    before = [(place, place.stat().st_mode) for place in places]
    for place, mode in before:
        place.chmod(mode & ~0o222 | 0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for place, mode in before:
            place.chmod(mode)


def first(monkeypatch: "pytest.MonkeyPatch", module: object, name: str, before: Callable[[], object]) -> None:
    """What another process did just before this one's first call of that name."""
    call, left = getattr(module, name), [before]

    def late(*given: object) -> object:
        if left:
            left.pop()()
        return call(*given)

    monkeypatch.setattr(module, name, late)

"""Read query logs back: what was asked, how often, and what was answered last."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from providers.standards.answer import CandidateWire
from providers.standards.query_log import log_files, log_lines
from schemas.errors import NotFoundError, StorageError, UsageError
from schemas.text import shown

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_MOMENT = re.compile(f"{_DAY}(?:[Tt ]{_TIME}{_OFFSET}?)?")


@dataclass
class Asked:
    """One query, exactly as it was written: how often, and its latest answer."""

    query: str
    count: int = 0
    time: str = ""
    revision: str = ""
    candidates: list[CandidateWire] = field(default_factory=list)


@dataclass
class Log:
    """Everything that a report or a replay needs from a number of log files."""

    files: int = 0
    lines: int = 0
    unfinished: int = 0
    """Last lines without an end: a process still writes, or was killed and nobody mended its file yet."""
    damaged: list[str] = field(default_factory=list)
    """Lines that are no log lines, by file and number."""
    first: str = ""
    last: str = ""
    revisions: dict[str, int] = field(default_factory=dict)
    elapsed_ms: list[float] = field(default_factory=list)
    asked: dict[str, Asked] = field(default_factory=dict)


def paths_of(given: Iterable[str | Path]) -> list[Path]:
    """The files that are named, and for a folder the log files in it. Raises NotFoundError for none."""
    found: list[Path] = []
    for name in map(Path, given):
        if not name.exists():
            raise NotFoundError(f"there is no log at {str(name)!r}", subject=str(name))
        found += log_files(name) if name.is_dir() else [name]
    return found


def moment(text: str, option: str) -> datetime:
    """The instant that a person means: a date, its first instant in UTC, or an RFC 3339 date-time.

    Seconds may be left out, and so may the offset, which is then UTC. Raises UsageError, which names
    `option`, for anything else.
    """
    found = _instant(text) if _MOMENT.fullmatch(text) else None
    if found is None:
        raise UsageError(
            f"{option}: {shown(text)} is no date and no time",
            subject=option,
            hint="say 2026-03-04, 2026-03-04T05:06 or 2026-03-04T05:06:07+08:00; without an offset it is UTC",
        )
    return found


def _instant(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.upper())
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def read_log(paths: Iterable[Path], since: datetime | None = None, until: datetime | None = None) -> Log:
    """The log lines from `since`, inclusive, to `until`, exclusive."""
    log = Log()
    seen = set()
    try:
        for path, number, line in log_lines(paths):
            seen.add(path)
            if not line.endswith(b"\n"):
                log.unfinished += 1
            elif (entry := _entry(line)) is None or (time := _instant(entry["time"])) is None:
                log.damaged.append(f"{path.name}:{number}")
            elif (since is None or time >= since) and (until is None or time < until):
                _take(log, entry)
    except OSError as error:
        raise StorageError(f"a log cannot be read: {error}", subject="log") from error
    log.files = len(seen)
    return log


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("candidates"), list):
        return None
    if not all(isinstance(entry.get(key), str) for key in ("time", "query", "library_revision")):
        return None
    if not isinstance(entry.get("elapsed_ms"), int | float):
        return None
    told = entry["candidates"]
    fine = all(
        isinstance(one, dict)
        and isinstance(one.get("code"), str)
        and isinstance(one.get("title"), str)
        and isinstance(one.get("match_score"), int | float)
        for one in told
    )
    return entry if fine else None


def _take(log: Log, entry: dict[str, Any]) -> None:
    log.lines += 1
    time, query, revision = entry["time"], entry["query"], entry["library_revision"]
    log.first = min(log.first or time, time)
    log.last = max(log.last, time)
    log.revisions[revision] = log.revisions.get(revision, 0) + 1
    log.elapsed_ms.append(entry["elapsed_ms"])
    asked = log.asked.setdefault(query, Asked(query))
    asked.count += 1
    if time >= asked.time:
        asked.time, asked.revision, asked.candidates = time, revision, entry["candidates"]

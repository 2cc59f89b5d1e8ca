"""Read query logs back: what was asked, how often, and what was answered last."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from providers.standards.answer import CandidateWire
from providers.standards.query_log import log_files, log_lines
from schemas.errors import NotFoundError, StorageError


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


def read_log(paths: Iterable[Path], since: str = "", until: str = "") -> Log:
    """The log lines from `since`, inclusive, to `until`, exclusive: moments or their beginnings, in UTC."""
    log = Log()
    seen = set()
    try:
        for path, number, line in log_lines(paths):
            seen.add(path)
            if not line.endswith(b"\n"):
                log.unfinished += 1
            elif (entry := _entry(line)) is None:
                log.damaged.append(f"{path.name}:{number}")
            elif entry["time"] >= since and (not until or entry["time"] < until):
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

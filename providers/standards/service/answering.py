"""Answer a batch from one library, and write each answer down before it goes out."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from secrets import token_hex
from time import perf_counter_ns
from typing import NamedTuple

from providers.base import Clock
from providers.standards.answer import answer_members
from providers.standards.library import Library
from providers.standards.matching import ALL_RULES
from providers.standards.query_log import QueryLog
from providers.standards.rules import Rules
from providers.standards.service.asking import MOST_KEYWORDS
from schemas.dates import instant

REMEMBERED = 8192
"""How many answers one generation remembers; there are two."""
_BREATH_NANOSECONDS = 5_000_000
_POSITIONS = [b"%d," % position for position in range(MOST_KEYWORDS)]

Append = Callable[[datetime, bytes], None]


class Answers:
    """The answers of one library under one set of rules; what was asked lately is remembered.

    Two generations of memory: when the young one is full it becomes the old one, whose end is the end
    of what nobody asked for meanwhile. Memory is bounded and every step takes constant time.
    """

    def __init__(self, library: Library, rules: Rules = ALL_RULES, remembered: int = REMEMBERED) -> None:
        self.library = library
        self.rules = rules
        self._remembered = remembered
        self._young: dict[str, bytes] = {}
        self._old: dict[str, bytes] = {}
        # The first search prepares the library; it is made here and not in the first request.
        answer_members(library, "GB 50330-2013 建筑边坡工程技术规范", rules)

    def remembered(self, queries: Sequence[str]) -> list[bytes | None]:
        """What `members` gives, where it was asked lately, else None; the quick way for most of a batch."""
        return list(map(self._young.get, queries))

    def members(self, query: str) -> bytes:
        """The answer to `query` as JSON members; see `answer_members`."""
        known = self._young.get(query)
        if known is not None:
            return known
        known = self._old.get(query)
        if known is None:
            known = answer_members(self.library, query, self.rules)
        if self._remembered:
            if len(self._young) >= self._remembered:
                self._old, self._young = self._young, {}
            self._young[query] = known
        return known


class Answered(NamedTuple):
    """A response body, and what its headers say."""

    body: bytes
    revision: str
    request_id: str


class Answering:
    """Answer batches; `current` gives the answers of the library that is in force when one begins."""

    def __init__(self, current: Callable[[], Answers], log: QueryLog, clock: Clock) -> None:
        self._current = current
        self._log = log
        self._clock = clock
        self._process = token_hex(6)
        self._asked = 0

    async def answer(self, keywords: Sequence[str]) -> Answered:
        """The response to `keywords`, all from one library; its log lines are written when this returns.

        Raises StorageError when they cannot be: an answer that nobody can trace does not go out.
        """
        moment = self._clock()
        answers = self._current()
        self._asked += 1
        request_id = f"{self._process}-{self._asked}"
        revision = answers.library.revision
        results, elapsed = await _look_up(answers, keywords)
        head = f'{{"time":"{instant(moment)}","request_id":"{request_id}","position":'.encode()
        tail = f',"library_revision":"{revision}"}}\n'.encode()
        lines = [tail + head] * (4 * len(results))
        lines[1::4] = _POSITIONS[: len(results)]
        lines[2::4] = results
        lines[3::4] = elapsed
        lines[0] = head
        lines.append(tail)
        self._log.append(moment, b"".join(lines))
        results[0] = b'{"results":[{' + results[0]
        results[-1] += b"}]}"
        return Answered(b"},{".join(results), revision, request_id)


async def _look_up(answers: Answers, keywords: Sequence[str]) -> tuple[list[bytes], list[bytes]]:
    """The answer to each keyword, and its log member `elapsed_ms`; remembered ones share their time."""
    began = perf_counter_ns()
    remembered = answers.remembered(keywords)
    breath = perf_counter_ns()
    elapsed = [_elapsed((breath - began) / len(keywords))] * len(keywords)
    results = []
    for position, known in enumerate(remembered):
        members = known
        if members is None:
            began = perf_counter_ns()
            members = answers.members(keywords[position])
            ended = perf_counter_ns()
            elapsed[position] = _elapsed(ended - began)
            if ended - breath > _BREATH_NANOSECONDS:
                # Other connections are heard while a long batch is at work.
                await asyncio.sleep(0)
                breath = perf_counter_ns()
        results.append(members)
    return results, elapsed


def _elapsed(nanoseconds: float) -> bytes:
    return b',"elapsed_ms":%.4f' % (nanoseconds / 1_000_000)

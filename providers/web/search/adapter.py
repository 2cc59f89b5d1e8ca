"""What differs between search services: how a question is put, and how an answer is read.

An adapter is data and pure functions; `service.py` alone sends and receives (web-apis.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "empty", "unavailable", "rate_limited", "rejected", "error"]


@dataclass(frozen=True)
class Options:
    """What a user may set for a service, besides its address and its key."""

    engines: tuple[str, ...] = ()
    """SearXNG: the engines to ask; Zhipu: the one `search_engine`."""
    categories: tuple[str, ...] = ()
    """SearXNG: the categories to ask."""
    language: str = ""
    """SearXNG and Brave: the language of the pages, in the service's own code; else that of the query."""
    keyless: bool = False
    """Tavily: ask without an account."""


@dataclass(frozen=True)
class Ask:
    """One HTTP message of a service, without its address and without a credential."""

    method: Literal["GET", "POST"]
    path: str
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Received:
    """One answer: header names are lower case, `told` is its JSON and None when it holds none.

    `now` is when it came, in seconds since the epoch, for the dates in it.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    told: object
    now: float


@dataclass(frozen=True)
class Judgement:
    """The state that an answer means, why, and in how many seconds to ask again if that is known.

    `account` says that the key or the balance is at fault: the next query would fail as well.
    """

    state: State
    reason: str
    retry_after: int | None = None
    account: bool = False


Judge = Callable[[Received], Judgement | None]
Asker = Callable[[Ask], Received]
"""Sends a message that is no search, and raises UnansweredError."""


@dataclass(frozen=True)
class Fields:
    """Where a hit holds what: dotted paths, of which the first that holds a text wins.

    `date` names fields that state a publication date, never a date of crawling.
    """

    url: Sequence[str]
    title: Sequence[str]
    snippet: Sequence[str]
    publisher: Sequence[str] = ()
    date: Sequence[str] = ()


@dataclass(frozen=True)
class Adapter:
    """One service as data; what is left out is what most services share."""

    name: str
    title: str
    base_url: str
    hits: str
    """The dotted path of the list of hits."""
    fields: Fields
    ask: Callable[[str, int, Options], Ask]
    """The message that asks a query for so many hits."""
    longest_query: int
    usual: int
    most: int
    """How many hits are asked for when nobody says, and how many at most."""
    key_header: Callable[[str], tuple[str, str]] | None = None
    """The header that carries a key; None where the service takes none."""
    may_be_keyless: bool = False
    """Whether it can be asked without an account."""
    measure: Callable[[str], int] = len
    """The length of a query as the service counts it."""
    may_be_absent: str = ""
    """The part of `hits` that the service leaves out when nothing was found."""
    judge: Judge | None = None
    """The service's own signals, asked before the common table and for every status."""
    judge_empty: Callable[[object], Judgement | None] | None = None
    """Why an answer without hits is not `empty`; None when it is."""
    remark: Callable[[object], str] | None = None
    """What to know about an answer that is ok."""
    answered: Callable[[object], str] | None = None
    """The query that the service says it searched; blank when it does not say."""
    spent: Judge | None = None
    """Whether an answer that is ok was the last one that the quota allows."""
    probes: Sequence[Ask] = ()
    """What `ready` and `confirm` send: messages that hold nothing of a query."""
    ready: Callable[[Asker, Options], str | None] | None = None
    """Why a query would fail, found without one; blank when it would not, None when that is not known."""
    confirm: Callable[[Asker, Options, bool], Judgement | None] | None = None
    """After an answer (empty or not): why the state ok or empty is not to be believed."""


def holds_han(query: str) -> bool:
    """Whether a query has a Chinese character."""
    return any("\u3400" <= sign <= "\u9fff" for sign in query)


def bearer(key: str) -> tuple[str, str]:
    """The header of RFC 6750 that carries `key`."""
    return "Authorization", f"Bearer {key}"


def at(value: object, path: str) -> object:
    """What `value` holds at a dotted path; None where an object or a key on the way is missing."""
    for name in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def text_at(value: object, *paths: str) -> str:
    """The first text that is not blank at one of `paths`; blank when there is none."""
    for path in paths:
        found = at(value, path)
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def whole(value: object) -> int | None:
    """A code that a service writes as a number or as its digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value[:20])
    return value if isinstance(value, int) and not isinstance(value, bool) else None

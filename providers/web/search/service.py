"""One search service that is asked: the only place here that sends and receives."""

from dataclasses import dataclass, field
from urllib.parse import quote

from providers.base import Clock, Outgoing
from providers.exchange import Address, Answer, UnansweredError, UnreadableError, exchange, reach
from providers.web.characters import refused
from providers.web.search.adapter import Adapter, Ask, Judgement, Options, Received
from providers.web.search.classify import trouble
from providers.web.search.credentials import SHOWN, Credential, KeySource, no_key, variable_of
from providers.web.search.official import OfficialDomains
from providers.web.search.reading import Reading, read
from schemas.dates import instant
from schemas.errors import EvidenceError, NotReadyError, UsageError
from schemas.outside import parse
from schemas.text import legible
from schemas.web import WebSearchRequest, WebSearchResult

SEARCH_SECONDS = 20.0
READINESS_SECONDS = 5.0
LARGEST_ANSWER = 4 * 1024 * 1024
AGAIN_SECONDS = 600
"""How long a refused key or an empty balance is remembered when the service names no time."""


@dataclass(frozen=True)
class Readiness:
    """What was found without a paid query; `reason` is blank exactly when the service is ready."""

    installed: bool
    enabled: bool
    ready: bool
    reason: str = ""


@dataclass(frozen=True)
class Searched:
    """A search result, and what EXT-20's object has no field for.

    `dates` stands beside `result.results`: the publication date of each hit, or blank.
    `answered_query` is what the service says it searched, or blank when it does not say.
    """

    result: WebSearchResult
    retry_after: int | None = None
    answered_query: str = ""
    altered: bool = False
    dropped: int = 0
    dates: tuple[str, ...] = field(default=())


class SearchService:
    """A service at its address with its key; queries are judged by the caller before they come here."""

    def __init__(
        self,
        adapter: Adapter,
        clock: Clock,
        *,
        base_url: str = "",
        key: KeySource = no_key,
        options: Options | None = None,
        official: OfficialDomains | None = None,
        seconds: float = SEARCH_SECONDS,
        readiness_seconds: float = READINESS_SECONDS,
    ) -> None:
        """Raises UsageError for an address that is none, or to which a key would go in clear."""
        self.adapter = adapter
        self._clock = clock
        self._key = key
        self._options = options or Options()
        self._official = official or OfficialDomains.standard()
        self._seconds = seconds
        self._readiness_seconds = readiness_seconds
        self._barred: tuple[float, str] = (0.0, "")
        subject = f"the address of {adapter.name}"
        self.address = Address.of(base_url or adapter.base_url, subject)
        if self._keyed and self.address.scheme == "http" and not _on_this_machine(self.address.host):
            raise UsageError(f"{subject} must be https: a key would be sent in clear", subject=subject)

    @property
    def _keyed(self) -> bool:
        return self.adapter.key_header is not None and not self._options.keyless

    def outgoing(self, request: WebSearchRequest) -> Outgoing:
        """Byte for byte what `search` would send and where, with `[credential]` for the key."""
        ask = self._asking(request)
        content = self._message(ask, SHOWN if self._keyed else "")
        return Outgoing(self.address.url(ask.path), content.decode())

    def readiness(self) -> Readiness:
        """A live look that sends no query and spends nothing."""
        until, why = self._barred
        try:
            if self._keyed:
                self._credential()
        except NotReadyError as error:
            return Readiness(installed=True, enabled=False, ready=False, reason=error.message)
        if self._now() < until:
            return Readiness(installed=True, enabled=True, ready=False, reason=why)
        try:
            if self.adapter.ready is None:
                reach(self.address, self._readiness_seconds)
                why_not = ""
            else:
                why_not = self.adapter.ready(self._ask_aside, self._options)
        except UnansweredError as error:
            why_not = f"it cannot be reached: {error}"
        if why_not:
            why_not = legible(f"{self.adapter.title} at {self.address.url()}: {why_not}", 512)
        return Readiness(installed=True, enabled=True, ready=not why_not, reason=why_not)

    def search(self, request: WebSearchRequest) -> Searched:
        """Ask once; every outcome is a state of the result, and nothing is raised."""
        problem = self._refusal(request.query)
        if problem:
            return self._ended(request, Judgement("rejected", problem), sent=False)
        try:
            credential = self._credential() if self._keyed else None
        except NotReadyError as error:
            return self._ended(request, Judgement("unavailable", error.message), sent=False)
        ask = self._asking(request)
        try:
            received = self._exchange(ask, credential, self._seconds)
        except UnreadableError as error:
            return self._ended(request, Judgement("error", f"its answer cannot be read: {error}"))
        except UnansweredError as error:
            return self._ended(request, Judgement("unavailable", f"it cannot be asked: {error}"))
        judged = trouble(self.adapter, received)
        if judged is None:
            return self._read(request, received)
        self._remember(judged)
        return self._ended(request, judged)

    def _read(self, request: WebSearchRequest, received: Received) -> Searched:
        adapter = self.adapter
        reading = read(adapter, received.told, self._official)
        if reading is None:
            return self._ended(request, Judgement("error", f"its answer has no list {adapter.hits}"))
        found = len(reading.hits) + reading.dropped
        own = adapter.judge_empty(received.told) if adapter.judge_empty and not reading.hits else None
        if own is None:
            own = self._confirmed(not reading.hits)
        answered = legible(adapter.answered(received.told), 1024) if adapter.answered else ""
        reasons = []
        if altered := bool(answered) and answered.split() != request.query.split():
            reasons.append("the service searched another query than the one that was sent")
        if own is not None and own.state != "empty":
            return self._ended(request, own, answered=answered)
        if own is not None:
            reasons.append(own.reason)
        if reading.dropped:
            reasons.append(f"{reading.dropped} of {found} hits were dropped: no absolute http(s) URL")
        if reading.hits and adapter.remark and (remark := adapter.remark(received.told)):
            reasons.append(remark)
        wanted = self._count(request)
        if request.limit > wanted:
            reasons.append(f"at most {wanted} hits are asked for")
        return self._found(request, reading, answered, altered, reasons)

    def _confirmed(self, empty: bool) -> Judgement | None:
        if self.adapter.confirm is None:
            return None
        try:
            return self.adapter.confirm(self._ask_aside, self._options, empty)
        except UnansweredError as error:
            return Judgement("unavailable", f"whether to believe its answer cannot be seen: {error}")

    def _found(
        self, request: WebSearchRequest, reading: Reading, answered: str, altered: bool, reasons: list[str]
    ) -> Searched:
        pairs = list(zip(reading.hits, reading.dates, strict=True))
        if request.prefer_official:
            pairs.sort(key=lambda pair: not pair[0].official)  # stable, and the ranks stay as received
        pairs = pairs[: self._count(request)]
        result = WebSearchResult(
            provider=self.adapter.name,
            sent_query=answered or request.query,
            searched_at=instant(self._clock()),
            state="ok" if pairs else "empty",
            reason="; ".join(reasons),
            results=tuple(hit for hit, _ in pairs),
        )
        dates = tuple(date for _, date in pairs)
        return Searched(
            result, answered_query=answered, altered=altered, dropped=reading.dropped, dates=dates
        )

    def _ended(
        self, request: WebSearchRequest, judged: Judgement, sent: bool = True, answered: str = ""
    ) -> Searched:
        reason = judged.reason
        if judged.retry_after is not None:
            reason = f"{reason}; ask again in {judged.retry_after} seconds"
        result = WebSearchResult(
            provider=self.adapter.name,
            sent_query=(answered or request.query) if sent else "",
            searched_at=instant(self._clock()),
            state=judged.state,
            reason=legible(f"{self.adapter.title}: {reason}", 1024),
        )
        return Searched(result, judged.retry_after, answered)

    def _refusal(self, query: str) -> str:
        if not query.strip():
            return "the query is empty"
        if any("\ud800" <= sign <= "\udfff" or sign in "\r\n\t" for sign in query):
            return "the query holds a line break, a tab or a lone surrogate"
        if problem := refused(query):
            return f"the query {problem}"
        length, most = self.adapter.measure(query), self.adapter.longest_query
        return (
            f"the query is {length} long as this service counts, and it takes {most}" if length > most else ""
        )

    def _count(self, request: WebSearchRequest) -> int:
        return min(request.limit if request.limit > 0 else self.adapter.usual, self.adapter.most)

    def _asking(self, request: WebSearchRequest) -> Ask:
        return self.adapter.ask(request.query, self._count(request), self._options)

    def _credential(self) -> Credential:
        credential = self._key()
        if credential is None:
            variable = variable_of(self.adapter.name)
            raise NotReadyError(f"no key: set {variable} or {variable}_COMMAND", subject=variable)
        return credential

    def _remember(self, judged: Judgement) -> None:
        if judged.account or (judged.state == "rate_limited" and judged.retry_after):
            wait = AGAIN_SECONDS if judged.retry_after is None else judged.retry_after
            self._barred = (self._now() + wait, legible(f"{self.adapter.title}: {judged.reason}", 512))

    def _now(self) -> float:
        return self._clock().timestamp()

    def _ask_aside(self, ask: Ask) -> Received:
        credential = self._key() if self._keyed else None
        return self._exchange(ask, credential, self._readiness_seconds)

    def _exchange(self, ask: Ask, credential: Credential | None, seconds: float) -> Received:
        message = self._message(ask, credential.reveal() if credential else "")
        answer = exchange(self.address, message, seconds, LARGEST_ANSWER)
        told, headers = _told(answer), dict(answer.headers)
        if credential is not None:  # a service that repeats a key must not put it into our records
            told, headers = credential.hide(told), credential.hide(headers)
        return Received(answer.status, headers, answer.body, told, self._now())

    def _message(self, ask: Ask, key: str) -> bytes:
        path = quote(f"{self.address.path}{ask.path}", safe="/?&=%+,;:@!$'()*~-._")
        head = [
            f"{ask.method} {path} HTTP/1.1",
            f"Host: {self.address.authority}",
            "User-Agent: external-evidence",
            "Accept: application/json",
            "Accept-Encoding: identity",
            "Connection: close",
            *(f"{name}: {value}" for name, value in ask.headers),
        ]
        if key and self.adapter.key_header:
            head.append(": ".join(self.adapter.key_header(key)))
        if ask.body:
            head += ["Content-Type: application/json", f"Content-Length: {len(ask.body)}"]
        return "\r\n".join([*head, "", ""]).encode("ascii") + ask.body


def _told(answer: Answer) -> object:
    try:
        return parse(answer.body, "the answer")
    except EvidenceError:
        return None


def _on_this_machine(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")

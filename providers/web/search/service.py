"""One search service that is asked once a query: what it answers becomes a state, never an exception."""

from collections.abc import Sequence
from dataclasses import dataclass

from providers.base import Clock, Outgoing
from providers.exchange import Address, RefusedError, UnansweredError, UnreadableError, UnsentError, reach
from providers.web.characters import refused
from providers.web.search.adapter import Adapter, Asker, Judgement, Options, Received
from providers.web.search.classify import trouble, with_message
from providers.web.search.credentials import Credential, KeySource, no_key, variable_of
from providers.web.search.official import OfficialDomains
from providers.web.search.reading import Reading, read
from providers.web.search.wire import Wire, on_this_machine
from schemas.dates import instant
from schemas.errors import NotReadyError, UsageError
from schemas.text import legible
from schemas.web import WebSearchRequest, WebSearchResult

SEARCH_SECONDS = 20.0
READINESS_SECONDS = 5.0
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

    `dates` stands beside `result.results`: the publication date of each hit, or blank. `answered_query` is
    what the service says it searched, or blank when it does not say; `altered` that it is not what was sent.
    """

    result: WebSearchResult
    retry_after: int | None = None
    answered_query: str = ""
    altered: bool = False
    dropped: int = 0
    dates: tuple[str, ...] = ()


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
        address = address_of(adapter, base_url, self._options)
        self._wire = Wire(adapter, address, _keyed(adapter, self._options), clock)

    @property
    def address(self) -> Address:
        """Where the service is; this address is of use for nothing else."""
        return self._wire.address

    def prepare(self, request: WebSearchRequest) -> Outgoing:
        """Byte for byte what `search` would send and where, with `[credential]` in place of the key."""
        ask = self.adapter.ask(request.query, self._count(request), self._options)
        return self._wire.shown(ask)

    def probes(self) -> Sequence[Outgoing]:
        """What `readiness` may send, and `search` beside the query; nothing of a query is in it."""
        return [self._wire.shown(ask) for ask in self.adapter.probes]

    def readiness(self) -> Readiness:
        """A live look that sends no query and spends nothing."""
        try:
            credential = self._credential()
        except NotReadyError as error:
            return Readiness(installed=True, enabled=False, ready=False, reason=error.message)
        until, why_not = self._barred
        if self._clock().timestamp() >= until:
            why_not = self._looked(credential)
        if why_not:
            why_not = legible(f"{self.adapter.title} at {self.address.url()}: {why_not}", 512)
        return Readiness(installed=True, enabled=True, ready=not why_not, reason=why_not)

    def search(self, request: WebSearchRequest) -> Searched:
        """Ask once. Nothing is raised: a query that may not go is `rejected`, every failure a state."""
        problem = self.refusal(request.query)
        if problem:
            return self._ended(request, Judgement("rejected", problem), sent=False)
        try:
            credential = self._credential()
        except NotReadyError as error:
            return self._ended(request, Judgement("unavailable", error.message), sent=False)
        ask = self.adapter.ask(request.query, self._count(request), self._options)
        try:
            received = self._wire.exchange(ask, credential, self._seconds)
        except UnreadableError as error:
            return self._ended(request, Judgement("error", f"its answer cannot be read: {error}"))
        except UnansweredError as error:
            unasked = Judgement("unavailable", f"it cannot be asked: {self._why(error)}")
            return self._ended(request, unasked, sent=not isinstance(error, UnsentError))
        judged = trouble(self.adapter, received)
        if judged is not None:
            self._remember(judged)
            return self._ended(request, judged)
        return self._answered(request, received, credential)

    def _answered(
        self, request: WebSearchRequest, received: Received, credential: Credential | None
    ) -> Searched:
        adapter = self.adapter
        if adapter.spent and (spent := adapter.spent(received)):
            self._remember(spent)
        answered = legible(adapter.answered(received.told), 1024) if adapter.answered else ""
        reading = read(adapter, received.told, self._official)
        if reading is None:
            why = with_message(f"its answer has no list {adapter.hits}", received)
            return self._ended(request, Judgement("error", why), answered)
        judged = self._disbelieved(reading, received.told, credential)
        if judged is not None and judged.state != "empty":
            return self._ended(request, judged, answered)
        reasons = [judged.reason] if judged else []
        if reading.dropped:
            listed = len(reading.hits) + reading.dropped
            reasons.append(f"{reading.dropped} of {listed} hits were dropped: no absolute http(s) URL")
        if reading.hits and adapter.remark and (remark := adapter.remark(received.told)):
            reasons.append(remark)
        if request.limit > adapter.most:
            reasons.append(f"at most {adapter.most} hits are asked for")
        return self._found(request, reading, answered, reasons)

    def _disbelieved(self, reading: Reading, told: object, credential: Credential | None) -> Judgement | None:
        """Why an answer with this reading is not simply ok or empty."""
        adapter, nothing = self.adapter, not reading.hits
        if nothing and reading.dropped:
            return Judgement("error", f"none of its {reading.dropped} hits has an absolute http(s) URL")
        confirmed = self._confirmed(nothing, credential)
        if confirmed is not None and confirmed.state != "empty":
            return confirmed
        own = adapter.judge_empty(told) if nothing and adapter.judge_empty else None
        return own or confirmed

    def _confirmed(self, nothing: bool, credential: Credential | None) -> Judgement | None:
        if self.adapter.confirm is None:
            return None
        try:
            return self.adapter.confirm(self._aside(credential), self._options, nothing)
        except UnansweredError as error:
            return Judgement("unavailable", f"whether to believe its answer cannot be seen: {error}")

    def _found(
        self, request: WebSearchRequest, reading: Reading, answered: str, reasons: list[str]
    ) -> Searched:
        pairs = list(zip(reading.hits, reading.dates, strict=True))
        if request.prefer_official:
            pairs.sort(key=lambda pair: not pair[0].official)  # stable, and the ranks stay as received
        pairs = pairs[: self._count(request)]
        altered = _differ(answered, request.query)
        result = WebSearchResult(
            provider=self.adapter.name,
            sent_query=answered or request.query,
            searched_at=instant(self._clock()),
            state="ok" if pairs else "empty",
            reason="; ".join([_ALTERED, *reasons] if altered else reasons),
            results=tuple(hit for hit, _ in pairs),
        )
        dates = tuple(date for _, date in pairs)
        return Searched(result, None, answered, altered, reading.dropped, dates)

    def _ended(
        self, request: WebSearchRequest, judged: Judgement, answered: str = "", sent: bool = True
    ) -> Searched:
        reasons = [judged.reason]
        if judged.retry_after is not None:
            reasons.append(f"ask again in {judged.retry_after} seconds")
        if altered := _differ(answered, request.query):
            reasons.append(_ALTERED)
        result = WebSearchResult(
            provider=self.adapter.name,
            sent_query=(answered or request.query) if sent else "",
            searched_at=instant(self._clock()),
            state=judged.state,
            reason=legible(f"{self.adapter.title}: {'; '.join(reasons)}", 2048),
        )
        return Searched(result, judged.retry_after, answered, altered)

    def refusal(self, query: str) -> str:
        """Why a query is not sent, whoever judged it before; blank when it is."""
        if not query.strip():
            return "the query is empty"
        if any("\ud800" <= sign <= "\udfff" or sign in "\r\n\t" for sign in query):
            return "the query holds a line break, a tab or a lone surrogate"
        if problem := refused(query):
            return f"the query {problem}"
        length, most = self.adapter.measure(query), self.adapter.longest_query
        if length > most:
            return f"the query is {length} long as this service counts, and it takes at most {most}"
        return ""

    def _count(self, request: WebSearchRequest) -> int:
        return min(request.limit if request.limit > 0 else self.adapter.usual, self.adapter.most)

    def _credential(self) -> Credential | None:
        if not self._wire.keyed:
            return None
        credential = self._key()
        if credential is None:
            variable = variable_of(self.adapter.name)
            raise NotReadyError(f"no key: set {variable} or {variable}_COMMAND", subject=variable)
        return credential

    def _looked(self, credential: Credential | None) -> str:
        ready = self.adapter.ready
        try:
            why_not = ready(self._aside(credential), self._options) if ready else None
            if why_not is None:
                reach(self.address, self._readiness_seconds)
        except UnansweredError as error:
            return f"it cannot be reached: {self._why(error)}"
        return why_not or ""

    def _why(self, error: UnansweredError) -> str:
        if isinstance(error, RefusedError):
            return f"{self.address.url()} refused the connection: is it running?"
        return str(error)

    def _aside(self, credential: Credential | None) -> Asker:
        return lambda ask: self._wire.exchange(ask, credential, self._readiness_seconds)

    def _remember(self, judged: Judgement) -> None:
        if judged.account or (judged.state == "rate_limited" and judged.retry_after):
            wait = AGAIN_SECONDS if judged.retry_after is None else judged.retry_after
            self._barred = (self._clock().timestamp() + wait, judged.reason)


def address_of(adapter: Adapter, base_url: str, options: Options) -> Address:
    """Where the service is. Raises UsageError for no address, and for one where a key would go in clear."""
    if options.keyless and not adapter.may_be_keyless:
        raise UsageError(f"{adapter.name} cannot be asked without a key", subject=adapter.name)
    subject = f"the address of {adapter.name}"
    address = Address.of(base_url or adapter.base_url, subject)
    if _keyed(adapter, options) and address.scheme == "http" and not on_this_machine(address.host):
        raise UsageError(f"{subject} must be https: a key would be sent in clear", subject=subject)
    return address


def _keyed(adapter: Adapter, options: Options) -> bool:
    return adapter.key_header is not None and not options.keyless


_ALTERED = "the service searched another query than the one that was sent"


def _differ(answered: str, sent: str) -> bool:
    return bool(answered) and answered.split() != sent.split()

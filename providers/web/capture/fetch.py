"""Fetch one page: every hop is judged before its name is looked up, checked before it is connected to."""

import time
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from ssl import SSLContext

from providers.web.capture.addresses import objection
from providers.web.capture.connecting import tls
from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError, RejectedError
from providers.web.capture.exchange import Answer, Exchange, Route, request
from providers.web.capture.fetched import NOT_ASKED, Fetched, Hop, State
from providers.web.capture.location import Location
from providers.web.capture.permission import Permissions
from providers.web.capture.policy import FetchPolicy, networks, proxy_location
from providers.web.capture.resolving import Resolver, system_resolver
from schemas.dates import instant
from schemas.text import legible, trim

Clock = Callable[[], datetime]
Judge = Callable[[str], str | None]

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_PORTS = (80, 443)


class Fetcher:
    """Fetches pages under one policy; keeps what robots.txt said for each origin, and nothing else.

    `judge` tells why a URL may not be asked for, None when it may. It sees every URL as it was written and as
    it would be sent, before anything is looked up or sent. `resolver` gives the addresses of a name. The
    environment's proxies are never used. Raises UsageError when the policy's certificates cannot be read.
    """

    def __init__(
        self,
        policy: FetchPolicy,
        clock: Clock,
        judge: Judge,
        resolver: Resolver = system_resolver,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._policy = policy
        self._clock = clock
        self._judge = judge
        self._resolver = resolver
        self._monotonic = monotonic
        self._allowed = networks(policy.allow_networks)
        self._proxy = proxy_location(policy.proxy)
        self._permissions = Permissions(policy.product_token, clock)
        if policy.ca_file is not None:
            _ = self._context

    @cached_property
    def _context(self) -> SSLContext:
        return tls(self._policy.ca_file)

    def fetch(self, url: str) -> Fetched:
        """What asking for `url` came to, within the policy's seconds; never raises for what others send."""
        errand = Errand(Deadline(self._policy.seconds, self._monotonic))
        try:
            answer = self._follow(trim(url), errand)
        except RejectedError as ending:
            return self._fetched(url, "rejected", str(ending), None, errand)
        except FailedError as ending:
            return self._fetched(url, "failed", str(ending), None, errand)
        if answer.body is None:
            return self._fetched(url, "failed", f"status {answer.head.status}", answer, errand)
        return self._fetched(url, "captured", "", answer, errand)

    def prepared(self, url: str) -> list[tuple[str, bytes]]:
        """Each URL that `fetch` would ask for at first and the message that asks; looks up and sends nothing.

        Raises RejectedError where it would ask for nothing.
        """
        location = self._admitted(trim(url))
        robots = Location(location.scheme, location.host, location.port, "/robots.txt")
        places = (robots, location) if self._policy.robots else (location,)
        absolute = self._proxy is not None and location.scheme == "http"
        return [(place.url, request(place, self._policy, absolute)) for place in places]

    def _fetched(
        self, url: str, state: State, reason: str, answer: Answer | None, errand: "Errand"
    ) -> Fetched:
        body = answer.body if answer else None
        return Fetched(
            state=state,
            reason=reason,
            requested_url=url,
            final_url=errand.hops[-1].url if errand.hops else "",
            hops=tuple(errand.hops),
            fetched_at=instant(self._clock()),
            content_type=_shown(answer, "content-type") or "",
            byte_size=len(body.content) if body else 0,
            sha256=body.sha256 if body else "",
            body=body.content if body else b"",
            framing=body.framing if body else None,
            last_modified=_shown(answer, "last-modified"),
            retry_after=_shown(answer, "retry-after"),
            pinned=self._proxy is None,
            robots=errand.robots,
        )

    def _follow(self, url: str, errand: "Errand") -> Answer:
        """The answer at the end of the redirects from `url`, with robots.txt asked at every hop."""
        location = self._admitted(url)
        been: set[str] = set()
        while True:
            route = self._route(location, errand.deadline)
            if self._policy.robots:
                self._permit(location, route, errand)
            answer = self._ask(location, route, errand)
            following = self._next(location, answer)
            if following is None:
                return answer
            been.add(location.url)
            if following.url in been:
                raise FailedError("the redirects go in a circle")
            if len(been) > self._policy.max_redirects:
                raise RejectedError(f"more than {self._policy.max_redirects} redirects")
            location = following

    def _admitted(self, url: str) -> Location:
        self._heed(url)
        location = Location.of(url)
        if location.url != url:
            self._heed(location.url)
        self._check(location)
        return location

    def _next(self, location: Location, answer: Answer) -> Location | None:
        """Where the answer leads, admitted; None when it leads nowhere."""
        if answer.head.status not in _REDIRECTS:
            return None
        targets = answer.head.every("location")
        if len(targets) != 1:
            raise FailedError(f"status {answer.head.status} without one address to go to")
        following = location.next(_escaped(targets[0]))
        if location.scheme == "https" and following.scheme == "http":
            raise RejectedError("a redirect from https to http")
        self._heed(following.url)
        self._check(following)
        return following

    def _heed(self, url: str) -> None:
        refused = self._judge(url)
        if refused is not None:
            raise RejectedError(refused)

    def _check(self, location: Location) -> None:
        if location.port not in (*_PORTS, *self._policy.allow_ports):
            raise RejectedError(f"port {location.port} is not allowed")
        if not isinstance(location.host, str):
            self._open(str(location.host))

    def _open(self, address: str) -> None:
        why = objection(address, self._allowed)
        if why is not None:
            raise RejectedError(f"the host is {why}")

    def _route(self, location: Location, deadline: Deadline) -> Route:
        goal = self._proxy or location
        if not isinstance(goal.host, str):
            return Route((str(goal.host),), goal.port, self._proxy is not None)
        try:
            addresses = tuple(self._resolver(goal.host, goal.port, deadline))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise FailedError(f"the name was not resolved: {why}") from error
        deadline.left()
        if not addresses:
            raise FailedError("the name has no address")
        if self._proxy is None:  # the proxy's own address is the user's word
            for address in addresses:
                self._open(address)
        return Route(addresses, goal.port, self._proxy is not None)

    def _ask(self, location: Location, route: Route, errand: "Errand", cut: int | None = None) -> Answer:
        exchange = Exchange(self._policy, lambda: self._context, errand.deadline)
        seen = errand.seen(location) if cut is None else _unseen
        return exchange.ask(location, route, seen, cut)

    def _permit(self, location: Location, route: Route, errand: "Errand") -> None:
        """Ask robots.txt, unless it was asked before. Raises RejectedError, FailedError."""

        def read(place: Location, cut: int) -> Answer:
            return self._read_robots(place, route, errand, cut)

        decision = self._permissions.decide(location, read)
        errand.robots = decision.text
        decision.enforce()

    def _read_robots(self, place: Location, route: Route, errand: "Errand", cut: int) -> Answer:
        for _ in range(self._policy.max_redirects + 1):
            answer = self._ask(place, route, errand, cut)
            following = self._next(place, answer)
            if following is None:
                return answer
            place, route = following, self._route(following, errand.deadline)
        raise FailedError(f"more than {self._policy.max_redirects} redirects")


class Errand:
    """One fetch while it runs: its deadline, the hops so far, and what robots.txt said last."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.hops: list[Hop] = []
        self.robots = NOT_ASKED

    def seen(self, location: Location) -> Callable[[str, int], None]:
        """What to tell about the next hop: the address, and then the status."""
        place = len(self.hops)

        def seen(address: str, status: int) -> None:
            self.hops[place:] = [Hop(location.url, status, address)]

        return seen


def _unseen(_address: str, _status: int) -> None:
    """robots.txt is no hop."""


def _shown(answer: Answer | None, name: str) -> str | None:
    values = answer.head.every(name) if answer else []
    return legible(", ".join(values), 256) if values else None


def _escaped(reference: str) -> str:
    """A Location header in ASCII: octets beyond it as escapes, as they would be sent."""
    return "".join(char if char < "\x80" else f"%{ord(char):02X}" for char in reference)

"""What robots.txt allows, asked once for each origin (RFC 9309 section 2.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from providers.web.capture.ending import FailedError, RejectedError
from providers.web.capture.exchange import WHOLE, Answer
from providers.web.capture.location import Location
from providers.web.capture.robots import LARGEST, Robots

ALLOWED = "allowed"
DISALLOWED = "disallowed"
MISSING = "no robots.txt"
UNREACHABLE = "unreachable"

_KEPT_FOR = timedelta(hours=24)  # RFC 9309 section 2.4
_MOST_KEPT = 256

Read = Callable[[Location, int], Answer]


@dataclass(frozen=True, slots=True)
class Decision:
    """Allowed or not, and the error that tells why not."""

    text: str
    against: RejectedError | FailedError | None = None

    def enforce(self) -> None:
        """Raises RejectedError or FailedError unless the page may be asked for."""
        if self.against is not None:
            raise self.against


class Permissions:
    """The robots.txt files of the origins that one fetcher has asked."""

    def __init__(self, token: str, clock: Callable[[], datetime]) -> None:
        self._token = token
        self._clock = clock
        self._kept: dict[str, tuple[datetime, Robots | None]] = {}

    def decide(self, location: Location, read: Read) -> Decision:
        """Whether `location` may be asked for; `read` gets its robots.txt when that is not known.

        A status of 4xx, or of 204, counts as no robots.txt. One that cannot be read forbids everything,
        and the decision is `failed` or `rejected` by what stood in the way.
        """
        known = self._known(location.origin)
        if known is None:
            try:
                answer = read(Location(location.scheme, location.host, location.port, "/robots.txt"), LARGEST)
                robots = self._rules(answer)
            except (RejectedError, FailedError) as trouble:
                return Decision(UNREACHABLE, type(trouble)(f"robots.txt was not read: {trouble}"))
            self._keep(location.origin, robots)
        else:
            (robots,) = known
        if robots is None:
            return Decision(MISSING)
        if robots.allows(location.target):
            return Decision(ALLOWED)
        return Decision(DISALLOWED, RejectedError("robots.txt disallows it"))

    def _rules(self, answer: Answer) -> Robots | None:
        status = answer.head.status
        if answer.body is not None and status in WHOLE:
            return Robots(answer.body.content, self._token)
        if status == 204 or 400 <= status < 500:
            return None
        raise FailedError(f"status {status}")

    def _known(self, origin: str) -> tuple[Robots | None] | None:
        at, robots = self._kept.get(origin, (None, None))
        return None if at is None or self._clock() - at > _KEPT_FOR else (robots,)

    def _keep(self, origin: str, robots: Robots | None) -> None:
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[origin] = (self._clock(), robots)

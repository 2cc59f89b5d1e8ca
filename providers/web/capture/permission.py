"""What robots.txt allows, asked once for each origin (RFC 9309 section 2.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from providers.web.capture.ending import FailedError, RejectedError
from providers.web.capture.exchange import Answer
from providers.web.capture.location import Location
from providers.web.capture.robots import LARGEST, Robots

ALLOWED = "allowed"
DISALLOWED = "disallowed"
MISSING = "no robots.txt"
UNREACHABLE = "unreachable"

_KEPT_FOR = timedelta(hours=24)  # RFC 9309 section 2.4
_MOST_KEPT = 256
_MOST_BYTES = 1 << 20  # of all together: memory is bounded whatever they hold

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
        self._kept: dict[str, tuple[datetime, bytes | None]] = {}

    def decide(self, location: Location, read: Read) -> Decision:
        """Whether `location` may be asked for; `read` gets its robots.txt when that is not known.

        A status of 4xx, or of 204, counts as no robots.txt. One that cannot be read forbids everything,
        and the decision is `failed` or `rejected` by what stood in the way.
        """
        if not self._known(location.origin):
            try:
                answer = read(Location(location.scheme, location.host, location.port, "/robots.txt"), LARGEST)
                content = _content(answer)
            except (RejectedError, FailedError) as trouble:
                return Decision(UNREACHABLE, type(trouble)(f"robots.txt was not read: {trouble}"))
            self._keep(location.origin, content)
        _, content = self._kept[location.origin]
        if content is None:
            return Decision(MISSING)
        if Robots(content, self._token).allows(location.target):
            return Decision(ALLOWED)
        return Decision(DISALLOWED, RejectedError("robots.txt disallows it"))

    def _known(self, origin: str) -> bool:
        return origin in self._kept and self._clock() - self._kept[origin][0] <= _KEPT_FOR

    def _keep(self, origin: str, content: bytes | None) -> None:
        self._kept.pop(origin, None)
        self._kept[origin] = (self._clock(), content)
        while len(self._kept) > _MOST_KEPT or self._size() > _MOST_BYTES:
            del self._kept[next(iter(self._kept))]  # the oldest

    def _size(self) -> int:
        return sum(len(content or b"") for _, content in self._kept.values())


def _content(answer: Answer) -> bytes | None:
    status = answer.head.status
    if answer.body is not None:
        content = answer.body.content
        # Where the file was cut, its last line may say something else than the whole line does.
        return content if len(content) < LARGEST else content[: max(map(content.rfind, (b"\n", b"\r"))) + 1]
    if status == 204 or 400 <= status < 500:
        return None
    raise FailedError(f"status {status}")

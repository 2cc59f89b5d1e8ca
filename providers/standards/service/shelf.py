"""The library in force, and how another takes its place while requests are answered."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from providers.base import Clock
from providers.standards.library import Library, load, starter
from providers.standards.matching import ALL_RULES
from providers.standards.rules import Rules
from providers.standards.service.answering import Answers
from schemas.dates import instant
from schemas.errors import EvidenceError

Stamp = tuple[int, int, int] | None
Event = dict[str, object]


@dataclass(frozen=True)
class Refused:
    """A library that did not take the place of the one in force."""

    seen_at: str
    message: str

    def to_wire(self) -> dict[str, str]:
        """As /readyz tells it."""
        return {"seen_at": self.seen_at, "message": self.message}


class Shelf:
    """Holds the answers of one library; a new one is prepared aside and put in force by one assignment.

    Only the thread that watches calls `look` and `reload`; any thread reads `current` and `refused`.
    """

    def __init__(
        self,
        path: str | None,
        clock: Clock,
        tell: Callable[[Event], None],
        rules: Rules = ALL_RULES,
    ) -> None:
        self._path = path
        self._clock = clock
        self._tell = tell
        self._rules = rules
        self._seen = self._tried = self._stamp()
        self.refused: Refused | None = None
        self.current = Answers(self._load(), rules)
        self.loaded_at = instant(clock())

    def look(self) -> None:
        """Reload a file that changed and then rested from one look to the next: half a copy is no library."""
        stamp = self._stamp()
        rested, self._seen = stamp == self._seen, stamp
        if rested and stamp != self._tried:
            self.reload()

    def reload(self) -> None:
        """Put the file's library in force, or keep the old one and tell why."""
        self._tried = self._seen = self._stamp()
        before = self.current
        try:
            library = self._load()
            same = library.revision == before.library.revision
            answers = before if same else Answers(library, self._rules)
        except EvidenceError as error:
            self._refuse(error.message)
            return
        # A library that cannot be prepared is a bad one, whatever it raises: the old one goes on answering.
        except Exception as error:  # noqa: BLE001
            self._refuse(f"{type(error).__name__}: {error}")
            return
        if self._stamp() != self._tried:
            self._tried = None
            self._refuse("the file changed while it was read")
            return
        if not same:
            self.current, self.loaded_at = answers, instant(self._clock())
        self.refused = None
        self._tell(
            {
                "event": "library_unchanged" if same else "library_reloaded",
                "library": library.name,
                "standards": len(library),
                "revision": library.revision,
                "revision_before": before.library.revision,
            }
        )

    def _refuse(self, message: str) -> None:
        message = message.encode("utf-8", "backslashreplace").decode()  # it may name a file by no text
        self.refused = Refused(instant(self._clock()), message)
        in_force = self.current.library.revision
        self._tell({"event": "library_refused", "reason": message, "revision_in_force": in_force})

    def _load(self) -> Library:
        return load(self._path) if self._path else starter()

    def _stamp(self) -> Stamp:
        if self._path is None:
            return None
        try:
            found = Path(self._path).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

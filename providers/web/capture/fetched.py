"""What a fetch came to."""

import re
from dataclasses import dataclass, field
from typing import Literal

from providers.web.capture.body import Framing

State = Literal["captured", "rejected", "failed"]

NOT_ASKED = "not asked"
_CHARSET = re.compile(r"""[^"]*?;[ \t]*charset[ \t]*=[ \t]*(?:"([^"]*)"|([^\s;"]+))""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hop:
    """One URL that was asked for: the status of its answer (0 without one), and the address connected to."""

    url: str = field(repr=False)
    status: int
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """One fetch: `captured` is a whole body, `rejected` our policy, `failed` their fault.

    `sha256` and `byte_size` are those of `body`: the bytes after the transfer coding and the one content
    coding were removed. `framing` tells how the end of the body was known; `close` means by the end of the
    connection alone. Without a capture all of these are empty. URLs and body stay out of the repr. A URL
    that the judge refused stands in `requested_url` at most.
    """

    state: State
    reason: str = ""
    requested_url: str = field(repr=False)
    final_url: str = field(default="", repr=False)
    hops: tuple[Hop, ...] = ()
    fetched_at: str
    content_type: str = ""
    byte_size: int = 0
    sha256: str = ""
    body: bytes = field(default=b"", repr=False)
    framing: Framing | None = None
    last_modified: str | None = None
    retry_after: str | None = None
    pinned: bool = True
    robots: str = NOT_ASKED

    @property
    def charset(self) -> str | None:
        """The charset parameter of the Content-Type header, as it stands there."""
        found = _CHARSET.match(self.content_type)
        return (found[1] or found[2]) if found else None

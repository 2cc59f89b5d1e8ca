"""One row of the fault table."""

from dataclasses import dataclass

from tests.providers.web.search.faking import Behaviour


@dataclass(frozen=True)
class Fault:
    """What a service does, the state and the wait that follow, and a word of the reason."""

    service: str
    name: str
    does: Behaviour
    state: str
    says: str = ""
    retry_after: int | None = None
    late: bool = False

    def __str__(self) -> str:
        return f"{self.service}: {self.name}"

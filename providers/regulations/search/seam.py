"""The seams of a search: what it reads of a corpus, and what every engine that recalls promises."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.pointer import Revision


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit that an engine recalled; texts are search text (folded), for ranking and never for quoting."""

    edition_id: str
    path: str
    title: str
    heading: str
    text: str
    sha256: str

    @property
    def node_id(self) -> str:
        """The id of the node that the unit stands for."""
        return f"{self.edition_id}#{self.path}"


@dataclass(frozen=True, slots=True)
class Terms:
    """What an engine looks for: a unit has one of `needed`; how often `single` occur is told too."""

    needed: tuple[str, ...]
    single: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Within:
    """Where an engine looks: only in `editions` unless None, only at one `path` unless it is empty."""

    editions: Collection[str] | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """Candidates in the engine's order, and what ranking needs to know of the whole index."""

    candidates: tuple[Candidate, ...] = ()
    frequencies: Mapping[str, int] = field(default_factory=dict)
    units: int = 0
    mean_length: float = 0.0


class Shelf(Protocol):
    """What a search reads of a corpus; `Corpus` is one."""

    def pinned(self, revision: str = "") -> str:
        """The id of the revision that a request means; NotReadyError when none is published."""
        ...

    def revisions(self) -> Sequence[Revision]:
        """All revisions with their state."""
        ...

    def editions(self, revision: str = "") -> Sequence[Edition]:
        """The editions of a revision."""
        ...

    def nodes(self, revision: str = "") -> Iterable[Node]:
        """Every node, editions by id, each in reading order."""
        ...

    def node(self, revision: str, node_id: str) -> Node:
        """One node; NotFoundError when the revision has none, IntegrityError when its text does not hold."""
        ...


class SearchIndex(Protocol):
    """Full text of corpus revisions; derived, rebuildable, keyed by revision (regulations.md section 9, R6).

    Raises NotReadyError where the engine itself is missing. Safe to call from many threads.
    """

    def build(self, revision: str, nodes: Iterable[Node], editions: Sequence[Edition]) -> None:
        """Index a revision, in one step or not at all; an index that is there is replaced."""
        ...

    def has(self, revision: str) -> bool:
        """Whether the revision is indexed."""
        ...

    def drop(self, revision: str) -> None:
        """Forget a revision, as after its withdrawal; one that is not there is no error."""
        ...

    def recall(self, revision: str, terms: Terms, within: Within, most: int) -> Recalled:
        """At most `most` candidates, best first, ties in reading order."""
        ...

    def leading(self, revision: str, edition_id: str, most: int) -> Sequence[str]:
        """The paths of the first units of an edition in reading order."""
        ...

    def holding(self, revision: str, path: str) -> Collection[str]:
        """The ids of the editions that have a unit at `path`."""
        ...

"""The corpus of regulations: import, check, publish, and read what a pinned revision holds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from providers.regulations import claims, drafts, evidence, pointer, publish
from providers.regulations.comparison import Comparison, compare
from providers.regulations.defects import Defect
from providers.regulations.edition import Edition
from providers.regulations.importer import import_edition
from providers.regulations.intake import Source, read_sources
from providers.regulations.manifest import Entry
from providers.regulations.node import Node
from providers.regulations.pointer import Held, Revision
from providers.regulations.readers import READERS, Reader
from providers.regulations.reading import Reading
from providers.regulations.store import Store
from schemas.dates import instant
from schemas.errors import InvalidError, NotFoundError, NotReadyError
from schemas.text import shown

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import took in, and everything that was noticed, by file and line."""

    editions: tuple[str, ...]
    nodes: int
    defects: tuple[Defect, ...]

    @property
    def problems(self) -> tuple[Defect, ...]:
        """The defects that keep the corpus from being published."""
        return tuple(defect for defect in self.defects if defect.blocks)


class Corpus:
    """One corpus in one SQLite file; safe to share between threads, each reads in its own connection.

    Wherever a `revision` is asked for, an empty one means the current one; one that is unknown is
    NotFoundError and never replaced by the current one (R1, R2). With none published it is
    NotReadyError (R5). A draft revision is only read by its exact id and with `draft=True`.
    """

    def __init__(
        self, store: Store, clock: Clock, readers: Mapping[str, tuple[str, Reader]] = READERS
    ) -> None:
        self._readers = readers
        self._store = store
        self._clock = clock
        self._reading = Reading(store)

    @classmethod
    def open(
        cls,
        path: Path,
        clock: Clock,
        *,
        create: bool = False,
        readers: Mapping[str, tuple[str, Reader]] = READERS,
    ) -> Self:
        """The corpus at `path`; NotFoundError when there is none and `create` is false.

        `readers` say by suffix which extractor reads which file.
        """
        return cls(Store(path, create=create), clock, readers)

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self._store.path

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def import_files(self, files: Sequence[Path]) -> ImportReport:
        """Take manifests or loose files in as drafts, all of them or none; see `intake.read_sources`."""
        return self.import_sources(read_sources(files))

    def import_sources(self, sources: Sequence[Source]) -> ImportReport:
        """Take `sources` in as drafts; each replaces the draft of its edition."""
        taken = [
            (import_edition(one.edition, one.assets[0], one.assets[1:], readers=self._readers), one.assets)
            for one in sources
        ]
        changed: list[Defect] = []
        with self._store.writing():
            for imported, assets in taken:
                drafts.take_in(self._store, imported, [(asset.sha256, asset.data) for asset in assets])
                changed += drafts.changed(self._store, imported.entry)
            regulations = {one.edition.regulation_id for one in sources}
            together = drafts.together(self._store, regulations)
        return ImportReport(
            tuple(imported.entry.edition.edition_id for imported, _ in taken),
            sum(len(imported.entry.nodes) for imported, _ in taken),
            (
                *(defect for imported, _ in taken for defect in imported.defects),
                *changed,
                *(
                    Defect(edition_id, "", 0, kind, detail)
                    for edition_id, kind, detail in claims.of_status([one.edition for one in sources])
                ),
                *together,
            ),
        )

    def check(self) -> list[Defect]:
        """Everything that keeps the drafts from being published; empty when nothing does."""
        with self._store.reading():
            return drafts.problems(self._store)

    def defects(self) -> list[Defect]:
        """Everything that was noticed in the drafts, whether it blocks or not."""
        with self._store.reading():
            return [*drafts.defects(self._store), *drafts.notes(self._store)]

    def notes(self) -> list[Defect]:
        """What the drafts show together, such as a time between two editions; it blocks nothing."""
        with self._store.reading():
            return drafts.notes(self._store)

    def remove(self, edition_id: str, reason: str) -> None:
        """Drop an edition's draft; the next revision bears a tombstone with the reason (R7)."""
        with self._store.writing():
            drafts.remove(self._store, edition_id, reason)

    def build(self) -> str:
        """The drafts as an immutable revision in state draft; its id."""
        with self._store.writing():
            return publish.build(self._store, self._now())

    def publish(self, actor: str = "unknown", revision: str = "") -> str:
        """Build the drafts and make them current, in one step or not at all; or point at `revision` again.

        InvalidError lists what blocks it. Readers that run keep the revision that they have pinned.
        """
        with self._store.writing():
            chosen = revision or publish.build(self._store, self._now())
            pointer.point_at(self._store, chosen, actor, self._now())
        self._store.checkpoint()
        return chosen

    def withdraw(self, revision: str, reason: str, actor: str = "unknown") -> list[Held]:
        """Take a revision's texts away for a reason; ids and hashes stay, nothing else becomes current.

        What other published revisions or the drafts still hold is not taken away; it is told.
        """
        with self._store.writing():
            pointer.withdraw(self._store, revision, reason, actor, self._now())
            held = pointer.held_elsewhere(self._store, revision)
        self._store.checkpoint()
        return held

    def withdrawn_because(self, revision: str) -> str:
        """The reason for which a revision was withdrawn; empty when it was not."""
        with self._store.reading():
            return pointer.withdrawn_because(self._store, revision)

    def full(self, revision: str) -> str:
        """The id of the one revision that begins with `revision`; what begins none is left as it is."""
        with self._store.reading():
            return pointer.full(self._store, revision)

    def revisions(self) -> list[Revision]:
        """All revisions with their state."""
        with self._store.reading():
            return pointer.revisions(self._store)

    def current(self) -> str | None:
        """The id of the current revision; None when nothing is published."""
        with self._store.reading():
            return pointer.current_revision(self._store)

    def pinned(self, revision: str = "", *, draft: bool = False) -> str:
        """The id of the revision that a request means, published unless `draft` allows else."""
        with self._store.reading():
            if not revision:
                current = pointer.current_revision(self._store)
                if current is None:
                    raise NotReadyError(
                        "没有已发布的语料修订 no corpus revision is published", subject="corpus"
                    )
                return current
            if pointer.state(self._store, revision) == "draft" and not draft:
                raise NotFoundError(
                    f"{shown(revision)} 是草稿 is a draft", subject=revision, hint="先发布 publish it first"
                )
            return revision

    def editions(self, revision: str = "", *, draft: bool = False) -> list[Edition]:
        """The editions of a revision, by id."""
        return [entry.edition for entry in self.entries(revision, draft=draft)]

    def entries(self, revision: str = "", *, draft: bool = False) -> list[Entry]:
        """The manifest's entries of a revision, by edition id: metadata, scheme, assets, node records."""
        with self._store.reading():
            pinned = self.pinned(revision, draft=draft)
            return [self._reading.parsed(pinned, one).entry for one in sorted(self._reading.members(pinned))]

    def edition(self, revision: str, edition_id: str, *, draft: bool = False) -> Edition:
        """One edition of a revision."""
        with self._store.reading():
            return self._reading.parsed(self.pinned(revision, draft=draft), edition_id).entry.edition

    def node(self, revision: str, node_id: str, *, draft: bool = False) -> Node:
        """One node, its text held against the verified manifest; IntegrityError when it does not fit."""
        with self._store.reading():
            pinned = self._readable(revision, draft=draft)
            return self._reading.node(*self._reading.record(pinned, node_id))

    def nodes(self, revision: str = "", *, draft: bool = False) -> Iterator[Node]:
        """Every node in document order, editions by id; each edition is read in one state of the file."""
        pinned = self._readable(revision, draft=draft)
        with self._store.reading():
            editions = sorted(self._reading.members(pinned))
        for edition_id in editions:
            with self._store.reading():
                found = list(self._reading.nodes(self._reading.parsed(pinned, edition_id)))
            yield from found

    def _readable(self, revision: str, *, draft: bool) -> str:
        with self._store.reading():
            pinned = self.pinned(revision, draft=draft)
            if pointer.state(self._store, pinned) == "withdrawn":
                raise NotFoundError(f"{pinned} 已撤回 was withdrawn", subject=pinned)
            return pinned

    def resolve(
        self, revision: str, node_id: str, start: object = 0, end: object = 0, *, draft: bool = False
    ) -> evidence.Resolved:
        """The evidence of a slice of a node, disclosed as its edition allows, with `hash_verified` (§6)."""
        if not node_id:
            raise InvalidError("需要节点号 a node id is needed", subject="nodeId")
        with self._store.reading():
            pinned = self.pinned(revision, draft=draft)
            withdrawn = pointer.state(self._store, pinned) == "withdrawn"
            return evidence.resolve(self._store, self._reading, pinned, node_id, (start, end), withdrawn)

    def diff(self, edition_a: str, edition_b: str, revision: str = "", *, draft: bool = False) -> Comparison:
        """新旧对照: two editions of a revision, article by article."""
        with self._store.reading():
            pinned = self._readable(revision, draft=draft)
            first, second = (self._reading.parsed(pinned, one) for one in (edition_a, edition_b))
            return compare(list(self._reading.nodes(first)), list(self._reading.nodes(second)))

    def manifest(self, revision: str = "", *, draft: bool = False) -> bytes:
        """The canonical bytes of a revision's manifest."""
        with self._store.reading():
            return self._reading.manifest_bytes(self.pinned(revision, draft=draft))

    def verify(self, revision: str = "", *, draft: bool = False) -> int:
        """Hash manifest, entries, texts and assets again: the number of nodes, or IntegrityError."""
        with self._store.reading():
            pinned = self._readable(revision, draft=draft)
            return evidence.audit(self._store, self._reading, pinned)

    def compact(self) -> None:
        """Give the space of removed texts back to the disk; ids, hashes and revisions stay as they are."""
        self._store.run("VACUUM")
        self._store.checkpoint()

    def _now(self) -> str:
        return instant(self._clock())

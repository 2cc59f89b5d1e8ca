"""Draft editions: what the next revision is built from, and what keeps it from being published."""

import hashlib
from collections.abc import Sequence

import orjson

from providers.regulations import pointer, status
from providers.regulations.defects import Defect
from providers.regulations.importer import Imported
from providers.regulations.manifest import Entry, read_entry
from providers.regulations.store import Store
from schemas.errors import IntegrityError, InvalidError, NotFoundError
from schemas.text import shown


def take_in(store: Store, imported: Imported, assets: Sequence[tuple[str, bytes]]) -> None:
    """Make `imported` the draft of its edition, inside a writing transaction."""
    data = imported.entry.to_bytes()
    digest = hashlib.sha256(data).hexdigest()
    edition = imported.entry.edition.edition_id
    store.run_many("INSERT OR IGNORE INTO assets VALUES (?, ?)", assets)
    store.run_many("INSERT OR IGNORE INTO texts VALUES (?, ?)", sorted(imported.texts.items()))
    store.run("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)", digest, edition, data)
    report = orjson.dumps([_row(defect) for defect in imported.defects])
    store.run("INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", edition, digest, report)
    store.run("DELETE FROM tombstones WHERE edition = ?", edition)


def _row(defect: Defect) -> list[object]:
    return [getattr(defect, name) for name in Defect.__slots__]


def defects(store: Store) -> list[Defect]:
    """Everything noticed in the drafts, by file and line."""
    return [Defect(*row) for (report,) in store.run("SELECT report FROM drafts ORDER BY edition")
            for row in orjson.loads(report)]  # fmt: skip


def problems(store: Store) -> list[Defect]:
    """Everything that keeps the drafts from being published."""
    found = [defect for defect in defects(store) if defect.blocks]
    entries = [entry for _, entry in drafted(store)]
    editions = [entry.edition for entry in entries]
    for first, second in status.overlaps(editions):
        found.append(_about(first, "intervals overlap", f"{second} is in force on the same day"))
    current = pointer.current_revision(store)
    if current is not None:
        kept = {edition.edition_id for edition in editions} | set(tombstones(store))
        for (edition,) in store.run(
            "SELECT edition FROM members WHERE revision = ? ORDER BY edition", current
        ):
            if edition not in kept:
                found.append(
                    _about(edition, "edition dropped", f"it is in {current}; a tombstone must say why")
                )
    for entry in entries:
        found += _assets_that_changed(store, entry)
    return found


def _about(edition: str, kind: str, detail: str) -> Defect:
    return Defect(edition, "", 0, kind, detail, blocks=True)


def _assets_that_changed(store: Store, entry: Entry) -> list[Defect]:
    found = []
    for asset in entry.assets:
        rows = store.run("SELECT data FROM assets WHERE sha256 = ?", asset.sha256)
        if not rows or hashlib.sha256(rows[0][0]).hexdigest() != asset.sha256:
            found.append(_about(entry.edition.edition_id, "asset changed", f"{asset.sha256} is not its hash"))
    return found


def drafted(store: Store) -> list[tuple[str, Entry]]:
    """Hash and entry of every draft, by edition id."""
    rows = store.run(
        "SELECT drafts.entry, entries.data FROM drafts JOIN entries ON entries.sha256 = drafts.entry"
        " ORDER BY drafts.edition"
    )
    for digest, data in rows:
        if hashlib.sha256(data).hexdigest() != digest:
            raise IntegrityError("a draft's entry is not what its hash says", subject=str(digest))
    return [(str(digest), read_entry(data)) for digest, data in rows]


def tombstones(store: Store) -> dict[str, str]:
    """The editions that the next revision drops, and why."""
    return dict(store.run("SELECT edition, reason FROM tombstones ORDER BY edition"))


def remove(store: Store, edition: str, reason: str) -> None:
    """Take an edition out of the drafts and say why, which the next revision's manifest repeats."""
    if not reason.strip():
        raise InvalidError("a tombstone needs its reason", subject="reason")
    if not store.run("SELECT 1 FROM drafts WHERE edition = ?", edition):
        raise NotFoundError(f"no draft of {shown(edition)}", subject=edition)
    store.run("DELETE FROM drafts WHERE edition = ?", edition)
    store.run("INSERT OR REPLACE INTO tombstones VALUES (?, ?)", edition, reason)

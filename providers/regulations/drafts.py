"""Draft editions: what the next revision is built from, and what keeps it from being published."""

import hashlib
from collections.abc import Collection, Sequence

import orjson

from providers.regulations import claims, pointer, status
from providers.regulations.defects import Defect
from providers.regulations.edition import Edition
from providers.regulations.importer import Imported
from providers.regulations.manifest import Entry, read_entry
from providers.regulations.store import Store, holds, unpacked
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
            for row in unpacked(report, "the report of a draft")]  # fmt: skip


def notes(store: Store) -> list[Defect]:
    """What the drafts show together and none by itself; it blocks nothing."""
    editions = [entry.edition for _, entry in drafted(store)]
    return [Defect(edition, "", 0, kind, detail) for edition, kind, detail in claims.of_gaps(editions)]


def together(store: Store, regulations: Collection[str]) -> list[Defect]:
    """What the drafts of these regulations show together: what blocks, then notes."""
    editions = [entry.edition for _, entry in drafted(store)]
    found = [*overlapping([one for one in editions if one.regulation_id in regulations]), *notes(store)]
    return [one for one in found if one.edition_id.partition("@")[0] in regulations]


def problems(store: Store) -> list[Defect]:
    """Everything that keeps the drafts from being published."""
    found = [defect for defect in defects(store) if defect.blocks]
    entries = [entry for _, entry in drafted(store)]
    editions = [entry.edition for entry in entries]
    found += overlapping(editions)
    current = pointer.current_revision(store)
    if current is not None:
        kept = {edition.edition_id for edition in editions} | set(tombstones(store))
        for (edition,) in store.run(
            "SELECT edition FROM members WHERE revision = ? ORDER BY edition", current
        ):
            if edition not in kept:
                found.append(
                    _about(
                        edition,
                        "edition dropped",
                        f"它在现行语料修订 {current} 中，须有墓碑 a tombstone must say why",
                    )
                )
    for entry in entries:
        found += [defect for defect in changed(store, entry) if defect.blocks]
        found += _assets_that_changed(store, entry)
    return found


def overlapping(editions: Sequence[Edition]) -> list[Defect]:
    """Pairs of editions of one regulation that would be in force on one day."""
    return [
        _about(
            first,
            "intervals overlap",
            f"{second} 在同一日有效，请给旧版写失效日 repealed"
            f" is in force on the same day: give the older one its repealed date",
        )
        for first, second in status.overlaps(editions)
    ]


def changed(store: Store, entry: Entry) -> list[Defect]:
    """What the draft of an edition gives otherwise than the revision that was last published with it."""
    edition = entry.edition
    rows = store.run(
        "SELECT entries.data, history.revision FROM history"
        " JOIN members ON members.revision = history.revision AND members.edition = ?"
        " JOIN entries ON entries.sha256 = members.entry"
        " WHERE history.event = 'published' AND history.revision NOT IN"
        " (SELECT revision FROM history WHERE event = 'withdrawn') ORDER BY history.seq DESC LIMIT 1",
        edition.edition_id,
    )
    if not rows:
        return []
    before = read_entry(rows[0][0])
    differ = {path for path, _ in _texts_of(before) ^ _texts_of(entry)}
    if not differ:
        return []
    articles = sum(path.rpartition("/")[2].startswith("art") for path in differ) or len(differ)
    current = pointer.current_revision(store) == rows[0][1]
    detail = (
        f"正文与{'现行语料修订' if current else f'语料修订 {rows[0][1]}'}不同（{articles} 条）："
        f"原为 was sha256 {before.primary.sha256}，现为 is sha256 {entry.primary.sha256}"
    )
    name = f"changed:{edition.edition_id}"
    return [
        Defect(edition.edition_id, "", 0, "published text changed", detail, name not in edition.accept, name)
    ]


def _texts_of(entry: Entry) -> set[tuple[str, str]]:
    return {(node.path, node.sha256) for node in entry.nodes}


def _about(edition: str, kind: str, detail: str) -> Defect:
    return Defect(edition, "", 0, kind, detail, blocks=True)


def _assets_that_changed(store: Store, entry: Entry) -> list[Defect]:
    found = []
    for asset in entry.assets:
        rows = store.run("SELECT data FROM assets WHERE sha256 = ?", asset.sha256)
        if not rows or not holds(rows[0][0], asset.sha256, bytes):
            found.append(
                _about(
                    entry.edition.edition_id,
                    "asset changed",
                    f"源文件与其哈希不符 its bytes are not those of sha256 {asset.sha256}",
                )
            )
    return found


def drafted(store: Store) -> list[tuple[str, Entry]]:
    """Hash and entry of every draft, by edition id."""
    rows = store.run(
        "SELECT drafts.entry, entries.data FROM drafts JOIN entries ON entries.sha256 = drafts.entry"
        " ORDER BY drafts.edition"
    )
    for digest, data in rows:
        if not holds(data, digest, bytes):
            raise IntegrityError("a draft's entry is not what its hash says", subject=str(digest))
    return [(str(digest), read_entry(data)) for digest, data in rows]


def tombstones(store: Store) -> dict[str, str]:
    """The editions that the next revision drops, and why."""
    return dict(store.run("SELECT edition, reason FROM tombstones ORDER BY edition"))


def lasting(store: Store, held: Sequence[tuple[str, Entry]]) -> list[tuple[str, str]]:
    """The tombstones of the next revision: those of the current one too, until an edition comes back."""
    found = tombstones(store)
    current = pointer.current_revision(store)
    if current is not None:
        [(before,)] = store.run("SELECT tombstones FROM revisions WHERE id = ?", current)
        for one in unpacked(before, f"the tombstones of {current}"):
            found.setdefault(one["editionId"], one["reason"])
    back = {entry.edition.edition_id for _, entry in held}
    return sorted((edition, reason) for edition, reason in found.items() if edition not in back)


def remove(store: Store, edition: str, reason: str) -> None:
    """Take an edition out of the drafts and say why, which the next revision's manifest repeats."""
    if not reason.strip():
        raise InvalidError("移出须写明原因 a tombstone needs its reason", subject="reason")
    if not store.run("SELECT 1 FROM drafts WHERE edition = ?", edition):
        raise NotFoundError(f"草稿中没有 no draft of {shown(edition)}", subject=edition)
    store.run("DELETE FROM drafts WHERE edition = ?", edition)
    store.run("INSERT OR REPLACE INTO tombstones VALUES (?, ?)", edition, reason)

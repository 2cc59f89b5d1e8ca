"""The pointer that says which revision is current, and its history (regulations.md section 9)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from providers.regulations.manifest import read_entry
from providers.regulations.store import Store, holds
from schemas.errors import IntegrityError, InvalidError, NotFoundError, OrderError
from schemas.text import shown

_PREFIX: Final = re.compile(r"kbr1-[0-9a-f]{4,31}")

State = Literal["draft", "published", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Held:
    """An edition of a withdrawn revision that is elsewhere too: in `revisions`, or in the drafts."""

    edition_id: str
    revisions: tuple[str, ...]
    draft: bool


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision and its pointer's state; `current` is true for at most one.

    `published_at` is when it last became current; `actor` and `reason` are those of its last event.
    """

    revision: str
    state: State
    current: bool
    editions: int
    nodes: int
    built_at: str
    published_at: str = ""
    actor: str = ""
    reason: str = ""
    withdrawn_at: str = ""


def point_at(store: Store, revision: str, actor: str, now: str) -> None:
    """Make `revision` the current one; OrderError when it was withdrawn."""
    if state(store, revision) == "withdrawn":
        raise OrderError(
            f"语料修订 {revision} 已撤回，不能再发布 it was withdrawn and is not published again",
            rule="withdrawn",
            subject=revision,
            hint="草稿与它完全相同时：改正并重新导入，或用 regulations remove 移出版本，再 publish；"
            "或 publish 另一个语料修订号。 Drafts that are equal to it: import a corrected manifest, or"
            " take an edition out with regulations remove, then publish; or publish another revision's id",
        )
    if current_revision(store) == revision:
        return
    _record(store, "published", revision, actor, "", now)


def withdraw(store: Store, revision: str, reason: str, actor: str, now: str) -> None:
    """Take the texts of `revision` away that nothing else holds; its manifest, ids and hashes stay.

    When it was current nothing is current afterwards, until something is published: an older text
    never takes its place by itself.
    """
    if not reason.strip():
        raise InvalidError("撤回须写明原因 a withdrawal needs its reason", subject="reason")
    if state(store, revision) == "withdrawn":
        raise OrderError(f"{revision} 已经撤回 is withdrawn already", rule="withdrawn", subject=revision)
    _record(store, "withdrawn", revision, actor, reason, now)
    texts, assets = _held_by(store, _entries_of(store, revision))
    kept_texts, kept_assets = _held_by(store, _entries_in_use(store))
    store.run_many("DELETE FROM texts WHERE sha256 = ?", [(one,) for one in sorted(texts - kept_texts)])
    store.run_many("DELETE FROM assets WHERE sha256 = ?", [(one,) for one in sorted(assets - kept_assets)])


def held_elsewhere(store: Store, revision: str) -> list[Held]:
    """Which editions of `revision` other published revisions or the drafts still hold."""
    found = []
    for (edition,) in store.run("SELECT edition FROM members WHERE revision = ? ORDER BY edition", revision):
        rows = store.run(
            "SELECT DISTINCT members.revision FROM members"
            " JOIN history ON history.revision = members.revision"
            " WHERE members.edition = ? AND members.revision <> ? AND members.revision NOT IN"
            " (SELECT revision FROM history WHERE event = 'withdrawn') ORDER BY members.revision",
            edition, revision,
        )  # fmt: skip
        draft = bool(store.run("SELECT 1 FROM drafts WHERE edition = ?", edition))
        if rows or draft:
            found.append(Held(str(edition), tuple(str(one) for (one,) in rows), draft))
    return found


def withdrawn_because(store: Store, revision: str) -> str:
    """The reason for which `revision` was withdrawn; empty when it was not."""
    rows = store.run("SELECT reason FROM history WHERE event = 'withdrawn' AND revision = ?", revision)
    return str(rows[0][0]) if rows else ""


def _entries_of(store: Store, revision: str) -> list[str]:
    return [str(one) for (one,) in store.run("SELECT entry FROM members WHERE revision = ?", revision)]


def _entries_in_use(store: Store) -> list[str]:
    rows = store.run(
        "SELECT entry FROM drafts UNION SELECT entry FROM members WHERE revision NOT IN"
        " (SELECT revision FROM history WHERE event = 'withdrawn')"
    )
    return [str(one) for (one,) in rows]


def _held_by(store: Store, digests: Sequence[str]) -> tuple[set[str], set[str]]:
    texts: set[str] = set()
    assets: set[str] = set()
    for digest in digests:
        rows = store.run("SELECT data FROM entries WHERE sha256 = ?", digest)
        if not rows or not holds(rows[0][0], digest, bytes):
            raise IntegrityError("an entry of the corpus is not what its hash says", subject=digest)
        entry = read_entry(rows[0][0])
        texts.update(record.sha256 for record in entry.nodes)
        assets.update(asset.sha256 for asset in entry.assets)
    return texts, assets


def _record(store: Store, event: str, revision: str, actor: str, reason: str, now: str) -> None:
    store.run(
        "INSERT INTO history (at, actor, event, revision, reason) VALUES (?, ?, ?, ?, ?)",
        now, actor, event, revision, reason,
    )  # fmt: skip


def current_revision(store: Store) -> str | None:
    """The revision that the pointer names; None when nothing is published or the last one was withdrawn."""
    rows = store.run("SELECT revision FROM history WHERE event = 'published' ORDER BY seq DESC LIMIT 1")
    if not rows or state(store, rows[0][0]) == "withdrawn":
        return None
    return str(rows[0][0])


def full(store: Store, revision: str) -> str:
    """The id that `revision` begins, unless it is one; InvalidError when it begins several."""
    if not _PREFIX.fullmatch(revision):
        return revision
    ids = [str(one) for (one,) in store.run("SELECT id FROM revisions ORDER BY id")]
    found = [one for one in ids if one.startswith(revision)]
    if len(found) > 1:
        raise InvalidError(
            f"{revision} 是 {len(found)} 个语料修订号的开头 begins {len(found)} revision ids",
            subject=revision,
            hint="，".join(found[:5]),
        )
    return found[0] if found else revision


def state(store: Store, revision: str) -> State:
    """The state of the pointer to `revision`; NotFoundError when there is no such revision."""
    if not store.run("SELECT 1 FROM revisions WHERE id = ?", revision):
        raise NotFoundError(f"没有这个语料修订 unknown corpus revision {shown(revision)}", subject=revision)
    events = {event for (event,) in store.run("SELECT event FROM history WHERE revision = ?", revision)}
    if "withdrawn" in events:
        return "withdrawn"
    return "published" if events else "draft"


def revisions(store: Store) -> list[Revision]:
    """All revisions, the last published first, then drafts."""
    current = current_revision(store)
    found = []
    for revision, built_at, nodes in store.run("SELECT id, built_at, nodes FROM revisions"):
        [(editions,)] = store.run("SELECT count(*) FROM members WHERE revision = ?", revision)
        events = store.run(
            "SELECT seq, at, actor, reason, event FROM history WHERE revision = ? ORDER BY seq DESC",
            revision,
        )
        seq, at, actor, reason, what = events[0] if events else (0, "", "", "", "")
        published = next((one[1] for one in events if one[4] == "published"), "")
        row = Revision(
            revision,
            state(store, revision),
            revision == current,
            editions,
            nodes,
            built_at,
            published,
            actor,
            reason,
            at if what == "withdrawn" else "",
        )
        found.append((-seq, built_at, revision, row))
    return [row for *_, row in sorted(found, key=lambda one: one[:3])]

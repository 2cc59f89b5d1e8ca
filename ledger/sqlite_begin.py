"""How a ledger in a file is begun: whole beside its place, then by name; what a killed one leaves of that.

A key's first checkpoint is put beside it (KEY.checkpoint) before the ledger gets its name: so one key begins
one ledger, and who is killed in between left a ledger that the next one at that place finds and names.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ledger.files import NEW, claim, disclaim, synchronise
from ledger.sql_key import keyed
from ledger.sqlite_file import connect, identity, is_there, lay_out, run, synchronous
from ledger.sqlite_view import SqliteReader, SqliteWriter
from ledger.store import Clock, Draft, Opening
from schemas.errors import EvidenceError, IntegrityError, StorageError

if TYPE_CHECKING:
    from ledger.signing import Signing

_TIMEOUT_SECONDS = 10.0
_SIDES = ("-journal", "-wal", "-shm")


def begin(path: Path, clock: Clock, opening: Opening, signing: "Signing | None") -> None:
    """Make a whole ledger beside `path`, then give it the name: either all of it is there or nothing.

    ConflictError: the key has signed a ledger, and that one is not here.
    """
    opening = keyed(opening, signing)
    try:
        made: list[Path] = []
        while not _is_begun(path, signing):
            made += _make_folders(path.parent)
            _refuse_orphan(path)
            if _made(path, clock, opening, signing):
                break
        _sweep(path)
        for folder in made:
            synchronise(folder)
    except OSError as error:
        raise StorageError(f"{path} cannot be made: {error}", subject=str(path)) from error


def refuse_other_names(path: Path) -> None:
    """IntegrityError: the ledger has a second name, other than one that whoever began it had left."""
    # SQLite keeps its side files beside the name by which a file is opened: writers who use two names do not
    # see each other, and the later one writes over what the earlier one was told is kept.
    if _other_names(path) and _other_names(path):  # who begins a ledger has a second name for a moment
        raise IntegrityError(
            f"{path} has another name (a hard link)",
            subject=str(path),
            hint="keep one name; a backup is a copy, which a hard link is not",
        )
    _sweep(path)


def _other_names(path: Path) -> int:
    return path.stat().st_nlink - 1 - sum(identity(one) == identity(path) for one in _unnamed(path))


def _is_begun(path: Path, signing: "Signing | None") -> bool:
    if signing is None:
        return is_there(path)
    published = signing.published_note()  # looked at in this order: somebody may begin it just now
    if published is not None and not is_there(path):
        _name(path, published)
    if is_there(path):
        return True
    signing.refuse_used(published)
    return False


def _name(path: Path, published: bytes) -> None:
    """Give the name to the ledger that this is the only checkpoint of, where one waits for it."""
    for new in _unnamed(path):
        # Whoever made it may do so just now; what is being made yet is no ledger.
        with suppress(FileExistsError, FileNotFoundError, EvidenceError):
            if _last_note(new) == published:
                os.link(new, path)


def _last_note(new: Path) -> bytes | None:
    connection = connect(new, "mode=ro&immutable=1", _TIMEOUT_SECONDS)
    try:
        return SqliteReader(connection, new).last_checkpoint()
    finally:
        connection.close()


def _made(path: Path, clock: Clock, opening: Opening, signing: "Signing | None") -> bool:
    """Whether there is something by that name now; else somebody was quicker, so look again."""
    origin = opening.origin or f"external-evidence/{os.urandom(8).hex()}"
    new = path.with_name(f"{path.name}.{os.urandom(8).hex()}.new")
    published = None if signing is None else signing.published
    try:
        note = _write_first(new, clock, opening.draft(origin), origin, signing)
        if published is None or note is None:
            return _linked(new, path)
        return claim(published, note) and _linked_or_disclaimed(new, path, published, note)
    except EvidenceError:
        if is_there(path):  # who was quicker swept this one away
            return False
        raise
    finally:
        for tail in ("", *_SIDES):
            new.with_name(new.name + tail).unlink(missing_ok=True)


def _linked_or_disclaimed(new: Path, path: Path, published: Path, note: bytes) -> bool:
    made = identity(new)
    try:
        return _linked(new, path)
    finally:
        new.unlink(missing_ok=True)  # from here on nobody else can give it the name
        if identity(path) != made:
            disclaim(published, note)


def _linked(new: Path, path: Path) -> bool:
    with suppress(FileExistsError):  # somebody else was first; theirs is as good
        try:
            os.link(new, path)
        except FileNotFoundError:  # and has swept this one away
            return False
    _sweep(path)
    return True


def _unnamed(path: Path, tails: str = "") -> list[Path]:
    """The ledgers beside `path` that were to get its name; with `tails` their side files too."""
    pattern = re.compile(f"{re.escape(path.name)}{NEW}{tails}")
    with suppress(OSError):  # there is no folder, or one that may be passed but not listed
        return [one for one in path.parent.iterdir() if pattern.fullmatch(one.name)]
    return []


def _sweep(path: Path) -> None:
    """Take away what was to get the name that is taken; who is at it yet finds that out."""
    # They are not opened to see whether somebody has them: closing them would end SQLite's locks on the
    # ledger, where it is the same file. That one goes last: while the ledger has a second name, its next
    # opening does this again (refuse_other_names).
    with suppress(OSError):
        left = _unnamed(path, f"({'|'.join(_SIDES)})?")
        for one in sorted(left, key=lambda one: identity(one) == identity(path)):
            one.unlink(missing_ok=True)


def _write_first(
    new: Path, clock: Clock, draft: Draft, origin: str, signing: "Signing | None"
) -> bytes | None:
    connection = connect(new, "mode=rwc", _TIMEOUT_SECONDS)
    try:
        synchronous(connection, new)
        run(connection, new, "BEGIN IMMEDIATE")
        lay_out(connection, new)
        writer = SqliteWriter(connection, new, clock)
        writer.signing = signing
        writer.found(draft, origin)
        note = writer.seal()
        run(connection, new, "COMMIT")
        # Only now: in WAL mode the records could still stand in a side file that gets no name.
        run(connection, new, "PRAGMA journal_mode = WAL")
        return note
    finally:
        connection.close()


def _refuse_orphan(path: Path) -> None:
    # SQLite would play a left-over write-ahead or rollback file into the new ledger.
    for tail in ("-wal", "-journal"):
        orphan = path.with_name(f"{path.name}{tail}")
        if orphan.exists() and not path.exists():
            raise IntegrityError(
                f"{orphan} is there without its ledger",
                subject=str(orphan),
                hint="its records may be wanted: put the ledger back beside it, or move it away",
            )


def _make_folders(folder: Path) -> list[Path]:
    """Make `folder`; the folders whose entries changed, to be synchronised."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return [folder, *(place.parent for place in missing)]

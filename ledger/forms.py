"""The log at a place in whichever form it is there: a SQLite ledger, a bundle, a tiles folder, a database."""

from pathlib import Path

from ledger.places import Place, open_database
from ledger.sqlite_file import NoLedgerError, is_there
from ledger.sqlite_torn import Torn, torn
from ledger.store import Readable
from schemas.errors import IntegrityError, StorageError

_BUNDLE = b'{"format":'


def is_bundle(path: Path) -> bool:
    """Whether the file at `path` begins as a bundle does."""
    try:
        with path.open("rb") as file:
            return file.read(len(_BUNDLE)) == _BUNDLE
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error


def refuse_none(path: Path) -> None:
    """NoLedgerError when nothing is at `path`, or an empty file."""
    if path.is_dir():
        return
    if not is_there(path):
        raise NoLedgerError(f"there is no ledger at {path}")
    if path.stat().st_size == 0:
        raise NoLedgerError(f"{path} is empty")


def open_log(path: Place, *, cut_too: bool = False) -> Readable:
    """What is at that place, to be read only.

    What lost its end is read with `cut_too` only; its reader's `torn` says how.
    NotFoundError: nothing is there. NoLedgerError: it is no log in any form.
    """
    if not isinstance(path, Path):
        return open_database(path)
    if path.is_dir():
        from ledger.tiles_log import TilesLog

        return TilesLog(path, cut_too=cut_too)
    if path.is_file() and is_bundle(path):
        from ledger.bundle import BundleLog

        return BundleLog(path, cut_too=cut_too)
    lost = torn(path.resolve()) if path.is_file() else None
    if lost is not None:
        return _cut(path, lost, cut_too=cut_too)
    from ledger.sqlite_readonly import open_readonly

    return open_readonly(path, cut_too=cut_too)


def _cut(path: Path, lost: Torn, *, cut_too: bool) -> Readable:
    if not cut_too:
        hint = "`audit verify` judges what stands before the cut"
        raise IntegrityError(f"the file was cut: {lost}", subject="end", hint=hint)
    from ledger.sqlite_cut import CutLog  # only for a file that was cut; half of a cold start otherwise

    return CutLog(path.resolve(), lost)

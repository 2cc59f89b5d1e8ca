"""A ledger file as it was before a program that was killed began to write to it (sqlite.org/lockingv3.html).

Our own writers are in WAL mode and leave no hot `-journal`; who wrote to the file with another program may.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger.sqlite_file import connect, trouble
from schemas.errors import StorageError

_TIMEOUT_SECONDS = 10.0


@contextmanager
def rolled_back(path: Path) -> Iterator[Path]:
    """A copy of the file at `path` into which SQLite has played the `-journal` beside it.

    StorageError: it cannot be copied. IntegrityError: SQLite can make nothing of the two.
    """
    try:
        with TemporaryDirectory(prefix="external-evidence-") as folder:
            copy = Path(folder) / path.name
            for tail in ("", "-journal"):
                shutil.copyfile(f"{path}{tail}", f"{copy}{tail}")
            with closing(connect(copy, "mode=rw", _TIMEOUT_SECONDS)) as connection:
                connection.execute("PRAGMA schema_version").fetchall()
            yield copy
    except OSError as error:
        raise StorageError(f"{path} cannot be copied to be read: {error}", subject=str(path)) from error
    except sqlite3.Error as error:
        raise trouble(error, path) from error

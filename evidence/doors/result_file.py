"""Where a result goes that is no JSON answer: bytes on stdout, or a file that is whole or not there."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from evidence.doors import output
from schemas.errors import ConflictError, NotFoundError, StorageError


@contextmanager
def binary_stdout() -> Iterator[IO[bytes]]:
    """stdout for bytes; raises StorageError where it is closed or cannot be written."""
    if sys.stdout is None:
        raise StorageError("stdout is closed; there is nowhere to write the result", subject="stdout")
    stream = cast(IO[bytes], output.Whole(sys.stdout.buffer))
    try:
        yield stream
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        output.discard_stdout()
        raise StorageError(f"stdout cannot be written: {error.strerror}", subject="stdout") from error


def write_result(to: str, parts: Iterable[bytes], *, force: bool) -> None:
    """The whole result or nothing at a file's place; with `-` on stdout, part by part.

    ConflictError: the file is there and `force` does not say to replace it.
    """
    if to == "-":
        with binary_stdout() as stream:
            stream.writelines(parts)
        return
    path = Path(to)
    if path.exists() and not force:
        raise ConflictError(f"{path} is there already", subject="--output", hint="say --force to replace it")
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with aside.open("xb") as file:
            file.writelines(parts)
        aside.replace(path)
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no folder {str(path.parent)!r}", subject="--output") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}", subject="--output") from error
    finally:
        if aside.parent.is_dir():
            aside.unlink(missing_ok=True)


def write_durably(to: str, write: Callable[[BinaryIO], None], *, force: bool) -> None:
    """What `write` writes, durable and whole or not at all at a file's place; with `-` on stdout as it comes.

    ConflictError: the file is there and `force` does not say to replace it.
    """
    if to == "-":
        with binary_stdout() as stream:
            write(cast(BinaryIO, stream))
        return
    from ledger.export import written

    path = Path(to)
    if not path.parent.is_dir():
        raise NotFoundError(f"there is no folder {str(path.parent)!r}", subject="--output")
    written(path, write, force=force)

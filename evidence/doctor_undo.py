"""Undo on a copy what programs do to files that are none of theirs: line ends, marks, encodings."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from evidence.doctor_files import beginning, form
from evidence.doctor_words import CAUSES
from ledger.converted import converted

Undo = Callable[[Path, Path], None]


def with_newline(path: Path, copy: Path) -> None:
    """With the final line feed that an editor took away."""
    shutil.copyfile(path, copy)
    with copy.open("ab") as file:
        file.write(b"\n")


def without_carriage_returns(path: Path, copy: Path) -> None:
    """With LF where CRLF stands."""
    with path.open("rb") as source, copy.open("wb") as target:
        target.writelines(map(_line, source))


def without_mark(path: Path, copy: Path) -> None:
    """Without the byte order mark, and with LF."""
    with path.open("rb") as source, copy.open("wb") as target:
        source.seek(3)
        target.writelines(map(_line, source))


def from_utf16(path: Path, copy: Path) -> None:
    """In UTF-8 and with LF."""
    with (
        path.open(encoding="utf-16", errors="replace") as source,
        copy.open("w", encoding="utf-8", errors="replace", newline="\n") as target,
    ):
        shutil.copyfileobj(source, target)


def of_folder(undo: Undo) -> Undo:
    """The same for the texts of a tiles folder: its checkpoint, schemas and bodies."""

    def undone(path: Path, copy: Path) -> None:
        shutil.copytree(path, copy)
        for name in ("checkpoint", "schemas", "bodies"):
            place = path / name
            for one in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if one.is_file() and converted(beginning(one)):
                    undo(one, copy / one.relative_to(path))

    return undone


def sign(head: bytes) -> str | None:
    """Which of these was done to a text file that begins so; None where none was."""
    kind = form(head)
    if kind in ("bom", "utf16"):
        return kind
    return "crlf" if b"\r\n" in head else None


def size_of(path: Path) -> int:
    """How many bytes a file has, or all files of a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(one.stat().st_size for one in files if one.is_file())


def unconverted(message: str, place: Path) -> tuple[str, ...]:
    """What is wrong with a text file, and then, once, which of these was done to it."""
    found = tuple(signs(place))
    cause = converted(place.read_bytes()) if found else None
    return (message.replace(f" ({cause})", ""), *found)


def signs(place: Path) -> Iterator[str]:
    """Which of these was done to a text file, as its beginning shows."""
    head = beginning(place)
    if head.startswith(b"\xef\xbb\xbf"):
        yield f"bom: {CAUSES['bom'].zh} {CAUSES['bom'].en}"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield f"utf16: {CAUSES['utf16'].zh} {CAUSES['utf16'].en}"
    if b"\r\n" in head:
        yield f"crlf: {CAUSES['crlf'].zh} {CAUSES['crlf'].en}"


def _line(line: bytes) -> bytes:
    return line[:-2] + b"\n" if line.endswith(b"\r\n") else line

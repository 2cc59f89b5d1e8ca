"""What can be seen of a ledger's file and of what lies beside it, without opening it as a ledger."""

import os
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

SQLITE = b"SQLite format 3\0"
BUNDLE = b'{"format":'
_HEAD_BYTES = 512
_SHOWN_BYTES = 24
_WAL_MAGIC = (0x377F0682, 0x377F0683)  # sqlite.org/fileformat2.html section 4.1
_WAL_HEADER, _WAL_FRAME = 32, 24
_SHM_HEADER = 136  # sqlite.org/walformat.html section 2.2
_EXACT = {
    "sqlite": (SQLITE,),
    "bundle": (BUNDLE,),
    "utf16": (b"\xff\xfe", b"\xfe\xff"),
    "bom": (b"\xef\xbb\xbf",),
}
_FORMS = {
    "git-pointer": (b"version https://git-lfs", b"/annex/objects/"),
    "web-page": (b"<!doctype", b"<html", b"<?xml", b"<head"),
    "archive": (b"pk\x03\x04", b"\x1f\x8b", b"bzh", b"7z\xbc\xaf", b"\xfd7zxz", b"\x28\xb5\x2f\xfd", b"rar!"),
    "other-file": (b"private+key+", b"c2sp.org/tlog-proof", b"log ", b"# "),
}
# How the JSON that this program writes begins, without its blanks: JSON Lines, PROV, in-toto, DSSE, reports.
_OTHER_JSON = (b'{"body":', b'{"prefix":', b'{"_type":', b'{"payload', b'{"schema_version":')
_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "ceph", "fuse.glusterfs", "afs")
_MARKS = "|".join(
    (
        *(r"\(\d+\)", r"\([^)]*conflict[^)]*\)", r"\([^)]*冲突[^)]*\)"),
        *(r"- Copy(?: \(\d+\))?", r"- 副本(?: \(\d+\))?", r"\.sync-conflict-\S+"),
    )
)
_LEFT = re.compile(r"\.[0-9a-f]{16}\.(new|old)(-journal|-wal|-shm)?|\.[0-9]+\.new")


class Seen(NamedTuple):
    """A cause or note by its code, and the facts that it rests on."""

    code: str
    evidence: tuple[str, ...] = ()


def beginning(path: Path) -> bytes:
    """The first bytes of a file."""
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)


def form(head: bytes) -> str:
    """`sqlite`, `bundle`, or the code of the cause that the first bytes of a file speak of."""
    if not head.strip(b"\0"):
        return "zeros" if head else "empty"
    exact = next((code for code, starts in _EXACT.items() if head.startswith(starts)), None)
    if exact is not None:
        return exact
    if b"".join(head.split()).startswith(_OTHER_JSON):
        return "other-file"
    small = head.lstrip().lower()
    return next((code for code, starts in _FORMS.items() if small.startswith(starts)), "unknown-form")


def first_bytes(head: bytes) -> str:
    """The beginning of a file as evidence: text as it is, other bytes by their numbers."""
    if not head:
        return "0 bytes"
    start = head[:_SHOWN_BYTES]
    try:
        # The last letter may be cut in two: that is left out.
        text = repr(getincrementaldecoder("utf-8")().decode(start))
    except UnicodeDecodeError:
        text = repr(start)[1:]
    return f"it begins with {text}"


def beside(path: Path, tail: str) -> Path:
    """The file of SQLite's with that tail to its name."""
    return path.with_name(path.name + tail)


class Wal(NamedTuple):
    """The header of a write-ahead file, and how many whole frames of its own follow."""

    page: int
    salts: bytes
    frames: int
    size: int


def wal_of(path: Path) -> Wal | None:
    """What the -wal of a file says of itself; None when there is none, or an empty one."""
    log = beside(path, "-wal")
    if not log.is_file() or not (size := log.stat().st_size):
        return None
    with log.open("rb") as file:
        header = file.read(_WAL_HEADER)
        page = int.from_bytes(header[8:12], "big")
        if len(header) < _WAL_HEADER or int.from_bytes(header[:4], "big") not in _WAL_MAGIC or page < 512:
            return Wal(0, b"", 0, size)
        frames, salts = 0, header[16:24]
        while file.read(_WAL_FRAME)[8:16] == salts and len(file.read(page)) == page:
            frames += 1
    return Wal(page, salts, frames, size)


def shared_memory(path: Path) -> tuple[bytes, int, int] | None:
    """The salts of the -wal that a -shm is of, how many frames that had, and how many were brought over."""
    file = beside(path, "-shm")
    if not file.is_file():
        return None
    with file.open("rb") as opened:
        raw = opened.read(_SHM_HEADER)
    if len(raw) < _SHM_HEADER or not raw[12]:  # not initialised
        return None
    native: Literal["little", "big"] = "little" if raw[:4] == (3007000).to_bytes(4, "little") else "big"
    frames, done = (int.from_bytes(raw[at : at + 4], native) for at in (16, 96))
    return raw[32:40], frames, done


def leftovers(path: Path) -> list[str]:
    """The temporary files that an interrupted command left beside a file."""
    names = (one.name for one in _around(path))
    found = []
    for name in names:
        stem = name.removeprefix(".")
        if stem.startswith(path.name) and _LEFT.fullmatch(stem[len(path.name) :]):
            found.append(name)
    return sorted(found)


def copies(path: Path) -> Iterator[Path]:
    """Files beside it that are called as synchronising programs and file managers call a copy of it."""
    stem, ending = re.escape(path.stem), re.escape(path.suffix)
    pattern = re.compile(
        rf"{stem}\s?(?:{_MARKS}){ending}|{re.escape(path.name)}\.(?:orig|bak|old)", re.IGNORECASE
    )
    return (one for one in sorted(_around(path)) if pattern.fullmatch(one.name) and one.is_file())


def held_elsewhere(path: Path, processes: Path = Path("/proc")) -> list[str]:
    """The processes of this machine, as far as they can be looked at, that hold a file once called so."""
    gone = f"{path.resolve()} (deleted)"
    return sorted(f"process {one.name}" for one in processes.glob("[0-9]*") if _holds(one, gone))


def _holds(process: Path, gone: str) -> bool:
    try:
        opened = list((process / "fd").iterdir())
    except OSError:  # it ended meanwhile, or belongs to somebody else
        return False
    for link in opened:
        with suppress(OSError):  # closed meanwhile
            if os.readlink(link) == gone:  # noqa: PTH115 - what it names is not there
                return True
    return False


def drive(path: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """The kind of network drive that a file is on, if it is on one."""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # no Linux
        return None
    place, kind = "", ""
    for line in lines:
        _, point, stated, *_ = [*line.split(" "), "", ""]
        point = point.replace("\\040", " ")
        inside = f"{path.resolve()}/".startswith(f"{point.rstrip('/')}/")
        if inside and len(point) >= len(place):
            place, kind = point, stated
    return kind if kind in _NETWORK else None


def writable(path: Path) -> bool:
    """Whether this user may write a file and its folder."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _around(path: Path) -> list[Path]:
    try:
        return [one for one in path.parent.iterdir() if one.name != path.name]
    except OSError:  # a folder that may be passed but not listed
        return []

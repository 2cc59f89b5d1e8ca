"""Signing keys in files of their own, outside the ledger (C2SP signed-note; Go's form of a signer key).

    PRIVATE+KEY+NAME+ID+BASE64(kind ‖ seed)

The name of a log's key is the log's origin (tlog-policy), so that one key speaks for one log.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ledger.converted import because
from ledger.files import fresh, sweep, synchronise
from ledger.note import (
    COSIGNATURE,
    ED25519,
    KEY_BYTES,
    Signature,
    VerifierKey,
    decoded,
    encoded,
    is_name,
    require,
    stamped,
    statement,
)
from schemas.errors import ConflictError, InvalidError, NotFoundError, StorageError, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_VARIABLE = "EXTERNAL_EVIDENCE_LEDGER_KEY"  # names the key file where no option does
POSIX = os.name == "posix"  # elsewhere the mode says nothing of who may read
_PRIVATE = "PRIVATE+KEY+"
_OPEN_TO_OTHERS = 0o077


class Signer:
    """A private key that signs texts; its `verifier` is what others check with."""

    def __init__(self, private: "Ed25519PrivateKey", name: str, kind: int) -> None:
        self._private = private
        self.verifier = VerifierKey(name, kind, private.public_key().public_bytes_raw())

    @classmethod
    def read(cls, text: str) -> Self:
        """The signer that a private key's text states; InvalidError says what is wrong, never the text."""
        name, _, rest = text.removeprefix(_PRIVATE).partition("+")
        stated, _, material = rest.partition("+")
        secret = _secret(material)
        if not text.startswith(_PRIVATE) or not is_name(name) or secret is None:
            raise InvalidError(f"is no private key of the form {_PRIVATE}NAME+ID+BASE64", subject="key")
        require()
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        signer = cls(Ed25519PrivateKey.from_private_bytes(secret[1:]), name, secret[0])
        if signer.verifier.id.hex() != stated:
            raise InvalidError("the private key's id is not that of its content", subject="key")
        return signer

    def sign(self, text: str, time: int | None = None) -> Signature:
        """This key's signature over a note's text; a cosignature also needs the time (seconds since 1970)."""
        key = self.verifier
        if (time is None) == (key.kind == COSIGNATURE):
            wrong = "needs a time" if time is None else "states no time"
            raise UsageError(f"a signature of kind {key.kind} {wrong}", subject="time")
        content = self._private.sign(statement(key.kind, text, time))
        return Signature(key.name, key.id, content if time is None else stamped(time) + content)


def generate(name: str, kind: int = ED25519, seed: bytes | None = None) -> str:
    """The text of a new private key; `seed` (32 bytes) in place of chance."""
    if not is_name(name):
        raise InvalidError(f"a key cannot be called {name!r}: no space, no plus", subject="name")
    require()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    secret = os.urandom(KEY_BYTES) if seed is None else seed
    signer = Signer(Ed25519PrivateKey.from_private_bytes(secret), name, kind)
    return f"{_PRIVATE}{name}+{signer.verifier.id.hex()}+{encoded(bytes((kind,)) + secret)}"


def store(path: Path, text: str) -> None:
    """Write a private key into a new file that its owner alone may read; ConflictError when there is one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path)
        if not _write_new(path, f"{text}\n"):
            raise ConflictError(f"{path} is there already; a key is never overwritten", subject=str(path))
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error}", subject=str(path)) from error


def load(path: Path) -> Signer:
    """The signer whose private key is in the file at `path`; UsageError when others may read it."""
    try:
        seen = path.stat()
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(f"there is no key file at {path}", subject=str(path)) from error
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} cannot be read: {error}", subject=str(path)) from error
    if seen.st_nlink > 1:
        sweep(path)  # who made the key was killed before its first name went
    if POSIX and stat.S_IMODE(seen.st_mode) & _OPEN_TO_OTHERS:
        raise UsageError(
            f"others than its owner may read or write {path}", subject=str(path), hint=f"chmod 600 {path}"
        )
    try:
        return Signer.read(raw.decode("utf-8", "replace").strip())
    except InvalidError as error:
        raise InvalidError(because(f"{path} {error.message}", raw), subject=error.subject) from error


def _secret(material: str) -> bytes | None:
    """Kind and seed; no message may hold them."""
    with suppress(InvalidError):
        secret = decoded(material, "key")
        if len(secret) == 1 + KEY_BYTES and secret[0] in (ED25519, COSIGNATURE):
            return secret
    return None


def is_missing(path: Path) -> bool:
    """Whether there is no key at `path`: nothing, or an empty file that whoever made it did not fill."""
    try:
        seen = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    return stat.S_ISREG(seen.st_mode) and seen.st_size == 0


def _write_new(path: Path, text: str) -> bool:
    """Whether there was no key at `path`; then the whole of this one is."""
    name, descriptor = fresh(path, 0o600)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and is_missing(path):
            new.replace(path)
        else:
            os.link(new, path)  # unlike a renaming it takes nobody's place
        synchronise(path.parent)
    except FileExistsError:
        return False
    except FileNotFoundError:  # swept away before it had its name
        return _write_new(path, text)
    finally:
        new.unlink(missing_ok=True)
    return True

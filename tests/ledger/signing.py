"""Keys for tests: from fixed seeds, so that what is signed is the same in every run."""

from hashlib import sha256
from pathlib import Path

from ledger.keys import Signer, generate, store
from ledger.note import COSIGNATURE, ED25519
from ledger.signing import Signing
from ledger.sqlite import SqliteLedger
from tests.ledger.steps import OPENING, Ticking

ORIGIN = "tests.example/log"


def secret(name: str = ORIGIN, kind: int = ED25519, salt: str = "") -> str:
    """The private key text of that name."""
    return generate(name, kind, sha256(f"{name} {kind} {salt}".encode()).digest())


def signer(name: str = ORIGIN, salt: str = "") -> Signer:
    """A log's key."""
    return Signer.read(secret(name, salt=salt))


def cosigner(name: str) -> Signer:
    """A witness's key."""
    return Signer.read(secret(name, COSIGNATURE))


def signing(folder: Path, salt: str = "") -> Signing:
    """The log's key in a file of `folder`, which is made if it is not there."""
    path = folder / f"log{salt}.key"
    if not path.exists():
        store(path, secret(salt=salt))
    return Signing.load(path)


def opened(folder: Path, key: Signing | None = None, timeout_seconds: float = 10.0) -> SqliteLedger:
    """The signed ledger of `folder`, begun if it is not there."""
    key = key or signing(folder / "keys")
    opening = OPENING._replace(origin=None)
    return SqliteLedger.open(
        folder / "l.sqlite3", Ticking(), create=opening, timeout_seconds=timeout_seconds, signing=key
    )

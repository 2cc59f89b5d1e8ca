"""Keys for tests: from fixed seeds, so that what is signed is the same in every run."""

from hashlib import sha256

from ledger.keys import Signer, generate
from ledger.note import COSIGNATURE, ED25519

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

"""A log that somebody writes record by record, with any key and note, and what both verifiers say of it."""

from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evidence.verify import verify
from ledger import standalone
from ledger.checkpoint import Checkpoint
from ledger.keyring import rotation_text, written
from ledger.keys import Signer
from ledger.note import COSIGNATURE, VerifierKey
from ledger.tree import Frontier, leaf_hash
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import OPENED, LedgerOpened
from schemas.ledger_keys import KEY_ROTATED
from tests.ledger.carried import Item, put
from tests.ledger.signing import ORIGIN


class Forged:
    """A log begun with a key; nothing that is appended to it is asked whether it may be."""

    def __init__(self, key: object, log: str = ORIGIN) -> None:
        self.log = log
        self.held: list[Item] = []
        self.raws: list[bytes] = []
        self._tree = Frontier()
        opened = LedgerOpened(origin=log, key=None).to_wire() | {"key": key and str(key)}
        self.add("ledger.opened", canonical(opened), (OPENED, digest_bytes(b"")))

    def add(self, kind: str, body: bytes, schema: tuple[str, str], **more: Any) -> int:
        """One record and its body."""
        seq = len(self.raws)
        record = {
            "v": 1, "log": self.log, "seq": seq, "prev": digest_bytes(self.raws[-1]) if seq else None,
            "at": "2026-01-01T00:00:00.000000Z", "kind": kind, "actor": "tester", "subject": {},
            "idem": digest_bytes(f"{seq}".encode()), "schema": {"name": schema[0], "digest": schema[1]},
            "body": {"digest": digest_bytes(body), "size": len(body)}, **more,
        }  # fmt: skip
        self.raws.append(canonical(record))
        self._tree, _ = self._tree.append(leaf_hash(self.raws[-1]))
        self.held += [("body", body), ("record", self.raws[-1])]
        return seq

    def register(self, name: str, body: bytes | None = None) -> tuple[str, str]:
        """A schema that steps may name from here on."""
        body = canonical({"title": name}) if body is None else body
        self.add("schema.registered", body, (name, digest_bytes(body)))
        return name, digest_bytes(body)

    def rotate(self, old: Signer, new: object, schema: tuple[str, str] | None = None) -> None:
        """A change of the key, rightly signed."""
        schema = schema or self.register(KEY_ROTATED)
        seq, prev = len(self.raws), digest_bytes(self.raws[-1])
        signature = written(old.sign(rotation_text(self.log, seq, prev, str(new))))
        body = {"schema_version": KEY_ROTATED, "origin": self.log, "old_key": str(old.verifier),
                "new_key": str(new), "signature": signature}  # fmt: skip
        self.add("key.rotated", canonical(body), schema)

    def note(self, *signers: Signer, broken: Iterable[VerifierKey] = (), more: str = "") -> bytes:
        """A checkpoint of all so far; `broken` are those whose signature stands there and does not hold."""
        checkpoint = Checkpoint(self.log, self._tree.size, self._tree.root())
        lines = [
            one.sign(checkpoint.text, 1_700_000_000 if one.verifier.kind == COSIGNATURE else None).line()
            for one in signers
        ]
        lines += [line(key, bytes(72 if key.kind == COSIGNATURE else 64)) for key in broken]
        return f"{checkpoint.text}\n{''.join(lines)}{more}".encode()

    def seal(self, note: bytes) -> bytes:
        """Store a checkpoint behind the last record."""
        self.held.append(("checkpoint", note))
        return note

    def bundle(self, folder: Path, header: str | None = None) -> Path:
        """All of it in one file."""
        return put(folder / "forged.bundle", self.held, self.log if header is None else header)


def line(key: VerifierKey, content: bytes) -> str:
    """A signature line of that key with any content."""
    return f"— {key.name} {b64encode(key.id + content).decode()}\n"


def word(path: Path, policy: str | bytes | None = None, *against: bytes) -> str:
    """What both verifiers say of a log, with the same exit code."""
    folder = path.parent
    raw = policy.encode() if isinstance(policy, str) else policy
    if raw is not None:
        (folder / "trusted").write_bytes(raw)
    kept = [folder / f"kept{place}" for place in range(len(against))]
    for file, content in zip(kept, against, strict=True):
        file.write_bytes(content)
    alone = standalone.verify(path, None if raw is None else folder / "trusted", kept)
    ours = verify(path, raw, list(against))
    assert (alone["verdict"], alone["exit_code"]) == (str(ours.verdict), ours.verdict.exit_code), (
        alone["findings"], alone["reasons"], ours.findings, ours.reasons,
    )  # fmt: skip
    return str(ours.verdict)

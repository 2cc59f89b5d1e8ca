"""Whom an auditor trusts: logs, witnesses, and how many of them must have signed (C2SP tlog-policy).

The file is the auditor's own and named by the auditor; it is never read from the ledger's folder.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple, Self

from ledger.checkpoint import Checkpoint
from ledger.converted import because
from ledger.note import COSIGNATURE, ED25519, UntrustedError, VerifierKey
from schemas.errors import InvalidError
from schemas.text import shown

NONE = "none"
_DEEPEST = 64
_BLANK = re.compile(r"[ \t]+")
_THRESHOLD = re.compile(r"[1-9][0-9]{0,5}")


class Group(NamedTuple):
    """Witnesses and groups, of which `least` must have witnessed."""

    least: int
    members: tuple[str, ...]


class Trusted(NamedTuple):
    """A checkpoint that a policy accepts: which logs signed it, and which witnesses at what time."""

    checkpoint: Checkpoint
    logs: tuple[VerifierKey, ...]
    witnesses: Mapping[str, int]


class Policy(NamedTuple):
    """The logs that are accepted, the witnesses by their names here, and the quorum."""

    logs: tuple[VerifierKey, ...]
    witnesses: Mapping[str, VerifierKey]
    groups: Mapping[str, Group]
    quorum: str

    @classmethod
    def read(cls, raw: bytes) -> Self:
        """The policy that a file's bytes state; InvalidError names the line that breaks a rule."""
        return cls(*_Reading(raw).result())

    def verify(self, raw: bytes) -> Trusted:
        """The checkpoint in the note `raw`, signed by a log of this policy and witnessed as it asks.

        IntegrityError: a signature of a known key does not hold. UntrustedError: no log of the policy
        signed it, or the quorum is missing.
        """
        note, checkpoint = Checkpoint.of(raw)
        logs = tuple(note.verified(key for key in self.logs if key.name == checkpoint.origin))
        if not logs:
            raise UntrustedError(
                f"no log of the policy signed the checkpoint of {checkpoint.origin} at {checkpoint.size}",
                subject=checkpoint.origin,
            )
        times = note.verified(self.witnesses.values())
        seen = {name: times[key] or 0 for name, key in self.witnesses.items() if key in times}
        if not self._met(self.quorum, seen):
            raise UntrustedError(
                f"the quorum {self.quorum} has not witnessed {checkpoint.origin} at {checkpoint.size}",
                subject=self.quorum,
            )
        return Trusted(checkpoint, logs, seen)

    def asks_witnesses(self) -> bool:
        """Whether the log's own signature is not enough."""
        return self.quorum != NONE

    def _met(self, name: str, seen: Mapping[str, int]) -> bool:
        group = self.groups.get(name)
        if group is None:
            return name == NONE or name in seen
        return sum(self._met(member, seen) for member in group.members) >= group.least


class _Reading:
    """One pass over the lines."""

    def __init__(self, raw: bytes) -> None:
        self._logs: list[VerifierKey] = []
        self._witnesses: dict[str, VerifierKey] = {}
        self._groups: dict[str, Group] = {}
        self._members: set[str] = set()
        self._depths: dict[str, int] = {}
        self._quorum: str | None = None
        self._line = 0
        self._raw = raw
        if not raw.endswith(b"\n"):
            told = "the last line is not ended; the file may have been cut" if raw else "the file is empty"
            raise self._wrong(told)
        # Names are octets: what is no UTF-8 goes through as it came.
        for line in raw[:-1].decode(errors="surrogateescape").split("\n"):
            self._line += 1
            if any((one < " " and one != "\t") or one == "\x7f" for one in line):
                raise self._wrong("a control character")
            items = _BLANK.split(line.strip(" \t"))
            if items[0] and not items[0].startswith("#"):
                self._take(*items)

    def result(self) -> tuple[tuple[VerifierKey, ...], dict[str, VerifierKey], dict[str, Group], str]:
        """What was read; InvalidError when no line stated the quorum."""
        if self._quorum is None:
            raise self._wrong("no line states the quorum")
        return tuple(self._logs), self._witnesses, self._groups, self._quorum

    def _take(self, word: str, *items: str) -> None:
        match word, items:
            case "log", (key, *url) if len(url) <= 1:
                self._log(self._key(key, ED25519))
            case "witness", (name, key, *url) if len(url) <= 1:
                self._witness(name, self._key(key, COSIGNATURE))
            case "group", (name, least, *members) if members:
                self._group(name, least, members)
            case "quorum", (name,):
                if self._quorum is not None:
                    raise self._wrong("a second quorum")
                self._quorum = name if name == NONE else self._known(name)
            case _:
                raise self._wrong(f"not understood: {shown(' '.join((word, *items)))}")

    def _log(self, key: VerifierKey) -> None:
        if any(key.public == other.public for other in self._logs):
            raise self._wrong(f"a second log with the key of {key}")
        self._logs.append(key)

    def _witness(self, name: str, key: VerifierKey) -> None:
        if any(key.public == other.public for other in self._witnesses.values()):
            raise self._wrong(f"a second witness with the key of {key}")
        self._witnesses[self._new(name)] = key

    def _group(self, name: str, least: str, members: list[str]) -> None:
        for member in members:
            if self._known(member) in self._members:
                raise self._wrong(f"{shown(member)} is a member already")
            self._members.add(member)
        words = {"any": 1, "all": len(members)}
        count = words.get(least) or (int(least) if _THRESHOLD.fullmatch(least) else 0)
        if not 1 <= count <= len(members):
            raise self._wrong(f"{shown(least)} of {len(members)} members is no threshold")
        depth = 1 + max(self._depths.get(member, 0) for member in members)
        if depth > _DEEPEST:
            raise self._wrong(f"groups in groups, more than {_DEEPEST} deep")
        self._groups[self._new(name)] = Group(count, tuple(members))
        self._depths[name] = depth

    def _key(self, text: str, kind: int) -> VerifierKey:
        try:
            return VerifierKey.read(text, kind)
        except InvalidError as error:
            raise self._wrong(error.message) from error

    def _new(self, name: str) -> str:
        if name == NONE or name in self._witnesses or name in self._groups:
            raise self._wrong(f"the name {shown(name)} is taken")
        return name

    def _known(self, name: str) -> str:
        if name not in self._witnesses and name not in self._groups:
            raise self._wrong(f"no line before this one defines {shown(name)}")
        return name

    def _wrong(self, complaint: str) -> InvalidError:
        where = f"policy line {self._line}" if self._line else "policy"
        return InvalidError(because(f"{where}: {complaint}", self._raw), subject="policy")

"""A log's tree at one size, as a signed note (C2SP tlog-checkpoint): origin, size, root, nothing else."""

import re
from typing import TYPE_CHECKING, NamedTuple, Self

from ledger.converted import because
from ledger.note import Note, decoded, encoded
from ledger.tree import HASH_BYTES
from schemas.errors import InvalidError
from schemas.ledger import origin
from schemas.record import RuleError
from schemas.text import shown

if TYPE_CHECKING:
    from ledger.keys import Signer

MOST_SIZE = (1 << 63) - 1
_ORIGIN = origin()
DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")


class Checkpoint(NamedTuple):
    """The log's name, how many records it has, and the root over them."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def read(cls, text: str) -> Self:
        """The checkpoint that a note's text states; InvalidError names the line that is wrong."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) != 3:
            raise InvalidError(f"checkpoint has {len(lines)} lines, not 3", subject="checkpoint")
        try:
            name = str(_ORIGIN.read(lines[0]))
        except RuleError as error:
            raise InvalidError(f"checkpoint.origin {error}", subject="checkpoint.origin") from error
        root = decoded(lines[2], "checkpoint.root")
        if len(root) != HASH_BYTES:
            raise InvalidError(f"checkpoint.root has {len(root)} bytes", subject="checkpoint.root")
        return cls(name, number(lines[1], "checkpoint.size"), root)

    @classmethod
    def of(cls, raw: bytes) -> tuple[Note, Self]:
        """The note that `raw` is and the checkpoint in it; no signature is verified here."""
        try:
            note = Note.read(raw, "checkpoint")
            return note, cls.read(note.text)
        except InvalidError as error:
            raise InvalidError(because(error.message, raw), subject=error.subject) from error

    @property
    def text(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{encoded(self.root)}\n"

    def signed(self, *signers: "Signer") -> Note:
        """The note with a signature of each."""
        return Note(self.text).signed(*(signer.sign(self.text) for signer in signers))


def number(text: str, what: str) -> int:
    """A decimal without sign or leading zero that fits in 63 bits; InvalidError else."""
    if DECIMAL.fullmatch(text) is None or int(text) > MOST_SIZE:
        raise InvalidError(f"{what} is no number of records: {shown(text)}", subject=what)
    return int(text)

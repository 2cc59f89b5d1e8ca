"""Signed notes, their keys and signatures (C2SP signed-note v1, tlog-cosignature v1).

    text, an empty line, then one line each signature: — NAME BASE64(key id ‖ signature)

`cryptography` does the Ed25519 and is imported only where something is signed or verified.
"""

import re
import struct
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple, Self

from schemas.errors import IntegrityError, InvalidError, NotFoundError, NotReadyError
from schemas.text import shown

ED25519 = 1  # a log's signature over the note's text
COSIGNATURE = 4  # a witness's, over the text and the time (tlog-cosignature)
KEY_BYTES = 32
ID_BYTES = 4
MOST_NOTE_BYTES = 1 << 20
MOST_SIGNATURES = 100  # 16 are to be accepted; Go's reader ends at 100

_PRIME = 2**255 - 19
_SIGN = 1 << 255
_CURVE = -121665 * pow(121666, -1, _PRIME) % _PRIME  # d of RFC 8032 section 5.1
_DASH = "— "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_TIMESTAMP = struct.Struct(">Q")


class UntrustedError(NotFoundError):
    """Nobody whom the trust root names has signed this, or not enough of them have."""

    code = "untrusted"


class VerifierKey(NamedTuple):
    """A public key by its name, its kind of signature and its 32 bytes."""

    name: str
    kind: int
    public: bytes

    @classmethod
    def read(cls, text: str, *kinds: int) -> Self:
        """The key that `NAME+ID+BASE64(kind ‖ public)` states, of one of `kinds`; InvalidError else."""
        name, stated, encoded = (*text.split("+", 2), "", "")[:3]
        material = decoded(encoded, "key")
        if not is_name(name) or len(material) != 1 + KEY_BYTES:
            raise InvalidError(f"is no verifier key: {shown(text)}", subject="key")
        key = cls(name, material[0], material[1:])
        if key.kind not in (kinds or (ED25519, COSIGNATURE)):
            raise InvalidError(f"a key of kind {key.kind} does not sign here: {shown(text)}", subject="key")
        if stated != key.id.hex():
            raise InvalidError(f"the key has the id {key.id.hex()}, not {shown(stated)}", subject="key")
        if not is_strong(key.public):
            told = f"is no point of the curve, or one under which anybody can sign: {shown(text)}"
            raise InvalidError(told, subject="key")
        return key

    @property
    def id(self) -> bytes:
        """The first four bytes of SHA-256(name ‖ newline ‖ kind ‖ public)."""
        return sha256(self.name.encode() + b"\n" + bytes((self.kind,)) + self.public).digest()[:ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{encoded(bytes((self.kind,)) + self.public)}"


class Signature(NamedTuple):
    """One signature line: whose it says it is, by name and key id, and the bytes after the id."""

    name: str
    id: bytes
    content: bytes

    def line(self) -> str:
        """The line as it stands in a note, with its newline."""
        return f"{_DASH}{self.name} {encoded(self.id + self.content)}\n"


class Note(NamedTuple):
    """A text that ends in a newline, and the signatures under it, of which none is verified yet."""

    text: str
    signatures: tuple[Signature, ...] = ()

    @classmethod
    def read(cls, raw: bytes, what: str = "note") -> Self:
        """The note that `raw` is; InvalidError: it breaks a rule of the form."""
        if len(raw) > MOST_NOTE_BYTES:
            raise InvalidError(f"{what} has {len(raw)} bytes; at most {MOST_NOTE_BYTES}", subject=what)
        text, lines = _parts(_characters(raw, what), what)
        if len(lines) > MOST_SIGNATURES:
            raise InvalidError(f"{what} has {len(lines)} signatures; at most {MOST_SIGNATURES}", subject=what)
        return cls(text, tuple(_signature(line, what) for line in lines))

    def __bytes__(self) -> bytes:
        return (self.text + "\n" + "".join(one.line() for one in self.signatures)).encode()

    def signed(self, *signatures: Signature) -> "Note":
        """The note with these signatures after its own; a key's later one takes the place of its earlier."""
        newer = {(one.name, one.id) for one in signatures}
        older = tuple(one for one in self.signatures if (one.name, one.id) not in newer)
        return Note(self.text, (*older, *signatures))

    def verified(self, keys: Iterable[VerifierKey]) -> dict[VerifierKey, int | None]:
        """Which of `keys` signed this text, each with its time if it states one.

        Signatures of other keys are ignored. IntegrityError: one is by a known key and does not hold. Where
        four bytes do not tell two keys apart it must hold under both.
        """
        return self.verified_by(known(keys))

    def verified_by(self, known: "Known") -> dict[VerifierKey, int | None]:
        """As `verified`, for who verifies many notes by the same keys."""
        found: dict[VerifierKey, int | None] = {}
        for one in self.signatures:
            for key in known.get((one.name, one.id), ()):
                found[key] = _verify(key, self.text, one.content)
        return found


Known = Mapping[tuple[str, bytes], Sequence[VerifierKey]]
"""Keys by the name and the id that a signature line states."""


def known(keys: Iterable[VerifierKey]) -> Known:
    """The keys, each once, as signature lines name them."""
    found: dict[tuple[str, bytes], list[VerifierKey]] = {}
    for key in dict.fromkeys(keys):
        found.setdefault((key.name, key.id), []).append(key)
    return found


def statement(kind: int, text: str, time: int | None) -> bytes:
    """The bytes that a key of `kind` signs for `text`; a cosignature's state the time."""
    return (text if kind == ED25519 else f"cosignature/v1\ntime {time}\n{text}").encode()


def stamped(time: int) -> bytes:
    """The time as it stands before a cosignature."""
    return _TIMESTAMP.pack(time)


def is_name(name: str) -> bool:
    """Whether a key may be called so: well-formed, no space of any kind and no plus."""
    return name != "" and not any(
        one.isspace() or one < " " or one == "+" or "\ud800" <= one <= "\udfff" for one in name
    )


def is_strong(public: bytes) -> bool:
    """Whether these 32 bytes encode a point of Ed25519 (RFC 8032 section 5.1.3) of large order."""
    y = int.from_bytes(public, "little") & _SIGN - 1
    square = y * y % _PRIME
    if y >= _PRIME or y in (0, 1, _PRIME - 1) or _is_of_order_8(square):
        return False
    quotient = (square - 1) * (_CURVE * square + 1)  # x squared, but for a square
    return pow(quotient, _PRIME - 1 >> 1, _PRIME) == 1


def _is_of_order_8(square: int) -> bool:
    # Twice such a point has y = 0: there x squared is -y squared, which the curve's equation turns into this.
    return (_CURVE * square * square + 2 * square - 1) % _PRIME == 0


def encoded(content: bytes) -> str:
    """Standard base64 (RFC 4648 section 4)."""
    return b64encode(content).decode()


def decoded(text: str, what: str) -> bytes:
    """The bytes of standard base64 in its one form; InvalidError else."""
    try:
        content = b64decode(text, validate=True)
    except (Base64Error, ValueError) as error:
        raise InvalidError(f"{what} is not base64: {shown(text)}", subject=what) from error
    if encoded(content) != text:
        raise InvalidError(f"{what} is not base64 in its one form: {shown(text)}", subject=what)
    return content


def require() -> None:
    """NotReadyError: the extra that signs and verifies is not installed."""
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise NotReadyError(
            "signatures need the extra [sign]",
            subject="cryptography",
            hint="pip install '.[sign]' in a checkout of the project",
        ) from error


def _characters(raw: bytes, what: str) -> str:
    try:
        characters = raw.decode()
    except UnicodeDecodeError as error:
        raise InvalidError(f"{what} is not UTF-8: {error}", subject=what) from error
    if _CONTROL.search(characters) is not None:
        raise InvalidError(f"{what} holds a control character", subject=what)
    return characters


def _parts(characters: str, what: str) -> tuple[str, list[str]]:
    text, gap, tail = characters.rpartition("\n\n")
    if not gap or not tail.endswith("\n"):
        raise InvalidError(f"{what} has no signature after an empty line", subject=what)
    return f"{text}\n", tail[:-1].split("\n")


def _signature(line: str, what: str) -> Signature:
    name, _, content = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not is_name(name):
        raise InvalidError(f"{what} has a line that is no signature: {shown(line)}", subject=what)
    material = decoded(content, what)
    if len(material) <= ID_BYTES:
        raise InvalidError(f"{what} has a signature without content: {shown(line)}", subject=what)
    return Signature(name, material[:ID_BYTES], material[ID_BYTES:])


def _verify(key: VerifierKey, text: str, content: bytes) -> int | None:
    require()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    time = None
    if key.kind == COSIGNATURE:
        stated, content = content[: _TIMESTAMP.size], content[_TIMESTAMP.size :]
        time = int.from_bytes(stated)
    try:
        # A key that was made in another way than by `read` may be no point of the curve.
        Ed25519PublicKey.from_public_bytes(key.public).verify(content, statement(key.kind, text, time))
    except (InvalidSignature, ValueError) as error:
        raise IntegrityError(f"the signature of {key} does not hold", subject=str(key)) from error
    return time

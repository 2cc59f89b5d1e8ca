"""Which host names may be looked up, and how they go on the wire.

No dependency: a Unicode label is accepted only where IDNA 2003, IDNA 2008 and UTS 46 give the same
A-label, and refused where they differ or map characters (full-width forms, ß, joiners, enclosed digits).
"""

import ipaddress
import re
import unicodedata

from providers.web.capture.ending import RejectedError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# The WHATWG URL standard calls a host numeric by its last label; inet_aton would read such a name too.
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
# IDNA 2003 and 2008 differ on these: ß, ς, and the two joiners.
_DEVIATIONS = frozenset("ß\u03c2\u200c\u200d")
_IDEOGRAPHIC_STOP = "\u3002"
# Letters and marks that show nothing (Unicode's Default_Ignorable_Code_Point); UTS 46 drops them.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_RIGHT_TO_LEFT = ("R", "AL", "AN")


def read_host(text: str) -> str | Address:
    """The host of a URL as an address or as a lower-case ASCII name. Raises RejectedError."""
    if text.startswith("["):
        return _bracketed(text)
    if "%" in text:
        raise RejectedError("the host holds an escape")
    name = ".".join(_ascii(label) for label in _labels(text))
    if _NUMERIC.fullmatch(name.rpartition(".")[2]):
        return _quad(text, name)
    if len(name) > 253:
        raise RejectedError("the host name is longer than 253 characters")
    return name


def _bracketed(text: str) -> ipaddress.IPv6Address:
    if "%" in text:
        raise RejectedError("the host address has a scope id")
    try:
        return ipaddress.IPv6Address(text[1:-1] if text.endswith("]") else "")
    except ValueError as error:
        raise RejectedError("the host is no IPv6 address in brackets") from error


def _quad(text: str, name: str) -> ipaddress.IPv4Address:
    try:
        if text != name:  # a trailing dot, or digits of another script
            raise ValueError
        return ipaddress.IPv4Address(name)
    except ValueError as error:
        raise RejectedError("the host is a number but no canonical dotted quad") from error


def _labels(text: str) -> list[str]:
    labels = text.lower().replace(_IDEOGRAPHIC_STOP, ".").split(".")
    if len(labels) > 1 and not labels[-1]:  # the root, as in example.com.
        labels.pop()
    return labels


def _ascii(label: str) -> str:
    if label.isascii():
        if not _LABEL.fullmatch(label) or (label.startswith("xn--") and not _encoded(label)):
            raise RejectedError("the host is no host name")
        return label
    if not _plain(label):
        raise RejectedError("the host holds characters that are no plain letters or digits")
    encoded = f"xn--{label.encode('punycode').decode('ascii')}"
    if not _LABEL.fullmatch(encoded):
        raise RejectedError("a label of the host is longer than 63 characters")
    return encoded


def _plain(label: str) -> bool:
    """Letters, marks and digits that every version of IDNA leaves as they are."""
    kinds = {unicodedata.category(char)[0] for char in label if char != "-"}
    directions = {unicodedata.bidirectional(char) for char in label}
    mixed = "L" in directions and directions.intersection(_RIGHT_TO_LEFT)
    return (
        kinds <= {"L", "M", "N"}
        and not _DEVIATIONS.intersection(label)
        and not _UNSEEN.search(label)
        and unicodedata.normalize("NFKC", label.casefold()) == label
        and not any(char.isnumeric() and not char.isascii() and not char.isalpha() for char in label)
        and not unicodedata.category(label[0]).startswith("M")
        and label[0] != "-" != label[-1]
        and label[2:4] != "--"
        and not mixed
    )


def _encoded(label: str) -> bool:
    """Whether an A-label is what its decoded form encodes to, so that it cannot stand for another."""
    try:
        decoded = label[4:].encode("ascii").decode("punycode")
        again = decoded.encode("punycode").decode("ascii")
    except (UnicodeError, ValueError, OverflowError):
        return False
    return not decoded.isascii() and decoded.isprintable() and f"xn--{again}" == label

"""Canonical JSON (RFC 8785) and content digests: the identity of every artifact.

Hashed values hold objects, arrays, strings, booleans, null and integers within ±(2^53-1); a float
has no place in an identity and is refused (lifecycle.md section 2, ledger.md section 1).
"""

import hashlib
import re
from typing import Literal, cast

import orjson
from blake3 import blake3

from schemas.errors import InvalidError

Algorithm = Literal["blake3", "sha256"]
DEFAULT_ALGORITHM: Algorithm = "blake3"
ALGORITHMS: tuple[Algorithm, ...] = ("blake3", "sha256")
LARGEST_INTEGER = 2**53 - 1

_DIGEST = re.compile(r"(?:sha256|blake3):[0-9a-f]{64}")


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of `value`.

    Raises InvalidError for what JSON or an identity cannot hold: a float, an integer beyond
    2^53-1, a lone surrogate, a key that is not text, any other type, nesting without end.
    """
    try:
        return orjson.dumps(_ordered(value, "value"))
    except RecursionError as error:
        raise InvalidError("value is nested too deep for canonical JSON", subject="value") from error
    except orjson.JSONEncodeError as error:
        raise InvalidError(f"value cannot be written as canonical JSON: {error}", subject="value") from error


def canonical_record(wire: dict[str, object]) -> bytes:
    """The same bytes as `canonical`, faster, for the wire form of a Record: ASCII keys, no floats."""
    return orjson.dumps(wire, option=orjson.OPT_SORT_KEYS)


def _ordered(value: object, where: str) -> object:
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            raise InvalidError(f"{where} is an integer beyond 2^53-1", subject=where)
        return value
    if isinstance(value, dict):
        return {key: _ordered(value[key], f"{where}.{key}") for key in _sorted_keys(value)}
    if isinstance(value, list | tuple):
        return [_ordered(item, f"{where}[{index}]") for index, item in enumerate(value)]
    raise InvalidError(f"{where} is a {type(value).__name__}; an identity cannot hold one", subject=where)


def _sorted_keys(value: dict[object, object]) -> list[str]:
    keys = []
    for key in value:
        if not isinstance(key, str):
            raise InvalidError(f"an object key is a {type(key).__name__}, not text", subject="value")
        keys.append(key)
    # RFC 8785 section 3.2.3: keys sort by UTF-16 code units, which differs from code points above U+FFFF.
    return sorted(keys, key=lambda key: key.encode("utf-16-be", "surrogatepass"))


def digest_bytes(data: bytes, algorithm: Algorithm = DEFAULT_ALGORITHM) -> str:
    """`<algorithm>:<64 lower-case hex digits>` of `data` as it is."""
    if algorithm == "blake3":
        return f"blake3:{blake3(data).hexdigest()}"
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def digest(value: object, algorithm: Algorithm = DEFAULT_ALGORITHM) -> str:
    """The content address of `value`: the digest of its canonical bytes."""
    return digest_bytes(canonical(value), algorithm)


def is_digest(text: str) -> bool:
    """Whether `text` is a whole digest: a known algorithm and 64 lower-case hex digits."""
    return _DIGEST.fullmatch(text) is not None


def algorithm_of(text: str) -> Algorithm:
    """The algorithm that the digest `text` names; `text` must satisfy `is_digest`."""
    return cast(Algorithm, text.partition(":")[0])

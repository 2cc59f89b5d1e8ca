"""Keys and passwords: by the beginnings that services give them, by a name before them, by disorder."""

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from providers.web.findings import Finding
from providers.web.narrowing import Narrow

_ISSUED = re.compile(
    r"""(?<![A-Za-z0-9_])(?:
    sk-[\w-]{16,} | [sprw]k_(?:live|test)_\w{10,}               # OpenAI and kin, Stripe
    | (?:AKIA|ASIA)[A-Z0-9]{16} | AIza[\w-]{30,} | ya29\.[\w-]{16,}  # AWS, Google
    | gh[oprsu]_\w{20,} | github_pat_\w{20,} | glpat-[\w-]{16,}  # GitHub, GitLab
    | xox[abeprs]-[\w-]{10,} | hf_[A-Za-z0-9]{20,}              # Slack, Hugging Face
    | LTAI[A-Za-z0-9]{12,} | AKID[A-Za-z0-9]{13,} | AKLT[\w-]{16,}  # Aliyun, Tencent, Volcano
    | ALTAK[\w-]{10,} | bce-v[0-9]/[\w/-]{10,}                  # Baidu
    | [0-9a-f]{32}\.[A-Za-z0-9]{16}                             # Zhipu
    | tvly-[\w-]{16,} | BSA[\w-]{20,}                           # Tavily, Brave
    | npm_[A-Za-z0-9]{20,} | pypi-[\w-]{30,} | SG\.[\w-]{16,}\.[\w-]{16,}  # npm, PyPI, SendGrid
    | eyJ[\w-]{8,}\.eyJ[\w-]{8,} | -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY  # JSON Web Token, PEM
    )""",
    re.VERBOSE | re.ASCII,
)
_NAMED = re.compile(
    r"(?:(?:password|passwd|pwd|passphrase|secret|token|api[ _-]?key|access[ _-]?key|密码|口令|密钥|令牌)"
    r" ?[:=：] ?|\bbearer )[^\s:=：]{6,}",
    re.IGNORECASE,
)
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{32,}|[0-9A-F]{32,})(?![0-9A-Za-z])")
_UUID = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])")
_RUN = re.compile(r"[A-Za-z0-9+/_]{24,}={0,2}")
_LEAST_DIGITS = 3
_LEAST_BITS = 3.9
"""Entropy of a sign: 24 random ones of base64 have about 4.3, words in camel case stay below 3.9."""


def keys(narrowed: Narrow) -> Iterator[Finding]:
    """What some service issued as a key, and what is called a password or token."""
    for pattern in (_ISSUED, _NAMED):
        for found in pattern.finditer(narrowed.text):
            yield Finding("api_key", *narrowed.place(found.start(), found.end()))


def disorder(narrowed: Narrow) -> Iterator[Finding]:
    """Runs that no person writes: hexadecimal, UUIDs, and letters of both cases mixed with digits."""
    text = narrowed.text
    for found in (*_HEX.finditer(text), *_UUID.finditer(text)):
        if sum(map(str.isdigit, found[0])) >= _LEAST_DIGITS and not found[0].isdigit():
            yield Finding("api_key", *narrowed.place(found.start(), found.end()))
    for found in _RUN.finditer(text):
        if _mixed(found[0]) and _bits(found[0]) >= _LEAST_BITS:
            yield Finding("api_key", *narrowed.place(found.start(), found.end()))


def _mixed(run: str) -> bool:
    return sum(map(str.isdigit, run)) >= _LEAST_DIGITS and run.upper() != run and run.lower() != run


def _bits(run: str) -> float:
    counts = Counter(run).values()
    return -sum(count / len(run) * log2(count / len(run)) for count in counts)

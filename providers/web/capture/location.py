"""A URL taken apart by our own strict rules: what is asked of whom, with nothing left to interpret."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from providers.web.capture.ending import RejectedError
from providers.web.capture.hosts import Address, read_host

LONGEST = 8192
_PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<path>[^?#]*)"
                  r"(?:\?(?P<query>[^#]*))?(?:#.*)?")  # fmt: skip
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>[0-9]{0,5}))?")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPED_CONTROL = re.compile(r"%(?:[01][0-9A-Fa-f]|7[Ff])")
_HIDDEN_DOT = re.compile(r"%2[Ee]")
# Everything that may stand in a path or query; the rest is written as escapes (RFC 3986 section 3.3).
_KEPT = "%/?:@!$&'()*+,;=~-._[]"


@dataclass(frozen=True, slots=True)
class Location:
    """Scheme, host, port and request target; `host` is an address or a lower-case ASCII name."""

    scheme: str
    host: str | Address
    port: int
    target: str

    @classmethod
    def of(cls, url: str) -> "Location":
        """What `url` names. Raises RejectedError for what is not plainly an http or https URL."""
        if len(url) > LONGEST:
            raise RejectedError(f"the URL is longer than {LONGEST} characters")
        if _CONTROL.search(url):
            raise RejectedError("the URL holds a control character")
        found = _URL.fullmatch(url)
        if found is None:
            raise RejectedError("the URL is not absolute")
        scheme = found["scheme"].lower()
        if scheme not in _PORTS:
            raise RejectedError("the URL is neither http nor https")
        if "\\" in url:
            raise RejectedError("the URL holds a backslash")
        host, port = _authority(found["authority"], _PORTS[scheme])
        return cls(scheme, host, port, _target(found["path"], found["query"]))

    def next(self, reference: str) -> "Location":
        """Where a redirect leads from here. Raises RejectedError."""
        if _CONTROL.search(reference):  # urljoin would drop some of them
            raise RejectedError("the redirect's address holds a control character")
        if _ABSOLUTE.match(reference):
            return Location.of(reference)
        if reference.startswith("//"):
            return Location.of(f"{self.scheme}:{reference}")
        return Location.of(urljoin(self.url, reference))

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them (RFC 9110 section 7.2)."""
        return self.name if self.port == _PORTS[self.scheme] else f"{self.name}:{self.port}"

    @property
    def name(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in str(self.host) else str(self.host)

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The URL that is asked for, in ASCII and without a fragment."""
        return f"{self.origin}{self.target}"


def _authority(text: str, standard: int) -> tuple[str | Address, int]:
    if "@" in text:
        raise RejectedError("the URL names a user")
    found = _AUTHORITY.fullmatch(text)
    if found is None:
        raise RejectedError("the URL has no readable host and port")
    if not found["host"]:
        raise RejectedError("the URL has no host")
    port = int(found["port"] or standard)
    if not 1 <= port <= 65535:
        raise RejectedError("the port is not from 1 to 65535")
    return read_host(found["host"]), port


def _target(path: str, query: str | None) -> str:
    target = quote(_without_dots(path), safe=_KEPT)
    if query is not None:
        target = f"{target}?{quote(query, safe=_KEPT)}"
    if _ESCAPED_CONTROL.search(target):
        raise RejectedError("the URL holds an escaped control character")
    return target


def _without_dots(path: str) -> str:
    """`path` without . and .. segments, so that robots.txt judges the path that the server reads."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    plain = [_HIDDEN_DOT.sub(".", segment) for segment in segments]
    for segment, dots in zip(segments, plain, strict=True):
        if dots == "..":
            del kept[-1:]
        elif dots != ".":
            kept.append(segment)
    if plain[-1:] in (["."], [".."]):
        kept.append("")
    return "/" + "/".join(kept)

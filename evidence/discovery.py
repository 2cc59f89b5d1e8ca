"""Which installed distribution may bring the trusted provider: decided before any of its code is imported.

An entry point's name proves nothing, anybody may publish one. Trust is the host's own file, which names
a distribution (host.md A11, plugins.md). Once imported, code can do what it likes: this keeps out
borrowed names and accidents, not a trusted distribution that turned bad.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from evidence.plugins import PluginRegistry
from providers.base import told
from providers.regulations_contract import RegistrationError
from schemas.errors import InvalidError
from schemas.ledger import KBREG, Matching
from schemas.outside import parse
from schemas.record import Nested, Record, field
from schemas.rules import Text
from schemas.text import shown

GROUP = "external_evidence.providers"


class TrustedProvider(Record, subject="kbreg"):
    """The distribution and entry point that may be `kbreg`; with `record_sha256` exactly these files."""

    distribution: str = field(Text(128))
    entry_point: str = field(Matching(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", 256, "module:attribute"))
    record_sha256: str | None = field(
        Matching(r"[0-9a-f]{64}", 64, "64 lower-case hex digits"), default=None, nullable=True
    )


class TrustedProviders(Record, subject="trusted_providers"):
    """Whom the host trusts, by plugin id; there is one provider to trust."""

    kbreg: TrustedProvider = field(Nested(TrustedProvider))


class HostFile(Record, subject="host_file"):
    """The host's composition file."""

    trusted_providers: TrustedProviders = field(Nested(TrustedProviders))


def trusted_provider(raw: bytes) -> TrustedProvider:
    """The trust that the bytes of a host's composition file state; InvalidError."""
    return HostFile.read(parse(raw, "host file")).trusted_providers.kbreg


@dataclass(frozen=True, slots=True)
class Published:
    """One entry point `kbreg`, and the distribution that publishes it; nothing of it is imported."""

    entry: EntryPoint
    distribution: Distribution

    @property
    def name(self) -> str:
        """The distribution's name as packaging compares names."""
        return canonical_name(_stated(self.distribution, "Name"))

    @property
    def place(self) -> Path:
        """The folder that it is installed in."""
        return Path(str(self.distribution.locate_file(""))).resolve()

    def record_sha256(self) -> str | None:
        """The hash of the list of its files; None when there is no such list."""
        records = [path for path in self.distribution.files or () if path.name == "RECORD"]
        if not records or not (path := Path(str(records[0].locate()))).is_file():
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def to_wire(self) -> dict[str, object]:
        """What a readback of the installed providers shows."""
        return {
            "distribution": self.name,
            "version": _stated(self.distribution, "Version"),
            "entry_point": self.entry.value,
            "place": str(self.place),
            "record_sha256": self.record_sha256(),
        }

    def __str__(self) -> str:
        version = _stated(self.distribution, "Version")
        return f"{self.name or 'a distribution without a name'} {version} in {self.place}"


def _stated(distribution: Distribution, key: str) -> str:
    # What lacks METADATA states nothing, and must not stop everybody else.
    return distribution.metadata[key] if key in (distribution.metadata or ()) else ""


def canonical_name(name: str) -> str:
    """A distribution's name as PEP 503 normalises it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def published(path: Iterable[str] | None = None) -> list[Published]:
    """Every entry point `kbreg` of GROUP among the installed distributions, all claimants of a name kept.

    `path` is where to look, by default where Python imports from.
    """
    found = distributions() if path is None else distributions(path=list(path))
    claims = [
        Published(entry, one)
        for one in found
        for entry in one.entry_points
        if (entry.group, entry.name) == (GROUP, KBREG)
    ]
    # A folder that stands in sys.path twice shows the same distribution twice.
    return list({(one.name, one.place, one.entry.value, one.entry): one for one in claims}.values())


def decide(trusted: TrustedProvider, path: Iterable[str] | None = None) -> Published:
    """The one entry point that may be loaded; RegistrationError names every distribution there was."""
    claims = published(path)
    if not claims:
        raise _refused(f"no installed distribution publishes {KBREG}; {trusted.distribution} is trusted")
    told_all = ", ".join(sorted(map(str, claims)))
    if len(claims) > 1:
        raise _refused(
            f"{KBREG} is published {len(claims)} times: {told_all}; {trusted.distribution} is trusted"
        )
    claim = claims[0]
    if claim.name != canonical_name(trusted.distribution):
        raise _refused(f"{KBREG} is published by {claim}, but {trusted.distribution} is trusted")
    if claim.entry.value != trusted.entry_point:
        raise _refused(
            f"{claim} publishes {KBREG} as {shown(claim.entry.value)}, but {trusted.entry_point} is trusted"
        )
    if trusted.record_sha256 is not None:
        _pinned(claim, trusted.record_sha256)
    return claim


def load(trusted: TrustedProvider, registry: PluginRegistry) -> Published:
    """Decide, import the trusted provider and register it; RegistrationError leaves the slot as it was."""
    if registry.plugin_id != KBREG:
        raise _refused(f"only the plugin {KBREG} brings a regulations provider, not {registry.plugin_id}")
    claim = decide(trusted)
    _own_module(claim)
    try:
        provider = claim.entry.load()
    except Exception as error:
        raise RegistrationError(f"{claim} cannot be imported: {told(error)}", subject=KBREG) from error
    registry.register(provider)
    return claim


def _pinned(claim: Published, record_sha256: str) -> None:
    found = claim.record_sha256()
    if found != record_sha256:
        raise _refused(f"the RECORD of {claim} has the SHA-256 {found}, not {record_sha256}")
    for path in claim.distribution.files or ():
        if path.hash is None:
            continue
        place = Path(str(path.locate()))
        digest = hashlib.new(path.hash.mode, place.read_bytes() if place.is_file() else b"").digest()
        if not place.is_file() or _unpadded(digest) != path.hash.value:
            raise _refused(f"{path} of {claim} is not the file that its RECORD lists")


def _unpadded(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _own_module(claim: Published) -> None:
    """The module to import must be a file of the distribution: another one may lie before it on the path."""
    for name in _with_parents(claim.entry.module):
        try:
            spec = find_spec(name)
        except ValueError as error:  # it is there already, and does not say from where
            raise _refused(f"{claim} has no module {name}: {told(error)}") from error
        if spec is None:
            raise _refused(f"{claim} has no module {name}")
        if spec.origin is None:  # a namespace package: nobody's, and without code
            continue
        if not _holds(claim, Path(spec.origin).resolve()):
            raise _refused(f"the module {name} would come from {spec.origin}, which is no file of {claim}")
        return
    raise _refused(f"{claim} has no module {claim.entry.module}, only a namespace")


def _with_parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    yield from (".".join(parts[: end + 1]) for end in range(len(parts)))


def _holds(claim: Published, origin: Path) -> bool:
    files = (Path(str(path.locate())).resolve() for path in claim.distribution.files or ())
    return any(origin == file for file in files) or any(
        origin.is_relative_to(folder) for folder in _editable(claim.distribution)
    )


def _editable(distribution: Distribution) -> Iterator[Path]:
    """The source folder of a distribution that was installed from there (PEP 660, PEP 610)."""
    text = distribution.read_text("direct_url.json")
    try:
        stated = {} if text is None else parse(text.encode(), "direct_url.json")
    except InvalidError:
        return
    if isinstance(stated, dict) and isinstance(url := stated.get("url"), str):
        info = stated.get("dir_info")
        if isinstance(info, dict) and info.get("editable") is True and urlsplit(url).scheme == "file":
            yield Path(url2pathname(urlsplit(url).path)).resolve()


def _refused(why: str) -> RegistrationError:
    return RegistrationError(f"{why}; nothing was imported", subject=KBREG)

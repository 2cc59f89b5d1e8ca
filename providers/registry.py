"""The inventory of providers: live probes, and files that list without proving.

A connector registry file only lists: none of its rows is ready. A provider inventory file holds rows
that its writer observed: they override a listed row of the same id, never a live probe made here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from providers.base import Provider, told
from schemas.errors import ConflictError, EvidenceError, InvalidError, NotFoundError
from schemas.provider import MOST_PROVIDERS, PROTOCOL, ProviderRow
from schemas.text import legible, shown, trim

CONNECTOR_REGISTRY = "connector_registry_v1"
INVENTORY_ONLY = "connector_registry_is_inventory_not_readiness"
MOST_LISTED = 4096


@dataclass(frozen=True)
class Listing:
    """The rows that one file states, and what was wrong with the others, line by line."""

    rows: tuple[ProviderRow, ...] = ()
    problems: tuple[str, ...] = ()


def read_connector_registry(value: object, name: str) -> Listing:
    """Inventory rows of a `connector_registry_v1` document, `connector:<id>` each, none of them ready.

    A malformed entry is reported and does not fail the rest. Raises InvalidError for another document,
    ConflictError for an id that occurs twice.
    """
    if not isinstance(value, dict) or value.get("schema_version") != CONNECTOR_REGISTRY:
        raise InvalidError(f"{name} must be an object with schema_version {CONNECTOR_REGISTRY}", subject=name)
    return _listing(_entries(value.get("connectors"), f"{name}: connectors"), _listed_row, name)


def read_provider_inventory(value: object, name: str) -> Listing:
    """Observed rows of a provider inventory: a JSON list of rows, or an object whose `providers` is one.

    A malformed row is reported and does not fail the rest. Raises InvalidError for another document,
    ConflictError for an id that occurs twice.
    """
    rows = value.get("providers") if isinstance(value, dict) else value
    return _listing(_entries(rows, f"{name}: providers"), ProviderRow.read, name)


def _entries(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise InvalidError(f"{name} must be an array, found {shown(value)}", subject=name)
    if len(value) > MOST_LISTED:
        raise InvalidError(f"{name} has {len(value)} items; at most {MOST_LISTED} are read", subject=name)
    return value


def _listed_row(value: object, where: str) -> ProviderRow:
    stated = value.get("id") if isinstance(value, dict) else None
    if not isinstance(stated, str) or not trim(stated):
        raise InvalidError(f"{where} must be an object with a text id, found {shown(value)}", subject=where)
    listed = {
        "provider_id": f"connector:{trim(stated)}",
        "provider_kind": "connector",
        "protocol": PROTOCOL,
        "declared": True,
        "installed": False,
        "enabled": False,
        "ready": False,
        "unavailable_reason": INVENTORY_ONLY,
    }
    return ProviderRow.read(listed, where)


def _listing(entries: list[object], read: Callable[[object, str], ProviderRow], name: str) -> Listing:
    rows: dict[str, ProviderRow] = {}
    problems = []
    for index, entry in enumerate(entries):
        try:
            row = read(entry, f"{name}[{index}]")
        except InvalidError as error:
            problems.append(error.message)
            continue
        if row.provider_id in rows:
            raise ConflictError(
                f"{name}[{index}] repeats the provider id {row.provider_id}", subject=row.provider_id
            )
        rows[row.provider_id] = row
    return Listing(tuple(rows.values()), tuple(problems))


@dataclass(frozen=True)
class Registry:
    """Providers that run here, and the rows that files state about others."""

    providers: tuple[Provider, ...] = ()
    observed: tuple[ProviderRow, ...] = ()
    listed: tuple[ProviderRow, ...] = ()

    def rows(self) -> tuple[ProviderRow, ...]:
        """Every provider once, probed now where it runs here: live rows, then observed, then listed.

        Raises InvalidError for more than 64 rows.
        """
        rows: dict[str, ProviderRow] = {}
        for row in (*(probe(provider) for provider in self.providers), *self.observed, *self.listed):
            rows.setdefault(row.provider_id, row)
        if len(rows) > MOST_PROVIDERS:
            raise InvalidError(
                f"providers has {len(rows)} rows; at most {MOST_PROVIDERS} fit one plan",
                subject="providers",
                hint="leave out inventory files, or rows, that this question does not need",
            )
        return tuple(rows.values())

    def provider(self, provider_id: str) -> Provider:
        """The provider that runs here under that id; raises NotFoundError for a row from a file."""
        for provider in self.providers:
            if provider.provider_id == provider_id:
                return provider
        raise NotFoundError(
            f"provider {provider_id} does not run here",
            subject=provider_id,
            hint="its owner executes the plan; hand the receipt in with `receipt`",
        )


def probe(provider: Provider) -> ProviderRow:
    """The provider's own row, now; a probe that fails is a row that is not ready and says so."""
    try:
        row = _checked(provider.readiness())
    except EvidenceError as error:
        return _failed_probe(provider, error.message)
    except KeyboardInterrupt:  # the user's, not the provider's
        raise
    except BaseException as error:  # noqa: BLE001 - provider code is not ours; one must not end the others
        return _failed_probe(provider, told(error))
    if (row.provider_id, row.provider_kind) != (provider.provider_id, provider.provider_kind):
        return _failed_probe(provider, f"its probe answered for {row.provider_kind} {row.provider_id}")
    return row


def _checked(answer: object) -> ProviderRow:
    if type(answer) is not ProviderRow:
        raise InvalidError(f"its probe answered with a {type(answer).__name__}", subject="provider")
    # Read anew: Python lets a provider make a row that never went through its rules.
    return ProviderRow.read(answer.to_wire())


def _failed_probe(provider: Provider, why: str) -> ProviderRow:
    return ProviderRow(
        provider_id=provider.provider_id,
        provider_kind=provider.provider_kind,
        declared=True,
        installed=True,
        enabled=False,
        ready=False,
        unavailable_reason=legible(f"readiness probe failed: {why}", 512),
    )

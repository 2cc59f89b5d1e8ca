"""The capability is optional, and what surrounds it stays as it was (host.md F; more in test_impostor)."""

import subprocess
import sys

import orjson
import pytest

import providers.regulations_contract as contract
from evidence.plugins import Capabilities, PluginRegistry, Slot, capability
from providers.regulations_contract import (
    RegulationEvidence,
    RegulationsHost,
    RegulationsRegistrar,
    RegulationsSearchResult,
    RegulationsUnavailableError,
    WebCapture,
    WebClauseCandidate,
    WebSearchHit,
    WebSearchRequest,
    WebSearchResult,
)
from schemas.errors import NotReadyError
from tests.host.world import DISPATCH, METHODS, World, call, empty


@pytest.mark.req("ext20-01")
def test_f1_a_bare_host_or_registry_does_not_have_the_capability() -> None:
    for bare in (Capabilities(), object(), None, "host", Capabilities({PluginRegistry: 1})):
        assert capability(bare, RegulationsHost) is None
        assert capability(bare, RegulationsRegistrar) is None
    assert Capabilities().capability(RegulationsHost) is None
    host, registry = World().composition.host(DISPATCH), PluginRegistry("kbreg", Slot())
    assert (host.capability(RegulationsHost) is None, host.capability(RegulationsRegistrar)) == (False, None)
    assert registry.capability(RegulationsHost) is None


class Old:
    """A capability of an earlier day."""

    def answer(self) -> int:
        """Some answer."""
        return 7


def old_plugin(host: Capabilities) -> int:
    """A plugin that knows nothing of regulations."""
    found = host.capability(Old)
    return 0 if found is None else found.answer()


def test_f2_an_old_plugin_runs_unchanged_with_the_capability_and_without() -> None:
    assert old_plugin(Capabilities({Old: Old()})) == 7
    assert old_plugin(World().composition.host(DISPATCH, {Old: Old()})) == 7
    assert old_plugin(empty().host(DISPATCH)) == 0
    program = (
        "import sys, evidence.engine, evidence.doors.cli;"
        "print([name for name in ('evidence.host', 'providers.regulations_contract') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert ran.stdout == "[]\n"


@pytest.mark.req("ext20-02")
def test_f4_the_constants_have_the_contracts_strings() -> None:
    values = {name: getattr(contract, name) for name in contract.__all__ if name.isupper()}
    assert values == {
        "CAPTURE_CAPTURED": "captured",
        "CAPTURE_FAILED": "failed",
        "CAPTURE_REJECTED": "rejected",
        "DISCLOSURE_EXCERPT": "excerpt",
        "DISCLOSURE_FULL": "full",
        "DISCLOSURE_METADATA_ONLY": "metadata_only",
        "DISCLOSURE_WITHHELD": "withheld",
        "NO_TIME": "0001-01-01T00:00:00Z",
        "RETENTION_EXCERPT": "excerpt",
        "RETENTION_FULL": "full",
        "RETENTION_METADATA_ONLY": "metadata_only",
        "SCHEMA_VERSION": 1,
        "STATE_DEGRADED": "degraded",
        "STATE_EMPTY": "empty",
        "STATE_OK": "ok",
        "STATE_UNAVAILABLE": "unavailable",
        "SURFACE_VERSION": values["SURFACE_VERSION"],
        "WEB_EMPTY": "empty",
        "WEB_ERROR": "error",
        "WEB_OK": "ok",
        "WEB_RATE_LIMITED": "rate_limited",
        "WEB_REJECTED": "rejected",
        "WEB_UNAVAILABLE": "unavailable",
    }
    assert len(values) - 3 == 20  # the contract counts twenty constants of state
    least = WebSearchRequest(schema_version=1, query="q")
    assert orjson.dumps(least.to_wire()) == b'{"schemaVersion":1,"query":"q"}'


@pytest.mark.req("ext20-02")
@pytest.mark.parametrize(
    ("least", "written"),
    [
        (
            RegulationsSearchResult(corpus_revision="", state=""),
            b'{"corpusRevision":"","state":"","hits":[]}',
        ),
        (
            RegulationEvidence(corpus_revision="", node_id="", disclosure="", hash_verified=False),
            b'{"corpusRevision":"","nodeId":"","disclosure":"","hashVerified":false}',
        ),
        (WebSearchResult(searched_at="", state=""), b'{"searchedAt":"","state":""}'),
        (WebSearchHit(rank=0, url=""), b'{"rank":0,"url":""}'),
        (WebCapture(fetched_at="", state=""), b'{"fetchedAt":"","state":""}'),
        (WebClauseCandidate(excerpt="", start=0, end=0), b'{"excerpt":"","start":0,"end":0}'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_f5_required_fields_are_written_empty_and_no_others(least: object, written: bytes) -> None:
    assert orjson.dumps(least.to_wire()) == written  # type: ignore[attr-defined]


@pytest.mark.req("ext20-01")
def test_the_schema_version_is_one_and_the_error_is_the_contracts() -> None:
    assert contract.SCHEMA_VERSION == 1
    error = RegulationsUnavailableError()
    assert (str(error), error.exit_status) == ("extension: regulations provider unavailable", 4)
    assert isinstance(error, NotReadyError)


@pytest.mark.req("ext20-14")
@pytest.mark.parametrize("method", METHODS)
def test_f7_without_a_provider_a_caller_gets_an_error_and_no_result(method: str) -> None:
    host = empty().host(DISPATCH).capability(RegulationsHost)
    assert host is not None
    with pytest.raises(RegulationsUnavailableError):
        call(host, method)

"""The inventory of providers: what files list, what they observed, what a live probe says."""

from asyncio import CancelledError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.plan import plan
from providers.registry import (
    CONNECTOR_REGISTRY,
    INVENTORY_ONLY,
    MOST_LISTED,
    Listing,
    Registry,
    probe,
    read_connector_registry,
    read_provider_inventory,
)
from schemas.errors import ConflictError, InvalidError, NotFoundError, ProviderError
from schemas.provider import ProviderRow
from schemas.text import units
from tests.strategies import provider_lists
from tests.world import MuteError, World, connector, request, row


def registry_file(*connectors: object) -> dict[str, object]:
    return {"schema_version": CONNECTOR_REGISTRY, "connectors": list(connectors)}


@pytest.mark.req("inventory-only")
def test_a_connector_registry_only_lists() -> None:
    listing = read_connector_registry(
        registry_file({"id": "web", "supported": True}, {"id": "docs"}), "c.json"
    )
    assert listing.problems == ()
    assert [one.provider_id for one in listing.rows] == ["connector:web", "connector:docs"]
    for one in listing.rows:
        assert (one.provider_kind, one.declared, one.installed, one.enabled, one.ready) == (
            "connector", True, False, False, False,
        )  # fmt: skip
        assert one.unavailable_reason == INVENTORY_ONLY == "connector_registry_is_inventory_not_readiness"
    assert plan(request(), Registry(listed=listing.rows).rows()).blocker == "no_ready_provider"


@pytest.mark.parametrize("supported", [True, "supported", {"ready": True}])
@pytest.mark.req("inventory-only")
def test_a_registry_that_claims_readiness_still_only_lists(supported: object) -> None:
    entry = {"id": "web", "supported": supported, "ready": True, "installed": True, "enabled": True}
    (listed,) = read_connector_registry(registry_file(entry), "c.json").rows
    assert not listed.ready
    with pytest.raises(NotFoundError):
        Registry(listed=(listed,)).provider(listed.provider_id)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "web",
        {},
        {"id": 1},
        {"id": None},
        {"id": ""},
        {"id": "\u3000"},
        {"id": "UPPER"},
        {"id": "a b"},
        {"id": "x" * 87},
        [],
    ],
    ids=str,
)
def test_a_malformed_entry_is_reported_and_the_rest_is_kept(entry: object) -> None:
    listing = read_connector_registry(registry_file({"id": "web"}, entry, {"id": "docs"}), "c.json")
    assert [one.provider_id for one in listing.rows] == ["connector:web", "connector:docs"]
    (problem,) = listing.problems
    assert problem.startswith("c.json[1]")


@pytest.mark.parametrize(
    "change",
    [{"ready": "yes"}, {"declared": False}, {"provider_id": "x"}, {"more": 1}, {"protocol": "v1"}],
    ids=str,
)
def test_a_malformed_row_is_reported_by_field_and_the_rest_is_kept(change: dict[str, object]) -> None:
    good = [row("method:a").to_wire(), row("method:b").to_wire()]
    listing = read_provider_inventory([good[0], {**row("method:c").to_wire(), **change}, good[1]], "p.json")
    assert [one.provider_id for one in listing.rows] == ["method:a", "method:b"]
    assert len(listing.problems) == 1
    assert listing.problems[0].startswith("p.json[1]")


@given(provider_lists())
def test_an_inventory_may_be_a_list_or_an_object(rows: tuple[ProviderRow, ...]) -> None:
    wire = [one.to_wire() for one in rows]
    assert read_provider_inventory(wire, "p.json") == Listing(rows)
    assert read_provider_inventory({"providers": wire, "more": 1}, "p.json") == Listing(rows)


def test_an_id_twice_in_one_file_is_a_conflict() -> None:
    with pytest.raises(ConflictError, match=r"c\.json\[2\] repeats the provider id connector:web") as caught:
        read_connector_registry(registry_file({"id": "web"}, {"id": "docs"}, {"id": "\nweb "}), "c.json")
    assert caught.value.subject == "connector:web"
    padded = {**row().to_wire(), "provider_id": "\tmethod:world"}
    with pytest.raises(ConflictError, match=r"p\.json\[1\] repeats"):
        read_provider_inventory([row().to_wire(), padded], "p.json")


@pytest.mark.parametrize(
    "document", [None, [], "x", {}, {"schema_version": "connector_registry_v2", "connectors": []}], ids=str
)
def test_another_document_is_no_registry(document: object) -> None:
    with pytest.raises(
        InvalidError, match=r"c\.json must be an object with schema_version connector_registry_v1"
    ):
        read_connector_registry(document, "c.json")


@pytest.mark.parametrize("rows", [None, {}, "x", 1], ids=str)
def test_a_list_that_is_none_is_refused(rows: object) -> None:
    with pytest.raises(InvalidError, match=r"c\.json: connectors must be an array"):
        read_connector_registry({**registry_file(), "connectors": rows}, "c.json")
    with pytest.raises(InvalidError, match=r"p\.json: providers must be an array"):
        read_provider_inventory({"providers": rows}, "p.json")


def test_a_list_without_end_is_refused() -> None:
    entries: list[Any] = [{"id": f"c{number}"} for number in range(MOST_LISTED + 1)]
    with pytest.raises(InvalidError, match=f"has {MOST_LISTED + 1} items; at most {MOST_LISTED} are read"):
        read_connector_registry(registry_file(*entries), "c.json")
    assert len(read_connector_registry(registry_file(*entries[1:]), "c.json").rows) == MOST_LISTED


@pytest.mark.req("inventory-only")
def test_a_live_probe_overrides_what_was_observed_and_that_overrides_what_is_listed() -> None:
    live = connector()
    listed = row("connector:world", ready=False, kind="connector")
    observed = row("connector:world", kind="connector").replace(unavailable_reason="observed")
    assert Registry(listed=(listed,)).rows() == (listed,)
    assert Registry(observed=(observed,), listed=(listed,)).rows() == (observed,)
    assert Registry((live,), (observed,), (listed,)).rows() == (row("connector:world", kind="connector"),)
    live.probes = [listed.replace(unavailable_reason="no network")]
    assert not Registry((live,), (observed,), (listed,)).rows()[0].ready


def test_rows_come_live_first_then_observed_then_listed() -> None:
    rows = Registry((World(),), (row("method:b"),), (row("method:a", ready=False),)).rows()
    assert [one.provider_id for one in rows] == ["method:world", "method:b", "method:a"]


def test_more_than_64_rows_fit_no_plan() -> None:
    rows = tuple(row(f"method:{number}") for number in range(65))
    assert len(Registry(observed=rows[:64]).rows()) == 64
    with pytest.raises(InvalidError, match="providers has 65 rows; at most 64 fit one plan") as caught:
        Registry(observed=rows[:40], listed=rows[40:]).rows()
    assert caught.value.hint is not None
    assert len(Registry(observed=rows[:64], listed=rows[:64]).rows()) == 64


def test_a_provider_is_found_by_its_id() -> None:
    first, second = World(), World(provider_id="method:second")
    registry = Registry((first, second), observed=(row("method:third"),))
    assert registry.provider("method:second") is second
    with pytest.raises(NotFoundError, match="provider method:third does not run here"):
        registry.provider("method:third")


def forged_row(**changes: object) -> ProviderRow:
    """A row that never went through its rules, as Python lets anybody make one."""
    made = ProviderRow.__new__(ProviderRow)
    made.__dict__.update({**row().__dict__, **changes})
    return made


@pytest.mark.parametrize(
    "probed",
    [
        *(ProviderError("x"), OSError("no such file"), KeyError(), None, {}, row("method:else")),
        *(SystemExit(3), CancelledError(), MuteError(), forged_row(enabled=False), forged_row(ready="yes")),
    ],
    ids=["ours", "os", "key", "none", "dict", "another", "leaves", "cancelled", "mute", "rule", "type"],
)
def test_a_probe_that_fails_is_a_row_that_is_not_ready_and_the_others_stay(probed: Any) -> None:
    rows = Registry((World(probes=[probed]), World(provider_id="method:second"))).rows()
    assert [one.ready for one in rows] == [False, True]
    assert rows[0].unavailable_reason is not None
    assert rows[0].unavailable_reason.startswith("readiness probe failed: ")


def test_an_interrupt_of_the_user_is_no_fault_of_the_probe() -> None:
    with pytest.raises(KeyboardInterrupt):
        probe(World(probes=[KeyboardInterrupt()]))


@given(st.text(st.characters(), max_size=600))
def test_whatever_a_failing_probe_says_fits_its_row(said: str) -> None:
    for error in (ProviderError(said * 2), ValueError(said * 2)):
        reason = probe(World(probes=[error])).unavailable_reason
        assert reason is not None
        assert units(reason) <= 512

"""Discovery and selection (lifecycle.md sections 3-5), and a plan that was made up as a whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.discover import discover
from evidence.lifecycle.plan import build, plan, verify_plan, verify_ready
from evidence.lifecycle.wire import call
from schemas.canonical import ALGORITHMS, Algorithm
from schemas.errors import InvalidError, MismatchError, OrderError
from schemas.plan import Plan
from schemas.provider import Discovery, ProviderRow
from schemas.request import Request
from tests.strategies import algorithms, plans, provider_lists, requests
from tests.world import other, request, row

LISTED = row("connector:listed", ready=False, kind="connector")
FIRST, SECOND = row("method:first"), row("method:second")


@pytest.mark.req("discovery-states")
@pytest.mark.parametrize(
    ("rows", "status"),
    [((), "empty"), ((LISTED,), "inventory_only"), ((LISTED, FIRST), "ready"), ((FIRST,), "ready")],
    ids=["empty", "listed", "both", "ready"],
)
def test_discovery_tells_empty_listed_and_ready_apart(rows: tuple[ProviderRow, ...], status: str) -> None:
    found = discover(rows)
    assert found.status == status
    assert found.ready_provider_ids == tuple(one.provider_id for one in rows if one.ready)


@pytest.mark.req("discovery-states")
@given(provider_lists())
def test_discovery_counts_and_claims_nothing_more(rows: tuple[ProviderRow, ...]) -> None:
    found = discover(rows)
    summary = found.summary
    assert summary.provider_count == len(rows) == summary.method_count + summary.connector_count
    assert summary.ready_count == len(found.ready_provider_ids)
    assert summary.ready_count + summary.unavailable_count == len(rows)
    assert found.providers == rows
    assert set(found.truth_contract.to_wire().values()) == {False}
    assert Discovery.read(found.to_wire()) == found


def test_a_discovery_that_claims_an_execution_is_refused() -> None:
    wire = discover([FIRST]).to_wire()
    claims = {"registry_presence_is_readiness": False, "execution_observed": True}
    with pytest.raises(InvalidError, match=r"discovery\.truth_contract\.execution_observed must be false"):
        Discovery.read({**wire, "truth_contract": claims})


@pytest.mark.req("inventory-only")
@given(requests(), provider_lists(), algorithms)
def test_without_a_preference_the_first_ready_row_is_taken(
    asked: Request, rows: tuple[ProviderRow, ...], algorithm: Algorithm
) -> None:
    made = plan(asked, rows, None, algorithm)
    ready = [one for one in rows if one.ready]
    assert made.selected_provider == (ready[0] if ready else None)
    assert made.blocker == (None if ready else "no_ready_provider")
    assert (made.status == "ready") is bool(ready) is (made.execution_envelope is not None)
    assert verify_plan(made) == algorithm


@pytest.mark.req("inventory-only")
@given(requests(), provider_lists(), st.data())
def test_a_preferred_row_is_taken_only_if_it_is_ready(
    asked: Request, rows: tuple[ProviderRow, ...], data: st.DataObject
) -> None:
    preferred = data.draw(st.sampled_from([*rows, LISTED]))
    rows = rows if preferred in rows else (*rows, LISTED)
    made = plan(asked, rows, preferred.provider_id)
    assert made.selected_provider == (preferred if preferred.ready else None)
    assert made.blocker == (None if preferred.ready else "preferred_provider_not_ready")
    verify_plan(made)


@pytest.mark.req("inventory-only")
def test_a_provider_that_is_only_listed_is_never_selected() -> None:
    for rows, preferred in (([LISTED], None), ([LISTED, FIRST], LISTED.provider_id), ([FIRST, LISTED], None)):
        assert plan(request(), rows, preferred).selected_provider != LISTED


@pytest.mark.req("inventory-only")
def test_a_plan_made_up_around_a_listed_provider_is_refused_although_its_id_is_right() -> None:
    asked = request().identified("blake3")
    made_up = build(asked, [LISTED, FIRST], LISTED, None, "blake3")
    with pytest.raises(MismatchError, match=r"plan\.selected_provider is not a ready candidate"):
        verify_plan(made_up)


def test_a_preference_outside_the_inventory_is_an_error_that_tells_the_known_ids() -> None:
    with pytest.raises(InvalidError, match="'method:x' is not in the provider inventory") as caught:
        plan(request(), [FIRST, SECOND], "method:x")
    assert (caught.value.subject, caught.value.hint) == (
        "preferred_provider_id",
        "known ids: method:first, method:second",
    )
    with pytest.raises(InvalidError) as caught:
        plan(request(), [], "method:x")
    assert caught.value.hint == "known ids: none"


def test_the_preference_itself_is_not_hashed() -> None:
    assert plan(request(), [FIRST, SECOND], "method:first") == plan(request(), [FIRST, SECOND])
    assert plan(request(), [FIRST, SECOND], "method:second") != plan(request(), [FIRST, SECOND])


@pytest.mark.parametrize("preferred", [None, "\u3000method:second\n"])
def test_a_preference_may_be_null_or_padded(preferred: str | None) -> None:
    rows = [FIRST.to_wire(), SECOND.to_wire()]
    asked = {"request": request().to_wire(), "providers": rows, "preferred_provider_id": preferred}
    expected = plan(request(), [FIRST, SECOND], preferred and "method:second")
    assert call("plan", asked) == expected.to_wire()


@given(requests())
def test_a_request_id_that_a_caller_claims_is_computed_again(asked: Request) -> None:
    claimed = asked.replace(request_id="sha256:claimed")
    assert plan(claimed, [FIRST]) == plan(asked, [FIRST])


def test_a_list_of_providers_holds_each_id_once_and_at_most_64() -> None:
    rows = [row(f"method:{number}").to_wire() for number in range(65)]
    with pytest.raises(InvalidError, match=r"^providers has 65 items; at most 64 are allowed"):
        call("discover", {"providers": rows})
    assert call("discover", {"providers": rows[:64]})["status"] == "ready"
    padded = {**rows[0], "provider_id": " method:0 "}
    with pytest.raises(InvalidError, match=r"^providers\[1\] repeats 'method:0'"):
        call("discover", {"providers": [rows[0], padded]})


@given(st.data(), algorithms)
def test_every_plan_is_verified_under_the_algorithm_that_its_id_names(
    data: st.DataObject, algorithm: Algorithm
) -> None:
    made = data.draw(plans(algorithm, ready=False))
    assert verify_plan(Plan.read(made.to_wire())) == algorithm
    assert made.plan_id is not None
    renamed = f"{other(algorithm)}:{made.plan_id.partition(':')[2]}"
    with pytest.raises(MismatchError):
        verify_plan(made.replace(plan_id=renamed))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_blocked_plan_has_an_id_and_cannot_be_executed(algorithm: Algorithm) -> None:
    blocked = plan(request(), [LISTED], None, algorithm)
    assert verify_plan(blocked) == algorithm
    with pytest.raises(OrderError, match=r"plan\.status is blocked \(no_ready_provider\)"):
        verify_ready(blocked)


@pytest.mark.req("plan-tamper")
@pytest.mark.parametrize(
    ("rows", "selected", "blocker"),
    [
        ([FIRST], FIRST, "no_ready_provider"),
        ([FIRST], None, None),
        ([FIRST], None, "no_ready_provider"),
        ([FIRST], None, "preferred_provider_not_ready"),
        ([], None, "preferred_provider_not_ready"),
        ([], None, None),
    ],
)
def test_a_blocker_that_no_preference_leads_to_is_refused_although_the_id_is_right(
    rows: list[ProviderRow], selected: ProviderRow | None, blocker: str | None
) -> None:
    made_up = build(request().identified("blake3"), rows, selected, blocker, "blake3")
    with pytest.raises(MismatchError, match=r"plan\.blocker does not fit"):
        verify_plan(made_up)


@pytest.mark.req("plan-tamper")
@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"plan_id": None}, "plan.plan_id"),
        ({"status": "blocked"}, "plan.status"),
        ({"execution_envelope": None}, "plan.execution_envelope"),
        ({"selected_provider": None}, "plan.status"),
        ({"selected_provider": FIRST.replace(unavailable_reason="x")}, "plan.selected_provider"),
        ({"request": request("another").identified("blake3")}, "plan.plan_id"),
        ({"request": request()}, "plan.request.request_id"),
        ({"provider_candidates": (FIRST,)}, "plan.plan_id"),
        ({"blocker": "no_ready_provider"}, "plan.plan_id"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else value,
)
def test_the_part_of_a_plan_that_differs_is_named(change: dict[str, object], field: str) -> None:
    made = plan(request(), [FIRST, SECOND]).replace(**change)
    with pytest.raises(MismatchError) as caught:
        verify_plan(made)
    assert caught.value.subject == field

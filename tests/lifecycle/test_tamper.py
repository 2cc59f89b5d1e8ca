"""Any single change of any leaf is refused by name, or gives another identity, or does not matter at all.

Places are found mechanically, so that a field added later is covered too.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.wire import call
from schemas.canonical import ALGORITHMS, Algorithm
from schemas.errors import EvidenceError
from tests.lifecycle.golden import Wire, life
from tests.lifecycle.tampering import Change, changes
from tests.strategies import lives

IDENTITY = {"plan": "plan_id", "receipt": "receipt_observation_id", "admit": "admission_id"}
# These carry their own identity: a change of them can never pass as another artifact.
IDENTIFIED = ("plan", "admission")


def identity(verb: str, params: object, algorithm: Algorithm) -> object:
    """What the verb's result is known by: its id, or for `retire` all of it."""
    result = call(verb, params, algorithm)
    return result[IDENTITY[verb]] if verb in IDENTITY else result


def fault(
    verb: str, params: Wire, before: object, change: Change, algorithm: Algorithm = "blake3"
) -> str | None:
    """What is wrong with how `change` was taken, None when it was taken well."""
    try:
        after = identity(verb, change.applied(params), algorithm)
    except EvidenceError as error:
        if change.harmless():
            return f"{change}: a harmless change was refused: {error}"
        return (
            None if error.subject and error.message.startswith(error.subject) else f"{change}: names no field"
        )
    if change.harmless():
        return None if after == before else f"{change}: a harmless change made another identity"
    if after == before:
        return f"{change}: made no difference"
    return f"{change}: passed as another artifact" if change.path[0] in IDENTIFIED else None


def params(verb: str, algorithm: Algorithm, full: bool) -> Wire:
    made: dict[str, Any] = life(algorithm, full)
    if verb == "plan":
        # A preference is not hashed; that it selects is shown in test_plan.py.
        return {name: made["asked"][name] for name in ("request", "providers")}
    if verb == "retire":
        return {"admission": made["admission"]}
    names = ("plan", "receipt") if verb == "receipt" else ("plan", "receipt", "decision")
    return {name: made[name] for name in names}


@pytest.mark.req("plan-tamper", "admission-tamper", "receipt-refusals", "receipt-binding")
@pytest.mark.parametrize("full", [False, True], ids=["small", "full"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("verb", ["plan", "receipt", "admit", "retire"])
def test_no_single_change_of_a_written_life_passes_unseen(
    verb: str, algorithm: Algorithm, full: bool
) -> None:
    given_params = params(verb, algorithm, full)
    menu = [change for change in changes(given_params) if len(change.path) > 1]
    assert len(menu) > 100
    before = identity(verb, given_params, algorithm)
    assert [said for change in menu if (said := fault(verb, given_params, before, change, algorithm))] == []


@pytest.mark.req("plan-tamper", "admission-tamper")
@given(st.data())
def test_no_single_change_of_any_life_passes_unseen(data: st.DataObject) -> None:
    any_life = data.draw(lives())
    given_params = any_life.wire()
    change = data.draw(st.sampled_from([one for one in changes(given_params) if len(one.path) > 1]))
    assert fault("admit", given_params, any_life.admission.admission_id, change) is None
    admission: Wire = {"admission": any_life.admission.to_wire()}
    change = data.draw(st.sampled_from([one for one in changes(admission) if len(one.path) > 1]))
    assert fault("retire", admission, identity("retire", admission, "blake3"), change) is None


@pytest.mark.parametrize("verb", ["discover", "plan", "receipt", "admit", "retire"])
@pytest.mark.parametrize(
    "given_params", [None, [], "x", 0, {}, {"x": 1}, {"plan": None}, {"providers": {}}], ids=str
)
def test_parameters_that_are_none_are_refused(verb: str, given_params: object) -> None:
    with pytest.raises(EvidenceError) as caught:
        call(verb, given_params)
    assert caught.value.subject
    assert caught.value.message.startswith(caught.value.subject)


@pytest.mark.parametrize("name", ["Plan", "decisions", "request", ""])
def test_an_unknown_parameter_is_refused(name: str) -> None:
    with pytest.raises(EvidenceError, match=r"^params has the unknown key"):
        call("admit", {**params("admit", "blake3", full=True), name: {}})

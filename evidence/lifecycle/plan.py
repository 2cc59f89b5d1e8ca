"""Bind a request to one provider that was seen ready, and verify such a plan later."""

from collections.abc import Sequence

from schemas.canonical import DEFAULT_ALGORITHM, Algorithm, algorithm_of, canonical_record, digest_bytes
from schemas.errors import InvalidError, MismatchError, OrderError
from schemas.plan import ExecutionEnvelope, Plan
from schemas.provider import ProviderRow
from schemas.request import Request


def plan(
    request: Request,
    providers: Sequence[ProviderRow],
    preferred_provider_id: str | None = None,
    algorithm: Algorithm = DEFAULT_ALGORITHM,
) -> Plan:
    """A ready or blocked plan (lifecycle.md section 5).

    The preferred provider is taken if it is ready, never another in its place; without a preference
    the first ready row in input order is. Raises InvalidError for a preference outside `providers`.
    """
    selected, blocker = _select(providers, preferred_provider_id)
    return build(request.identified(algorithm), providers, selected, blocker, algorithm)


def _select(providers: Sequence[ProviderRow], preferred: str | None) -> tuple[ProviderRow | None, str | None]:
    if preferred is None:
        ready = next((row for row in providers if row.ready), None)
        return ready, None if ready else "no_ready_provider"
    row = next((row for row in providers if row.provider_id == preferred), None)
    if row is None:
        raise InvalidError(
            f"preferred_provider_id {preferred!r} is not in the provider inventory",
            subject="preferred_provider_id",
            hint=f"known ids: {', '.join(row.provider_id for row in providers) or 'none'}",
        )
    return (row, None) if row.ready else (None, "preferred_provider_not_ready")


def build(
    request: Request,
    candidates: Sequence[ProviderRow],
    selected: ProviderRow | None,
    blocker: str | None,
    algorithm: Algorithm,
) -> Plan:
    """The one plan that these parts make; `request` already carries its id."""
    envelope = None
    if selected is not None:
        envelope = ExecutionEnvelope(
            request_id=request.request_id or "",
            provider_id=selected.provider_id,
            provider_kind=selected.provider_kind,
        )
    bare = Plan(
        status="ready" if envelope else "blocked",
        request=request,
        provider_candidates=tuple(candidates),
        selected_provider=selected,
        execution_envelope=envelope,
        blocker=blocker,
    )
    plan_id = digest_bytes(canonical_record(bare.to_wire()), algorithm)
    return bare.replace(plan_id=plan_id, execution_envelope=envelope and envelope.replace(plan_id=plan_id))


def verify_plan(stated: Plan) -> Algorithm:
    """The algorithm of `stated` if it is exactly the plan that its own parts make.

    Raises MismatchError naming the first part that differs; any change to the request, a candidate,
    the selection, the envelope, the blocker or an id fails here (lifecycle.md section 6).
    """
    if stated.plan_id is None:
        raise MismatchError("plan.plan_id is required and absent", subject="plan.plan_id")
    algorithm = algorithm_of(stated.plan_id)
    request = stated.request.identified(algorithm)
    selected = stated.selected_provider
    if selected is not None:
        selected = next(
            (
                row
                for row in stated.provider_candidates
                if row.ready and row.provider_id == selected.provider_id
            ),
            None,
        )
        if selected is None:
            raise MismatchError(
                "plan.selected_provider is not a ready candidate of the plan",
                subject="plan.selected_provider",
            )
    expected = build(request, stated.provider_candidates, selected, stated.blocker, algorithm)
    if stated != expected:
        raise _difference(stated, expected)
    if not fitting(stated.blocker, selected, stated.provider_candidates):
        raise MismatchError(
            "plan.blocker does not fit the selection and the candidates", subject="plan.blocker"
        )
    return algorithm


def fitting(blocker: object, selected: ProviderRow | None, rows: Sequence[ProviderRow]) -> bool:
    """Whether some preference makes `plan` come to this selection or this blocker."""
    if blocker is None or selected is not None:
        return blocker is None and selected is not None
    ready = [row.ready for row in rows]
    return not any(ready) if blocker == "no_ready_provider" else not all(ready)


def verify_ready(stated: Plan) -> Algorithm:
    """As `verify_plan`, and the plan must be ready: only such a plan may be executed or receipted."""
    algorithm = verify_plan(stated)
    if stated.status != "ready":
        raise OrderError(
            f"plan.status is {stated.status} ({stated.blocker}); only a ready plan can be executed",
            rule="execution-needs-ready-plan",
            subject="plan.status",
            hint="plan again when a provider is ready",
        )
    return algorithm


def _difference(stated: Plan, expected: Plan) -> MismatchError:
    if stated.request.request_id != expected.request.request_id:
        return MismatchError(
            f"plan.request.request_id is {stated.request.request_id}, but the request's own digest is "
            f"{expected.request.request_id}",
            subject="plan.request.request_id",
        )
    # The request, the candidates and the blocker go into the rebuilt plan as they are stated.
    rebuilt = ("status", "selected_provider", "plan_id", "execution_envelope")
    name = next(name for name in rebuilt if getattr(stated, name) != getattr(expected, name))
    return MismatchError(
        f"plan.{name} does not match the rebuilt plan: stated {stated.plan_id}, rebuilt {expected.plan_id}",
        subject=f"plan.{name}",
    )

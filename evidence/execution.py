"""Run one provider for one plan: whatever happens inside becomes a receipt."""

import threading

from providers.base import Clock, Provider
from schemas.dates import instant
from schemas.errors import EvidenceError
from schemas.plan import Plan
from schemas.receipt import Receipt


def run(provider: Provider, plan: Plan, clock: Clock, timeout_seconds: float) -> Receipt:
    """The provider's receipt, or a `failed` one whose limitation names the step (lifecycle.md section 8).

    The provider runs in a thread of its own; one that is late is left behind and never heard again.
    """
    answers: list[Receipt] = []
    failures: list[str] = []

    def work() -> None:
        try:
            answer = provider.execute(plan)
        except EvidenceError as error:
            failures.append(f"running the provider: {error.code}: {error.message}")
        except Exception as error:  # noqa: BLE001 - provider code is not ours; it must not end the caller
            failures.append(f"running the provider: {type(error).__name__}: {error}")
        else:
            if isinstance(answer, Receipt):
                answers.append(answer)
            else:
                failures.append(f"reading its answer: a {type(answer).__name__} is no receipt")

    thread = threading.Thread(target=work, name=f"provider {provider.provider_id}", daemon=True)
    thread.start()
    thread.join(timeout_seconds)
    if answers:
        return answers[0]
    late = f"waiting for the provider: no answer after {timeout_seconds:g} seconds"
    return failed_receipt(plan, clock, failures[0] if failures else late)


def failed_receipt(plan: Plan, clock: Clock, step: str) -> Receipt:
    """A receipt that says which step failed; the caller's way to the original source stays open."""
    selected = plan.selected_provider
    return Receipt(
        plan_id=plan.plan_id or "",
        request_id=plan.request.request_id or "",
        provider_id=selected.provider_id if selected else "",
        provider_kind=selected.provider_kind if selected else "",
        status="failed",
        sources=(),
        summary="The provider did not deliver a receipt for this plan; the original sources stay available.",
        limitations=(_printable(f"failed while {step}"),),
        completed_at=instant(clock()),
    )


def _printable(text: str) -> str:
    # A foreign error text may hold anything; a limitation may not (H1, H2) and is at most 1024 units.
    shown = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )
    return shown.encode("utf-8", "replace").decode()[:500]

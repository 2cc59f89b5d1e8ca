"""Run one provider for one plan: whatever happens inside becomes a receipt."""

import threading

from providers.base import Clock, Provider, told
from schemas.dates import instant
from schemas.errors import EvidenceError, InvalidError
from schemas.outside import parse
from schemas.plan import Plan
from schemas.receipt import Receipt
from schemas.text import legible


def run(provider: Provider, plan: Plan, clock: Clock, timeout_seconds: float) -> Receipt:
    """The provider's receipt, or a `failed` one whose limitation names the step (lifecycle.md section 8).

    The provider runs in a thread of its own; one that is late is left behind and never heard again.
    """
    answers: list[Receipt] = []
    failures: list[str] = []

    def work() -> None:
        step = "running the provider"
        try:
            # A plan of its own: what a provider does to it must not reach what is recorded.
            answer = provider.execute(Plan.read(plan.to_wire()))
            step = "reading its answer"
            answers.append(_checked(answer))
        except EvidenceError as error:
            failures.append(f"{step}: {error.code}: {error.message}")
        # Provider code is not ours; no error of it, nor its sys.exit(), may end the caller or pass for
        # silence.
        except BaseException as error:  # noqa: BLE001 - see above
            failures.append(f"{step}: {told(error)}")

    thread = threading.Thread(target=work, name=f"provider {provider.provider_id}", daemon=True)
    thread.start()
    thread.join(min(timeout_seconds, threading.TIMEOUT_MAX))
    if answers:
        return answers[0]
    late = f"waiting for the provider: no answer after {timeout_seconds:g} seconds"
    return failed_receipt(plan, clock, failures[0] if failures else late)


def _checked(answer: object) -> Receipt:
    if not isinstance(answer, Receipt):
        raise InvalidError(f"a {type(answer).__name__} is no receipt", subject="receipt")
    # Read anew, and from bytes: Python lets a provider make a Receipt, or a part or a kind of one, that
    # never went through the rules.
    return Receipt.read(parse(answer.canonical(), "receipt"))


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
        limitations=(legible(f"failed while {step}", 1024),),
        completed_at=instant(clock()),
    )

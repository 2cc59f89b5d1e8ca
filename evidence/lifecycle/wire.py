"""The five verbs on parsed JSON: the parameters and results that other languages see.

Parameters and results are those of lifecycle.md sections 4-7. `algorithm` serves new identities
only: an artifact that arrives is verified under the algorithm that its own id names.
"""

from collections.abc import Callable, Mapping

from evidence.lifecycle import admit, discover, plan, receipt, retire
from schemas.admission import Admission, Decision
from schemas.canonical import DEFAULT_ALGORITHM, Algorithm
from schemas.plan import Plan
from schemas.provider import ProviderRow, provider_rows
from schemas.receipt import Receipt
from schemas.record import Items, Nested, Record, field
from schemas.request import Request
from schemas.rules import ProviderId, Text

Wire = dict[str, object]
Verb = Callable[[object, Algorithm], Wire]
MOST_DOWNSTREAM_REFS = 4096


class DiscoverParams(Record, subject=""):
    """Parameters of discover."""

    providers: tuple[ProviderRow, ...] = field(provider_rows())


class PlanParams(Record, subject=""):
    """Parameters of plan."""

    request: Request = field(Nested(Request))
    providers: tuple[ProviderRow, ...] = field(provider_rows())
    preferred_provider_id: str | None = field(ProviderId(), default=None, nullable=True)


class ReceiptParams(Record, subject=""):
    """Parameters of receipt."""

    plan: Plan = field(Nested(Plan))
    receipt: Receipt = field(Nested(Receipt))


class AdmitParams(Record, subject=""):
    """Parameters of admit."""

    plan: Plan = field(Nested(Plan))
    receipt: Receipt = field(Nested(Receipt))
    decision: Decision = field(Nested(Decision))


class RetireParams(Record, subject=""):
    """Parameters of retire; a downstream ref may be any text, only equality counts."""

    admission: Admission = field(Nested(Admission))
    downstream_source_refs: tuple[str, ...] = field(Items(Text(2048), MOST_DOWNSTREAM_REFS), default=())


def _discover(params: object, _algorithm: Algorithm) -> Wire:
    return discover.discover(DiscoverParams.read(params).providers).to_wire()


def _plan(params: object, algorithm: Algorithm) -> Wire:
    read = PlanParams.read(params)
    return plan.plan(read.request, read.providers, read.preferred_provider_id, algorithm).to_wire()


def _receipt(params: object, _algorithm: Algorithm) -> Wire:
    read = ReceiptParams.read(params)
    return receipt.receipt(read.plan, read.receipt).to_wire()


def _admit(params: object, _algorithm: Algorithm) -> Wire:
    read = AdmitParams.read(params)
    return admit.admit(read.plan, read.receipt, read.decision).to_wire()


def _retire(params: object, _algorithm: Algorithm) -> Wire:
    read = RetireParams.read(params)
    return retire.retire(read.admission, read.downstream_source_refs).to_wire()


VERBS: Mapping[str, Verb] = {
    "discover": _discover,
    "plan": _plan,
    "receipt": _receipt,
    "admit": _admit,
    "retire": _retire,
}


def call(verb: str, params: object, algorithm: Algorithm = DEFAULT_ALGORITHM) -> Wire:
    """Run one verb of VERBS; raises EvidenceError for whatever it refuses."""
    return VERBS[verb](params, algorithm)

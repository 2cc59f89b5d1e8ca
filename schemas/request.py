"""A decision-bound question: what is asked, for which activity and which decision."""

from schemas.canonical import Algorithm, canonical_record, digest_bytes
from schemas.record import Items, Record, Rule, RuleError, field
from schemas.rules import Literal, SourceRef, Text
from schemas.text import shown

REQUEST = "loopx_external_evidence_request_v0"


class _ClaimedId(Rule):
    """A request id as somebody states it; whoever needs it recomputes it and compares exactly."""

    def read(self, value: object) -> object:
        if not isinstance(value, str):
            raise RuleError(f"must be text, found {shown(value)}")
        return value


class Request(Record):
    """The normalised question (lifecycle.md section 5).

    `source_refs` and `search_terms` are None when not given, which is not the same as empty.
    """

    schema_version: str = field(Literal(REQUEST), default=REQUEST)
    objective: str = field(Text(4096))
    user_activity: str = field(Text(4096))
    decision: str = field(Text(4096))
    evidence_kinds: tuple[str, ...] = field(Items(Text(96), most=8, least=1))
    constraints: tuple[str, ...] = field(Items(Text(256), most=16), default=())
    source_refs: tuple[str, ...] | None = field(
        Items(SourceRef(), most=8, least=1, unique=True), default=None, omitted=True
    )
    search_terms: tuple[str, ...] | None = field(Items(Text(256), most=8), default=None, omitted=True)
    request_id: str | None = field(_ClaimedId(), default=None, omitted=True)

    def identity(self, algorithm: Algorithm) -> str:
        """The `request_id`: the digest of everything but a claimed `request_id`."""
        wire = self.to_wire()
        wire.pop("request_id", None)
        return digest_bytes(canonical_record(wire), algorithm)

    def identified(self, algorithm: Algorithm) -> "Request":
        """This request with its true `request_id`."""
        return self.replace(request_id=self.identity(algorithm))

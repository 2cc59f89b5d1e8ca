"""Find what an id or a unique prefix of one means in a ledger: record, plan, receipt, decision or body.

The records themselves are read, no index: whoever shows what is stored need not believe who stored it.
"""

from typing import Any, NamedTuple

from evidence.lifecycle.receipt import observation_id
from evidence.plan_story import ERASED, Step
from evidence.story import Story
from schemas.errors import AmbiguousError, EvidenceError, NotFoundError, UsageError
from schemas.outside import parse
from schemas.receipt import Receipt

SHORTEST = 4
MOST_RECORDS = 1000
PLACE = "seq:"
_MAKES = {
    "request_id": "plan.created",
    "plan_id": "plan.created",
    "receipt_digest": "receipt.observed",
    "observation_id": "receipt.observed",
    "admission_id": "admission.decided",
}


class Shown(NamedTuple):
    """What an id names: its kind, the records that name it, and the artifact where its body is held."""

    id: str
    kind: str
    steps: list[Step]
    records: int
    body: str | None
    artifact: Any
    observation_id: str | None = None
    erased_by: Step | None = None

    def to_wire(self) -> dict[str, Any]:
        """The answer as the doors print it."""
        return {
            "schema_version": "external_evidence_shown_v0",
            "id": self.id,
            "kind": self.kind,
            "records": [{**one.to_wire(), "record": one.record.to_wire()} for one in self.steps],
            "records_naming_it": self.records,
            "body": self.body,
            "observation_id": self.observation_id,
            "erased_by": self._erasure(),
            "artifact": self.artifact,
        }

    def _erasure(self) -> dict[str, Any] | None:
        if self.erased_by is None:
            return None
        told = self.erased_by.artifact
        reason = told.get("reason") if isinstance(told, dict) else None
        return {**self.erased_by.to_wire(), "reason": reason}


def show(story: Story, asked: str) -> Shown:
    """What `asked` names: `seq:12`, a number below 1000, a whole id, or 4 digits or more of one.

    NotFoundError: nothing. AmbiguousError: several ids begin so. UsageError: it can be no id.
    """
    seq = _place(asked)
    if seq is not None:
        step = next((one for one in story.steps() if one.seq == seq), None)
        if step is None:
            raise NotFoundError(f"the ledger has no readable record {seq}", subject=asked)
        return _of_record(story, step)
    _refuse_no_id(asked)
    found = _named(story, asked) or _observed(story, asked)
    if not found:
        raise NotFoundError(f"nothing in the ledger has an id that starts with {asked}", subject=asked)
    if len(found) > 1:
        raise AmbiguousError(
            f"{asked} is the start of {len(found)} or more ids in the ledger",
            subject=asked,
            hint=f"write more of it: {', '.join(sorted(found)[:4])}",
        )
    ((identity, (kind, seqs)),) = found.items()
    return _of_id(story, identity, kind, seqs)


def _place(asked: str) -> int | None:
    digits = asked.removeprefix(PLACE)
    if digits.isascii() and digits.isdigit() and (digits != asked or len(digits) < SHORTEST):
        return int(digits)
    return None


def _refuse_no_id(asked: str) -> None:
    algorithm, colon, digits = asked.rpartition(":")
    hexadecimal = set(digits) <= set("0123456789abcdef") and SHORTEST <= len(digits) <= 64
    if not hexadecimal or (colon and algorithm not in ("blake3", "sha256")):
        raise UsageError(
            f"{asked!a} is no id: give seq:NUMBER, an id, or {SHORTEST} or more of its digits 0-9 a-f",
            subject="ID",
        )


def _begins(identity: str, asked: str) -> bool:
    return identity.startswith(asked) or identity.partition(":")[2].startswith(asked)


def _named(story: Story, asked: str) -> dict[str, tuple[str, list[int]]]:
    """Every id that begins so, what kind of id it is, and where it is named."""
    found: dict[str, tuple[str, list[int]]] = {}
    for step in story.steps():
        ids = {"record": step.id, "body": step.record.body.digest, **step.record.subject.ids()}
        for kind, identity in ids.items():
            if _begins(identity, asked):
                # A receipt's own digest is also that of its body: it is a receipt.
                before, seqs = found.get(identity, (kind, []))
                found[identity] = (kind if before == "body" else before, seqs)
                if step.seq not in seqs:
                    seqs.append(step.seq)
    return found


def _observed(story: Story, asked: str) -> dict[str, tuple[str, list[int]]]:
    """Observations that begin so: their ids are derived from receipts, not recorded."""
    found = {}
    for step in story.steps():
        identity = _observation(story, step)
        if identity is not None and _begins(identity, asked):
            found[identity] = ("observation_id", [step.seq])
    return found


def _observation(story: Story, step: Step) -> str | None:
    digest = step.record.subject.receipt_digest
    if step.record.kind != "receipt.observed" or digest is None:
        return None
    try:
        return observation_id(Receipt.read(_artifact(story, step)), digest)
    except EvidenceError:
        return None


def _artifact(story: Story, step: Step) -> Any:
    body = story.body(step.record)
    try:
        return None if body is None else parse(body, "body")
    except EvidenceError:
        return None


def _of_record(story: Story, step: Step) -> Shown:
    observation, by = _observation(story, step), _erasure_of(story, step)
    return Shown(step.id, "record", [step], 1, step.body, _artifact(story, step), observation, by)


def _erasure_of(story: Story, step: Step) -> Step | None:
    """The step that says who erased this one's body, when and why."""
    seq = story.erased.get(step.record.body.digest) if step.body == ERASED else None
    return None if seq is None else next((one for one in story.events() if one.seq == seq), None)


def _of_id(story: Story, identity: str, kind: str, seqs: list[int]) -> Shown:
    wanted, made = set(seqs), _MAKES.get(kind)
    steps = [one for one in story.steps() if one.seq in wanted]
    makers = [one for one in steps if made is None or one.record.kind == made]
    if not makers:
        return Shown(identity, kind, steps[:MOST_RECORDS], len(steps), None, None)
    maker = makers[-1]
    artifact = _artifact(story, maker)
    if kind == "request_id" and isinstance(artifact, dict):
        artifact = artifact.get("request")
    observation = _observation(story, maker)
    return Shown(
        *(identity, kind, steps[:MOST_RECORDS], len(steps)),
        *(maker.body, artifact, observation, _erasure_of(story, maker)),
    )

"""A ledger or one plan as an in-toto Statement v1, in a DSSE v1 envelope where somebody signs it.

The subjects are the records and bodies by their sha256 and blake3. The predicate holds ids, times and
counts and no text of others, so that a body can be erased although somebody keeps the statement.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Any

from evidence.plan_story import HELD, DecisionStory, PlanStory
from evidence.story import Story
from ledger.keys import Signer
from ledger.note import ED25519
from schemas.canonical import canonical, digest_bytes
from schemas.errors import NotFoundError, UsageError

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:external-evidence:predicate:ledger:v0"
PAYLOAD = "application/vnd.in-toto+json"


def statement(story: Story, plan: PlanStory | None = None) -> dict[str, Any]:
    """The statement over every record and held body, or over those of one plan.

    NotFoundError: there is no record to speak of.
    """
    seqs = None if plan is None else {step.seq for step in plan.steps()}
    subjects = list(_subjects(story, seqs))
    if not subjects:
        raise NotFoundError("there is no record to make a statement about", subject="subject")
    return {
        "_type": STATEMENT,
        "subject": subjects,
        "predicateType": PREDICATE,
        "predicate": {
            "log": story.log,
            "records": story.records,
            "head": story.head,
            "root": f"sha256:{story.tree.root().hex()}",
            "plans": [_plan(one) for one in (story.plans() if plan is None else (plan,))],
            "limit": "A ledger cannot show what was never appended.",
        },
    }


def envelope(stated: dict[str, Any], signer: Signer) -> dict[str, Any]:
    """The DSSE envelope of a statement, signed with an Ed25519 key.

    UsageError: the key makes another kind of signature.
    """
    key = signer.verifier
    if key.kind != ED25519:
        raise UsageError(f"{key} is a witness's key; a statement is signed with Ed25519", subject="--key")
    payload = canonical(stated)
    # What is signed begins with the version of DSSE, so that no signature stands under a checkpoint too.
    content = signer.sign(pre_authentication(PAYLOAD, payload)).content
    return {
        "payload": b64encode(payload).decode(),
        "payloadType": PAYLOAD,
        "signatures": [{"keyid": f"{key.name}+{key.id.hex()}", "sig": b64encode(content).decode()}],
    }


def pre_authentication(kind: str, payload: bytes) -> str:
    """What DSSE v1 signs of a payload in UTF-8: type and payload, each after its length in bytes."""
    return f"DSSEv1 {len(kind.encode())} {kind} {len(payload)} {payload.decode()}"


def _subjects(story: Story, seqs: set[int] | None) -> Iterator[dict[str, Any]]:
    named: set[str] = set()
    for seq, raw in story.raws():
        if seqs is None or seq in seqs:
            yield _subject(f"record/{seq}", raw)
    for step in story.steps():
        digest = step.record.body.digest
        if (seqs is None or step.seq in seqs) and step.body == HELD and digest not in named:
            named.add(digest)
            yield _subject(f"body/{digest}", story.body(step.record) or b"")


def _subject(name: str, content: bytes) -> dict[str, Any]:
    digests = (digest_bytes(content, "sha256"), digest_bytes(content, "blake3"))
    return {"name": name, "digest": dict(digest.split(":") for digest in digests)}


def _plan(plan: PlanStory) -> dict[str, Any]:
    return {
        "plan_id": plan.plan_id,
        "state": plan.state,
        "seqs": [step.seq for step in plan.steps()],
        "receipts": [
            {"receipt_digest": one.receipt_digest, "decisions": _decisions(one.decisions)}
            for one in plan.receipts.values()
        ],
    }


def _decisions(decisions: Iterable[DecisionStory]) -> list[dict[str, Any]]:
    return [
        {
            "admission_id": one.admission_id,
            "disposition": one.disposition,
            "in_force": one.in_force,
            "decided": None if one.decided is None else one.decided.seq,
            "admitted_sources": len(one.admitted),
            "uncovered_sources": len(one.uncovered),
            "retired": None if one.retired is None else one.retired.seq,
        }
        for one in decisions
    ]

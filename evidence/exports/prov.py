"""A ledger's story as W3C PROV in its JSON form (PROV-JSON), for tools that draw and query provenance.

A step is an activity, an artifact an entity, an actor or provider an agent. Ids keep their text: the
entity of a plan is its plan id.
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from evidence.plan_story import HELD, DecisionStory, PlanStory, ReceiptStory, Step
from evidence.story import Story

PREFIXES = {
    "ee": "urn:external-evidence:prov:",
    "actor": "urn:external-evidence:actor:",
    "provider": "urn:external-evidence:provider:",
    "blake3": "urn:external-evidence:blake3:",
    "sha256": "urn:external-evidence:sha256:",
}
Attributes = dict[str, Any]


def export(story: Story, plans: Iterable[PlanStory] | None = None) -> dict[str, Any]:
    """The PROV-JSON document of `plans`, by default of all and of every provider's call.

    The whole document is in memory, as it is for whoever reads it.
    """
    document = _Document(story.log or "unknown")
    for plan in story.plans() if plans is None else plans:
        document.plan(plan)
    for call in story.calls() if plans is None else ():
        document.activity(call)
    return document.written()


class _Document:
    """The maps of a PROV-JSON document while they grow."""

    def __init__(self, log: str) -> None:
        self._maps: dict[str, dict[str, Attributes]] = {"entity": {}, "activity": {}, "agent": {}}
        self._prefixes = {**PREFIXES, "record": f"urn:external-evidence:log:{quote(log, safe='')}:record:"}

    def written(self) -> dict[str, Any]:
        return {"prefix": self._prefixes, **self._maps}

    def plan(self, plan: PlanStory) -> None:
        """Everything of one plan."""
        attributes: Attributes = {"ee:state": plan.state}
        if plan.plan:
            request = plan.plan.request
            attributes |= {"prov:label": request.objective, "ee:decision": request.decision}
        self._entity(plan.plan_id, "Plan", plan.created, attributes)
        for step in plan.executions:
            self._execution(plan, step)
        for receipt in plan.receipts.values():
            self._receipt(plan, receipt)
        for step in plan.others:
            self.activity(step)

    def activity(self, step: Step) -> str:
        """The activity that a record is, done by its actor."""
        name, at = f"record:{step.seq}", step.record.at
        self._maps["activity"][name] = {
            "prov:startTime": at,
            "prov:endTime": at,
            "prov:type": _qualified(f"ee:{step.record.kind}"),
            "ee:record_id": step.id,
        }
        agent = f"actor:{quote(step.record.actor, safe='')}"
        self._maps["agent"].setdefault(agent, {"prov:label": step.record.actor})
        self._relate("wasAssociatedWith", activity=name, agent=agent)
        return name

    def _entity(self, name: str, kind: str, step: Step | None, attributes: Attributes) -> str:
        stated = {"prov:type": _qualified(f"ee:{kind}"), **attributes}
        if step is not None:
            stated |= {"ee:seq": step.seq, "ee:record_id": step.id, "ee:body": step.record.body.digest}
            if step.body != HELD:
                stated["ee:body_state"] = step.body
            activity = self.activity(step)
            self._relate("wasGeneratedBy", entity=name, activity=activity, time=step.record.at)
        self._maps["entity"][name] = stated
        return name

    def _execution(self, plan: PlanStory, step: Step) -> None:
        activity, run = self.activity(step), step.artifact
        self._relate("used", activity=activity, entity=plan.plan_id)
        if run is not None:
            provider = self._provider(run.provider_id)
            self._relate("wasAssociatedWith", activity=activity, agent=provider, plan=plan.plan_id)
            self._maps["activity"][activity]["ee:attempt"] = run.attempt

    def _provider(self, provider_id: str) -> str:
        name = f"provider:{quote(provider_id, safe='')}"
        self._maps["agent"].setdefault(
            name, {"prov:type": _qualified("prov:SoftwareAgent"), "prov:label": provider_id}
        )
        return name

    def _receipt(self, plan: PlanStory, story: ReceiptStory) -> None:
        step, receipt, digest = story.observed, story.receipt, story.receipt_digest
        attributes: Attributes = {"ee:status": receipt.status} if receipt else {}
        self._entity(digest, "Receipt", step, attributes)
        self._derived(digest, plan.plan_id)
        sources: dict[str, str] = {}
        if step and receipt:
            self._relate("wasAttributedTo", entity=digest, agent=self._provider(receipt.provider_id))
            for number, source in enumerate(receipt.sources, 1):
                told = source.to_wire()
                told = {f"ee:{key}": value for key, value in told.items() if value is not None}
                name = f"ee:source-{step.seq}-{number}"
                sources[source.source_ref] = self._entity(name, "Source", None, told)
                self._derived(digest, name)
        for decision in story.decisions:
            self._decision(digest, decision, sources)

    def _decision(self, receipt_digest: str, story: DecisionStory, sources: dict[str, str]) -> None:
        name = story.admission_id
        attributes: Attributes = {"ee:disposition": story.disposition}
        if story.admission:
            attributes["ee:reason"] = story.admission.reason
        self._entity(name, "Admission", story.decided, attributes)
        self._derived(name, receipt_digest)
        for ref in story.admitted:
            if ref in sources:
                self._derived(name, sources[ref])
        for step in story.readbacks:
            readback = f"ee:readback-{step.seq}"
            refs = list(step.artifact.downstream_source_refs) if step.artifact else []
            self._entity(readback, "Readback", step, {"ee:covered": refs} if refs else {})
            self._derived(readback, name)
        self._ended(name, story)

    def _ended(self, name: str, story: DecisionStory) -> None:
        for step in (story.superseded, story.retired):
            if step is not None:
                activity = self.activity(step)
                self._relate("wasInvalidatedBy", entity=name, activity=activity, time=step.record.at)
        if story.superseded and story.superseded.artifact:
            successor = story.superseded.artifact.admission_id
            self._derived(successor, name, **{"prov:type": _qualified("prov:Revision")})

    def _derived(self, name: str, origin: str, **attributes: Attributes) -> None:
        self._relate("wasDerivedFrom", attributes, generatedEntity=name, usedEntity=origin)

    def _relate(self, relation: str, attributes: Attributes | None = None, **roles: str) -> None:
        rows = self._maps.setdefault(relation, {})
        stated = {f"prov:{role}": value for role, value in roles.items()}
        rows[f"_:{relation}{len(rows) + 1}"] = {**stated, **(attributes or {})}


def _qualified(name: str) -> dict[str, str]:
    return {"$": name, "type": "prov:QUALIFIED_NAME"}

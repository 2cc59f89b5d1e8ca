"""Two lives written out by hand, a small and a full one, whose ids are frozen in test_identity.py."""

from evidence.lifecycle.wire import call
from schemas.canonical import ALGORITHMS, Algorithm, digest

Wire = dict[str, object]

SMALL_REQUEST: Wire = {
    "objective": "坡道坡度?",
    "user_activity": "u",
    "decision": "d",
    "evidence_kinds": ["k"],
}
FULL_REQUEST: Wire = {
    "objective": "坡道最大坡度是多少？\n🦽 𠀀 e\u0301 é",
    "user_activity": "审查施工图",
    "decision": 'accept "1:12"\\or ask again',
    "evidence_kinds": ["standard", "规范"],
    "constraints": ["现行有效", "China only"],
    "source_refs": ["urn:cn-standard:GB%2050763-2012", "https://example.org/规范"],
    "search_terms": ["GB 50763-2012", "无障碍设计规范"],
}


def row(provider_id: str, ready: bool = True) -> Wire:
    return {
        "provider_id": provider_id,
        "provider_kind": "method" if ready else "connector",
        "protocol": "external_evidence_research_v0",
        "declared": True,
        "installed": ready,
        "enabled": ready,
        "ready": ready,
        "unavailable_reason": None if ready else "inventory only",
    }


SMALL_PROVIDERS = [row("host:r")]
FULL_PROVIDERS = [row("connector:listed", ready=False), row("method:first"), row("method:second")]


def sources(algorithm: Algorithm) -> list[Wire]:
    return [
        {
            "source_ref": "urn:cn-standard:GB%2050763-2012",
            "source_family": "国家标准",
            "basis": "stated",
            "finding": "轮椅坡道的最大高度和水平长度……坡度 1:12。",
            "limitation": "stated by a library",
            "publication_date": "2012-03-30",
            "accessed_at": "2026-03-01T08:00:00+08:00",
            "content_digest": digest("one", algorithm),
        },
        {
            "source_ref": "https://example.org/规范",
            "source_family": "web",
            "basis": "inferred",
            "finding": "the same",
            "limitation": None,
            "publication_date": None,
            "accessed_at": "2026-03-01T00:00:00.5Z",
            "content_digest": digest("two", algorithm),
        },
    ]


def receipt(plan: Wire, algorithm: Algorithm, full: bool) -> Wire:
    envelope = plan["execution_envelope"]
    assert isinstance(envelope, dict)
    return {
        "schema_version": "loopx_external_evidence_receipt_v0",
        **{name: envelope[name] for name in ("plan_id", "request_id", "provider_id", "provider_kind")},
        "status": "succeeded",
        "sources": sources(algorithm)[: 2 if full else 1],
        "summary": "找到两条",
        "limitations": ["completeness is unverified", "仅查本地库"] if full else [],
        "completed_at": "2026-03-01T00:00:01Z",
    }


def life(algorithm: Algorithm, full: bool) -> dict[str, Wire]:
    """Every artifact of one life, by its name."""
    asked: Wire = {"request": FULL_REQUEST if full else SMALL_REQUEST}
    asked["providers"] = FULL_PROVIDERS if full else SMALL_PROVIDERS
    if full:
        asked["preferred_provider_id"] = "method:second"
    plan = call("plan", asked, algorithm)
    answer = receipt(plan, algorithm, full)
    refs = [str(one["source_ref"]) for one in sources(algorithm)[: 2 if full else 1]]
    decision: Wire = {"disposition": "admit", "reason": "适用", "admitted_source_refs": refs[::-1]}
    admission = call("admit", {"plan": plan, "receipt": answer, "decision": decision}, algorithm)
    return {"asked": asked, "plan": plan, "receipt": answer, "decision": decision, "admission": admission}


def ids(algorithm: Algorithm, full: bool) -> dict[str, object]:
    """Every id of one life."""
    made = life(algorithm, full)
    observation = call("receipt", {"plan": made["plan"], "receipt": made["receipt"]}, algorithm)
    return {
        "request_id": made["admission"]["request_id"],
        "plan_id": made["plan"]["plan_id"],
        "receipt_digest": made["admission"]["receipt_digest"],
        "receipt_observation_id": observation["receipt_observation_id"],
        "admission_id": made["admission"]["admission_id"],
    }


def all_ids() -> dict[str, dict[str, object]]:
    """The ids of both lives under both algorithms."""
    return {
        f"{algorithm} {'full' if full else 'small'}": ids(algorithm, full)
        for algorithm in ALGORITHMS
        for full in (False, True)
    }

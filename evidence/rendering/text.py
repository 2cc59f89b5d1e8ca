"""The lifecycle's artifacts as short readable text for a terminal, Chinese and English side by side."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from evidence.rendering.escape import terminal
from evidence.rendering.labels import (
    BASES,
    DISPOSITIONS,
    NO,
    NONE,
    ORIGINALS,
    REASONS,
    RECEIPT_STATUSES,
    RETIREMENTS,
    UNKNOWN,
    UNVERIFIED,
    YES,
)
from schemas.admission import ADMISSION
from schemas.plan import PLAN
from schemas.provider import DISCOVERY
from schemas.readback import READBACK
from schemas.receipt import OBSERVATION
from schemas.retirement import RETIREMENT

Wire = Mapping[str, Any]
Lines = Iterable[str]

_DISCOVERIES = {
    "ready": "有就绪的提供者 ready",
    "inventory_only": "只有清单，无一就绪 inventory_only",
    "empty": "没有提供者 empty",
}
_PLANS = {"ready": "就绪 ready", "blocked": "受阻 blocked"}
_BLOCKERS = {
    "no_ready_provider": "没有就绪的提供者 no_ready_provider",
    "preferred_provider_not_ready": "指定的提供者未就绪 preferred_provider_not_ready",
}


def render_text(artifact: Wire) -> str:
    """`artifact`, the wire form of one lifecycle artifact, as lines of text with a final newline.

    Its `schema_version` chooses the form; any other object is shown key by key. No control character of
    any text reaches the terminal, and a text of several lines stays indented under its label.
    """
    form = _FORMS.get(str(artifact.get("schema_version")), _anything)
    return "".join(f"{line}\n" for line in form(artifact))


def _line(label: str, value: object, depth: int = 1) -> str:
    indent = "  " * depth
    return f"{indent}{label}: {_text(value, indent)}"


def _text(value: object, indent: str) -> str:
    return terminal(str(value)).replace("\n", f"\n{indent}    ")


def _each(label: str, values: Iterable[object] | None) -> Lines:
    return (_line(label, value) for value in values or ())


def _request(request: Wire) -> Lines:
    yield _line("目标 objective", request["objective"])
    yield _line("用户活动 user activity", request["user_activity"])
    yield _line("决策 decision", request["decision"])
    yield from _each("证据类型 evidence kind", request["evidence_kinds"])
    yield from _each("约束 constraint", request.get("constraints"))
    yield from _each("检索词 search term", request.get("search_terms"))
    yield from _each("指定引用 requested ref", request.get("source_refs"))


def _provider(row: Wire) -> str:
    state = "就绪 ready" if row["ready"] else f"不可用 unavailable, {row['unavailable_reason']}"
    return _line(row["provider_id"], state, 2)


def _source(number: int, source: Wire, notes: Lines = ()) -> Lines:
    yield f"  [{number}] {_text(source['source_ref'], '  ')}"
    yield _line("发现 finding", source["finding"], 3)
    yield _line("依据 basis", f"{BASES[source['basis']]}; {source['source_family']}", 3)
    yield _line("发布 published", source["publication_date"] or UNKNOWN, 3)
    yield _line("访问 accessed", source["accessed_at"], 3)
    yield _line("内容摘要值 content digest", source["content_digest"], 3)
    yield _line("局限 limitation", source["limitation"] or NONE, 3)
    yield from notes


def _discovery(discovery: Wire) -> Lines:
    summary = discovery["summary"]
    yield f"发现 Discovery: {_DISCOVERIES[discovery['status']]}"
    yield _line(
        "提供者 providers",
        f"{summary['provider_count']} (就绪 ready {summary['ready_count']}, "
        f"不可用 unavailable {summary['unavailable_count']})",
    )
    yield from map(_provider, discovery["providers"])
    yield "  列入清单不等于就绪 an inventory is no proof of readiness"


def _plan(plan: Wire) -> Lines:
    selected = plan["selected_provider"]
    yield f"计划 Plan: {_PLANS[plan['status']]}"
    yield _line("计划编号 plan id", plan["plan_id"])
    yield from _request(plan["request"])
    yield _line("提供者 provider", selected["provider_id"] if selected else NONE)
    if plan["blocker"]:
        yield _line("受阻原因 blocker", _BLOCKERS[plan["blocker"]])
    yield "  候选 candidates:" if plan["provider_candidates"] else f"  候选 candidates: {NONE}"
    yield from map(_provider, plan["provider_candidates"])


def _observation(observation: Wire) -> Lines:
    receipt = observation["receipt"]
    yield f"回执 Receipt: {RECEIPT_STATUSES[observation['status']]}"
    yield _line("回执观察编号 receipt observation id", observation["receipt_observation_id"])
    yield _line("计划编号 plan id", observation["plan_id"])
    yield _line("提供者 provider", observation["provider_id"])
    yield _line("完成 completed", receipt["completed_at"])
    yield _line("摘要 summary", receipt["summary"])
    yield from _each("局限 limitation", receipt["limitations"])
    for number, source in enumerate(receipt["sources"], 1):
        yield from _source(number, source)
    yield "  只观察到回执，未证明执行 a receipt was observed; execution is not attested"
    yield f"  {ORIGINALS}"


def _admission(admission: Wire) -> Lines:
    projection = admission["downstream_projection"]
    yield f"决定 Disposition: {DISPOSITIONS[admission['disposition']]}"
    yield _line("采纳编号 admission id", admission["admission_id"])
    yield _line("计划编号 plan id", admission["plan_id"])
    yield _line("理由 reason", admission["reason"])
    yield _line("目标 objective", projection["objective"])
    yield _line("决策 decision", projection["decision"])
    yield _line("提供者 provider", admission["provider_id"])
    yield _line("回执状态 receipt status", RECEIPT_STATUSES[admission["receipt_status"]])
    yield _line("摘要 summary", projection["summary"])
    yield from _each("局限 limitation", projection["limitations"])
    for number, source in enumerate(projection["sources"], 1):
        yield from _source(number, source)


def _retirement(retirement: Wire) -> Lines:
    yield f"退休 Retirement: {RETIREMENTS[retirement['status']]}"
    yield _line("原因 reason", REASONS[retirement["reason"]])
    yield _line("采纳编号 admission id", retirement["admission_id"])
    yield from _each("尚未读到 not yet observed", retirement["missing_downstream_source_refs"])


def _readback(readback: Wire) -> Lines:
    parent, retirement = readback["parent_admission"], readback["retirement"]
    admitted = parent["admitted_source_refs"] if parent else ()
    covered = readback["downstream_source_refs"]
    yield f"回读 Readback: 下游已核到 observed downstream {len(covered)} / {len(admitted)}"
    yield from _request(readback["request"])
    yield _line("提供者 provider", readback["provider_id"])
    yield _line("回执状态 receipt status", RECEIPT_STATUSES[readback["receipt_status"]])
    yield _line("摘要 summary", readback["summary"])
    yield from _each("局限 limitation", readback["limitations"])
    yield _line(
        "决定 disposition", DISPOSITIONS[parent["disposition"]] if parent else "尚未作出 not made yet"
    )
    if parent:
        yield _line("理由 reason", parent["reason"])
    for number, source in enumerate(readback["sources"], 1):
        ref = source["source_ref"]
        seen = (
            _line("已采纳 admitted", YES if ref in admitted else NO, 3),
            _line("下游已核到 observed downstream", YES if ref in covered else NO, 3),
        )
        yield from _source(number, source, seen)
    for blocker in readback["write_blockers"]:
        ref = blocker["source_ref"] or UNKNOWN
        yield _line("写入受阻 write blocker", f"{ref}: {blocker['code']}, {blocker['reason']}")
    if retirement:
        yield from (f"  {line}" for line in _retirement(retirement))
    yield f"  {ORIGINALS}"
    yield f"  {UNVERIFIED}"
    yield _line("计划编号 plan id", readback["plan_id"])


def _anything(value: Wire, depth: int = 0) -> Lines:
    for key, item in value.items():
        label = terminal(str(key))
        items = item if isinstance(item, list) else [item]
        for one in items:
            if isinstance(one, dict):
                yield f"{'  ' * depth}{label}:"
                yield from _anything(one, depth + 1)
            else:
                yield _line(label, _WORDS[str(one)] if isinstance(one, bool | None) else one, depth)


_WORDS = {"None": NONE, "True": YES, "False": NO}
_FORMS: Mapping[str, Callable[[Wire], Lines]] = {
    DISCOVERY: _discovery,
    PLAN: _plan,
    OBSERVATION: _observation,
    ADMISSION: _admission,
    RETIREMENT: _retirement,
    READBACK: _readback,
}

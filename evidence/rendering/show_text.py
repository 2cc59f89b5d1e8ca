"""What an id of a ledger names, for people: Chinese and English side by side."""

from collections.abc import Iterator
from typing import Any

from evidence.rendering.escape import terminal
from evidence.rendering.text import render_text
from schemas.plan import RECEIPT
from schemas.receipt import OBSERVATION

SHOWN = 40
_KINDS = {
    "record": "记录 record",
    "body": "正文 body",
    "request_id": "请求 request",
    "plan_id": "计划 plan",
    "receipt_digest": "回执 receipt",
    "observation_id": "回执观察 receipt observation",
    "admission_id": "决定 decision",
}
_BODIES = {
    "held": "在 held",
    "erased": "已删除 erased",
    "missing": "缺失 missing",
    "damaged": "损坏 damaged",
}


def render(shown: dict[str, Any]) -> str:
    """The wire form of `evidence.show.Shown` as lines of text."""
    lines = [f"{_KINDS[shown['kind']]}: {shown['id']}"]
    lines += [_record(one) for one in shown["records"][:SHOWN]]
    left = shown["records_naming_it"] - len(shown["records"][:SHOWN])
    if left:
        lines.append(f"  … 另有 {left} 条记录 more records: --format json")
    lines += _request(shown)
    lines += _artifact(shown)
    return terminal("\n".join(lines))


def _record(one: dict[str, Any]) -> str:
    body = one["body"]
    return (
        f"  记录 record {one['seq']}: {one['kind']}，{one['actor']}，{one['at']}\n"
        f"      编号 id: {one['id']}\n"
        f"      正文 body: {body['digest']}，{body['size']} 字节 bytes，{_BODIES[body['state']]}"
    )


def _request(shown: dict[str, Any]) -> Iterator[str]:
    """By what all about a question is found, and erased: the ids of requests that these records name."""
    named = [one["record"]["subject"].get("request_id") for one in shown["records"]]
    for request_id in dict.fromkeys(one for one in named if one is not None):
        yield f"请求编号 request id: {request_id}"


def _artifact(shown: dict[str, Any]) -> Iterator[str]:
    artifact = shown["artifact"]
    if artifact is None:
        if shown["body"] is not None:
            yield f"正文不可读 the body cannot be read: {_BODIES[shown['body']]}"
        if shown["erased_by"] is not None:
            by = shown["erased_by"]
            yield f"  由记录删除 erased by record {by['seq']}: {by['actor']}，{by['at']}"
            yield f"  原因 reason: {by['reason']}"
        return
    if not isinstance(artifact, dict):
        yield str(artifact)
        return
    yield render_text(_observed(artifact, shown["observation_id"])).rstrip("\n")


def _observed(artifact: dict[str, Any], observation_id: str | None) -> dict[str, Any]:
    """A receipt in the form in which people read it."""
    if artifact.get("schema_version") != RECEIPT or observation_id is None:
        return artifact
    named = {name: artifact[name] for name in ("plan_id", "status", "provider_id")}
    made = {"schema_version": OBSERVATION, "receipt_observation_id": observation_id}
    return {**made, **named, "receipt": artifact}

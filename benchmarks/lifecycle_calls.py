"""What a lifecycle call costs beyond the hashing that it cannot do without.

    python -m benchmarks.lifecycle_calls [--rounds N] [--digest blake3|sha256] [--json]

For plan, receipt, admit and retire, with a small and with the largest legal input, three sides in one run,
taking turns:
  call    evidence.lifecycle.wire.call: read, check, rebuild, bind, write the result
  digest  schemas.canonical.digest of the objects that the call has to hash (lifecycle.md section 2)
  floor   orjson with sorted keys, then the hash, of the same objects: no check, no order by UTF-16
"""

import argparse
import hashlib
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from blake3 import blake3

from evidence.lifecycle.wire import call
from schemas.canonical import Algorithm, digest

Json = dict[str, Any]
PROTOCOL = "external_evidence_research_v0"
PROSE = "轮椅坡道的坡度不应大于一比十二，依据现行标准第三章。"  # mostly three-byte characters, as in real use
SAMPLE_NS = (
    20_000_000  # one sample repeats its work for about this long, so that the timer's step does not count
)


@dataclass(frozen=True)
class Case:
    """One call with its parameters, and the objects that it hashes."""

    verb: str
    size: str
    params: Json
    hashed: list[Json]


COLUMNS = (
    *("input_bytes", "hashed_bytes", "call_us", "call_p90_us", "digest_us", "floor_us"),
    *("call_per_digest", "call_per_floor"),
)


@dataclass(frozen=True)
class Figure:
    """Microseconds per call, medians over the rounds, and the input's size in bytes of JSON."""

    verb: str
    size: str
    input_bytes: int
    hashed_bytes: int
    call_us: float
    call_p90_us: float
    digest_us: float
    floor_us: float
    call_per_digest: float
    call_per_floor: float


def prose(units: int) -> str:
    """Chinese text of exactly `units` UTF-16 code units."""
    return (PROSE * (units // len(PROSE) + 1))[:units]


def row(name: str, ready: bool, reason: str | None) -> Json:
    state = {"declared": True, "installed": ready, "enabled": ready, "ready": ready}
    kind = "method" if ready else "connector"
    return {
        "provider_id": name,
        "provider_kind": kind,
        "protocol": PROTOCOL,
        **state,
        "unavailable_reason": reason,
    }


def source(ref: str, finding: str, limitation: str | None, family: str, algorithm: Algorithm) -> Json:
    return {
        "source_ref": ref,
        "source_family": family,
        "basis": "stated",
        "finding": finding,
        "limitation": limitation,
        "publication_date": "2012-03-30",
        "accessed_at": "2026-10-01T00:00:00Z",
        "content_digest": digest(ref, algorithm),
    }


def small(algorithm: Algorithm) -> tuple[Json, list[Json], Json, str]:
    """One question, one provider, one source."""
    request = {
        "objective": "坡道坡度?",
        "user_activity": "审图",
        "decision": "是否退回",
        "evidence_kinds": ["条文"],
    }
    sources = [source("urn:cn-standard:GB%2050763-2012", "坡度不应大于1:12", None, "标准", algorithm)]
    found = {"status": "succeeded", "sources": sources, "summary": "一条", "limitations": []}
    return request, [row("method:r", True, None)], found, "直接"


def largest(algorithm: Algorithm) -> tuple[Json, list[Json], Json, str]:
    """Every list and every text at its limit (lifecycle.md sections 3, 5, 6 and 7)."""
    refs = [f"https://example.org/{number:02}/".ljust(2048, "a") for number in range(64)]
    request = {
        "objective": prose(4096),
        "user_activity": prose(4096),
        "decision": prose(4096),
        "evidence_kinds": [prose(96)] * 8,
        "constraints": [prose(256)] * 16,
        "source_refs": refs[:8],
        "search_terms": [prose(256)] * 8,
    }
    rows = [row(f"connector:{number:02}-".ljust(96, "x"), False, prose(512)) for number in range(63)]
    rows.append(row("method:".ljust(96, "r"), True, None))
    found = {
        "status": "succeeded",
        "sources": [source(ref, prose(4096), prose(2048), prose(128), algorithm) for ref in refs],
        "summary": prose(4096),
        "limitations": [prose(1024)] * 16,
    }
    return request, rows, found, prose(2048)


def cases(size: str, parts: tuple[Json, list[Json], Json, str], algorithm: Algorithm) -> list[Case]:
    """The four calls of one lifecycle, each with the result of the one before."""
    request, rows, found, reason = parts
    plan_params = {"request": request, "providers": rows}
    plan: Json = call("plan", plan_params, algorithm)
    chosen = plan["selected_provider"]
    receipt = {
        "schema_version": "loopx_external_evidence_receipt_v0",
        "plan_id": plan["plan_id"],
        "request_id": plan["request"]["request_id"],
        "provider_id": chosen["provider_id"],
        "provider_kind": chosen["provider_kind"],
        **found,
        "completed_at": "2026-10-01T00:01:00Z",
    }
    refs = [one["source_ref"] for one in found["sources"]]
    decision = {"disposition": "admit", "reason": reason, "admitted_source_refs": refs}
    receipt_params = {"plan": plan, "receipt": receipt}
    observed: Json = call("receipt", receipt_params, algorithm)
    admission: Json = call("admit", {**receipt_params, "decision": decision}, algorithm)

    of_plan = [_without(plan["request"], "request_id"), _plan_subject(plan)]
    of_receipt = [*of_plan, receipt]
    observation = {key: observed[key] for key in ("plan_id", "request_id", "provider_id")}
    of_admission = _without(admission, "admission_id")
    return [
        Case("plan", size, plan_params, of_plan),
        Case(
            "receipt",
            size,
            receipt_params,
            [*of_receipt, {**observation, "receipt_digest": digest(receipt, algorithm)}],
        ),
        Case("admit", size, {**receipt_params, "decision": decision}, [*of_receipt, of_admission]),
        Case("retire", size, {"admission": admission, "downstream_source_refs": refs}, [of_admission]),
    ]


def _without(value: Json, key: str) -> Json:
    return {name: item for name, item in value.items() if name != key}


def _plan_subject(plan: Json) -> Json:
    envelope = _without(plan["execution_envelope"], "plan_id")
    return {**_without(plan, "plan_id"), "execution_envelope": envelope}


def floor(objects: list[Json], algorithm: Algorithm) -> list[str]:
    """The least that any implementation pays: sorted JSON bytes and their hash."""
    written = [orjson.dumps(value, option=orjson.OPT_SORT_KEYS) for value in objects]
    if algorithm == "blake3":
        return [blake3(data).hexdigest() for data in written]
    return [hashlib.sha256(data).hexdigest() for data in written]


def measure(case: Case, rounds: int, algorithm: Algorithm) -> Figure:
    """Time the three sides in turn; the floor must hash to the same identities as the digest side."""
    same = [digest(value, algorithm).partition(":")[2] for value in case.hashed] == floor(
        case.hashed, algorithm
    )
    if not same:
        raise SystemExit(f"{case.verb}: the floor does not hash what the product hashes")
    sides: list[Callable[[], object]] = [
        lambda: call(case.verb, case.params, algorithm),
        lambda: [digest(value, algorithm) for value in case.hashed],
        lambda: floor(case.hashed, algorithm),
    ]
    repeats = [max(1, SAMPLE_NS // max(1, _elapsed(side, 3) // 3)) for side in sides]
    samples: list[list[float]] = [[], [], []]
    for turn in range(rounds):
        for offset in range(3):
            index = (turn + offset) % 3
            samples[index].append(_elapsed(sides[index], repeats[index]) / repeats[index] / 1000)
    whole, hashing, least = (statistics.median(times) for times in samples)
    return Figure(
        verb=case.verb,
        size=case.size,
        input_bytes=len(orjson.dumps(case.params)),
        hashed_bytes=sum(len(orjson.dumps(value)) for value in case.hashed),
        call_us=round(whole, 1),
        call_p90_us=round(statistics.quantiles(samples[0], n=10)[-1], 1),
        digest_us=round(hashing, 1),
        floor_us=round(least, 1),
        call_per_digest=round(whole / hashing, 2),
        call_per_floor=round(whole / least, 2),
    )


def _elapsed(work: Callable[[], object], times: int) -> int:
    start = time.perf_counter_ns()
    for _ in range(times):
        work()
    return time.perf_counter_ns() - start


def main() -> None:
    """Measure all cases and print a table, or JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--digest", choices=["blake3", "sha256"], default="blake3")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    every = [
        *cases("small", small(chosen.digest), chosen.digest),
        *cases("largest", largest(chosen.digest), chosen.digest),
    ]
    figures = [measure(case, max(2, chosen.rounds), chosen.digest) for case in every]
    if chosen.json:
        about = {"python": platform.python_version(), "rounds": chosen.rounds, "digest": chosen.digest}
        print(json.dumps({**about, "calls": [asdict(figure) for figure in figures]}, indent=2))
        return
    print(
        f"Python {platform.python_version()}, {chosen.digest}, medians of {chosen.rounds} rounds, µs per call"
    )
    print(f"{'call':8} {'size':8}" + "".join(f"{column:>17}" for column in COLUMNS))
    for one in figures:
        print(f"{one.verb:8} {one.size:8}" + "".join(f"{getattr(one, column):>17,}" for column in COLUMNS))


if __name__ == "__main__":
    main()

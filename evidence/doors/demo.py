"""The command that shows the main job on the starter library, with everything real."""

import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import click

from evidence.doors import output
from evidence.doors.inventory import open_registry
from evidence.doors.options import engine, format_option, opening, system_clock
from evidence.engine import Engine
from evidence.sinks.base import Sink
from schemas.admission import Decision
from schemas.errors import UsageError
from schemas.plan import Plan
from schemas.receipt import Receipt, Source
from schemas.request import Request

# Two citations as a construction plan writes them: one in force, one that was replaced.
QUESTION = Request(
    objective="施工方案引用的规范是否现行？ Are the standards that this construction plan cites in force?",
    user_activity="审查施工方案 reviewing a construction plan",
    decision="通过方案或退回修改 accept the plan or return it",
    evidence_kinds=("standard_status",),
    search_terms=("《建筑边坡工程技术规范》GB 50330—2013", "钢筋焊接及验收规程 JGJ 18-2003"),
)


@dataclass
class Story:
    """The steps as they happen, and how to tell them."""

    tell: Callable[[str], None]
    steps: list[dict[str, object]] = field(default_factory=list)

    def step(self, name: str, text: str, **facts: object) -> None:
        """Remember one step and tell it."""
        self.steps.append({"step": name, **facts})
        self.tell(f"{name:<9} {text}")


@click.command()
@click.option("--keep", metavar="FOLDER", help="Leave ledger and dossier in this new or empty folder.")
@format_option()
def demo(keep: str | None, chosen_format: str | None) -> int:
    """Run the whole lifecycle on the starter library: plan to retirement, then replay the ledger."""
    as_json = output.wants_json(chosen_format)
    story = Story((lambda _line: None) if as_json else output.print_text)
    with nullcontext(_empty(keep)) if keep else tempfile.TemporaryDirectory(prefix="evidence-") as folder:
        clean = _run(Path(folder), story)
    if keep:
        story.tell(f"kept in {keep}: ledger.sqlite3 and dossiers/")
    if as_json:
        output.print_json({"clean": clean, "steps": story.steps})
    return 0 if clean else 5


def _empty(folder: str) -> str:
    path = Path(folder)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"--keep {folder} is there and is not an empty folder", subject="--keep")
    path.mkdir(parents=True, exist_ok=True)
    return folder


def _run(folder: Path, story: Story) -> bool:
    from evidence.audit import replay
    from ledger.sqlite import SqliteLedger

    ledger = SqliteLedger.open(folder / "ledger.sqlite3", system_clock, create=opening("demo"))
    try:
        live(engine(ledger, open_registry(), "demo"), folder, story)
        with ledger.read() as reader:
            report = replay(reader)
    finally:
        ledger.close()
    verdict = "every id and transition holds" if report.clean else "does not hold"
    story.step(
        "replay",
        f"{report.records} records, head {report.head}: {verdict}",
        records=report.records,
        head=report.head,
        clean=report.clean,
    )
    return report.clean


def live(run: Engine, folder: Path, story: Story) -> None:
    """One whole life, from discovery to retirement, told step by step."""
    from evidence.sinks.dossier import Dossier

    found = run.discover()
    story.step(
        "discover", f"{found.status}: {', '.join(found.ready_provider_ids)}", ready=found.ready_provider_ids
    )
    plan = run.plan(QUESTION)
    story.step(
        "plan", f"{plan.status} {plan.plan_id}", plan_id=plan.plan_id, request_id=plan.request.request_id
    )
    observed = run.execute(plan)
    receipt = observed.receipt
    story.step(
        "execute",
        f"{observed.status} {observed.receipt_observation_id}",
        receipt_observation_id=observed.receipt_observation_id,
        sources=[source.source_ref for source in receipt.sources],
    )
    for source in receipt.sources:
        story.tell(f"          · {source.finding.partition('。')[0]}")
    decision = Decision(
        disposition="admit",
        reason="库中写明了状态，采为依据 the library states the status of each",
        admitted_source_refs=tuple(source.source_ref for source in receipt.sources if _states_status(source)),
    )
    admission = run.admit(plan, receipt, decision)
    story.step(
        "admit",
        f"{len(decision.admitted_source_refs)} of {len(receipt.sources)} sources {admission.admission_id}",
        admission_id=admission.admission_id,
        admitted=decision.admitted_source_refs,
    )
    _use(run, (plan, receipt, decision), Dossier(folder / "dossiers", plan.request), story)
    verdict = run.retire(admission)
    story.step("retire", f"{verdict.status}: {verdict.reason}", status=verdict.status, reason=verdict.reason)


def _states_status(source: Source) -> bool:
    return "状态：库中未载" not in source.finding


def _use(run: Engine, lineage: tuple[Plan, Receipt, Decision], sink: Sink, story: Story) -> None:
    plan, receipt, decision = lineage
    before = run.retire(run.admit(plan, receipt, decision))
    story.step("retire", f"{before.status}: {before.reason}", status=before.status, reason=before.reason)
    seen = run.readback(plan, receipt, decision, sink, execute=True)
    covered = len(seen.downstream_source_refs)
    story.step(
        "readback",
        f"{covered} of {len(decision.admitted_source_refs)} admitted sources read back from the dossier",
        downstream_source_refs=seen.downstream_source_refs,
        write_blockers=len(seen.write_blockers),
    )

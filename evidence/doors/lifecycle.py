"""The commands of the lifecycle: discover, plan, execute, receipt, admit, readback, retire."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evidence.doors import output
from evidence.doors.artifacts import read_admission, read_json, read_plan, read_receipt
from evidence.doors.inventory import open_registry
from evidence.doors.options import (
    actor_name,
    beside_ledger,
    digest_option,
    engine,
    format_option,
    open_ledger,
    provider_options,
    writer_options,
)
from evidence.doors.preview import show_outgoing
from evidence.doors.web_settings import keep_back
from evidence.engine import DEFAULT_TIMEOUT_SECONDS
from evidence.lifecycle.interpret import decision_of
from schemas.admission import Decision
from schemas.errors import MismatchError, UsageError
from schemas.record import Record
from schemas.request import Request

if TYPE_CHECKING:  # a sink is imported by the command that needs one
    from evidence.sinks.dossier import Dossier
    from schemas.plan import Plan
    from schemas.receipt import Receipt

NEGATIVE = 1
_NEEDED = {
    "objective": "--objective",
    "user_activity": "--user-activity",
    "decision": "--decision",
    "evidence_kinds": "--evidence-kind",
}
ARTIFACT_HELP = "Each artifact is a file, - for stdin, or an id or unique id prefix that the ledger knows."


dossier_option = click.option(
    "--dossier", metavar="FOLDER", help="Where the dossiers are; else `dossiers` beside the ledger."
)


@click.command(epilog="Discovery is read-only: registered is not ready, ready is not executed.")
@provider_options
@format_option()
def discover(chosen_format: str | None, **sources: Any) -> int:
    """Show every provider and whether it is ready now."""
    _refuse_two_stdins(*_files(sources))
    found = engine(None, _registry(sources)).discover()
    return emit(found, chosen_format)


@click.command(epilog="Exit status 1: the plan is blocked; its `blocker` says why.")
@click.option("--request", "request_file", metavar="FILE", help="A whole request as JSON; - for stdin.")
@click.option("--objective", help="What is to be found out.")
@click.option("--user-activity", help="What the user is doing.")
@click.option("--decision", help="The decision that the evidence is for.")
@click.option("--evidence-kind", "evidence_kinds", multiple=True, help="1 to 8 kinds. Repeatable.")
@click.option("--constraint", "constraints", multiple=True, help="Up to 16. Repeatable.")
@click.option("--source", "source_refs", multiple=True, help="A source to look at, by its URI. Repeatable.")
@click.option("--search-term", "search_terms", multiple=True, help="Up to 8. Repeatable.")
@click.option(
    "--prefer", "--preferred-provider-id", "preferred", metavar="ID", help="Take this provider or none."
)
@provider_options
@digest_option
@writer_options
@format_option()
def plan(
    request_file: str | None,
    preferred: str | None,
    algorithm: str,
    ledger_path: str | None,
    no_ledger: bool,
    actor: str | None,
    chosen_format: str | None,
    **given: Any,
) -> int:
    """Bind a question to the one provider that is ready now."""
    _refuse_two_stdins(request_file or "", *_files(given))
    stated = _stated(request_file, given)
    keep_back(stated, given["exclusions_file"])
    request = Request.read(stated, "request")
    registry = _registry(given)
    ledger = open_ledger(ledger_path, no_ledger, create_as=actor_name(actor))
    made = engine(ledger, registry, actor, algorithm).plan(request, preferred)
    return emit(made, chosen_format, negative=made.status == "blocked")


def _stated(request_file: str | None, given: dict[str, Any]) -> object:
    stated = {
        name: given.pop(name)
        for name in (
            "objective",
            "user_activity",
            "decision",
            "evidence_kinds",
            "constraints",
            "source_refs",
            "search_terms",
        )
    }
    present = {
        name: list(value) if isinstance(value, tuple) else value for name, value in stated.items() if value
    }
    if request_file is not None:
        if present:
            raise UsageError(
                f"--request holds the whole request; leave out --{next(iter(present)).replace('_', '-')}",
                subject="--request",
            )
        return read_json(request_file, "request")
    if not present:
        raise UsageError("say the question with --request FILE or with --objective and the options beside it")
    missing = [flag for name, flag in _NEEDED.items() if name not in present]
    if missing:
        raise UsageError(f"a question needs {', '.join(missing)} too, or --request FILE", subject=missing[0])
    return present


@click.command(epilog=f"{ARTIFACT_HELP} Exit status 1: the receipt is failed or no_evidence.")
@click.argument("plan")
@click.option(
    "--allow-network", is_flag=True, help="Let a connector send outside what it shows without this."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=DEFAULT_TIMEOUT_SECONDS,
    show_default=True,
    help="Seconds to wait for the provider.",
)
@provider_options
@writer_options
@format_option()
def execute(
    plan: str,
    allow_network: bool,
    timeout: float,
    ledger_path: str | None,
    no_ledger: bool,
    actor: str | None,
    chosen_format: str | None,
    **sources: Any,
) -> int:
    """Run the plan's provider and observe its receipt."""
    _refuse_two_stdins(plan, *_files(sources))
    ledger = open_ledger(ledger_path, no_ledger)
    ready = read_plan(plan, ledger)
    registry = open_registry(**sources, seconds=timeout, ledger=ledger, actor=actor_name(actor))
    runner = engine(ledger, registry, actor, timeout_seconds=timeout)
    selected = ready.selected_provider
    if selected is not None and selected.provider_kind == "connector" and not allow_network:
        return show_outgoing(runner.outgoing(ready), runner.withheld(ready), chosen_format)
    observed = runner.execute(ready, allow_network)
    return emit(observed, chosen_format, negative=observed.status != "succeeded")


@click.command(epilog=f"{ARTIFACT_HELP} Exit status 1: the receipt is failed or no_evidence.")
@click.argument("plan")
@click.argument("receipt")
@writer_options
@format_option()
def receipt(
    plan: str,
    receipt: str,
    ledger_path: str | None,
    no_ledger: bool,
    actor: str | None,
    chosen_format: str | None,
) -> int:
    """Observe a receipt that the provider's owner hands in."""
    _refuse_two_stdins(plan, receipt)
    ledger = open_ledger(ledger_path, no_ledger)
    observed = engine(ledger, actor=actor).receipt(read_plan(plan, ledger), read_receipt(receipt, ledger))
    return emit(observed, chosen_format, negative=observed.status != "succeeded")


@click.command(epilog=f"{ARTIFACT_HELP} PLAN may be left out when the ledger knows the receipt's plan.")
@click.argument("artifacts", metavar="[PLAN] RECEIPT", nargs=-1, required=True)
@click.option("--decision", type=click.Choice(["admit", "reject"]), required=True, help="The parent's word.")
@click.option("--reason", required=True, help="Why.")
@click.option(
    "--admit-source",
    "admitted",
    metavar="REF",
    multiple=True,
    help="Admit this source: its ref, or its number in the receipt, from 1 on. Repeatable.",
)
@click.option("--all-sources", is_flag=True, help="Admit every source of the receipt.")
@click.option("--supersede", is_flag=True, help="Replace a different decision that is in force.")
@dossier_option
@writer_options
@format_option()
def admit(  # noqa: PLR0913, PLR0917 - one parameter an option
    artifacts: tuple[str, ...],
    decision: str,
    reason: str,
    admitted: tuple[str, ...],
    all_sources: bool,
    supersede: bool,
    dossier: str | None,
    ledger_path: str | None,
    no_ledger: bool,
    actor: str | None,
    chosen_format: str | None,
) -> int:
    """Admit named sources of a receipt, or reject it."""
    if decision == "admit" and not admitted and not all_sources:
        raise UsageError("--decision admit needs --admit-source REF or --all-sources", subject="--decision")
    if admitted and all_sources:
        raise UsageError("--admit-source and --all-sources exclude each other", subject="--all-sources")
    if decision == "reject" and (admitted or all_sources):
        raise UsageError("--decision reject admits no source", subject="--decision")
    keep_back({"reason": reason})
    ledger = open_ledger(ledger_path, no_ledger)
    plan_argument, receipt_argument = _plan_and_receipt(artifacts, no_ledger)
    seen = read_receipt(receipt_argument, ledger)
    made_for = read_plan(plan_argument or seen.plan_id, ledger)
    known = [source.source_ref for source in seen.sources]
    refs = known if all_sources else _in_receipt_order(admitted, known)
    _refuse_moved(refs, seen)
    word = Decision.read(
        {"disposition": decision, "reason": reason, "admitted_source_refs": refs}, "decision"
    )
    sink = None if ledger is None else _dossier(dossier, ledger_path, made_for)
    return emit(engine(ledger, actor=actor).admit(made_for, seen, word, supersede, sink), chosen_format)


def _in_receipt_order(admitted: tuple[str, ...], known: list[str]) -> list[str]:
    """The refs that are meant, so that the same choice is the same decision however it was typed."""
    numbers = {str(number): ref for number, ref in enumerate(known, start=1)}
    meant = [numbers.get(given, given) for given in admitted]
    return sorted(meant, key=lambda ref: known.index(ref) if ref in known else len(known))


def _refuse_moved(refs: list[str], receipt: "Receipt") -> None:
    """Name the address of a page that moved where the one that was asked for is to be admitted."""
    from providers.moved import moved

    known = [source.source_ref for source in receipt.sources]
    for ref in refs:
        found = next((one for one in known if moved(ref, one) in receipt.limitations), None)
        if ref not in known and found is not None:
            raise MismatchError(
                f"{ref!r} is no source of the receipt: it moved",
                subject="--admit-source",
                hint=f"已跳转，请写 it moved; write --admit-source {found}",
            )


def _dossier(folder: str | None, ledger: str | None, plan: "Plan") -> "Dossier":
    from evidence.sinks.dossier import Dossier

    return Dossier(Path(folder) if folder else beside_ledger(ledger) / "dossiers", plan.request)


def _plan_and_receipt(artifacts: tuple[str, ...], no_ledger: bool) -> tuple[str | None, str]:
    if len(artifacts) > 2:
        raise UsageError(
            f"[PLAN] RECEIPT are at most two artifacts, found {len(artifacts)}", subject="RECEIPT"
        )
    if len(artifacts) == 1:
        if no_ledger:
            raise UsageError("without a ledger both PLAN and RECEIPT are needed", subject="PLAN")
        return None, artifacts[0]
    _refuse_two_stdins(*artifacts)
    return artifacts[0], artifacts[1]


@click.command(
    epilog=f"{ARTIFACT_HELP} PLAN and RECEIPT may be left out when the ledger knows the admission. "
    "Exit status 1: something admitted is not covered, or could not be written."
)
@click.argument("artifacts", metavar="[PLAN RECEIPT] ADMISSION", nargs=-1, required=True)
@click.option("--execute", "write", is_flag=True, help="Write the admitted sources to the dossier first.")
@dossier_option
@writer_options
@format_option("markdown")
def readback(
    artifacts: tuple[str, ...],
    write: bool,
    dossier: str | None,
    ledger_path: str | None,
    no_ledger: bool,
    actor: str | None,
    chosen_format: str | None,
) -> int:
    """Project admitted evidence into the question's dossier and read back what it holds."""
    if no_ledger and not dossier:
        raise UsageError(
            "--no-ledger needs --dossier FOLDER: the dossiers beside a ledger are that ledger's",
            subject="--dossier",
        )
    ledger = open_ledger(ledger_path, no_ledger)
    if len(artifacts) not in (1, 3):
        raise UsageError("give ADMISSION alone, or PLAN RECEIPT ADMISSION", subject="ADMISSION")
    if len(artifacts) == 1 and no_ledger:
        raise UsageError("without a ledger PLAN, RECEIPT and ADMISSION are all needed", subject="ADMISSION")
    _refuse_two_stdins(*artifacts)
    admission = read_admission(artifacts[-1], ledger)
    plan_argument, receipt_argument = (
        artifacts[:2] if len(artifacts) == 3 else (admission.plan_id, admission.receipt_digest)
    )
    made_for = read_plan(plan_argument, ledger)
    sink = _dossier(dossier, ledger_path, made_for)
    seen = engine(ledger, actor=actor).readback(
        made_for, read_receipt(receipt_argument, ledger), decision_of(admission), sink, write, admission
    )
    negative = bool(seen.write_blockers) or seen.retirement is None or not seen.retirement.retire_ready
    if chosen_format == "markdown":
        from evidence.rendering.readback_markdown import render

        output.print_text(render(seen))
        return NEGATIVE if negative else 0
    return emit(seen, chosen_format, negative=negative)


@click.command(epilog=f"{ARTIFACT_HELP} Exit status 1: retained, the refs that are not covered are named.")
@click.argument("admission")
@click.option(
    "--downstream-source",
    "refs",
    metavar="REF",
    multiple=True,
    help="A ref that downstream covers, by the caller's word; only with --no-ledger. Repeatable.",
)
@writer_options
@format_option()
def retire(
    admission: str,
    refs: tuple[str, ...],
    ledger_path: str | None,
    no_ledger: bool,
    actor: str | None,
    chosen_format: str | None,
) -> int:
    """Judge whether an admission may retire, and record it when it may."""
    if refs and not no_ledger:
        raise UsageError(
            "--downstream-source is a caller's word; with a ledger only coverage that was read back counts",
            subject="--downstream-source",
            hint="run `readback --execute`, or judge artifacts alone with --no-ledger",
        )
    ledger = open_ledger(ledger_path, no_ledger)
    verdict = engine(ledger, actor=actor).retire(read_admission(admission, ledger), refs)
    return emit(verdict, chosen_format, negative=not verdict.retire_ready)


def emit(artifact: Record, chosen_format: str | None, negative: bool = False) -> int:
    """Print one artifact; the exit status of a positive or negative answer."""
    if output.wants_json(chosen_format):
        output.print_json(artifact.to_wire())
    else:
        from evidence.rendering.text import render_text

        output.print_text(render_text(artifact.to_wire()))
    return NEGATIVE if negative else 0


def _registry(sources: dict[str, Any]) -> Any:
    return open_registry(**sources)


def _files(sources: dict[str, Any]) -> list[str]:
    """The files that describe providers, each of which may be stdin."""
    single = (sources["web_file"], sources["exclusions_file"])
    return [*sources["provider_files"], *sources["registry_files"], *(file for file in single if file)]


def _refuse_two_stdins(*arguments: str) -> None:
    if arguments.count("-") > 1:
        raise UsageError("only one file can be stdin", subject="-")

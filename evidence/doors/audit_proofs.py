"""`audit checkpoint`, `prove`, `consistency`: what others can check without this program (C2SP)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, output_options, reading
from evidence.doors.audit_verify import read_kept
from evidence.doors.options import format_option
from evidence.doors.result_file import write_result
from schemas.errors import IntegrityError, NotFoundError, UsageError

if TYPE_CHECKING:
    from ledger.checkpoint import Checkpoint
    from ledger.store import Reader

INCONSISTENT = 1
_SEQ_SIGN = "seq:"


@click.command(epilog="Exit status 4: the ledger has no key, so that nobody signed it.")
@click.option(
    "--size", type=click.IntRange(min=1), help="The first that covers as many records; else the last."
)
@ledger_option
@output_options
def checkpoint(size: int | None, given: str | None, to: str, force: bool) -> int:
    """Print the signed checkpoint: keep it, and --against it nothing can be lost or rewritten unseen."""
    from ledger.checkpoint import Checkpoint

    with reading(given) as reader:
        note = reader.last_checkpoint() if size is None else reader.checkpoint(size)
    if note is None:
        what = "no signed checkpoint" if size is None else f"no signed checkpoint of {size} records or more"
        raise NotFoundError(f"the ledger has {what}", subject="checkpoint")
    covered = Checkpoint.of(note)[1].size
    if size is not None and covered != size:
        output.print_notice(
            f"没有恰为 {size} 条记录的检查点，这是其后第一个 none was signed of {size} records;"
            f" this is the first after it, of {covered}"
        )
    write_result(to, [note], force=force)
    return 0


@click.command(
    epilog="Exit status 4: no such record, several, or none that a checkpoint covers. Form: C2SP tlog-proof."
)
@click.argument("record", metavar="SEQ|ID")
@ledger_option
@output_options
def prove(record: str, given: str | None, to: str, force: bool) -> int:
    """Print the proof that a record is in the log; whoever keeps it can show a truncation.

    SEQ is a record's number, ID the id of a record or of an artifact, whose first record is proved; a
    unique beginning will do.
    """
    from ledger.proof import prove as proof_of

    with reading(given) as reader:
        seq = _seq(reader, record)
        proof = proof_of(reader, seq)
    if proof is None:
        raise NotFoundError(f"no signed checkpoint covers record {seq}", subject="checkpoint")
    write_result(to, [bytes(proof)], force=force)
    return 0


@click.command(epilog="Exit status 1: the ledger does not begin with A, or with B, as it was signed.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@ledger_option
@format_option()
def consistency(a: str, b: str, given: str | None, chosen_format: str | None) -> int:
    """Prove that the log of B begins with the log of A (RFC 6962).

    A and B are each a number of records, or a FILE with a checkpoint that was kept, which a key of this log
    must have signed. Whether that key is the right one only `verify` says.
    """
    from ledger.note import encoded
    from ledger.tree import consistency as path_of
    from ledger.tree import verify_consistency

    with reading(given) as reader:
        head = reader.head()
        old, new = (_state(reader, one, None if head is None else head.log) for one in (a, b))
        if old.size > new.size:
            raise UsageError(f"A has {old.size} records, B only {new.size}", subject="A")
        if head is None or new.size > head.seq + 1:
            held = 0 if head is None else head.seq + 1
            raise NotFoundError(f"the ledger has {held} records, not {new.size}", subject="B")
        path: Sequence[bytes] = path_of(reader.subtree, old.size, new.size)
    holds = verify_consistency(old.size, old.root, new.size, new.root, path)
    told = {
        "schema_version": "external_evidence_consistency_v0",
        "consistent": holds,
        "log": new.origin,
        "old": {"size": old.size, "root": encoded(old.root)},
        "new": {"size": new.size, "root": encoded(new.root)},
        "proof": list(map(encoded, path)),
    }
    if output.wants_json(chosen_format):
        output.print_json(told)
    else:
        word = "一致 consistent" if holds else "不一致 not consistent"
        lines = [f"{word}: {old.size} → {new.size} ({new.origin})", *map(encoded, path)]
        output.print_text("\n".join(lines))
    return 0 if holds else INCONSISTENT


def _seq(reader: "Reader", named: str) -> int:
    digits = named.removeprefix(_SEQ_SIGN)
    if digits.isascii() and digits.isdigit() and (len(digits) < 16 or named != digits):
        return _there(reader, digits)
    from evidence.show import show
    from evidence.story import story

    steps = show(story(reader), named).steps
    if not steps:
        raise NotFoundError(f"no record names {named}", subject=named)
    return min(step.seq for step in steps)


def _there(reader: "Reader", digits: str) -> int:
    seq = int(digits) if len(digits) < 16 else -1
    if seq < 0 or reader.raw(seq) is None:
        raise NotFoundError(f"there is no record {digits}", subject=digits)
    return seq


def _state(reader: "Reader", named: str, log: str | None) -> "Checkpoint":
    from ledger.anchor import Anchor
    from ledger.checkpoint import Checkpoint
    from ledger.keyring import periods
    from ledger.tree import frontier_at

    if named.isascii() and named.isdigit() and not Path(named).exists():
        size = int(named) if len(named) < 16 else 1 << 62
        head = reader.head()
        held = 0 if head is None else head.seq + 1
        if size > held or log is None:
            raise NotFoundError(f"the ledger has {held} records, not {named}", subject=named)
        return Checkpoint(log, size, frontier_at(reader.subtree, size).root())
    anchor = Anchor.read(read_kept(named, named), log)
    kept = anchor.checkpoint
    if kept.origin != log:
        raise IntegrityError(f"{named} is of another log, {kept.origin}", subject=named)
    try:
        signed = anchor.note.verified(one.key for one in periods(reader))
    except IntegrityError as error:
        hint = "the file was changed or damaged since it was kept; this says nothing about the ledger"
        raise IntegrityError(f"{named}: {error.message}", subject=named, hint=hint) from error
    if not signed:
        raise IntegrityError(f"{named} is signed by no key of this log", subject=named)
    return kept

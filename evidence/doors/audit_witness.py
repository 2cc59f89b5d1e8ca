"""`audit witness`: a witness in one file, which signs only a log that has grown (C2SP tlog-witness)."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, output_options, reading
from evidence.doors.audit_verify import policy_option, read_kept
from evidence.doors.options import format_option, system_clock
from evidence.doors.result_file import write_result
from schemas.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledger.note import Note, VerifierKey
    from ledger.policy import Policy
    from ledger.store import Reader

NEGATIVE = 1
_FILE = click.argument("file", metavar="FILE")


@click.group()
def witness() -> None:
    """Remember in one FILE how far each log had grown, and sign what grows on (见证)."""


@witness.command(
    epilog="Exit status 5: the log is shorter than before, or does not begin as it did; keep both."
)
@_FILE
@click.option("--witness-key", "key", metavar="FILE", required=True, help="The witness's own key file.")
@click.option("--new-key", metavar="NAME", help="Make the key first, called NAME, as witness.example/w1.")
@policy_option
@ledger_option
@output_options
def update(
    file: str, key: str, new_key: str | None, policy: str | None, given: str | None, to: str, force: bool
) -> int:
    """Look at the ledger's last checkpoint, remember it in FILE, and print it cosigned.

    --policy names the log's key, now or of old: the witness signs for no other. With --new-key the lines
    by which an auditor's policy asks for this witness stand on stderr; `status` says them again.
    """
    from ledger.keys import generate, load, store
    from ledger.note import COSIGNATURE
    from ledger.tree import consistency
    from ledger.witness import Witness

    trusted = _policy(policy)
    if new_key is not None:
        store(Path(key), generate(new_key, COSIGNATURE))
    who = Witness(Path(file).absolute(), load(Path(key)), system_clock)
    if new_key is not None:
        output.print_notice("\n".join(_asked_for(who.signer.verifier)))
    with reading(given) as reader:
        note = reader.last_checkpoint()
        if note is None:
            raise NotFoundError("the ledger has no signed checkpoint", subject="checkpoint")
        known = _known(reader, trusted)
        cosigned = who.update(note, known, lambda old, new: consistency(reader.subtree, old, new))
    write_result(to, [cosigned], force=force)
    return 0


@witness.command(epilog="Exit status 1: the ledger does not go on from what the witness saw.")
@_FILE
@click.option(
    "--witness-key", "key", metavar="FILE", help="The witness's own key file; else its key in --policy."
)
@policy_option
@ledger_option
@format_option()
def status(
    file: str, key: str | None, policy: str | None, given: str | None, chosen_format: str | None
) -> int:
    """Say what the witness saw last of every log, and whether this ledger goes on from there."""
    if not Path(file).exists():
        raise NotFoundError(f"there is no witness's file at {file}", subject=file)
    who, seen = _seen(Path(file), _witnesses(key, policy))
    with reading(given) as reader:
        rows = [_row(reader, origin, note) for origin, note in sorted(seen.items())]
    if output.wants_json(chosen_format):
        told = {"key": str(who), "policy": f"{_line(who)}\nquorum {who.name}\n", "logs": rows}
        output.print_json({"schema_version": "external_evidence_witness_status_v0", **told})
    else:
        lines = [
            f"{row['log']}: {row['size']} 条 records {row['root']}, {_WORDS[str(row['ledger'])]}"
            for row in rows
        ]
        output.print_text("\n".join([*(lines or ["尚无日志 no log yet"]), *_asked_for(who)]))
    return NEGATIVE if any(row["ledger"] in (SHORTER, FORKED) for row in rows) else 0


_PASTED = (
    "信任文件要求此见证时，quorum none 一行换成以下两行 in a policy that asks for it, in place of quorum none"
)
SAME, GROWN, SHORTER, FORKED, OTHER = "same", "grown", "shorter", "forked", "another log"
_WORDS = {
    SAME: "账本与此相同 the ledger is the same",
    GROWN: "账本由此续写 the ledger has grown from it",
    SHORTER: "账本比此短 the ledger is shorter",
    FORKED: "账本开头与此不同 the ledger does not begin with it",
    OTHER: "不是这个账本 another log than this ledger's",
}


def _line(key: "VerifierKey") -> str:
    return f"witness {key.name} {key}"


def _asked_for(key: "VerifierKey") -> list[str]:
    """The lines of a policy that asks for this witness."""
    return [f"{_PASTED}:", _line(key), f"quorum {key.name}"]


def _policy(named: str | None) -> "Policy":
    from ledger.policy import Policy

    if named is None:
        raise UsageError("a witness needs --policy FILE: whose log it is to sign for", subject="--policy")
    return Policy.read(read_kept(named, "--policy"))


def _known(reader: "Reader", policy: "Policy") -> "Sequence[VerifierKey]":
    from ledger.keyring import periods, vouched

    keys = periods(reader)
    return [*policy.logs, *(period.key for period in vouched(keys, policy.logs))]


def _witnesses(key: str | None, policy: str | None) -> "Sequence[VerifierKey]":
    from ledger.keys import load

    if key is not None:
        return [load(Path(key)).verifier]
    if policy is None:
        raise UsageError(
            "say whose file it is: --witness-key FILE, the witness's own key, or --policy FILE with its line",
            subject="--witness-key",
            hint="the line is: witness NAME KEY",
        )
    found = list(_policy(policy).witnesses.values())
    if not found:
        raise UsageError(
            "the policy names no witness", subject="--policy", hint="its line is: witness NAME KEY"
        )
    return found


def _seen(path: Path, keys: "Sequence[VerifierKey]") -> "tuple[VerifierKey, dict[str, Note]]":
    """The one witness among `keys` whose file it is, and its notes."""
    from ledger.witness import seen_by
    from schemas.errors import IntegrityError

    for key in keys[:-1]:
        try:
            return key, dict(seen_by(path, key))
        except IntegrityError:
            continue
    return keys[-1], dict(seen_by(path, keys[-1]))


def _row(reader: "Reader", origin: str, note: "Note") -> dict[str, object]:
    from ledger.checkpoint import Checkpoint
    from ledger.note import encoded

    last = Checkpoint.read(note.text)
    return {
        "log": origin,
        "size": last.size,
        "root": encoded(last.root),
        "ledger": _relation(reader, origin, last.size, last.root),
    }


def _relation(reader: "Reader", origin: str, size: int, root: bytes) -> str:
    from ledger.tree import frontier_at

    head = reader.head()
    if head is None or head.log != origin:
        return OTHER
    held = head.seq + 1
    if held < size:
        return SHORTER
    if frontier_at(reader.subtree, size).root() != root:
        return FORKED
    return SAME if held == size else GROWN

"""Commands for whoever keeps a ledger: begin it with a key, change the key, go on from an older copy."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.options import (
    KEY_VARIABLE,
    actor_name,
    format_option,
    key_option,
    key_path,
    ledger_place,
    opening,
    signing_key,
    system_clock,
)
from schemas.errors import ConflictError, EvidenceError, UsageError

if TYPE_CHECKING:
    from ledger.erasure import Again
    from ledger.signing import Signing
    from ledger.store import Appended, Ledger

_ACTOR = click.option("--actor", metavar="NAME", help="Who takes this step; as everywhere.")
_LEDGER = click.option("--ledger", "given", metavar="FILE|URL", help="The ledger; else as everywhere.")


@click.group()
def ledger() -> None:
    """Begin a ledger, change its key, go on from an older copy (账本)."""


@ledger.command(epilog="Keep the key file away from the ledger; give the policy line to whoever audits it.")
@_LEDGER
@key_option
@click.option("--new-key", is_flag=True, help="Make the key first, in a new file at --key.")
@click.option(
    "--origin", metavar="NAME", help="What the log is called, as example.org/plans; else by chance."
)
@_ACTOR
@format_option()
def init(
    given: str | None, new_key: bool, origin: str | None, actor: str | None, chosen_format: str | None
) -> int:
    """Begin an empty ledger; with a key every commit is signed from the first record on.

    In a database the tables are made where they are not there.
    """
    from ledger.places import is_begun, named, open_ledger

    where = named(ledger_place(given), origin)
    if is_begun(where):
        raise ConflictError(f"{where} is there already", subject=str(where))
    if new_key:
        _make_key(_named_key(), origin or getattr(where, "log", None) or _chance())
    signing = signing_key()
    if signing is not None and origin not in (None, signing.verifier.name):
        _refuse_used(signing)
    begin = opening(actor_name(actor))._replace(origin=origin)
    begun = open_ledger(where, system_clock, create=begin, signing=signing)
    try:
        with begun.read() as reader:
            head = reader.head()
    finally:
        begun.close()
    key = None if signing is None else str(signing.verifier)
    _tell(
        {
            "ledger": str(where),
            "log": None if head is None else head.log,
            "id": None if head is None else head.id,
            "key": key,
            "policy": None if key is None else f"log {key}\nquorum none\n",
        },
        chosen_format,
    )
    return 0


@ledger.group()
def keys() -> None:
    """The ledger's key."""


@keys.command()
@click.option(
    "--new", metavar="FILE", required=True, help="The new key's file; made when it is not there yet."
)
@_LEDGER
@key_option
@_ACTOR
@format_option()
def rotate(new: str, given: str | None, actor: str | None, chosen_format: str | None) -> int:
    """Sign with a new key from now on; the old one says so in a record, and is of no use after it."""
    from ledger.custody import rotate as change
    from ledger.keys import is_missing
    from ledger.signing import Signing

    old = _required_key()
    place = Path(new)
    held = _opened(given, old)
    if made := is_missing(place):
        _make_key(place, old.verifier.name)
    following = Signing.load(place)
    try:
        done = change(held, following, actor_name(actor))
    except EvidenceError as error:
        if made and not error.retryable and not _has_key(held, following):
            place.unlink()
        raise
    _tell(
        {
            **_place(done),
            "old_key": str(old.verifier),
            "new_key": str(following.verifier),
            "note": f"此后用新密钥 from now on name the new key: --key {new}, {KEY_VARIABLE}",
        },
        chosen_format,
    )
    return 0


@ledger.command()
@click.option("--reason", required=True, help="Why the older copy is right; it stands in the record.")
@_LEDGER
@key_option
@_ACTOR
@format_option()
def restore(reason: str, given: str | None, actor: str | None, chosen_format: str | None) -> int:
    """Go on from a ledger behind or beside its published checkpoint, and record that this is meant.

    What was erased since that copy was made is erased again.
    """
    from ledger.custody import restore as go_on

    held = _opened(given, _required_key())
    done = go_on(held, actor_name(actor), reason)
    told = {**_place(done.record), "reason": reason if done.record else None}
    _tell({**told, **_again(done.again), "left": done.left}, chosen_format)
    return 0


@ledger.command(epilog="Backups, exports and the dossier are not reached: docs/audit.md says what is not.")
@click.option(
    "--subject",
    required=True,
    metavar="ID",
    help="A request_id, plan_id, receipt_digest or admission_id, or a unique beginning of one.",
)
@click.option("--reason", required=True, help="Why; it stands in the record and is not erased itself.")
@_LEDGER
@key_option
@_ACTOR
@format_option()
def erase(subject: str, reason: str, given: str | None, actor: str | None, chosen_format: str | None) -> int:
    """Remove what was recorded about an id; the records of it, the chain and the tree stay valid (删除正文).

    There is no way back. What hangs on it reads ERASED, and nothing more is recorded about it. Said again,
    it ends what was cut short.
    """
    from ledger.erasure import erase as remove

    held = _opened(given, signing_key())
    done = remove(held, subject, reason, actor_name(actor))
    _tell(
        {
            **_place(done.record),
            "field": done.field,
            "erased": done.id,
            "bodies": done.bodies,
            "reason": reason if done.record else None,
            **_again(done.again),
            "left": done.left,
            "note": None if done.record or done.bodies else "它此前已被删除 it was erased before",
        },
        chosen_format,
    )
    return 0


def _named_key() -> Path:
    path = key_path()
    if path is None:
        raise UsageError("--new-key needs --key FILE, where the key is to be", subject="--key")
    return path


def _required_key() -> "Signing":
    signing = signing_key()
    if signing is None:
        raise UsageError(f"name the ledger's key with --key FILE or ${KEY_VARIABLE}", subject="--key")
    return signing


def _refuse_used(signing: "Signing") -> None:
    """ConflictError where the key has signed a ledger: that it has another name is the lesser trouble."""
    from ledger.files import read_if_there

    if signing.published is not None:
        signing.refuse_used(read_if_there(signing.published))


def _make_key(path: Path, name: str) -> None:
    from ledger.files import read_if_there
    from ledger.keys import generate, is_missing, store
    from ledger.signing import BESIDE, used

    beside = path.with_name(path.name + BESIDE)
    if is_missing(path) and (published := read_if_there(beside)):
        raise used(beside, published)  # of a key that is not here any more
    store(path, generate(name))


def _has_key(held: "Ledger", signing: "Signing") -> bool:
    """Whether the log knows this key: a failure after the commit must not cost it."""
    from ledger.keyring import periods

    with held.read() as reader:
        return signing.verifier in {period.key for period in periods(reader)}


def _chance() -> str:
    import os

    return f"external-evidence/{os.urandom(8).hex()}"


def _opened(given: str | None, signing: "Signing | None") -> "Ledger":
    from ledger.places import open_ledger

    held = open_ledger(ledger_place(given), system_clock, signing=signing)
    click.get_current_context().call_on_close(held.close)
    return held


def _again(done: "Again") -> dict[str, object]:
    return {"again": [one.seq for one in done.records] or None, "again_bodies": done.bodies or None}


def _place(done: "Appended | None") -> dict[str, object]:
    if done is None:
        return {"log": None, "seq": None, "id": None}
    return {"log": done.record.log, "seq": done.seq, "id": done.id}


def _tell(answer: dict[str, object], chosen_format: str | None) -> None:
    if output.wants_json(chosen_format):
        output.print_json(answer)
        return
    lines = []
    for name, value in answer.items():
        if name == "policy" and value is not None:
            lines += [f"{_WORDS[name]} {name}{_PASTED}:", str(value).rstrip()]
        elif name == "left" and value is not None:
            from evidence.rendering.chinese import both

            lines.append(f"{_WORDS[name]} {name}: {both(str(value))}")
        elif value is not None:
            lines.append(f"{_WORDS[name]} {name}: {value}")
    output.print_text("\n".join(lines))


_PASTED = "（以下两行存成文件 a file of these two lines; --format json: .policy）"
_WORDS = {
    "ledger": "账本",
    "log": "日志",
    "seq": "记录",
    "id": "编号",
    "key": "公钥",
    "old_key": "旧公钥",
    "new_key": "新公钥",
    "policy": "审计方的信任文件",
    "reason": "原因",
    "field": "按",
    "erased": "已删除",
    "bodies": "正文数",
    "again": "再次删除的记录",
    "again_bodies": "再次删除的正文数",
    "left": "可能残留",
    "note": "说明",
}

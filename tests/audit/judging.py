"""What both verifiers say of a ledger: with nothing, with a policy, with a checkpoint that was kept."""

from collections.abc import Callable
from pathlib import Path

from evidence.verify import verify
from ledger import standalone
from tests.audit.fifty import Fifty
from tests.audit.rewrites import Entry, Rewrite, Words, bundle, sqlite

FORMS: list[tuple[str, Callable[[Path, list[Entry]], Path]]] = [("bundle", bundle), ("sqlite3", sqlite)]


def ours(path: Path, fifty: Fifty) -> Words:
    """The words of `audit verify`."""
    policy, kept = fifty.policy.read_bytes(), fifty.checkpoint.read_bytes()
    told = (verify(path), verify(path, policy), verify(path, None, [kept]))
    return str(told[0].verdict), str(told[1].verdict), str(told[2].verdict)


def alone(path: Path, fifty: Fifty) -> Words:
    """The words of the one-file verifier."""
    told = (
        standalone.verify(path),
        standalone.verify(path, fifty.policy),
        standalone.verify(path, None, [fifty.checkpoint]),
    )
    return told[0]["verdict"], told[1]["verdict"], told[2]["verdict"]


def misjudged(
    one: Rewrite, fifty: Fifty, folder: Path, *forms: tuple[str, Callable[[Path, list[Entry]], Path]]
) -> list[tuple[str, str, Words, Words]]:
    """Who says another word on which form of this history than it deserves, and what."""
    wrong = []
    for form, write in forms or FORMS:
        path = write(folder / f"copy.{form}", one.entries)
        for name, judge in (("audit verify", ours), ("standalone", alone)):
            words = judge(path, fifty)
            if words != one.words:
                wrong.append((one.what, f"{name}, {form}", one.words, words))
        path.unlink()
    return wrong

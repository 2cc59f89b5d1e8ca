"""The largest body that a ledger takes is carried in every form, and what is larger is judged alike."""

from pathlib import Path

from evidence.verdict import Verdict
from evidence.verify import verify
from ledger import standalone
from ledger.bundle import MOST_LINE_BYTES
from ledger.store import MOST_BODY_BYTES
from tests.ledger.carried import Carried, packed
from tests.ledger.signing import opened
from tests.ledger.steps import step


def test_the_largest_body_that_is_taken_makes_a_bundle_and_tiles_that_verify(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.append(step(1, "policy.changed", b'"%s"' % (b"a" * (MOST_BODY_BYTES - 2))))
    carried: Carried = packed(ledger=ledger, folder=tmp_path)
    for path in (carried.sqlite, carried.bundle, carried.tiles):
        told = verify(path, carried.policy.read_bytes())
        assert (told.verdict, told.findings) == (Verdict.VERIFIED, [])
        assert standalone.verify(path, carried.policy)["verdict"] == "VERIFIED"


def test_a_line_longer_than_any_of_a_bundle_is_no_cut_for_either_verifier(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.append(step(1, "policy.changed"))
    carried = packed(tmp_path, ledger)
    lines = carried.bundle.read_bytes().splitlines(keepends=True)
    carried.bundle.write_bytes(b"".join(lines[:-1]) + b'{"body":"' + b"A" * MOST_LINE_BYTES)
    told = verify(carried.bundle)
    assert told.verdict == Verdict.TAMPERED
    assert told.torn is None
    assert standalone.verify(carried.bundle)["verdict"] == "TAMPERED"

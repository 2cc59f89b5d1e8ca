"""What tests ask of a diagnosis."""

from pathlib import Path

from evidence.doctor import Diagnosis
from evidence.doctor_words import CAUSES
from evidence.rendering.doctor_text import render
from tests.ledger.carried import filler
from tests.ledger.steps import append, begin


def codes(told: Diagnosis) -> list[str]:
    return [one.code for one in told.causes]


def notes(told: Diagnosis) -> list[str]:
    return [one.code for one in told.notes]


def only(told: Diagnosis, code: str, *evidence: str) -> None:
    """That one cause, with these words in its evidence, exit 1, and a text that tells both."""
    assert (codes(told), told.exit_code) == ([code], 1), told
    seen = " | ".join(told.causes[0].evidence)
    assert all(word in seen for word in evidence), seen
    text = render(told.to_wire())
    assert CAUSES[code].zh in text
    assert CAUSES[code].do_en in text
    assert "VERIFIED" not in text


def told_of(path: Path, steps: int = 1) -> Path:
    """A closed ledger without a key, of steps that nobody interprets."""
    ledger = begin(path)
    append(ledger, *(filler(number) for number in range(steps)))
    ledger.close()
    return path


def fine(told: Diagnosis) -> None:
    assert (codes(told), told.cannot, told.exit_code) == ([], None, 0), told
    assert "没有发现 found nothing" in render(told.to_wire())


def put(folder: Path, content: bytes, name: str = "l.sqlite3") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path

"""Every row of host.md has a test that is named after it."""

import re
from pathlib import Path

ROWS = {"a": 13, "b": 10, "c": 16, "d": 10, "e": 14, "f": 8, "g": 22}


def test_every_row_of_the_host_has_a_test() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = set(re.findall(r"^def test_([a-g]\d+)_", sources, re.MULTILINE))
    assert named == {f"{part}{number}" for part, most in ROWS.items() for number in range(1, most + 1)}

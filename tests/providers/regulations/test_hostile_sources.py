"""Manifests and texts that nobody in good faith writes: refused or told, in time that grows as they do."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from providers.regulations.intake import read_sources
from providers.regulations.lines import MOST_BYTES
from schemas.errors import InvalidError
from tests.providers.regulations.law import imported, texts
from tests.providers.regulations.test_intake import row, written

ROOT = Path(__file__).resolve().parents[3]
HEAD = "# 灯塔维护条例\n第一条　甲。\n"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"file": "a\0b.md"}, "not beside its manifest"),
        ({"file": "\ud800.md"}, "not beside its manifest"),
        ({"file": "round.md"}, "not beside its manifest"),
        ({"file": "../law.md"}, "not beside its manifest"),
        ({"file": "/etc/passwd"}, "not beside its manifest"),
        ({"file": "out.md"}, "not beside its manifest"),
        ({"bytes": 5}, "not the file that its manifest names"),
        ({"bytes": "5"}, "not the file that its manifest names"),
        ({"bytes": True}, "not the file that its manifest names"),
        ({"relations": {"甲": "\u202e"}}, "relations holds a control character"),
        ({"commencements": {"\ud800": "2031-07-01"}}, "commencements holds a lone surrogate"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(tmp_path: Path, values: dict[str, Any], words: str) -> None:
    (tmp_path / "round.md").symlink_to("round.md")
    (tmp_path / "out.md").symlink_to("/etc/passwd")
    with pytest.raises(InvalidError, match=words):
        read_sources([written(tmp_path, row(**values))])


@pytest.mark.parametrize(
    ("more", "words"),
    [({"varients": []}, "unknown field 'varients'"), ({"variants": 5}, "is no list"),
     ({"variants": None}, "is no list")],
)  # fmt: skip
def test_a_manifest_of_another_form_is_refused(tmp_path: Path, more: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidError, match=words):
        read_sources([written(tmp_path, row(), **more)])


def test_a_file_without_an_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "2031-03-04.md").symlink_to("/dev/zero")
    with pytest.raises(InvalidError, match=f"more than the {MOST_BYTES} bytes"):
        read_sources([tmp_path / "2031-03-04.md"])


def test_a_commencement_of_no_node_blocks_publishing() -> None:
    found = imported(HEAD, commencements=(("art9", "2032-01-01"), ("art1", "2032-01-01")))
    assert [(one.kind, one.detail) for one in found.defects if one.kind == "commencement of no node"] == [
        ("commencement of no node", "'art9'")
    ]
    assert "commencement of no node" in {one.kind for one in found.defects if one.blocks}


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b"])
def test_a_line_end_that_only_some_programs_know_blocks_publishing(separator: str) -> None:
    found = imported(f"{HEAD}第二条　乙。{separator}第三条　丙。\n".encode())
    assert [(one.kind, one.line) for one in found.defects if one.blocks] == [("control character", 3)]


# Quadratic, any of these takes minutes; as they are, about a second.
HOSTILE = {
    "comments": "<!--" * 160_000,
    "table rules": "--|--\n" * 32_000,
    "brackets": "[" * 320_000,
    "links": "[a](" * 80_000,
    "tags": "<a " * 160_000,
    "digits": "目录\n" + "1" * 800_000 + "x\n第二条 乙。",
    "figures": "![a](b)\n" * 32_000,
}
CHILD = """
import resource, sys
from tests.providers.regulations.test_hostile_sources import HEAD, HOSTILE
from tests.providers.regulations.law import imported
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
imported((HEAD + HOSTILE[sys.argv[1]]).encode())
"""


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_text_is_read_within_what_a_process_is_allowed(what: str) -> None:
    done = subprocess.run([sys.executable, "-c", CHILD, what], cwd=ROOT, check=False, timeout=600)
    assert done.returncode == 0


def test_comments_that_are_closed_are_none_of_the_text_and_open_ones_are() -> None:
    found = imported(f"{HEAD}第二条　乙<!-- 丙 -->丁。<!-- 戊\n".encode())
    assert texts(found)["art2"] == "乙丁。<!-- 戊"


def test_a_file_name_of_bytes_that_are_no_utf8_is_refused(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_bytes(HEAD.encode())
    path = written(tmp_path, row())
    wire = json.loads(path.read_text(encoding="utf-8"))
    wire["editions"][0]["file"] = "\udcff.md"
    path.write_text(json.dumps(wire), encoding="utf-8")
    with pytest.raises(InvalidError, match="not beside its manifest"):
        read_sources([path])

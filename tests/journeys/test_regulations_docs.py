"""docs/regulations.md, followed by the letter: its files, its commands, and what it says they answer."""

import re
import shlex
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.doors.forking import Forking

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "regulations.md").read_text(encoding="utf-8")
ENVIRONMENT = {"EXTERNAL_EVIDENCE_CORPUS": "corpus.sqlite3"}
# How likely a hit is depends on the engine, and is no promise of the page.
SCORE = re.compile(r"(\] )\d\.\d{4}$", re.MULTILINE)


def files() -> Iterator[tuple[str, str]]:
    return ((name, text) for name, text in re.findall(r"\n`([\w.]+)`\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Each command line of a transcript with what it shows."""
    for part in block.split("\n$ ")[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory, quick: Forking) -> Path:
    """A folder in which the first transcript was followed; every answer was as it says."""
    folder = tmp_path_factory.mktemp("docs")
    for name, text in files():
        (folder / name).write_text(text, encoding="utf-8")
    [first, *_] = re.findall(r"```console(\n.*?\n)```", PAGE, re.DOTALL)
    done = 0
    for command, shown in steps(first.rstrip()):
        line, _, piped = command.partition(" | ")
        if line.startswith("printf %s "):
            assert shown.split()[0] == sha256(line.split()[2].encode()).hexdigest()
        elif line.startswith("external-evidence "):
            answer = quick(*shlex.split(line)[1:], cwd=folder, environment=ENVIRONMENT)
            assert (answer.status, answer.err) == (0, b""), command
            said = f"{sha256(answer.out).hexdigest()}  -" if piped else answer.out.decode().rstrip("\n")
            assert SCORE.sub(r"\1", said) == SCORE.sub(r"\1", shown), command
            done += 1
    assert done == 9
    return folder


def test_the_first_transcript_is_what_the_commands_say(followed: Path) -> None:
    assert sorted(path.name for path in followed.iterdir() if path.suffix in (".md", ".json")) == [
        *("2019.md", "2024.md", "manifest.json")
    ]


def test_the_question_of_the_page_reaches_retirement(followed: Path, quick: Forking) -> None:
    block = re.search(r"```console(\n\$ external-evidence plan .*?\n)```", PAGE, re.DOTALL)
    assert block is not None
    for command, shown in steps(block[1].replace(" \\\n", "").rstrip()):
        line, _, target = command.partition(" | ")[0].partition(" > ")
        answer = quick(*shlex.split(line)[1:], cwd=followed, environment=ENVIRONMENT)
        assert (answer.status, answer.err) == (0, b""), (command, answer)
        if target:
            (followed / target).write_bytes(answer.out)
        for words in filter(None, shown.splitlines()):
            assert words in answer.out.decode(), command

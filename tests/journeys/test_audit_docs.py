"""docs/audit.md, followed by the letter: its commands, the words they end with, and their exit codes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.doors.command import around, script
from tests.ledger.steps import edit

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
# What chance or the clock decides: digests, key ids, hashes and signatures.
CHANCE = re.compile(r"(?<=blake3:)[0-9a-f]{64}|\+[0-9a-f]{8}\+|[A-Za-z0-9+/]{40,}={0,2}")
LEFT_OUT = re.compile(r"^  局限 limit: .*\n", re.MULTILINE)


def steps() -> list[tuple[str, str]]:
    """Every command of the page and what stands below it."""
    blocks = "".join(re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    told = re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", blocks, re.MULTILINE)
    return [(command, answer) for command, answer in told]


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    """What the command writes, with its exit status below where it is not 0."""
    if command.startswith("sqlite3 "):
        _, file, sql = shlex.split(command)
        edit(folder / file, sql)
        return ""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=False
    )
    ending = f"exit {done.returncode}\n" if done.returncode else ""
    return f"{done.stdout.decode()}{done.stderr.decode()}{ending}"


def test_every_command_of_the_page_answers_as_the_page_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = os.pathsep.join((str(Path(script()).parent), os.environ["PATH"]))
    environment = around({"HOME": str(home), "PATH": path})
    words = set()
    for command, answer in steps():
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            environment[name] = value.replace("~", str(home))
            continue
        told = LEFT_OUT.sub("", run(command, tmp_path, environment))
        assert CHANCE.sub("…", told) == CHANCE.sub("…", answer), command
        words |= set(re.findall(r"Ledger verification: \S+ (\S+)$", told, re.MULTILINE))
        if " in-toto " in command:
            (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
            checked = subprocess.check_output([sys.executable, "-W", "ignore", "-c", block], cwd=tmp_path)
            assert re.fullmatch(rb"example\.org/plans\+[0-9a-f]{8}\n", checked)
        if " ledger init " in command:  # the auditor's own file, of the two lines that the keeper hands over
            (tmp_path / "policy").write_text(told.partition(".policy）:\n")[2])
    assert words == {"UNANCHORED", "VERIFIED", "TAMPERED", "FORKED", "TORN", "CANNOT-VERIFY"}

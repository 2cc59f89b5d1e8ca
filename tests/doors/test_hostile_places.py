"""Disks, folders, ledgers and moments that are against the command: told, and nothing is half-written."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command import PATIENCE_SECONDS, QUESTION, SLOPES, Done, around, clean, run, start

ASK = ("plan", *QUESTION, *SLOPES)
ROOT = Path(__file__).resolve().parents[2]
ADMIT = ("--decision", "admit", "--reason", "对得上", "--all-sources")


def own_mounts() -> tuple[str, ...]:
    """How to run a program that may mount what only it sees; empty where that is not allowed."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    way = (unshare, "--mount", "--propagation", "private")
    return way if subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0 else ()


MOUNTS = own_mounts()
NOBODY = 65534


def unprivileged() -> tuple[str, ...]:
    """A prefix under which file permissions count, also for root."""
    if os.geteuid() != 0:
        return ()
    drop = f"import os, sys; os.setgid({NOBODY}); os.setuid({NOBODY}); os.execv(sys.argv[1], sys.argv[1:])"
    return (sys.executable, "-c", drop)


@pytest.fixture
def life(lived: Path, tmp_path: Path) -> Path:
    """A copy of the recorded life that a test may harm."""
    return Path(shutil.copytree(lived, tmp_path / "life"))


@contextmanager
def readonly(*places: Path) -> Iterator[None]:
    modes = {place: place.stat().st_mode for place in places}
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    try:
        yield
    finally:
        for place, mode in modes.items():
            place.chmod(mode)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def allowed(folder: Path) -> None:
    """Let an unprivileged user reach and read what pytest keeps for its own user."""
    for place in (folder, *folder.parents):
        if place.stat().st_uid == os.geteuid():
            place.chmod(place.stat().st_mode | 0o055)


def mounted(script: str, *arguments: str | Path) -> Done:
    """Run a shell script in a place of its own where it may mount."""
    ended = subprocess.run(
        [*MOUNTS, "sh", "-euc", script, "sh", *arguments], capture_output=True, env=around(), check=False
    )
    return Done(ended.returncode, ended.stdout, ended.stderr)


def command_line() -> Path:
    from tests.doors.command import script

    return Path(script())



"""Be a user whose disk is full: `python -m tests.doors.full_disk FOLDER`, where it may mount.

Prints as JSON what every command ended with, and what it left.
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.doors.command import QUESTION, SLOPES, Done, run

ASK = ("plan", *QUESTION, *SLOPES)
ADMIT = ("--decision", "admit", "--reason", "r", "--all-sources")
BLOCK = 4096


def mount(folder: Path, size: int, again: bool = False) -> None:
    options = f"remount,size={size}" if again else f"size={size}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)


def fill(ballast: Path, left: int) -> None:
    """Take all room but `left` bytes."""
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(BLOCK)) == BLOCK:
                pass
        except OSError:
            file.truncate(max(0, file.tell() - left))


def code(done: Done) -> str:
    return "done" if done.status == 0 else f"{done.status} {done.error['code']}"


def keep(folder: Path, name: str, *arguments: str) -> str:
    done = run(*arguments, cwd=folder)
    if done.status == 0:
        (folder / name).write_bytes(done.out)
    return code(done)


def main(folder: Path) -> None:
    """Begin without room, then work with less and less of it, then with enough."""
    mount(folder, 2 * BLOCK)
    report: dict[str, object] = {"born": code(run(*ASK, cwd=folder))}
    report["left"] = [str(path) for path in folder.rglob("*") if path.is_file()]
    mount(folder, 1024 * 1024, again=True)
    names = ("plan.json", "receipt.json", "admission.json")
    steps = (ASK, ("execute", "plan.json"), ("admit", "receipt.json", *ADMIT))
    report["room"] = [keep(folder, name, *step) for name, step in zip(names, steps, strict=True)]
    tight, clean = [], []
    for left in range(0, 24 * BLOCK, 4 * BLOCK):
        fill(folder / "ballast", left)
        asked = run(*ASK, "--constraint", f"left {left}", cwd=folder)
        written = run("readback", "admission.json", "--execute", cwd=folder)
        tight += [code(asked), code(written)]
        clean.append(run("audit", "replay", cwd=folder).answer["clean"])
        (folder / "ballast").unlink()
    report |= {"tight": sorted(set(tight)), "clean": all(clean)}
    report["after"] = [
        code(run("readback", "admission.json", "--execute", cwd=folder)),
        code(run("retire", "admission.json", cwd=folder)),
        code(run("audit", "replay", cwd=folder)),
    ]
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

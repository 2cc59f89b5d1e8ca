"""How long `external-evidence plan` takes as a process, beside the least it could take and beside LoopX.

    python benchmarks/cold_start.py [--venvs DIR] [--rounds N] [--python PATH] [--no-loopx] [--json]

Needs nothing but the standard library. It makes three environments in DIR (kept, so that the next run is
quick; without --venvs a temporary folder, removed at the end) from the package index that pip is set up for:
  floor    click, pydantic, orjson, blake3, and this checkout installed as a wheel
  product  this checkout installed as a wheel, with its own dependencies only
  loopx    PyPI loopx 2.1.1; its plan needs Node.js 22.22.3 or newer: the machine's, else npm's `node@22`.
           A node server stays behind and answers later calls: one side finds it running, one has to start it.
           The server's CPU time is not in the CPU column.
All sides run the same request against the same one ready provider, in turn, each round starting with another
side. A side that cannot be installed or does not plan is named with the reason and left out.
"""

import argparse
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLOOR = ["click", "pydantic", "orjson", "blake3"]
LOOPX = "loopx==2.1.1"
OLDEST_NODE = (22, 22, 3)
# LoopX leaves a node server behind that ends when it was idle for so long: past the next round, or before it.
NODE_IDLE_MS = {"running": "20000", "started": "300"}
GOAL = 1.6  # plan / floor, whole process, medians
AUDIT_FLOOR = "import click, orjson, sqlite3"
AUDIT_GOAL = 2.0  # audit verify of a small ledger / the start of that
VERIFIED, UNANCHORED = 0, 3  # exit statuses: compared with a policy, and with nothing
PREFERRED = "method:research"
PROVIDER = {
    "provider_id": PREFERRED,
    "provider_kind": "method",
    "protocol": "external_evidence_research_v0",
    "declared": True,
    "installed": True,
    "enabled": True,
    "ready": True,
    "unavailable_reason": None,
}
OBJECTIVE, ACTIVITY, DECISION = "无障碍坡道的最大坡度是多少?", "审查施工图", "图纸通过或退回"
KIND, CONSTRAINT = "normative_text", "public sources only"
REQUEST = {
    "objective": OBJECTIVE,
    "user_activity": ACTIVITY,
    "decision": DECISION,
    "evidence_kinds": [KIND],
    "constraints": [CONSTRAINT],
}


class UnavailableError(Exception):
    """A side cannot be measured here; the message says why."""


@dataclass
class Side:
    """One command of the comparison; `{round}` in it becomes the number of the round."""

    name: str
    command: list[str]
    environment: dict[str, str]
    plans: bool = True
    status: int = 0
    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)

    def run(self, turn: int, output: int) -> subprocess.CompletedProcess[bytes]:
        command = [part.replace("{round}", str(turn)) for part in self.command]
        return subprocess.run(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        )

    def check(self) -> None:
        """One run that is not measured: it fills the caches and shows that the side does the work."""
        done = self.run(0, subprocess.PIPE)
        if done.returncode != self.status:
            raise UnavailableError(f"exit {done.returncode}: {_complaint(done.stderr or done.stdout)}")
        if self.plans:
            plan = json.loads(done.stdout)
            if plan["status"] != "ready" or plan["selected_provider"] != PROVIDER:
                raise UnavailableError(f"planned something else: {done.stdout[:200]!r}")

    def measure(self, turn: int) -> None:
        before, start = _children_cpu(), time.perf_counter()
        done = self.run(turn, subprocess.DEVNULL)
        self.wall_ms.append((time.perf_counter() - start) * 1000)
        self.cpu_ms.append((_children_cpu() - before) * 1000)
        if done.returncode != self.status:
            raise SystemExit(f"{self.name}: exit {done.returncode} in round {turn}")


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _complaint(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    told = [
        line for line in lines if re.search(r"\b(\w*Error|ERROR): ", line)
    ]  # pip ends with a hint, not with the error
    return (told or lines or ["no output"])[-1].strip()


def environment(home: Path, path: str = os.environ["PATH"]) -> dict[str, str]:
    """The caller's environment without what changes a start: PYTHON* variables, a ledger, usage pings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EXTERNAL_"))}
    return {**kept, "PATH": path, "HOME": str(home), "TMPDIR": str(home), "LOOPX_USAGE_PING": "0"}


def make(command: list[str], folder: Path) -> bytes:
    """Run one step of an installation and give its output, or say why it failed."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise UnavailableError(f"{command[0]}: {error.strerror}") from error
    if done.returncode:
        raise UnavailableError(f"`{' '.join(command[1:4])}`: {_complaint(done.stderr or done.stdout)}")
    return done.stdout


def venv(folder: Path, python: str, packages: list[str]) -> Path:
    """The bin folder of an environment with `packages`; what is already there is used again."""
    made = folder / "bin"
    if not (made / "python").exists():
        make([python, "-m", "venv", str(folder)], folder.parent)
    if packages:
        make([str(made / "python"), "-m", "pip", "install", "--quiet", *packages], folder)
    return made


def product_venv(folder: Path, python: str, packages: list[str]) -> Path:
    """An environment with this checkout as a wheel, built anew since the checkout may have changed."""
    made = venv(folder, python, packages)
    pip, wheels = [str(made / "python"), "-m", "pip"], folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    make([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)], folder)
    wheel = str(next(wheels.glob("*.whl")))
    make([*pip, "install", "--quiet", wheel], folder)
    make([*pip, "install", "--quiet", "--force-reinstall", "--no-deps", wheel], folder)
    return made


def node_folder(venvs: Path) -> Path:
    """The folder of a `node` that LoopX accepts: the machine's, else the one of the npm package."""
    found = shutil.which("node")
    if found and _new_enough(found):
        return Path(found).parent
    packed = venvs / "node" / "node_modules" / ".bin"
    if not (packed / "node").exists():
        (venvs / "node").mkdir(exist_ok=True)
        make(["npm", "install", "--no-fund", "--no-audit", "--prefix", str(venvs / "node"), "node@22"], venvs)
    if not _new_enough(str(packed / "node")):
        raise UnavailableError(f"no Node.js {'.'.join(map(str, OLDEST_NODE))} or newer here")
    return packed


def _new_enough(node: str) -> bool:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    version = re.match(r"v(\d+)\.(\d+)\.(\d+)", said)
    return version is not None and tuple(int(part) for part in version.groups()) >= OLDEST_NODE


def inputs(folder: Path, rounds: int) -> None:
    """The inventories and the request; with a ledger each round asks anew, so that each adds its record."""
    (folder / "providers.json").write_text(json.dumps([PROVIDER]), encoding="utf-8")
    (folder / "inventory.json").write_text(json.dumps({"providers": [PROVIDER]}), encoding="utf-8")
    (folder / "request.json").write_text(json.dumps(REQUEST), encoding="utf-8")
    for turn in range(rounds + 1):
        asked = {**REQUEST, "objective": f"{OBJECTIVE} ({turn})"}
        (folder / f"request-{turn}.json").write_text(json.dumps(asked), encoding="utf-8")


def our_sides(name: str, made: Path, work: Path) -> list[Side]:
    """The product's plan from one environment, without a ledger and with one that grows each round."""
    ledger = work / f"{name}.sqlite3"
    plan = [str(made / "external-evidence"), "plan", "--format", "json"]
    # The product has ready providers of its own; both sides are asked for the offered one by name.
    plan += ["--providers", str(work / "providers.json"), "--prefer", PREFERRED]
    around = environment(work)
    request = ["--request", str(work / "request.json"), "--no-ledger"]
    each = ["--request", str(work / "request-{round}.json"), "--ledger", str(ledger)]
    return [
        Side(f"plan, no ledger ({name} venv)", [*plan, *request], around),
        Side(f"plan, ledger ({name} venv)", [*plan, *each], around),
    ]


def floor_sides(venvs: Path, python: str, work: Path) -> list[Side]:
    """The import floor, and bare Python below it."""
    made = venv(venvs / "floor", python, FLOOR)
    bare, imports = (
        [str(made / "python"), "-c", "pass"],
        [str(made / "python"), "-c", f"import {', '.join(FLOOR)}"],
    )
    return [
        Side("floor", imports, environment(work), plans=False),
        Side("python -c pass", bare, environment(work), plans=False),
    ]


def beside_sides(venvs: Path, python: str, work: Path) -> list[Side]:
    """The product in the floor's environment: the pair that the goal is about."""
    return our_sides("floor", product_venv(venvs / "floor", python, FLOOR), work)


def product_sides(venvs: Path, python: str, work: Path) -> list[Side]:
    """The product in an environment of its own."""
    return our_sides("product", product_venv(venvs / "product", python, []), work)


def audit_sides(venvs: Path, python: str, work: Path) -> list[Side]:
    """The verdict on a ledger of one plan, without a key, with one and with its policy, and its floor."""
    made = product_venv(venvs / "audit", python, ["cryptography"])
    around, command = environment(work), str(made / "external-evidence")
    sides = [Side("audit floor", [str(made / "python"), "-c", AUDIT_FLOOR], around, plans=False)]
    for name, key in (("without a key", []), ("with a key", ["--key", str(work / "audit.key")])):
        ledger = ["--ledger", str(work / f"audit {name}.sqlite3")]
        made_new = [command, "ledger", "init", *ledger, *key, *(["--new-key"] if key else [])]
        plan = [command, "plan", "--request", str(work / "request.json"), *ledger, *key]
        plan += ["--providers", str(work / "providers.json"), "--prefer", PREFERRED]
        begun = json.loads(make(made_new, work))
        make(plan, work)
        verify = [command, "audit", "verify", "--format", "json", *ledger]
        sides.append(Side(f"audit verify, {name}", verify, around, plans=False, status=UNANCHORED))
        if key:
            (work / "audit.policy").write_text(begun["policy"], encoding="utf-8")
            trusting = [*verify, "--policy", str(work / "audit.policy")]
            sides.append(Side("audit verify, with a policy", trusting, around, plans=False, status=VERIFIED))
    return sides


def loopx_sides(venvs: Path, python: str, work: Path) -> list[Side]:
    """The reference implementation with the same request, with its node server running and not running."""
    path = f"{node_folder(venvs)}{os.pathsep}{os.environ['PATH']}"
    made = venv(venvs / "loopx", python, [LOOPX])
    command = [str(made / "loopx"), "external-evidence", "plan", "--format", "json"]
    command += ["--objective", OBJECTIVE, "--user-activity", ACTIVITY, "--decision", DECISION]
    command += ["--evidence-kind", KIND, "--constraint", CONSTRAINT]
    command += [
        "--provider-inventory-json",
        str(work / "inventory.json"),
        "--preferred-provider-id",
        PREFERRED,
    ]
    sides = []
    for state, idle_ms in NODE_IDLE_MS.items():
        home = work / f"node-{state}"  # the server is found through the temporary folder
        home.mkdir()
        around = {**environment(home, path), "LOOPX_EFFECT_RUNTIME_IDLE_MS": idle_ms}
        sides.append(Side(f"loopx plan, node {state}", command, around))
    return sides


def measure(sides: list[Side], rounds: int) -> None:
    """Every round runs every side once and starts one side later than the round before."""
    for turn in range(1, rounds + 1):
        for offset in range(len(sides)):
            sides[(turn + offset) % len(sides)].measure(turn)


def report(sides: list[Side], absent: dict[str, str], rounds: int) -> dict[str, Any]:
    """The figures: medians and 90th percentiles in milliseconds, and each side as a multiple of the floor."""
    floor = next((side for side in sides if side.name == "floor"), None)
    figures = {
        side.name: {
            "wall_ms_median": round(statistics.median(side.wall_ms), 1),
            "wall_ms_p90": round(statistics.quantiles(side.wall_ms, n=10, method="inclusive")[-1], 1),
            "cpu_ms_median": round(statistics.median(side.cpu_ms), 1),
            "times_floor": floor and _times(side.wall_ms, floor.wall_ms),
            "cpu_times_floor": floor and _times(side.cpu_ms, floor.cpu_ms),
        }
        for side in sides
    }
    ratio = figures.get("plan, no ledger (floor venv)", {}).get("times_floor")
    start = next((side for side in sides if side.name == "audit floor"), None)
    audits = {
        side.name: {"wall": _times(side.wall_ms, start.wall_ms), "cpu": _times(side.cpu_ms, start.cpu_ms)}
        for side in sides
        if start and side.name.startswith("audit verify")
    }
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "rounds": rounds,
        "sides": figures,
        "not_measured": absent,
        "plan_per_floor": ratio,
        "goal": GOAL,
        "goal_met": ratio <= GOAL if ratio else None,
        "audit_per_its_floor": audits,
        "audit_goal": AUDIT_GOAL,
    }


def _times(side: list[float], floor: list[float]) -> float:
    return round(statistics.median(side) / statistics.median(floor), 2)


def gather(venvs: Path, work: Path, python: str, loopx: bool) -> tuple[list[Side], dict[str, str]]:
    """The sides that can run here, each checked once, and the reasons of those that cannot."""
    makers = {
        "floor": floor_sides,
        "product beside the floor": beside_sides,
        "product": product_sides,
        "audit": audit_sides,
        "loopx": loopx_sides,
    }
    if not loopx:
        del makers["loopx"]
    sides: list[Side] = []
    absent: dict[str, str] = {}
    for name, maker in makers.items():
        _say(f"installing {name}")
        try:
            offered = maker(venvs, python, work)
        except UnavailableError as error:
            absent[name] = f"not installed: {error}"
            continue
        for side in offered:
            try:
                side.check()
                sides.append(side)
            except UnavailableError as error:
                absent[side.name] = f"does not plan: {error}"
    return sides, absent


def show(figures: dict[str, Any], sides: list[Side]) -> None:
    """Print the report as a table."""
    print(
        f"Python {figures['python']}, {figures['machine']}, {figures['rounds']} rounds in turn, milliseconds"
    )
    print(f"{'':32} {'median':>8} {'p90':>8} {'CPU':>8} {'x floor':>8} {'x CPU':>8}")
    for side in sides:
        row = figures["sides"][side.name]
        print(f"{side.name:32}" + "".join(f" {row[column]!s:>8}" for column in row))
    for name, reason in figures["not_measured"].items():
        print(f"{name:32} {reason}")
    verdict = {None: "not measured", True: "met", False: "missed"}[figures["goal_met"]]
    print(f"plan / floor in one environment: {figures['plan_per_floor']} (goal <= {GOAL}: {verdict})")
    for name, times in figures["audit_per_its_floor"].items():
        met = "met" if times["wall"] <= AUDIT_GOAL else "missed"
        print(f"{name} / audit floor: {times['wall']}, CPU {times['cpu']} (goal <= {AUDIT_GOAL}: {met})")


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    """Install, measure and print; exit 1 if the product or its floor could not be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--venvs", type=Path, help="where to keep the environments (default: a temporary folder)"
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the environments")
    parser.add_argument("--no-loopx", action="store_true", help="leave the reference implementation out")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    rounds = max(2, chosen.rounds)
    with tempfile.TemporaryDirectory(prefix="cold-start-") as scratch:
        venvs = (chosen.venvs or Path(scratch) / "venvs").resolve()
        venvs.mkdir(parents=True, exist_ok=True)
        work = Path(scratch)
        inputs(work, rounds)
        sides, absent = gather(venvs, work, chosen.python, not chosen.no_loopx)
        _say("measuring")
        measure(sides, rounds)
    figures = report(sides, absent, rounds)
    if chosen.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
    else:
        show(figures, sides)
    raise SystemExit(0 if figures["plan_per_floor"] else 1)


if __name__ == "__main__":
    main()

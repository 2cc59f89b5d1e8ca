"""A command starts quickly: it imports what it needs, and nobody looks for garbage in that."""

import json
import subprocess
import sys
from pathlib import Path

from tests.doors.command import around, run

# What a command has imported, and how much the collector leaves alone, told when its process ends.
ENTER = (
    "import atexit, gc, json, sys;"
    "told = lambda: [gc.isenabled(), gc.get_freeze_count(), len(gc.get_objects()), *sys.modules];"
    "atexit.register(lambda: print(json.dumps(told()), file=sys.stderr));"
    "from evidence.doors.cli import main; main()"
)
OF_OTHERS = {  # of another way to keep a ledger, of who writes one, of more than one process, of translations
    "asyncio",
    "concurrent.futures",
    "cryptography",
    "email",
    "evidence.engine",
    "evidence.rendering.verify_text",
    "evidence.replay.workers",
    "http",
    "importlib.metadata",
    "ledger.policy",
    "ledger.postgres",
    "ledger.postgres_url",
    "ledger.proof",
    "ledger.sqlite",
    "ledger.sqlite_foreign",
    "ledger.witness",
    "locale",
    "multiprocessing",
    "providers",
    "pydantic",
    "random",
    "schemas.database_url",
    "selectors",
    "shutil",
    "socket",
    "subprocess",
    "tempfile",
    "tomllib",
}

OTHER_KEYS = {
    "cryptography.hazmat.backends",
    "cryptography.hazmat.primitives.asymmetric.rsa",
    "cryptography.hazmat.primitives.serialization",
    "cryptography.x509",
    "ledger.keys",
    "ledger.signing",
}


def at_the_end(*arguments: str, cwd: Path) -> tuple[bool, int, int, set[str]]:
    """At the end: whether the collector is on, how much it leaves alone, how much not, the modules."""
    command = [sys.executable, "-c", ENTER, *arguments]
    done = subprocess.run(command, cwd=cwd, env=around(), capture_output=True, check=False)
    collects, frozen, looked_through, *modules = json.loads(done.stderr)
    return collects, frozen, looked_through, set(modules)


def test_a_ledger_is_verified_without_what_others_need(lived: Path) -> None:
    *_, modules = at_the_end("audit", "verify", "--format", "json", cwd=lived)
    assert "evidence.verify" in modules
    assert modules & OF_OTHERS == set()


def test_a_signed_ledger_is_verified_with_one_kind_of_key_alone(tmp_path: Path) -> None:
    made = run("ledger", "init", "--key", "k", "--new-key", "--format", "json", cwd=tmp_path)
    (tmp_path / "policy").write_text(made.answer["policy"])
    *_, modules = at_the_end("audit", "verify", "--format", "json", "--policy", "policy", cwd=tmp_path)
    assert "cryptography.hazmat.primitives.asymmetric.ed25519" in modules
    assert modules & (OF_OTHERS - {"cryptography", "ledger.policy"} | OTHER_KEYS) == set()


def test_the_collector_works_but_is_spared_what_was_imported(lived: Path) -> None:
    collects, frozen, looked_through, _ = at_the_end("audit", "verify", "--format", "json", cwd=lived)
    assert collects
    assert frozen > 10 * looked_through

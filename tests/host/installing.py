"""A real virtual environment, distributions laid into it as an installer would, and the host's program."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TRUSTED = {"distribution": "kbreg-official", "entry_point": "kbreg_official:provider"}

MARK = """
import os, pathlib
pathlib.Path(os.environ["MARKS"], __name__).touch()
"""
UNMARKED = """
from providers.regulations_contract import (
    RegulationEvidence,
    RegulationEvidenceRequest,
    RegulationsCaller,
    RegulationsSearchRequest,
    RegulationsSearchResult,
    WebCapture,
    WebCaptureRequest,
    WebSearchRequest,
    WebSearchResult,
)


class Provider:
    def search_regulations(
        self, caller: RegulationsCaller, request: RegulationsSearchRequest
    ) -> RegulationsSearchResult:
        return RegulationsSearchResult(corpus_revision="kbr1-test", state="empty")

    def resolve_regulation_evidence(
        self, caller: RegulationsCaller, request: RegulationEvidenceRequest
    ) -> RegulationEvidence:
        raise LookupError(request.node_id)

    def search_web(self, caller: RegulationsCaller, request: WebSearchRequest) -> WebSearchResult:
        return WebSearchResult(searched_at="2026-11-30T00:00:00Z", state="empty", sent_query=request.query)

    def capture_web(self, caller: RegulationsCaller, request: WebCaptureRequest) -> WebCapture:
        return WebCapture(fetched_at="2026-11-30T00:00:00Z", state="rejected", reason="no")


provider = Provider()
"""
PROVIDER = MARK + UNMARKED
CONSUMER = """
from providers.regulations_contract import RegulationsHost, RegulationsSearchRequest


def command(host):
    regulations = host.capability(RegulationsHost)
    if regulations is None:
        return {"status": "failed", "why": "no capability"}
    result = regulations.search_regulations(RegulationsSearchRequest(query="安全生产法第二十一条"))
    return {"status": "succeeded", "state": result.state, "revision": result.corpus_revision}
"""
HOST = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path

from consumer import command
from evidence.discovery import load, published, trusted_provider
from evidence.host import Composition, Dispatch
from evidence.plugins import Slot
from evidence.provider_calls import LedgerAudit
from ledger.sqlite import SqliteLedger
from ledger.store import Opening
from schemas.canonical import digest_bytes
from schemas.errors import EvidenceError
from schemas.ledger import OPENED
from schemas.published import schema_bytes

opening = Opening("host", digest_bytes(schema_bytes(OPENED)))
ledger = SqliteLedger.open(sys.argv[2], lambda: datetime.now(UTC), create=opening)
composition = Composition(lambda _: None, LedgerAudit(ledger), Slot())
told = {"published": [one.to_wire() for one in published()], "loaded": None, "refused": None}
status = 0
try:
    trusted = trusted_provider(Path(sys.argv[1]).read_bytes())
    told["loaded"] = load(trusted, composition.registry("kbreg")).name
except EvidenceError as error:
    told["refused"] = error.to_wire()
try:
    told["answer"] = command(composition.host(Dispatch(plugin_id="rdm", owner="o")))
except EvidenceError as error:
    told["answer"] = error.to_wire()
    status = error.exit_status
ledger.close()
print(json.dumps(told))
sys.exit(status)
"""


@dataclass
class Installation:
    """What is laid into the environment's folder of packages; `remove` takes all of it out again."""

    folder: Path
    python: Path
    laid: list[Path] = field(default_factory=list)

    @property
    def site(self) -> Path:
        """The folder of packages."""
        paths = {"base": str(self.folder), "platbase": str(self.folder)}
        return Path(sysconfig.get_path("purelib", "venv", paths))

    def lay(
        self,
        name: str,
        module: str,
        source: str,
        entry: str | None = "",
        stated: str | None = "",
        site: Path | None = None,
    ) -> str:
        """Install a distribution of one module, with its entry point `kbreg`; the hash of its RECORD.

        `entry` and `stated` are other entry points and METADATA; None: it has none.
        """
        site = site or self.site
        info = f"{name.replace('-', '_')}-1.0.dist-info"
        files = {f"{module.replace('.', '/')}.py": source}
        if entry is not None:
            files[f"{info}/entry_points.txt"] = (
                entry or f"[external_evidence.providers]\nkbreg = {module}:provider\n"
            )
        if stated is not None:
            files[f"{info}/METADATA"] = stated or f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        lines = []
        for path, text in files.items():
            place = site / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            self.laid.append(place)
            digest = base64.urlsafe_b64encode(hashlib.sha256(place.read_bytes()).digest())
            lines.append(f"{path},sha256={digest.rstrip(b'=').decode()},{place.stat().st_size}\n")
        record = site / info / "RECORD"
        record.write_text("".join([*lines, f"{info}/RECORD,,\n"]), encoding="utf-8")
        self.laid.append(record)
        return hashlib.sha256(record.read_bytes()).hexdigest()

    def remove(self) -> None:
        """Take out what was laid in."""
        for place in self.laid:
            place.unlink(missing_ok=True)
        for folder in {place.parent for place in self.laid} - {self.site}:
            shutil.rmtree(folder, ignore_errors=True)
        self.laid.clear()

    def run(self, work: Path, trusted: dict[str, Any] | None = None) -> "Ran":
        """Run the host's program in `work` with the consumer in it."""
        marks = work / "marks"
        marks.mkdir(parents=True)
        (work / "consumer.py").write_text(CONSUMER, encoding="utf-8")
        (work / "host.py").write_text(HOST, encoding="utf-8")
        stated = {"trusted_providers": {"kbreg": trusted or TRUSTED}}
        (work / "host.json").write_text(json.dumps(stated), encoding="utf-8")
        done = subprocess.run(
            [self.python, "-B", work / "host.py", work / "host.json", work / "ledger.sqlite3"],
            env={**os.environ, "MARKS": str(marks)},
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.stderr == b"", done.stderr.decode()
        imported = sorted(place.name for place in marks.iterdir())
        return Ran(done.returncode, json.loads(done.stdout), imported, work / "ledger.sqlite3")


@dataclass(frozen=True)
class Ran:
    """How the host's program ended, what it printed, which modules were imported, and its ledger."""

    status: int
    told: dict[str, Any]
    imported: list[str]
    ledger: Path


def environment(folder: Path) -> Installation:
    """A virtual environment that also sees this checkout and the packages it runs with."""
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(folder)
    scripts = sysconfig.get_path("scripts", "venv", {"base": str(folder)})
    made = Installation(folder, Path(scripts) / Path(sys.executable).name)
    seen = {str(ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (made.site / "checkout.pth").write_text("\n".join(sorted(seen)), encoding="utf-8")
    return made

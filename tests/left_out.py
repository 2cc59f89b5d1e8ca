"""Run some tests as where a program that they need is missing."""

import subprocess
import sys
from pathlib import Path

from evidence.checkout import ROOT
from tests.unmeasured import unmeasured


def run_without_programs(empty: Path, ci: str, *tests: str) -> subprocess.CompletedProcess[str]:
    """pytest of its own over `tests`, with nothing on PATH but what lies in `empty`."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests]
    # Without plugins: what is left out is decided before any test runs.
    around = unmeasured(PATH=str(empty), CI=ci, PYTEST_ADDOPTS="", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, encoding="utf-8", check=False)

"""Run some tests as where a program that they need is missing."""

import os
import subprocess
import sys
from pathlib import Path

from evidence.checkout import ROOT


def run_without_programs(empty: Path, ci: str, *tests: str) -> subprocess.CompletedProcess[str]:
    """pytest of its own over `tests`, with nothing on PATH but what lies in `empty`."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests]
    # Neither measured nor with plugins: what is left out is decided before any test runs.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    around = {
        **kept, "PATH": str(empty), "CI": ci, "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"
    }  # fmt: skip
    return subprocess.run(command, cwd=ROOT, env=around, capture_output=True, encoding="utf-8", check=False)

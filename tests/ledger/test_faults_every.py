"""Every single call of a short run of a writer fails once, with each error."""

import sys
from pathlib import Path

import pytest

from tests.ledger.faults.campaign import ERRORS, WRITES, Injector, every

pytestmark = [pytest.mark.soak, pytest.mark.strace]


def test_whichever_call_fails_no_acknowledged_record_is_lost_and_none_is_doubled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Injector() as injector:
        counts = every(injector, tmp_path, (*WRITES, "pread64"), ERRORS)
    with capsys.disabled():
        lines = [f"{count:6}  {what}" for what, count in counts.items()]
        sys.stdout.write(f"\n{counts.total()} calls failed\n" + "\n".join(lines) + "\n")
    assert counts.total() > 300
    assert {what.split()[0] for what in counts} >= {"fdatasync", "pwrite64", "openat", "ftruncate"}

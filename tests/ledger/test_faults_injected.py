"""The kernel refuses a call of a writer or a reader: nothing acknowledged is lost, and the error is clear."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.faults.campaign import Fault, Injector, appended
from tests.ledger.faults.run import run

pytestmark = pytest.mark.strace


@pytest.fixture(scope="module")
def injector() -> Iterator[Injector]:
    with Injector() as ready:
        yield ready


# A few of each: at birth, at a commit, at the end. All of them: tests/soak/test_ledger_faults.py.
@pytest.mark.parametrize(
    ("call", "error", "places"),
    [
        ("fsync", "EIO", (1, 2)),
        ("fdatasync", "EIO", (3, 9, 14)),
        ("fdatasync", "ENOSPC", (10,)),
        ("pwrite64", "EIO", (5, 60, 90)),
        ("pwrite64", "ENOSPC", (50, 75, 110)),
        ("openat", "EIO", (2, 5, 9)),
        ("ftruncate", "EIO", (1, 3)),
        ("link", "EIO", (1,)),
    ],
)
def test_a_call_that_fails_costs_no_acknowledged_record(
    injector: Injector, tmp_path: Path, call: str, error: str, places: tuple[int, ...]
) -> None:
    for when in places:
        seen = appended(injector, tmp_path / str(when), Fault(call, error, when))
        assert seen.injected
        assert len(seen.told) >= 4


def test_without_a_fault_the_writer_meets_no_error(injector: Injector, tmp_path: Path) -> None:
    seen = appended(injector, tmp_path / "x", Fault("fsync", "EIO", 10_000))
    assert (seen.injected, len(seen.told), list(seen.errors())) == (False, 4, [])


@pytest.mark.parametrize("from_when", [1, 2, 5, 9])
def test_a_disk_that_cannot_be_read_is_no_sign_of_tampering(
    injector: Injector, tmp_path: Path, from_when: int
) -> None:
    run(tmp_path, lambda _: None)
    # SQLite reads by pread; after its third read Python has seen what the file is, and looks at all of it.
    faults = Fault("pread64", "EIO", f"{from_when}+"), Fault("read", "EIO", "4+")
    seen = injector(tmp_path, *faults, what="verify")
    assert seen.injected
    assert [one["verdict"] for one in seen.told] == ["CANNOT-VERIFY"]

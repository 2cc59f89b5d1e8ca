"""Every single byte of a signed ledger of fifty records flipped in turn, in a file and in a bundle."""

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from tests.audit import fifty, flips
from tests.audit.flips import Flip

pytestmark = pytest.mark.soak
SLICE = 500


def work(folder: Path, name: str, first: int) -> list[Flip]:
    """Flip the bytes of one slice in a copy of this process."""
    flips.signatures_once()
    whole = fifty.Fifty(folder)
    original = folder / name
    copy = folder / f"{os.getpid()}{original.suffix}"
    last = min(first + SLICE, original.stat().st_size)
    return list(flips.flip(whole, original, copy, range(first, last), thrift=True))


@pytest.mark.parametrize("name", ["l.bundle", "l.sqlite3"])
def test_every_byte_flipped_in_turn_is_seen_or_is_of_no_meaning(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fifty.make(tmp_path)
    size = (tmp_path / name).stat().st_size
    starts = range(0, size, SLICE)
    apart = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=apart) as pool:
        slices = pool.map(work, [tmp_path] * len(starts), [name] * len(starts), starts)
        told = [one for part in slices for one in part]
    with capsys.disabled():
        unseen = sum(one.unseen for one in told)
        sys.stdout.write(f"\n{name}: {len(told)} bytes, {unseen} of no meaning\n{flips.table(told)}\n")
    assert [one for one in told if not one.right] == []
    assert [one.at for one in told] == list(range(size))

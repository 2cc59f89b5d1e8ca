"""Every record, field, body, checkpoint and tail of a signed ledger of fifty, each changed in turn."""

import multiprocessing
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from tests.audit import fifty, flips
from tests.audit.judging import misjudged
from tests.audit.rewrites import every, kind

pytestmark = pytest.mark.soak
SHARES = 24


def work(folder: Path, share: int) -> tuple[Counter[str], list[object]]:
    """How many of each kind one share of the histories has, and who misjudged which of them."""
    flips.signatures_once()
    whole, mine = fifty.Fifty(folder), folder / str(os.getpid())
    mine.mkdir(exist_ok=True)
    counts, wrong = Counter[str](), list[object]()
    for one in islice(every(whole), share, None, SHARES):
        counts[f"{kind(one):45} {' / '.join(one.words)}"] += 1
        wrong += misjudged(one, whole, mine)
    return counts, wrong


def test_every_history_that_somebody_could_put_in_its_place_gets_its_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fifty.make(tmp_path)
    apart = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=apart) as pool:
        told = list(pool.map(work, [tmp_path] * SHARES, range(SHARES)))
    counts = sum((some for some, _ in told), Counter[str]())
    with capsys.disabled():
        lines = [f"{count:7}  {what}" for what, count in sorted(counts.items())]
        sys.stdout.write(f"\n{counts.total()} histories in two forms\n" + "\n".join(lines) + "\n")
    assert [wrong for _, some in told for wrong in some] == []
    assert counts.total() > 4000

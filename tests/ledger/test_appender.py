"""Group commit: many threads, few transactions, and each caller has its own answer (ledger.md section 3)."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from signal import SIGINT, pthread_kill
from threading import Event, get_ident
from typing import Any

import pytest

from ledger.appender import Appender
from ledger.chain import links
from ledger.proof import Proof
from ledger.sqlite import SqliteLedger
from ledger.sqlite_view import SqliteWriter
from ledger.store import Appended, Draft
from schemas.errors import ConflictError, InvalidError, StorageError, UsageError
from tests.ledger.signing import signing
from tests.ledger.steps import OPENING, Begin, Ticking, append, step, stored
from tests.ledger.steps import begin as begin_file

ROOT = Path(__file__).resolve().parents[2]


class Gated(SqliteLedger):
    """A ledger whose transactions begin when the test says so; some are stopped before or after their end."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.gate, self.arrived = Event(), Event()
        self.transactions = 0
        self.stops: dict[int, tuple[str, BaseException]] = {}

    @contextmanager
    def write(self, *, restoring: bool = False) -> Iterator[SqliteWriter]:
        self.arrived.set()
        assert self.gate.wait(30)
        self.transactions += 1
        when, error = self.stops.get(self.transactions, (None, None))
        with super().write(restoring=restoring) as writer:
            yield writer
            if when == "before" and error is not None:
                raise error
        if error is not None:
            raise error


class Bench:
    """An appender whose callers are lined up in the order in which they are named."""

    def __init__(self, path: Path, most: int = 256, key: Path | None = None) -> None:
        opening = OPENING._replace(origin=None) if key else OPENING
        signs = signing(key) if key else None
        self.ledger = Gated.open(path, Ticking(), create=opening, signing=signs)
        self.appender = Appender(self.ledger, most)
        self.pool = ThreadPoolExecutor(32)
        self.called: list[Future[list[Appended]]] = []

    def before(self, *drafts: Draft) -> None:
        """Append without the appender and its gate."""
        self.ledger.gate.set()
        append(self.ledger, *drafts)
        self.ledger.gate.clear()
        self.ledger.arrived.clear()
        self.ledger.transactions = 0

    def line_up(self, *entries: tuple[Draft, ...]) -> None:
        """One caller each; the first one leads, and the others come while it is held at the gate."""
        for drafts in entries:
            self.call(self.appender.append, *drafts)

    def call(self, what: Callable[..., Any], *drafts: Draft) -> None:
        self.called.append(self.pool.submit(what, *drafts))
        assert self.ledger.arrived.wait(30)
        while len(self.appender._waiting) < len(self.called):
            Event().wait(0.001)

    def go(self) -> list[list[Appended] | BaseException]:
        """Let the transactions run; what each caller got, in order."""
        self.ledger.gate.set()
        return [one.exception(30) or one.result() for one in self.called]

    def close(self) -> None:
        self.pool.shutdown()
        self.appender.close()
        self.ledger.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(tmp_path / "l.sqlite3")) as made:
        yield made


def seqs(answers: list[list[Appended] | BaseException]) -> list[list[int] | type[BaseException]]:
    return [[done.seq for done in one] if isinstance(one, list) else type(one) for one in answers]


def test_callers_that_wait_together_are_one_transaction_in_their_order(bench: Bench) -> None:
    bench.line_up((step(0),), *((step(number), step(number + 100)) for number in range(1, 6)))
    assert seqs(bench.go()) == [[1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    assert bench.ledger.transactions == 2
    assert not any(link.breaks for link in links(stored(bench.ledger)))


def test_a_transaction_takes_no_more_steps_than_allowed_unless_one_caller_brings_them(tmp_path: Path) -> None:
    with closing(Bench(tmp_path / "l.sqlite3", most=3)) as bench:
        bench.line_up((step(0),), (step(1), step(2)), (step(3),), (step(4), step(5)))
        bench.line_up(tuple(step(number) for number in range(10, 15)), (), (step(6),))
        assert seqs(bench.go()) == [[1], [2, 3], [4], [5, 6], [7, 8, 9, 10, 11], [], [12]]
        assert bench.ledger.transactions == 5


def test_what_one_caller_may_not_append_hurts_no_other(bench: Bench) -> None:
    bench.before(step(1))
    refused = (step(7), step(8, kind="plan.crated"))
    bench.line_up((step(0),), (step(2),), (step(1, body=b"{}"),), (step(3),), refused)
    bench.line_up((step(4), step(1)), (step(4, body=b"{}"),), (step(7, actor="no spaces"),), (step(5),))
    answers = bench.go()
    assert seqs(answers) == [
        [2],
        [3],
        ConflictError,
        [4],
        InvalidError,
        [5, 1],
        ConflictError,
        InvalidError,
        [6],
    ]
    assert isinstance(answers[5], list)
    assert [done.repeated for done in answers[5]] == [False, True]
    assert [str(one) for one in answers if isinstance(one, InvalidError)] == [
        "record.kind must be a known kind, found 'plan.crated'",
        "record.actor must be [A-Za-z0-9_.:@/+-]…, found 'no spaces'",
    ]
    with pytest.raises(InvalidError):
        bench.appender.append(step(20), step(21, kind="none.such"))
    assert len(stored(bench.ledger)) == 7


def test_a_failure_of_the_store_reaches_all_of_its_transaction_and_nothing_is_kept(bench: Bench) -> None:
    failure = StorageError("the disk is full", subject="disk", hint="make room")
    bench.ledger.stops[2] = ("before", failure)
    bench.line_up((step(0),), (step(1),), (step(2), step(3)), (step(4),), ())
    first, *failed, nothing = bench.go()
    assert (seqs([first]), nothing) == ([[1]], [])
    assert len({id(error) for error in (failure, *failed)}) == 4
    for error in failed:
        assert isinstance(error, StorageError)
        assert (error.to_wire(), error.__cause__) == (failure.to_wire(), failure)
    assert len(stored(bench.ledger)) == 2
    assert bench.appender.append(step(2), step(3))[1].seq == 3


@pytest.mark.parametrize(("when", "repeated"), [("before", False), ("after", True)])
def test_an_interrupted_leader_leaves_the_others_their_steps(bench: Bench, when: str, repeated: bool) -> None:
    bench.ledger.stops[2] = (when, KeyboardInterrupt())
    bench.line_up((step(0),), (step(1),), (step(2),), (step(3),))
    answers = bench.go()
    kept = int(repeated)  # the interrupted one's own step, when its transaction had ended
    assert seqs(answers) == [[1], KeyboardInterrupt, [2 + kept], [3 + kept]]
    assert [one.repeated for answer in answers if isinstance(answer, list) for one in answer] == [
        False,
        repeated,
        repeated,
    ]
    assert len(stored(bench.ledger)) == 4 + kept
    assert not any(link.breaks for link in links(stored(bench.ledger)))


def test_a_caller_interrupted_in_the_line_takes_its_step_with_it(bench: Bench) -> None:
    bench.line_up((step(0),))
    main = get_ident()

    def interrupt() -> None:
        while len(bench.appender._waiting) < 2:
            Event().wait(0.001)
        pthread_kill(main, SIGINT)

    bench.pool.submit(interrupt)
    with pytest.raises(KeyboardInterrupt):
        bench.appender.append(step(1))
    bench.line_up((step(2),))
    assert seqs(bench.go()) == [[1], [2]]
    assert bench.appender.append(step(1))[0].repeated is False


def test_closing_waits_for_what_was_taken_and_takes_nothing_more(bench: Bench) -> None:
    bench.line_up((step(0),), (step(1),))
    bench.call(bench.appender.close)
    with pytest.raises(UsageError, match="the appender was closed"):
        bench.appender.append(step(2))
    assert bench.go() == [*bench.go()[:2], None]
    bench.appender.close()
    assert len(stored(bench.ledger)) == 3
    assert bench.ledger.transactions == 2


def test_each_caller_has_the_proof_of_its_own_steps(tmp_path: Path) -> None:
    with closing(Bench(tmp_path / "l.sqlite3", key=tmp_path / "keys")) as bench:
        bench.line_up((step(0),), (step(1), step(2)), (step(3, kind="none.such"),), (step(1),), (step(4),))
        answers = bench.go()
        assert seqs(answers) == [[1], [2, 3], InvalidError, [2], [4]]
        raws = dict(stored(bench.ledger))
        done = [one for answer in answers if isinstance(answer, list) for one in answer]
        proofs = [Proof.read(one.proof or b"") for one in done]
        assert [proof.seq for proof in proofs] == [1, 2, 3, 2, 4]
        assert [proof.check(raws[proof.seq]).size for proof in proofs] == [2, 4, 4, 4, 5]


def test_sixteen_threads_lose_and_double_nothing_in_any_store(tmp_path: Path, begin: Begin) -> None:
    with closing(begin(tmp_path / "l.sqlite3")) as ledger:
        appender = Appender(ledger, most=5)

        def work(thread: int) -> list[int]:
            found = []
            for number in range(40):
                # Every fourth step is one that all threads take, and one of them takes first.
                actor = "all" if number % 4 == 0 else f"w{thread}"
                found.append(appender.append(step(number, actor=actor))[0].seq)
            return found

        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(work, range(16)))
        appender.close()
        assert {seq for one in found for seq in one} == set(range(1, 16 * 30 + 10 + 1))
        own = [[seq for number, seq in enumerate(one) if number % 4] for one in found]
        assert own == [sorted(one) for one in own]
        assert not any(link.breaks for link in links(stored(ledger)))
        with ledger.read() as reader:
            assert list(reader.index_breaks()) == []


def test_callers_whose_steps_conflict_are_told_in_any_store(tmp_path: Path, begin: Begin) -> None:
    with closing(begin(tmp_path / "l.sqlite3")) as ledger, ThreadPoolExecutor(8) as pool:
        appender = Appender(ledger)
        bodies = [b'{"plan":%d}' % (number % 4) for number in range(32)]
        called = [
            pool.submit(appender.append, step(1, body=body), step(number + 2))
            for number, body in enumerate(bodies)
        ]
        told = [one.exception() for one in called]
        kept = [one.result() for one, error in zip(called, told, strict=True) if error is None]
        # Of four contents for one key one is first; whoever brings it again has its own second step.
        assert [error for error in told if error is not None and not isinstance(error, ConflictError)] == []
        assert len(kept) == 8
        assert len({first.id for first, _ in kept}) == 1
        assert len(stored(ledger)) == 1 + 1 + 8


def process(path: Path, name: str, threads: int, count: int, room: int = 0) -> "subprocess.Popen[str]":
    arguments = [str(path), name, *map(str, (threads, count, room))]
    command = [sys.executable, "-m", "tests.ledger.many_appender", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def acknowledged(name: str, lines: list[str]) -> dict[tuple[str, str], tuple[int, str]]:
    """What a process said that is durable: actor and number, seq and id."""
    found = {}
    for line in lines:
        thread, number, seq, identity = line.split()
        found[f"{name}{thread}", number] = (int(seq), identity)
    return found


def held(path: Path) -> dict[int, str]:
    """The seqs and ids of a ledger that is whole."""
    with closing(begin_file(path)) as ledger:
        walked = list(links(stored(ledger)))
    assert [found for link in walked for found in link.breaks] == []
    return {link.seq: link.id for link in walked}


def kill_often(path: Path, rounds: int, seed: int) -> None:
    dice = random.Random(seed)
    told: dict[tuple[str, str], tuple[int, str]] = {}
    begin_file(path).close()
    for turn in range(rounds):
        names = (f"a{turn}.", f"b{turn}.")
        running = [process(path, name, 8, 30) for name in names]
        for name, one in zip(names, running, strict=True):
            assert one.stdout is not None
            assert one.stderr is not None
            seen = [one.stdout.readline() for _ in range(dice.randint(0, 60))]
            with suppress(subprocess.TimeoutExpired):
                one.wait(timeout=dice.uniform(0, 0.02))
            one.kill()
            seen += one.stdout.readlines()
            assert one.stderr.read() == ""
            one.wait()
            one.stdout.close()
            one.stderr.close()
            told |= acknowledged(name, [line for line in seen if line])
    assert held(path).items() >= set(told.values())
    assert len({seq for seq, _ in told.values()}) == len(told)


def test_no_acknowledged_step_is_lost_when_processes_are_killed_with_their_threads(tmp_path: Path) -> None:
    kill_often(tmp_path / "l.sqlite3", rounds=2, seed=7)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_no_acknowledged_step_is_lost_however_often_processes_are_killed(tmp_path: Path, seed: int) -> None:
    kill_often(tmp_path / "l.sqlite3", rounds=40, seed=seed)


def test_a_full_disk_tells_every_thread_and_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    with process(path, "w", 8, 2000, room=400_000) as one:
        output, complaints = one.communicate()
    assert (one.returncode, complaints) == (0, "")
    lines = output.splitlines()
    failed = [line for line in lines if line.startswith("error")]
    assert [line.startswith(f"error {path}: the disk reports an error") for line in failed] == [True] * 8
    told = acknowledged("w", [line for line in lines if line not in failed])
    assert len(told) > 8
    kept = held(path)
    assert kept.pop(0) != ""
    assert kept == dict(told.values())

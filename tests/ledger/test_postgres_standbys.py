"""A primary with two synchronous standbys dies while writers append: what was acknowledged is not lost."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from threading import Event

import psycopg
import pytest

from ledger.chain import links
from ledger.postgres import PostgresLedger
from ledger.postgres_url import PostgresUrl
from schemas.errors import StorageError
from tests.ledger.steps import OPENING, Ticking, begin_in, step, stored
from tests.postgres import Server, cluster, programs, wheel

pytestmark = pytest.mark.soak
WRITERS = 4


@pytest.mark.parametrize("standbys", ["FIRST 2 (*)", "ANY 1 (*)"])
def test_a_failover_loses_no_acknowledged_record(standbys: str) -> None:
    with ExitStack() as stack:
        primary = stack.enter_context(cluster())
        others = [stack.enter_context(cluster(copy_of=primary)) for _ in range(2)]
        primary.configure(synchronous_standby_names=standbys)
        primary.reload()
        streaming(primary)
        begin_in(primary.url()).close()
        with (
            pytest.raises(StorageError, match="takes no writing"),
            closing(begin_in(others[0].url())) as standby,
        ):
            standby.append(step(1))

        acknowledged: list[tuple[int, str]] = []
        enough = Event()

        def work(writer: int) -> None:
            with closing(begin_in(primary.url())) as ledger:
                ledger._pause = lambda _: None
                try:
                    for number in range(10_000):
                        [done] = ledger.append(step(number, actor=f"w{writer}"))
                        acknowledged.append((done.seq, done.id))
                        if len(acknowledged) >= 100:
                            enough.set()
                except StorageError:
                    return

        with ThreadPoolExecutor(WRITERS) as pool:
            working = [pool.submit(work, writer) for writer in range(WRITERS)]
            assert enough.wait(60)
            kill(primary)
            for one in working:
                one.result()
        # With ANY 1 only the standby that is further has all (postgresql.org, "synchronous_standby_names").
        successor = max(others, key=received)
        successor.promote()
        hosts = ",".join(f"127.0.0.1:{one.port}" for one in (primary, *others))
        url = primary.url().replace(f"127.0.0.1:{primary.port}", hosts)
        place = PostgresUrl.of(url)
        with closing(PostgresLedger.open(place, Ticking(), create=OPENING)) as ledger:
            records = stored(ledger)
            assert not any(link.breaks for link in links(records))
            kept = {(link.seq, link.id) for link in links(records)}
            assert set(acknowledged) <= kept
            with ledger.read() as reader:
                assert not list(reader.index_breaks())
            # Whoever was not told does it again, and nothing is there twice.
            for writer in range(WRITERS):
                ledger.append(*(step(number, actor=f"w{writer}") for number in range(30)))
            ids = [link.id for link in links(stored(ledger))]
            assert len(ids) == len(set(ids))


@pytest.mark.parametrize("binaries", wheel(), ids=lambda place: place.parent.name)
def test_the_versions_in_the_wheel_serve_as_well(binaries: object) -> None:
    with cluster(binaries) as server, closing(begin_in(server.url())) as ledger:  # type: ignore[arg-type]
        ledger.append(*map(step, range(20)))
        server.restart("immediate")
        ledger.append(step(20))
        with ledger.read() as reader:
            assert not list(reader.index_breaks())
        assert len(stored(ledger)) == 22
        assert programs() != binaries


def streaming(primary: Server) -> None:
    """Wait until both standbys are what a commit waits for."""
    with psycopg.connect(primary.url(), autocommit=True) as other:
        asked = "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
        while other.execute(asked).fetchone() != (2,):
            pass


def kill(server: Server) -> None:
    """End every process of a server as a fall of power does."""
    with psycopg.connect(server.url(), autocommit=True) as other:
        found = other.execute("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()").fetchall()
        for pid in [server.pid, *(one for (one,) in found)]:
            os.kill(pid, signal.SIGKILL)


def received(server: Server) -> int:
    """How far a standby has what the primary wrote."""
    with psycopg.connect(server.url(), autocommit=True) as other:
        found = other.execute("SELECT pg_last_wal_receive_lsn() - '0/0'").fetchone()
        assert found
        return int(found[0])

"""PostgreSQL stops, loses a connection, undoes a transaction: nothing acknowledged is lost or doubled."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from ledger.chain import links
from ledger.postgres import PostgresLedger
from ledger.postgres_session import CollidedError, LostError, Session
from ledger.postgres_url import PostgresUrl
from ledger.store import Writer
from schemas.errors import BusyError, IntegrityError, StorageError
from tests.ledger.postgres_proxy import Cut, Proxy
from tests.ledger.signing import signing
from tests.ledger.steps import OPENING, Ticking, begin_in, step, stored
from tests.postgres import Server, cluster


@contextmanager
def opened(url: str, timeout_seconds: float = 10.0) -> Iterator[PostgresLedger]:
    """The log of that database, begun if need be, by an object that never waits before it tries again."""
    begin_in(url).close()
    place = PostgresUrl.of(url)
    ledger = PostgresLedger(place, Ticking(), timeout_seconds, pause=lambda _: None)
    try:
        yield ledger
    finally:
        ledger.close()


def whole(ledger: PostgresLedger) -> list[int]:
    """The seqs of a log whose chain and indexes hold."""
    records = stored(ledger)
    assert not any(link.breaks for link in links(records))
    with ledger.read() as reader:
        assert not list(reader.index_breaks())
    return [seq for seq, _ in records]


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_connection_lost_in_the_commit_is_one_record_in_the_end(
    postgres: Server, database: str, cut: Cut
) -> None:
    with (
        Proxy(postgres, b"COMMIT") as proxy,
        opened(database) as direct,
        opened(proxy.url(database)) as ledger,
    ):

        def cutting(writer: Writer) -> str:
            done = writer.append(step(1))
            proxy.armed = "never" if proxy.cuts else cut
            return done.id

        identity = ledger.run(cutting)
        assert proxy.cuts == 1
        [again] = direct.append(step(1))
        assert (again.id, again.seq, again.repeated) == (identity, 1, True)
        assert whole(direct) == [0, 1]
        assert ledger.append(step(2))[0].seq == 2


@pytest.mark.parametrize(("cut", "kept"), [("before", False), ("after", True)])
def test_a_block_whose_commit_was_lost_is_told_what_became_of_it(
    postgres: Server, database: str, cut: Cut, kept: bool
) -> None:
    def block(ledger: PostgresLedger, proxy: Proxy) -> None:
        with ledger.write() as writer:
            writer.append(step(1))
            proxy.armed = cut

    with Proxy(postgres, b"COMMIT") as proxy, opened(proxy.url(database)) as ledger:
        if kept:
            block(ledger, proxy)
        else:
            with pytest.raises(LostError, match="nothing was kept") as caught:
                block(ledger, proxy)
            assert caught.value.retryable
        assert whole(ledger) == [0, 1] if kept else [0]


def test_a_proof_from_a_lost_commit_is_good(postgres: Server, database: str, tmp_path: Path) -> None:
    key = signing(tmp_path)
    with Proxy(postgres, b"COMMIT") as proxy:
        place = PostgresUrl.of(proxy.url(database))
        opening = OPENING._replace(origin=None)
        ledger = PostgresLedger.open(place, Ticking(), create=opening, signing=key)
        before = key.published_note()
        with ledger.write() as writer:
            writer.append(step(1))
            proxy.armed = "after"
        assert proxy.cuts == 1
        assert key.published_note() != before
        [done] = ledger.append(step(1))
        assert done.repeated
        with ledger.read() as reader:
            assert reader.last_checkpoint() == key.published_note()
        ledger.close()


def test_a_connection_lost_before_the_commit_costs_nothing_but_another_try(
    postgres: Server, database: str
) -> None:
    with Proxy(postgres, b"COMMIT") as proxy, opened(proxy.url(database)) as ledger:
        proxy.armed, proxy.at = "before", b""
        assert ledger.append(step(1))[0].seq == 1  # an idle connection that is lost is replaced

        def cutting(writer: Writer) -> int:
            proxy.armed = "before" if proxy.cuts == 1 else "never"
            return writer.append(step(2)).seq

        assert ledger.run(cutting) == 2
        assert proxy.cuts == 2
        assert whole(ledger) == [0, 1, 2]


def test_a_new_connection_that_is_lost_at_once_is_tried_again(postgres: Server, database: str) -> None:
    with Proxy(postgres, b"FOR UPDATE") as proxy, opened(proxy.url(database)) as ledger:
        ledger._idle.pop().close()
        proxy.armed = "before"
        assert ledger.append(step(1))[0].seq == 1
        assert proxy.cuts == 1


def test_nothing_to_commit_is_not_looked_for(postgres: Server, database: str) -> None:
    with Proxy(postgres, b"COMMIT") as proxy, opened(proxy.url(database)) as ledger:
        with ledger.write():
            proxy.armed = "before"
        assert proxy.cuts == 1
        assert whole(ledger) == [0]


def test_a_server_that_crashes_loses_no_record_and_is_found_again() -> None:
    with cluster() as server, opened(server.url()) as ledger:
        assert ledger.append(step(1))[0].seq == 1
        server.restart("immediate")
        assert ledger.append(step(2))[0].seq == 2
        crashed: list[object] = []

        def crashing(writer: Writer) -> int:
            done = writer.append(step(3))
            if not crashed:
                server.restart("immediate")
                crashed.append(done)
            return done.seq

        assert ledger.run(crashing) == 3
        with pytest.raises(LostError, match="the connection was lost"):
            crash_in_a_block(ledger, server)
        assert whole(ledger) == [0, 1, 2, 3]
        server.stop()
        for late in (lambda: ledger.append(step(4)), lambda: begin_in(server.url())):
            with pytest.raises(StorageError, match="cannot be reached"):
                late()


def crash_in_a_block(ledger: PostgresLedger, server: Server) -> None:
    with ledger.write() as writer:
        writer.append(step(4))
        server.restart("immediate")
        writer.head()


def test_a_commit_that_no_standby_confirms_is_given_up_and_found_later() -> None:
    with cluster() as server:
        begin_in(server.url()).close()
        name_a_standby(server)
        with opened(server.url(), timeout_seconds=0.05) as ledger:
            ledger._idle[0]._seconds = 0.3
            with pytest.raises(StorageError, match="may have been kept or not") as caught:
                ledger.append(step(1))
            assert "do the same step again" in str(caught.value.hint)
        server.configure(synchronous_standby_names="")
        server.reload()
        with opened(server.url()) as later:
            [again] = later.append(step(1))
            assert (again.seq, again.repeated) == (1, True)
            assert whole(later) == [0, 1]


def name_a_standby(server: Server) -> None:
    """From here on every commit waits for a standby that there is not."""
    server.configure(synchronous_standby_names="nobody")
    server.reload()
    with psycopg.connect(server.url(), autocommit=True) as other:
        while other.execute("SHOW synchronous_standby_names").fetchone() != ("nobody",):
            pass


def test_a_cancelled_wait_for_a_standby_is_no_acknowledgement() -> None:
    with cluster() as server, opened(server.url()) as ledger:
        name_a_standby(server)
        ended: list[object] = []

        def append() -> None:
            with suppress(StorageError):
                ended.append(ledger.append(step(1))[0].seq)

        writing = Thread(target=append)
        with psycopg.connect(server.url(), autocommit=True) as other:
            writing.start()
            waiting = (
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
                " WHERE wait_event = 'SyncRep' AND pid <> pg_backend_pid()"
            )
            while not other.execute(waiting).fetchall():
                pass
            # Whoever asks for the record's fate now waits for the standby too.
            while not other.execute(waiting).fetchall():
                assert not ended
            server.configure(synchronous_standby_names="")
            server.reload()
        writing.join()
        assert ended == [1]
        assert whole(ledger) == [0, 1]


FUSE = """
CREATE SEQUENCE public.fuse;
CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('public.fuse') <= {times} THEN RAISE EXCEPTION 'as told' USING ERRCODE = '{code}'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fail BEFORE INSERT ON external_evidence.records FOR EACH ROW EXECUTE FUNCTION public.fail();
"""


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("40001", CollidedError),
        ("40P01", CollidedError),
        ("55P03", BusyError),
        ("57014", StorageError),
        ("53100", StorageError),
        ("58030", StorageError),
        ("XX001", IntegrityError),
    ],
)
def test_what_the_server_says_has_one_meaning(database: str, code: str, kind: type[StorageError]) -> None:
    def block(ledger: PostgresLedger) -> None:
        with ledger.write() as writer:
            writer.append(step(1))

    with opened(database) as ledger:
        with psycopg.connect(database, autocommit=True) as other:
            other.execute(FUSE.format(times=1, code=code).encode())
            with pytest.raises(kind, match=r"as told|held by another") as caught:
                block(ledger)
            assert "geheim" not in str(caught.value)
            other.execute("DROP TRIGGER fail ON external_evidence.records")
        block(ledger)
        assert [seq for seq, _ in stored(ledger)] == [0, 1]


def test_what_the_server_undoes_is_done_again_a_few_times(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as other:
        with opened(database) as ledger:
            other.execute(FUSE.format(times=1, code="40001").encode())
            with pytest.raises(IntegrityError, match="other tables, keys, triggers"):
                ledger.append(step(1))  # on a connection that sees the trigger
            other.execute("DROP TRIGGER fail ON external_evidence.records")
            other.execute("ALTER SEQUENCE public.fuse RESTART")
        with opened(database) as ledger:
            ledger._connect = lambda: Session(ledger._place, 10, readonly=False)  # type: ignore[method-assign]
            other.execute(FUSE[FUSE.index("CREATE TRIGGER") :].encode())
            assert ledger.append(step(1))[0].seq == 1
            other.execute(
                FUSE[: FUSE.index("CREATE TRIGGER")]
                .partition(";")[2]
                .replace("CREATE F", "CREATE OR REPLACE F")
                .format(times=99, code="40001")
                .encode()
            )
            with pytest.raises(BusyError, match="as told"):
                ledger.append(step(2))
            assert [seq for seq, _ in stored(ledger)] == [0, 1]


def test_an_error_that_the_caller_swallows_does_not_become_success(database: str) -> None:
    def goes_on(ledger: PostgresLedger) -> None:
        with ledger.write() as writer:
            with suppress(IntegrityError):
                writer.append(step(1))
                list(writer.records())
            writer.append(step(2))

    with opened(database) as ledger:
        with psycopg.connect(database, autocommit=True) as other:
            other.execute(FUSE.format(times=1, code="XX001").encode())
            with pytest.raises(StorageError, match="failed before"):
                goes_on(ledger)
            other.execute("DROP TRIGGER fail ON external_evidence.records")
        assert [seq for seq, _ in stored(ledger)] == [0]


def test_a_connection_that_is_lost_while_it_is_set_up_is_told(postgres: Server, database: str) -> None:
    with Proxy(postgres, b"search_path") as proxy:
        proxy.armed = "before"
        with pytest.raises(StorageError, match="server closed the connection"):
            begin_in(proxy.url(database))
        assert proxy.cuts == 1


def test_an_interrupted_wait_leaves_a_ledger_that_goes_on(database: str) -> None:
    def interrupt(writer: Writer) -> None:
        writer.append(step(1))
        raise KeyboardInterrupt

    with opened(database) as ledger:
        with pytest.raises(KeyboardInterrupt):
            ledger.run(interrupt)
        assert ledger.append(step(2))[0].seq == 1

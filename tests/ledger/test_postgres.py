"""The ledger in PostgreSQL: the same bytes as in a file, several logs, many writers, no rights to spare."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import psycopg
import pytest

from ledger.chain import links
from ledger.erasure import erase
from ledger.forms import open_log
from ledger.places import is_begun
from ledger.postgres import PostgresLedger, PostgresReadonly
from ledger.postgres_session import NoPostgresLedgerError, NoRightError, Session
from ledger.postgres_url import PostgresUrl
from ledger.postgres_view import Statements
from ledger.sqlite import SqliteLedger
from ledger.sqlite_file import NoLedgerError
from ledger.store import MOST_BODY_BYTES, Ledger, registration
from schemas.canonical import digest_bytes
from schemas.errors import BusyError, ConflictError, EvidenceError, IntegrityError, UsageError
from tests.ledger.signing import signing
from tests.ledger.steps import OPENING, SCHEMA, Ticking, begin, begin_in, name_of, step, stored
from tests.postgres import Server

STEPS = [*(step(number) for number in range(5)), registration("me", "plan_v0", b"{}"), step(1)]


def told(ledger: Ledger) -> list[object]:
    """All that a ledger says of itself."""
    with ledger.read() as reader:
        return [
            list(reader.records()),
            list(reader.checkpoints()),
            [reader.subtree(level, 0) for level in range(3)],
            reader.of_subject(name_of(1)),
            reader.ids_like(name_of(1)[7:12]),
            reader.latest("plan.created"),
            reader.has_schema("plan_v0", digest_bytes(b"{}")),
            reader.body(digest_bytes(b'{"plan":1}')),
            list(reader.index_breaks()),
        ]


def test_both_stores_hold_the_same_bytes(tmp_path: Path, database: str) -> None:
    with closing(begin(tmp_path / "l")) as file, closing(begin_in(database)) as log:
        assert file.append(*STEPS) == log.append(*STEPS)
        assert told(file) == told(log)


def test_both_stores_sign_the_same_checkpoints_and_give_the_same_proofs(
    tmp_path: Path, database: str
) -> None:
    made: list[Ledger] = []
    opening = OPENING._replace(origin=None)
    key = signing(tmp_path / "one")
    made.append(SqliteLedger.open(tmp_path / "l", Ticking(), create=opening, signing=key))
    key = signing(tmp_path / "two")
    made.append(PostgresLedger.open(PostgresUrl.of(database), Ticking(), create=opening, signing=key))
    file, log = made
    for one in STEPS:
        assert file.append(one) == log.append(one)
    assert file.append(step(8), step(9)) == log.append(step(8), step(9))
    assert told(file) == told(log)
    with pytest.raises(UsageError, match="signed by"):
        keyless(database)
    for ledger in made:
        ledger.close()


def keyless(url: str) -> None:
    with closing(begin_in(url)) as ledger:
        ledger.append(step(1))


@pytest.mark.parametrize(("writers", "steps"), [(4, 25), pytest.param(16, 200, marks=pytest.mark.soak)])
def test_many_writers_append_to_one_log(database: str, writers: int, steps: int) -> None:
    begin_in(database).close()

    def work(writer: int) -> list[int]:
        with closing(begin_in(database, timeout_seconds=60)) as ledger:
            return [ledger.append(step(number, actor=f"w{writer}"))[0].seq for number in range(steps)]

    with ThreadPoolExecutor(writers) as pool:
        seqs = [seq for found in pool.map(work, range(writers)) for seq in found]
    assert sorted(seqs) == list(range(1, writers * steps + 1))
    with closing(begin_in(database)) as ledger:
        assert not any(link.breaks for link in links(stored(ledger)))
        with ledger.read() as reader:
            assert not list(reader.index_breaks())


def test_several_may_begin_it_at_once(database: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(begin_in, [database] * 4))
    assert len({bytes(stored(ledger)[0][1]) for ledger in made}) == 1
    for ledger in made:
        ledger.close()


def test_a_database_holds_several_logs_that_know_nothing_of_each_other(database: str) -> None:
    place = PostgresUrl.of(database)
    one = PostgresLedger.open(place.of_log("one/log"), Ticking(), create=OPENING._replace(origin=None))
    assert str(one.append(step(1))[0].record.log) == "one/log"
    two = PostgresLedger.open(place, Ticking(), create=OPENING._replace(origin="two/log"))
    assert two.append(step(1))[0].seq == 1
    assert [len(stored(ledger)) for ledger in (one, two)] == [2, 2]
    with pytest.raises(UsageError, match="holds 2 logs") as caught:
        PostgresReadonly(place)
    assert caught.value.hint == "name one after a #: one/log, two/log"
    with pytest.raises(UsageError, match="holds 2 logs"):
        PostgresLedger.open(place, Ticking(), create=OPENING._replace(origin=None))
    for name in ("one/log", "two/log"):
        with closing(PostgresReadonly(place.of_log(name))) as log:
            assert str(log._place).endswith(f"#{name}")
    with pytest.raises(NoPostgresLedgerError):
        PostgresReadonly(place.of_log("three/log"))
    with pytest.raises(UsageError, match="two names"):
        PostgresLedger.open(place.of_log("one/log"), Ticking(), create=OPENING)
    for ledger in (one, two):
        ledger.close()


def test_an_empty_database_is_begun_by_name_or_by_chance(database: str) -> None:
    place = PostgresUrl.of(database)
    assert not is_begun(place)
    with pytest.raises(NoPostgresLedgerError, match="no tables of ours") as caught:
        PostgresLedger.open(place, Ticking())
    assert caught.value.hint == "`ledger init` begins one"
    with psycopg.connect(database, autocommit=True) as other:
        other.execute("CREATE SCHEMA external_evidence")  # by whoever may, for one who may not
    opening = OPENING._replace(origin=None)
    with closing(PostgresLedger.open(place, Ticking(), create=opening)) as ledger:
        assert ledger.append(step(1))[0].record.log.startswith("external-evidence/")
    assert is_begun(place)
    with closing(PostgresLedger.open(place, Ticking(), create=opening)) as ledger:
        assert len(stored(ledger)) == 2


def test_who_may_only_select_can_audit_and_nothing_else(postgres: Server, database: str) -> None:
    begin_in(database).close()
    role = database.rpartition("/")[2]
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(f"CREATE ROLE auditor_{role} LOGIN PASSWORD 'read'".encode())
        other.execute(f"GRANT USAGE ON SCHEMA external_evidence TO auditor_{role}".encode())
        other.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA external_evidence TO auditor_{role}".encode())
    place = PostgresUrl.of(postgres.url(role, user=f"auditor_{role}", password="read"))  # noqa: S106
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(f"REVOKE USAGE ON SCHEMA external_evidence FROM auditor_{role}".encode())
        for look in (lambda: open_log(place), lambda: is_begun(place)):
            with pytest.raises(NoRightError, match="no right to the schema external_evidence") as refused:
                look()
            assert "GRANT USAGE" in str(refused.value.hint)
        other.execute(f"GRANT USAGE ON SCHEMA external_evidence TO auditor_{role}".encode())
    with closing(open_log(place)) as log, log.read() as reader:
        assert [seq for seq, _ in reader.records()] == [0]
        assert not list(reader.index_breaks())
    with closing(PostgresLedger.open(place, Ticking())) as ledger:
        with pytest.raises(NoRightError, match="no right to do that") as caught:
            ledger.append(step(1))
        assert (caught.value.exit_status, caught.value.retryable) == (3, False)
        assert len(stored(ledger)) == 1
    with pytest.raises(NoRightError, match="no right"):
        PostgresLedger.open(place, Ticking(), create=OPENING._replace(origin="another/log"))


def test_who_appends_needs_no_right_to_change_or_delete_a_record(postgres: Server, database: str) -> None:
    begin_in(database).close()
    role = database.rpartition("/")[2]
    grants = (
        f"CREATE ROLE keeper_{role} LOGIN PASSWORD 'write'",
        f"GRANT USAGE ON SCHEMA external_evidence TO keeper_{role}",
        f"GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA external_evidence TO keeper_{role}",
        f"GRANT UPDATE ON external_evidence.head, external_evidence.bodies TO keeper_{role}",
    )
    with psycopg.connect(database, autocommit=True) as other:
        for grant in grants:
            other.execute(grant.encode())
    url = postgres.url(role, user=f"keeper_{role}", password="write")  # noqa: S106
    with closing(begin_in(url)) as ledger:
        assert [one.seq for one in ledger.append(*STEPS)] == [1, 2, 3, 4, 5, 6, 2]
        assert erase(ledger, name_of(1), "asked for", "me").bodies == 1
    with psycopg.connect(url, autocommit=True) as keeper:
        for change in (
            "DELETE FROM external_evidence.records",
            "UPDATE external_evidence.records SET raw = ''",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                keeper.execute(change.encode())


def test_a_session_is_never_less_durable_than_the_standbys_that_the_server_names(database: str) -> None:
    begin_in(database).close()
    name = database.rpartition("/")[2]
    for stated, used in [("off", "on"), ("local", "on"), ("remote_write", "on"), ("remote_apply",) * 2]:
        with psycopg.connect(database, autocommit=True) as other:
            other.execute(f"ALTER DATABASE {name} SET synchronous_commit = {stated}".encode())
        session = Session(PostgresUrl.of(database), 10, readonly=False)
        assert session.rows(b"SHOW synchronous_commit") == [(used,)]
        assert session.rows(b"SHOW search_path") == [("external_evidence, pg_catalog",)]
        session.close()


@pytest.mark.parametrize(
    "damage",
    [
        "CREATE TABLE external_evidence.more (a INTEGER)",
        "CREATE VIEW external_evidence.more AS SELECT 1 AS a",
        "DROP TABLE external_evidence.checkpoints",
        "DROP TABLE external_evidence.layout",
        "ALTER TABLE external_evidence.records ADD COLUMN more INTEGER",
        "ALTER TABLE external_evidence.records ALTER COLUMN kind SET DEFAULT ''",
        "ALTER TABLE external_evidence.records ALTER COLUMN kind DROP NOT NULL",
        'ALTER TABLE external_evidence.records ALTER COLUMN kind TYPE TEXT COLLATE "POSIX"',
        "ALTER TABLE external_evidence.records DROP CONSTRAINT records_log_prev_key",
        "ALTER TABLE external_evidence.records DROP CONSTRAINT records_seq_check",
        "ALTER TABLE external_evidence.bodies ADD CHECK (length(bytes) < 9) NOT VALID",
        "CREATE TABLE public.more () INHERITS (external_evidence.bodies)",
        "ALTER TABLE external_evidence.records ENABLE ROW LEVEL SECURITY",
        "CREATE INDEX more ON external_evidence.records (kind)",
        "CREATE UNIQUE INDEX more ON external_evidence.records (log, kind) WHERE seq < 0",
        "CREATE RULE more AS ON INSERT TO external_evidence.records DO INSTEAD NOTHING",
        "CREATE TRIGGER t AFTER DELETE ON external_evidence.head EXECUTE FUNCTION public.nothing()",
    ],
)
def test_tables_that_are_not_as_we_made_them_are_no_ledger(database: str, damage: str) -> None:
    begin_in(database).close()
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(
            "CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
        )
        other.execute(damage.encode())
    place = PostgresUrl.of(database)
    for use in (partial(begin_in, database), partial(PostgresReadonly, place)):
        with pytest.raises(IntegrityError, match="other tables, keys, triggers or rules") as caught:
            use()
        assert not isinstance(caught.value, NoLedgerError)


def test_a_row_below_the_first_is_refused_and_a_body_of_nobody_is_told(database: str) -> None:
    begin_in(database).close()
    with psycopg.connect(database, autocommit=True) as other:
        for below in (
            "UPDATE external_evidence.records SET seq = -1",
            "INSERT INTO external_evidence.checkpoints SELECT log, 0, '' FROM external_evidence.head",
        ):
            with pytest.raises(psycopg.errors.CheckViolation):
                other.execute(below.encode())
        other.execute("INSERT INTO external_evidence.bodies SELECT log, 'a', 'b' FROM external_evidence.head")
    with closing(PostgresReadonly(PostgresUrl.of(database))) as log, log.read() as reader:
        assert [(one.field, one.found) for one in reader.index_breaks()] == [("body", b"a".hex())]


def test_a_layout_that_this_version_does_not_know_is_refused_by_its_number(database: str) -> None:
    begin_in(database).close()
    with psycopg.connect(database, autocommit=True) as other:
        other.execute("UPDATE external_evidence.layout SET version = 9")
    with pytest.raises(NoLedgerError, match="has layout 9; this version reads 2"):
        begin_in(database)


def test_a_log_that_was_dropped_and_begun_again_is_not_gone_on_with(database: str) -> None:
    with closing(begin_in(database)) as ledger:
        with psycopg.connect(database, autocommit=True) as other:
            other.execute("DROP SCHEMA external_evidence CASCADE")
            with pytest.raises(EvidenceError, match=r"no ledger|lost"):
                ledger.append(step(1))
        place = PostgresUrl.of(database)
        PostgresLedger.open(place, Ticking(), create=OPENING._replace(origin="another/log")).close()
        with pytest.raises(IntegrityError, match="not the log that was opened"):
            ledger.append(step(1))


def test_a_history_that_was_exchanged_under_a_writer_gets_a_tree_of_its_own(database: str) -> None:
    with closing(begin_in(database)) as ledger, closing(begin_in(database)) as other:
        ledger.append(step(1), step(2))
        with psycopg.connect(database, autocommit=True) as keeper:
            keeper.execute("DROP SCHEMA external_evidence CASCADE")
        begin_in(database).close()
        other.append(*map(step, range(10, 20)))
        assert ledger.append(step(3))[0].seq == 11
        with ledger.read() as reader:
            assert not list(reader.index_breaks())


def test_an_erased_body_is_gone_and_cannot_be_appended_again(database: str) -> None:
    with closing(begin_in(database)) as ledger:
        ledger.append(step(1), step(2))
        done = erase(ledger, name_of(1), "asked for", "me")
        assert (done.bodies, done.record is not None) == (1, True)
        assert done.left is not None
        assert "VACUUM" in done.left
        with ledger.read() as reader:
            assert reader.body(digest_bytes(b'{"plan":1}')) is None
            assert reader.body(digest_bytes(b'{"plan":2}')) is not None
            assert not list(reader.index_breaks())
        with pytest.raises(ConflictError):
            ledger.append(step(1, command="once more"))
        assert [seq for seq, _ in stored(ledger)] == [0, 1, 2, 3, 4]


def test_tables_that_cannot_be_made_are_tried_a_few_times(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(
            "CREATE FUNCTION public.not_now() RETURNS event_trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; END $$"
        )
        other.execute("CREATE EVENT TRIGGER not_now ON ddl_command_start EXECUTE FUNCTION public.not_now()")
        with pytest.raises(BusyError, match="being begun by others"):
            begin_in(database)
        other.execute("DROP EVENT TRIGGER not_now")
    begin_in(database).close()


def test_a_ledger_that_was_closed_takes_nothing_more_and_ends_what_it_had_begun(database: str) -> None:
    ledger = begin_in(database)
    with ledger.write() as writer:
        writer.append(step(1))
        ledger.close()
        ledger.close()
    for late in (lambda: ledger.append(step(2)), lambda: stored(ledger)):
        with pytest.raises(UsageError, match="was closed"):
            late()
    with closing(begin_in(database)) as again:
        assert len(stored(again)) == 2
        assert again.signing is None


def test_a_body_that_fills_every_buffer_is_kept(database: str) -> None:
    body = b'"%s"' % ("试\x7f".encode() * ((MOST_BODY_BYTES - 2) // 4))
    with closing(begin_in(database)) as ledger:
        ledger.append(step(1, body=body), step(2, body=b'"%s' % body[5:]))
        with ledger.read() as reader:
            assert reader.body(digest_bytes(body)) == body


def test_a_statement_that_would_reach_every_log_is_not_sent() -> None:
    with pytest.raises(ValueError, match="every log"):
        Statements(1)["DELETE FROM records"]


def test_the_schema_of_a_step_is_found_by_its_digest(database: str) -> None:
    with closing(begin_in(database)) as ledger, ledger.read() as reader:
        assert not reader.has_schema("a\0b", SCHEMA)

"""A key begins one log in PostgreSQL, whatever comes between its first checkpoint and the commit."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from ledger.postgres import PostgresLedger
from ledger.postgres_url import PostgresUrl
from ledger.signing import Signing
from schemas.errors import ConflictError, EvidenceError, IntegrityError
from tests.ledger.postgres_proxy import Cut, Proxy
from tests.ledger.signing import opened, signing
from tests.ledger.steps import OPENING, Ticking, stored
from tests.postgres import Server

# The commit fails for certain: a trigger of the table that is just being made waits for it.
LATE = """
CREATE FUNCTION public.never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'never'; END $$;
CREATE FUNCTION public.arm() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF 'external_evidence.head' IN (SELECT object_identity FROM pg_event_trigger_ddl_commands()) THEN
        CREATE CONSTRAINT TRIGGER late AFTER INSERT ON external_evidence.head
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.never();
    END IF;
END $$;
CREATE EVENT TRIGGER arm ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.arm();
"""


def begun(url: str, key: Signing, clock: Callable[[], datetime] | None = None) -> PostgresLedger:
    """The log of that key."""
    opening = OPENING._replace(origin=None)
    return PostgresLedger.open(PostgresUrl.of(url), clock or Ticking(), create=opening, signing=key)


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_beginning_whose_commit_was_lost_is_one_log_in_the_end(
    postgres: Server, database: str, tmp_path: Path, cut: Cut
) -> None:
    key = signing(tmp_path)
    with Proxy(postgres, b"COMMIT\0") as proxy:
        proxy.armed = cut
        with closing(begun(proxy.url(database), key)) as ledger:
            assert proxy.cuts == 1
            assert len(stored(ledger)) == 1
            with ledger.read() as reader:
                assert reader.last_checkpoint() == key.published_note()


def test_a_key_that_begins_another_ledger_meanwhile_begins_no_second_one(
    database: str, tmp_path: Path
) -> None:
    ticking, elsewhere = Ticking(), tmp_path / "elsewhere"
    key = signing(elsewhere / "keys")

    def quicker() -> datetime:
        if not (elsewhere / "l.sqlite3").exists():
            opened(elsewhere).close()
        return ticking()

    with pytest.raises(ConflictError, match="the key has signed a ledger before"):
        begun(database, key, quicker)
    with closing(opened(elsewhere)) as other, other.read() as reader:
        assert reader.last_checkpoint() == key.published_note()
    with pytest.raises(EvidenceError, match="has no tables of ours"):
        PostgresLedger.open(PostgresUrl.of(database), ticking)


def test_a_beginning_that_the_server_refuses_leaves_the_key_unused(database: str, tmp_path: Path) -> None:
    key = signing(tmp_path)
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(LATE.encode())
        with pytest.raises(IntegrityError, match="never"):
            begun(database, key)
        assert key.published_note() is None
        other.execute("DROP EVENT TRIGGER arm")
    with closing(begun(database, key)) as ledger, ledger.read() as reader:
        assert reader.last_checkpoint() == key.published_note()

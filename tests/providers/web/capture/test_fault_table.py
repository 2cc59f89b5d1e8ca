"""The fault table of capture: what a hostile URL, name service or server does, and what comes of it."""

import sys

import pytest

from tests.providers.web.capture.fault_case import Case
from tests.providers.web.capture.faults_before import NAMES, URLS
from tests.providers.web.capture.faults_of_the_answer import BODIES, HEADS, REDIRECTS, SLOW, STATUSES
from tests.providers.web.capture.peer import Peer, Watch, answering, fetcher, in_time, policy

GROUPS = {
    "url": URLS,
    "name service": NAMES,
    "head": HEADS,
    "body": BODIES,
    "status": STATUSES,
    "redirect": REDIRECTS,
    "slow": SLOW,
}
CASES = [pytest.param(case, id=f"{group}: {case.name}") for group, cases in GROUPS.items() for case in cases]
QUIET = {id(case) for case in (*URLS, *NAMES)}


@pytest.mark.parametrize("case", CASES)
def test_a_hostile_case_ends_in_its_state_and_leaks_nothing(case: Case, peer: Peer, watch: Watch) -> None:
    peer.answers["/"] = case.answer
    changes = dict(case.changes)
    if case in NAMES:
        changes["allow_networks"] = ()
    capture = fetcher(policy(peer, **changes), answering(*case.resolved))
    with watch.watching():
        fetched = in_time(lambda: capture.fetch(case.url.replace("{port}", str(peer.port))))
    assert (fetched.state, fetched.reason) == (case.state, case.reason)
    assert (fetched.body, fetched.byte_size, fetched.sha256, fetched.framing) == (b"", 0, "", None)
    asked_for = [] if id(case) in QUIET else [("127.0.0.1", peer.port)]
    assert (watch.connections, watch.lookups) == (asked_for, [])
    assert peer.requests == [expected_request(peer)] * len(asked_for)


def expected_request(peer: Peer) -> bytes:
    return (
        f"GET / HTTP/1.1\r\nHost: page.test:{peer.port}\r\n"
        "User-Agent: external-evidence (captures single pages)\r\n"
        "Accept: text/html, application/xhtml+xml, application/pdf, text/plain;q=0.9, */*;q=0.5\r\n"
        "Accept-Encoding: gzip, identity\r\nConnection: close\r\n\r\n"
    ).encode()


def test_the_fault_table_is_wide_and_names_every_case_once() -> None:
    rows = [(group, case.name, case.state, case.reason) for group, cases in GROUPS.items() for case in cases]
    for group, name, state, reason in rows:  # shown by pytest -rP
        sys.stdout.write(f"{group:13} {name:34} {state:9} {reason}\n")
    assert len({row[:2] for row in rows}) == len(rows) >= 200

"""The command line in a network where everybody lies: it reaches only what is public, leaks nothing, ends.

Every address leads to the servers of this suite, so a connection to a forbidden one would succeed and be
seen. Where no network namespace can be made the reason is told; CI=true requires one.
"""

import hashlib
import ipaddress
import json
import os
import sys
from collections import Counter

import pytest

from tests.netns.case import Case, filled
from tests.netns.network import NAMESERVER
from tests.netns.running import CONTROL, CONTROLS
from tests.netns.seen import NoNamespaceError, Seen, plain, see
from tests.netns.servers import SECRET
from tests.netns.table import CASES

MOST_KIB = 64 << 10
# Functional: what comes after the fetch, and the interpreter's end, on a machine that does much else besides.
MARGIN = 5.0
MOST_WORK = (
    20.0  # seconds of processor time, many times what is needed: what grows faster than its input is found
)
FIELDS = ["Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"]
# Public by the registries, and not by anybody's use of it.
USED_INSIDE = {"168.63.129.16"}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    try:
        return see(tmp_path_factory.mktemp("netns"))
    except NoNamespaceError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no network namespace can be made here: {error}")


def expected(case: Case, number: int) -> tuple[str, str, str, str]:
    captured = case.state == "captured"
    digest = hashlib.sha256(case.content()).hexdigest() if captured else ""
    return case.state, filled(case.reason, number), digest, filled(case.final, number) if captured else ""


def found(seen: Seen, number: int) -> tuple[str, str, str, str]:
    answer = json.loads(seen.ended[number].out)
    state, reason = answer["state"], answer.get("reason", "")
    wanted = filled(CASES[number].reason, number)
    if wanted.endswith("…") and reason.startswith(wanted[:-1]):
        reason = wanted
    captured = state == "captured"
    return state, reason, answer.get("sha256", ""), answer.get("finalUrl", "") if captured else ""


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.name for case in CASES])
def test_a_case_ends_in_its_state_and_reaches_nobody_else(seen: Seen, number: int) -> None:
    case, ended = CASES[number], seen.ended[number]
    assert found(seen, number) == expected(case, number)
    assert ended.status == (0 if case.state == "captured" else 1), ended.err
    assert all("capturing:" in line for line in ended.err.splitlines()), ended.err
    assert seen.reached(number) == {filled(one, number) for one in case.reached}
    assert seen.asked(number) == {filled(one, number) for one in case.asked}


def test_there_are_enough_cases_and_each_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 100
    assert sum(case.fresh for case in CASES) >= 20


def test_a_connection_to_a_forbidden_address_would_be_seen(seen: Seen) -> None:
    assert {(one.address, one.port) for one in seen.attempts if one.kind == "tcp"} >= set(CONTROLS)
    answered = {(plain(one.address), one.port) for one in seen.heard if one.request == CONTROL}
    assert answered == {(address, port) for address, port in CONTROLS if port != 9}


def test_nothing_else_is_sent_to_anybody(seen: Seen) -> None:
    assert (seen.beyond(), seen.missed) == ([], 0)


def test_no_address_that_is_not_public_is_connected_to(seen: Seen) -> None:
    connected = {one.address for one in seen.attempts if one.kind == "tcp"}
    connected |= {plain(one.address) for one in seen.heard}
    connected -= {address for address, _ in CONTROLS}
    closed = {one for one in connected if not ipaddress.ip_address(one).is_global}
    assert closed | (connected & USED_INSIDE) == set()
    inside = SECRET.decode().partition(":")[0]
    assert [ended.out for ended in seen.ended.values() if inside in ended.out] == []


def test_only_the_ports_of_the_web_are_connected_to(seen: Seen) -> None:
    made = {
        (one.address, one.port) for one in seen.attempts if one.kind == "tcp" and one.port not in (80, 443)
    }
    allowed = {number for number, case in enumerate(CASES) if "--allow-port" in case.options}
    made -= {(NAMESERVER, 53), *CONTROLS}
    assert {(address, port) for address, port in made if seen.of(address) not in allowed} == set()


def test_a_request_holds_five_fields_and_nothing_of_what_others_said(seen: Seen) -> None:
    requests = [one.request for one in seen.heard if one.request and one.request != CONTROL]
    assert len(requests) >= 100
    for request in requests:
        line, *fields = request.removesuffix("\r\n\r\n").split("\r\n")
        assert line.startswith("GET /"), request
        assert line.endswith(" HTTP/1.1"), request
        assert request.count("\r\n\r\n") == 1, request
        assert [field.partition(":")[0] for field in fields] == FIELDS, request


def test_no_canary_reaches_anybody_but_its_own_host(seen: Seen) -> None:
    for one in seen.heard:
        assert not [
            word
            for word in ("cookie", "netrc", "user", "proxy", "fragment")
            if f"canary-{word}" in one.request
        ]
        if "canary-query" in one.request:
            assert f"Host: www.c{one.case}.test\r\n" in one.request, one
            assert one.request.startswith("GET /?q=canary-query HTTP"), one
    assert not [question for question in seen.questions if "canary" in question.name]


def test_without_a_good_certificate_no_request_is_sent(seen: Seen) -> None:
    bad = {number for number, case in enumerate(CASES) if case.tls != "good" or not case.trusted}
    assert {number for number in bad if seen.reached(number)} == bad
    assert [one for one in seen.heard if one.case in bad and one.request] == []


def test_a_name_is_asked_for_once_a_hop_so_that_rebinding_has_no_second_answer(seen: Seen) -> None:
    times = seen.times()
    for number, case in enumerate(CASES):
        if any(name.then is not None for name in case.names.values()):
            hops = 2 if "hops" in case.name else 1
            assert times[f"www.c{number}.test", "A"] == hops, case.name
            assert times[f"www.c{number}.test", "AAAA"] == hops, case.name
            assert "127.0.0.1" not in {plain(one.address) for one in seen.heard if one.case == number}


def test_every_process_stays_below_64_mib(seen: Seen) -> None:
    assert {CASES[n].name: one.peak for n, one in seen.ended.items() if one.peak >= MOST_KIB} == {}


def test_everything_is_over_within_the_deadline(seen: Seen) -> None:
    over = {case.name: seen.took(number) - case.seconds for number, case in enumerate(CASES)}
    assert {name: late for name, late in over.items() if late > MARGIN} == {}


def test_no_answer_costs_much_work(seen: Seen) -> None:
    assert {CASES[n].name: one.work for n, one in seen.ended.items() if one.work > MOST_WORK} == {}


def test_the_table_is_told(seen: Seen, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        f"{case.state:8} {seen.ended[number].peak >> 10:3} MiB {seen.took(number):6.2f} s  {case.name}"
        for number, case in enumerate(CASES)
    ]
    sys.stdout.write("\n".join([*lines, ""]))
    assert len(capsys.readouterr().out.splitlines()) == len(seen.ended) == len(CASES)
    states = Counter(case.state for case in CASES)
    most = max(one.peak for one in seen.ended.values())
    late = max(seen.took(number) - case.seconds for number, case in enumerate(CASES))
    with capsys.disabled():
        told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        sys.stdout.write(
            f"\nhostile network: {told}; at most {most >> 10} MiB, {late:+.1f} s from the deadline\n"
        )

"""Every documented failure of every service yields the state of the one classifier."""

import sys
from collections.abc import Iterator, Mapping

import pytest

from providers.web.search.service import Searched
from providers.web.words import told
from schemas.web import WebSearchRequest
from tests.providers.web.search.faking import Fake, faking
from tests.providers.web.search.fault import Fault
from tests.providers.web.search.faults import SERVICES, all_faults
from tests.providers.web.search.formats import FORMATS, KEY, QUERY, service, well

FAULTS = list(all_faults())
LATE = 0.25


@pytest.fixture(scope="module")
def fake() -> Iterator[Fake]:
    with faking() as made:
        well(made)
        yield made


@pytest.fixture(scope="module")
def seen(fake: Fake) -> Mapping[str, Searched]:
    """What each fault led to: every one is played once."""
    return {str(fault): played(fake, fault) for fault in FAULTS}


def played(fake: Fake, fault: Fault) -> Searched:
    fake.does[FORMATS[fault.service].path] = fault.does
    asked = service(fault.service, fake.url, seconds=LATE if fault.late else 20.0)
    return asked.search(WebSearchRequest(query=QUERY))


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_yields_its_state_and_says_why(fault: Fault, seen: Mapping[str, Searched]) -> None:
    searched = seen[str(fault)]
    result = searched.result
    assert (result.state, searched.retry_after) == (fault.state, fault.retry_after), result
    assert fault.says in result.reason
    assert not result.reason or told(result.reason) != result.reason
    assert bool(result.results) == (fault.state == "ok")
    assert bool(result.reason) == (fault.state not in ("ok", "empty") or bool(fault.says))
    assert KEY not in repr(searched) or fault.service == "searxng"  # which takes no key


def test_the_fault_table_is_printed(seen: Mapping[str, Searched], capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"{len(FAULTS)} faults of {len(SERVICES)} services"]
    for fault in FAULTS:
        searched = seen[str(fault)]
        wait = "" if searched.retry_after is None else f" ({searched.retry_after} s)"
        lines.append(f"{fault.service:8} {fault.name:48.48} {searched.result.state}{wait}")
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *lines, ""]))
    assert len(seen) == len(FAULTS), "two rows have one name"
    assert {searched.result.state for searched in seen.values()} == {
        "ok", "empty", "unavailable", "rate_limited", "rejected", "error",
    }  # fmt: skip

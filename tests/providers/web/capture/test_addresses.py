"""Which addresses are public: against the committed facts, and against what Python's own table says."""

import csv
import ipaddress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.capture.addresses import embedded, objection
from providers.web.capture.special import AS_OF
from tools.iana_special import CODE, FACTS, code, facts, replaced

ROWS = facts()
# What Python calls global and we do not connect to; the rest of the differences is Python's version.
STRICTER = [
    ipaddress.ip_network(block)
    for block in (
        "192.0.0.0/24",  # also its exceptions: no page lives there
        "192.88.99.0/24",  # 6to4 relays, withdrawn
        "168.63.129.16/32",  # Azure WireServer
        "224.0.0.0/4",
        "::/3",  # IPv4-compatible, NAT64 with a special address inside, what is not allocated
        "2001::/23",
        "2002::/16",  # 6to4
        "3fff::/20",
        "4000::/2",
        "8000::/1",  # what is not allocated, site local, multicast
    )
]


def public(text: str) -> bool:
    return objection(text) is None


def test_the_generated_table_is_that_of_the_committed_facts() -> None:
    assert CODE.read_text(encoding="utf-8") == code(ROWS)
    assert f'AS_OF = "{AS_OF}"' in code(ROWS)


def test_a_registry_as_iana_publishes_it_takes_the_place_of_its_rows(tmp_path: Path) -> None:
    registry = tmp_path / "iana-ipv4-special-registry-1.csv"
    columns = ("Address Block", "Name", "RFC", "Globally Reachable")
    rows = [
        ("192.0.0.0/24 [2]", "IETF", "[RFC6890], Section 2.1", "False [1]"),
        ("192.0.0.170/32, 192.0.0.171/32", '"NAT64" Discovery', "[RFC8880][RFC7050]", "True"),
        ("192.88.99.0/24", "Deprecated", "", ""),
    ]
    with registry.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    new = replaced(ROWS, registry)
    others = [row for row in ROWS if row["source"] != "iana-ipv4-special-registry"]
    assert [row for row in new if row["source"] != "iana-ipv4-special-registry"] == others
    assert [tuple(row.values())[:4] for row in new if row not in others] == [
        ("192.0.0.0/24", "IETF", "RFC 6890", "False"),
        ("192.0.0.170/32", "NAT64 Discovery", "RFC 8880", "True"),
        ("192.0.0.171/32", "NAT64 Discovery", "RFC 8880", "True"),
        ("192.88.99.0/24", "Deprecated", "", ""),
    ]


def test_the_facts_are_in_the_order_in_which_they_would_be_written_anew(tmp_path: Path) -> None:
    nothing = tmp_path / "another-registry-1.csv"
    nothing.write_text("Address Block,Name,RFC,Globally Reachable\n", encoding="utf-8")
    assert replaced(ROWS, nothing) == ROWS
    assert FACTS.suffix == ".csv"


@pytest.mark.parametrize("row", ROWS, ids=[row["block"] for row in ROWS])
def test_both_ends_of_every_block_that_is_not_reachable_are_closed(row: dict[str, str]) -> None:
    block = ipaddress.ip_network(row["block"])
    if row["reachable"] != "True":
        assert not public(str(block[0]))
        assert not public(str(block[-1]))


@pytest.mark.parametrize(
    "text",
    [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "172.15.255.255",
        "172.32.0.0",
        "223.255.255.255",
        "2000::",
        "2400:3200::1",
        "2606:4700::1111",
        "3ffe:ffff::1",
        "64:ff9b::8.8.8.8",
        "2400::5efe:8.8.8.8",
    ],
)
def test_public_addresses_are_open(text: str) -> None:
    assert objection(text) is None


@pytest.mark.parametrize(
    "text", ["", "a", "1.1.1", "01.1.1.1", "1.1.1.1 ", "１.1.1.1", "1.1.1.1/32", "::1::", "[::1]"]
)
def test_what_is_no_numeric_address_is_closed(text: str) -> None:
    assert objection(text) == "no numeric address"


def test_an_allowed_block_opens_itself_only() -> None:
    allowed = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("fd00::/64"))
    assert objection("127.9.9.9", allowed) is None
    assert objection("fd00::1", allowed) is None
    for text in ("10.0.0.1", "fd00:0:0:1::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "::127.0.0.1"):
        assert objection(text, allowed) is not None


@given(st.ip_addresses(v=4))
def test_ipv4_agrees_with_python_but_where_it_is_listed(address: ipaddress.IPv4Address) -> None:
    agrees(address)


@given(
    st.ip_addresses(v=6)
    | st.integers(0, (1 << 125) - 1).map(lambda low: ipaddress.IPv6Address((1 << 125) + low))
)
def test_ipv6_agrees_with_python_but_where_it_is_listed(address: ipaddress.IPv6Address) -> None:
    agrees(address)


@given(st.sampled_from(ROWS), st.integers(-2, 2), st.booleans())
def test_the_edges_of_blocks_agree_too(row: dict[str, str], step: int, last: bool) -> None:
    block = ipaddress.ip_network(row["block"])
    number = int(block[-1] if last else block[0]) + step
    if 0 <= number < 1 << block.max_prefixlen:
        agrees(type(block[0])(number))


def agrees(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    if public(str(address)):
        assert address.is_global
        assert not address.is_multicast
    elif address.is_global:
        isatap = isinstance(address, ipaddress.IPv6Address) and list(embedded(address))
        assert isatap or any(address in block for block in STRICTER)


@given(st.ip_addresses(v=4))
def test_an_address_inside_another_is_judged_as_itself(inner: ipaddress.IPv4Address) -> None:
    number = int(inner)
    carriers = {
        "mapped": 0xFFFF << 32 | number,
        "NAT64": 0x64FF9B << 96 | number,
        "6to4": 0x2002 << 112 | number << 80 | 1,
        "Teredo server": 0x20010000 << 96 | number << 64 | 0x7F7F7F7F,
        "Teredo client": 0x20010000 << 96 | 0x08080808 << 64 | (~number & 0xFFFFFFFF),
        "ISATAP": 0x2400 << 112 | 0x5EFE << 32 | number,
        "ISATAP, universal": 0x2400 << 112 | 0x02005EFE << 32 | number,
    }
    open_ones = {name for name, outer in carriers.items() if public(str(ipaddress.IPv6Address(outer)))}
    assert open_ones == ({"NAT64", "ISATAP", "ISATAP, universal"} if public(str(inner)) else set())
    for outer in carriers.values():
        assert inner in [found for _, found in embedded(ipaddress.IPv6Address(outer))]

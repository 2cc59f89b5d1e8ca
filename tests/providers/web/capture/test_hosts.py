"""Host names and URLs: what is accepted has one reading only."""

import ipaddress
import string

import idna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.capture.ending import RejectedError
from providers.web.capture.hosts import read_host
from providers.web.capture.location import Location

HAN = st.text("规范标准边坡工程例子中国政务公益", min_size=1, max_size=6)
LETTERS = st.text(
    st.characters(categories=("Lu", "Ll", "Lo", "Lm", "Mn", "Mc", "Nd", "Pd"), max_codepoint=0x2FFFF),
    min_size=1,
    max_size=8,
)
ANY = st.text(max_size=12)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("EXAMPLE.com.", "example.com"),
        ("例子。中国", "xn--fsqu00a.xn--fiqs8s"),
        ("xn--fsqu00a.xn--fiqs8s", "xn--fsqu00a.xn--fiqs8s"),
        ("XN--FSQU00A.cn", "xn--fsqu00a.cn"),
        ("Bücher.example", "xn--bcher-kva.example"),
        ("xn--strae-oqa.de", "xn--strae-oqa.de"),
        ("אב.example", "xn--4dbc.example"),
        ("a_b.example", "a_b.example"),
        ("1a.example", "1a.example"),
        ("1.2.example", "1.2.example"),
        ("a", "a"),
    ],
)
def test_a_name_goes_on_the_wire_in_lower_case_ascii(text: str, host: str) -> None:
    assert read_host(text) == host


@pytest.mark.parametrize(
    "label", ["xn--a_b", "xn--a-", "xn--é", "xn--fsqu00a0", "xn--abc-", "xn--99999999999"]
)
def test_punycode_that_stands_for_nothing_or_for_another_name_is_refused(label: str) -> None:
    with pytest.raises(RejectedError):
        read_host(f"{label}.test")


def test_an_address_is_read_as_one() -> None:
    assert read_host("8.8.8.8") == ipaddress.IPv4Address("8.8.8.8")
    assert read_host("[2400::A]") == ipaddress.IPv6Address("2400::a")


@given(HAN, HAN)
def test_chinese_names_are_read_as_idna_2008_reads_them(first: str, second: str) -> None:
    assert read_host(f"{first}.{second}") == idna.encode(f"{first}.{second}").decode()


@given(LETTERS)
def test_what_is_accepted_every_version_of_idna_reads_alike(label: str) -> None:
    try:
        host = read_host(f"{label}.test")
    except RejectedError:
        return
    assert isinstance(host, str)
    try:
        second = idna.encode(f"{label}.test", uts46=True).decode()
    except idna.IDNAError:
        return  # it refuses some that only its contextual rules know
    assert host == second


@given(LETTERS.filter(lambda text: not text.isascii()))
def test_what_is_encoded_decodes_to_what_was_written_but_for_its_case(label: str) -> None:
    try:
        host = read_host(f"{label}.test")
    except RejectedError:
        return
    first = str(host).partition(".")[0]
    if first.startswith("xn--"):
        assert first[4:].encode("ascii").decode("punycode") == label.lower()


@given(st.text(string.digits + "xXabcdef.", min_size=1, max_size=16))
def test_a_number_is_a_canonical_quad_or_nothing(text: str) -> None:
    try:
        host = read_host(text)
    except RejectedError:
        return
    if isinstance(host, ipaddress.IPv4Address):
        assert str(host) == text
    else:
        last = str(host).rpartition(".")[2]
        assert not last.isdigit()
        assert not last.startswith("0x") or not set(last[2:]) <= set(string.hexdigits)


@given(ANY, ANY, ANY)
def test_whatever_is_accepted_is_one_printable_ascii_url_that_reads_as_itself(
    host: str, path: str, query: str
) -> None:
    try:
        location = Location.of(f"http://{host}/{path}?{query}")
    except RejectedError:
        return
    assert location.url.isascii()
    assert location.url.isprintable()
    assert " " not in location.url
    assert Location.of(location.url) == location


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("", "/"),
        ("?a", "/?a"),
        ("/a/../b", "/b"),
        ("/../../a", "/a"),
        ("/a/..", "/"),
        ("/a/b/.", "/a/b/"),
        ("/a/%2E%2e/b/", "/b/"),
        ("/a//b", "/a//b"),
        ("/a/...", "/a/..."),
        ("/a?b=../c", "/a?b=../c"),
        ("/页?问", "/%E9%A1%B5?%E9%97%AE"),
        ("/%E9%a1%b5", "/%E9%a1%b5"),
        ('/a b"<>^`{|}', "/a%20b%22%3C%3E%5E%60%7B%7C%7D"),
    ],
)
def test_the_path_that_is_asked_for_is_the_one_that_the_server_reads(path: str, target: str) -> None:
    assert Location.of(f"http://page.test{path}").target == target


@given(ANY)
def test_no_redirect_raises_anything_but_a_refusal(reference: str) -> None:
    try:
        following = Location.of("https://page.test/a/b?c").next(reference)
    except RejectedError:
        return
    assert Location.of(following.url) == following


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("c", "https://page.test/a/c"),
        ("?d", "https://page.test/a/b?d"),
        ("../../../d", "https://page.test/d"),
        ("..", "https://page.test/"),
        ("./", "https://page.test/a/"),
        ("%2e%2E/d", "https://page.test/d"),
        ("//other.test:443", "https://other.test/"),
        ("//other.test:80/", "https://other.test:80/"),
        ("HTTP://other.test/a b|c", "http://other.test/a%20b%7Cc"),
        ("%u4e2d%zz", "https://page.test/a/%u4e2d%zz"),
    ],
)
def test_a_redirect_is_resolved_against_the_url_it_came_from(reference: str, url: str) -> None:
    assert Location.of("https://page.test/a/b?c#d").next(reference).url == url

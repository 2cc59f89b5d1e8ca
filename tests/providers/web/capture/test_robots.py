"""robots.txt as RFC 9309 reads it, against a second reading of the same rules."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.capture.robots import Robots

US = "external-evidence"


def allows(text: str, target: str, token: str = US) -> bool:
    return Robots(text.encode(), token).allows(target)


@pytest.mark.parametrize(
    ("text", "target", "allowed"),
    [
        ("", "/", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow: /a", "/a/b?c", False),
        ("User-agent: *\nDisallow: /A", "/a", True),
        ("\ufeffUSER-AGENT : * # all\r\nDISALLOW:/a # this", "/a", False),
        ("User-agent: *\rDisallow: /a", "/a", False),
        # The longest match wins, whatever the order; allow wins a tie.
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nAllow: /a\nDisallow: /*.html", "/a.html", False),
        # A group of our own takes the place of the one for all; groups of one name are one.
        ("User-agent: *\nDisallow: /\n\nUser-agent: External-Evidence\nDisallow: /a", "/b", True),
        ("User-agent: external-evidence/2.0\nDisallow: /a", "/a", False),
        ("User-agent: external\nDisallow: /a", "/a", True),
        ("User-agent: external-evidence-2\nDisallow: /a", "/a", True),
        ("User-agent: external-evidence\n\nUser-agent: *\nDisallow: /a", "/a", False),
        ("User-agent: a\nUser-agent: external-evidence\nDisallow: /a", "/a", False),
        ("User-agent: external-evidence\nSitemap: /s\nUser-agent: b\nDisallow: /a", "/a", False),
        (
            f"User-agent: {US}\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: {US}\nDisallow: /c",
            "/c",
            False,
        ),
        ("User-agent: external-evidence\nDisallow: /a\nUser-agent: b\nDisallow: /b", "/b", True),
        ("Disallow: /", "/a", True),
        ("<html><body>User-agent: not found</body></html>", "/a", True),
        # Asterisks, and the end.
        ("User-agent: *\nDisallow: /*/b", "/a/b", False),
        ("User-agent: *\nDisallow: /*/b", "/a/c", True),
        ("User-agent: *\nDisallow: /*a*b*c", "/xaybzc!", False),
        ("User-agent: *\nDisallow: /*a*b*c", "/xbyazc", True),
        ("User-agent: *\nDisallow: *.pdf$", "/a.pdf", False),
        ("User-agent: *\nDisallow: *.pdf$", "/a.pdf?b", True),
        ("User-agent: *\nDisallow: /a$", "/a", False),
        ("User-agent: *\nDisallow: /a$", "/ab", True),
        ("User-agent: *\nDisallow: /$", "/", False),
        ("User-agent: *\nDisallow: /aa*aa$", "/aaa", True),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: /a%24$", "/a$", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/axb", True),
        # Escapes.
        ("User-agent: *\nDisallow: /页", f"/{quote('页')}/1", False),
        (f"User-agent: *\nDisallow: /{quote('页').lower()}", f"/{quote('页')}", False),
        ("User-agent: *\nDisallow: /%61", "/a", False),
        ("User-agent: *\nDisallow: /a", "/%61", False),
        ("User-agent: *\nDisallow: /a%2fb", "/a/b", True),
        ("User-agent: *\nDisallow: /a%2fb", "/a%2Fb", False),
    ],
)
def test_the_rules_of_rfc_9309(text: str, target: str, allowed: bool) -> None:
    assert allows(text, target) is allowed


PIECE = st.text("ab/*$", max_size=8)
RULES = st.lists(st.tuples(st.booleans(), PIECE), max_size=5)


def second_reading(rules: list[tuple[bool, str]], target: str) -> bool:
    """The same by regular expressions."""
    best = (0, True)
    for allow, pattern in rules:
        if not pattern:
            continue
        body, end = (pattern[:-1], r"\Z") if pattern.endswith("$") else (pattern, "")
        if re.match(".*".join(map(re.escape, body.split("*"))) + end, target, re.DOTALL):
            best = max(best, (len(body.replace("$", "%24")) + bool(end), allow))
    return best[1]


@given(RULES, st.text("ab/", max_size=12).map(lambda path: f"/{path}"))
def test_a_second_reading_agrees(rules: list[tuple[bool, str]], target: str) -> None:
    lines = [f"{'Allow' if allow else 'Disallow'}: {pattern}" for allow, pattern in rules]
    assert allows("\n".join(["User-agent: *", *lines]), target) is second_reading(rules, target)


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_bytes_break_the_reader(content: bytes, target: str) -> None:
    assert Robots(content, US).allows(target) in (True, False)


def test_many_asterisks_cost_no_backtracking() -> None:
    pattern = "/" + "*a" * 2000 + "$"
    assert allows(f"User-agent: *\nDisallow: {pattern}", "/" + "a" * 4000 + "b")

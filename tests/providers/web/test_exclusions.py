"""Excluded terms are looked for and never shown."""

import copy
import json
import logging
import pickle

import pytest

from providers.web.exclusions import Exclusions
from providers.web.minimise import check_query, ext20, without_excluded
from providers.web.minimise_address import check_address
from schemas.errors import InvalidError

CANARY = "canary-7f3a 金丝雀"


def test_no_way_of_showing_terms_shows_them(caplog: pytest.LogCaptureFixture) -> None:
    held = Exclusions([CANARY, "other"])
    logging.getLogger("test").error("%s %r", held, held)
    for text in (
        repr(held),
        str(held),
        f"{held}",
        f"{held!r}",
        f"{held}",
        repr([held]),
        caplog.text,
    ):
        assert "canary" not in text
        assert "金丝雀" not in text
    assert repr(held) == "<Exclusions: 2 terms, not shown>"
    assert not hasattr(held, "__dict__")


def test_terms_are_neither_written_nor_copied() -> None:
    held = Exclusions([CANARY])
    assert copy.copy(held) is held
    assert copy.deepcopy([held])[0] is held
    with pytest.raises(TypeError, match="not written anywhere"):
        pickle.dumps(held)
    with pytest.raises(TypeError, match="not JSON serializable"):
        json.dumps(held)
    with pytest.raises(TypeError):
        iter(held)  # type: ignore[call-overload]


def test_no_verdict_shows_a_term_or_a_refused_query() -> None:
    held = Exclusions([CANARY])
    for verdict in (
        ext20(f"查 {CANARY.upper()}", held),
        without_excluded("查 canary 7f3a金丝雀", held),
        check_query("查 canary_7f3a·金絲雀", held),
        check_address(f"https://example.com/{CANARY}", held),
        check_address("https://example.com/canary-7f3a%20%E9%87%91%E4%B8%9D%E9%9B%80", held),
    ):
        assert verdict.state == "rejected"
        for text in (repr(verdict), str(verdict.to_wire())):
            assert "canary" not in text.lower()
            assert "金丝雀" not in text


def test_a_file_has_one_term_a_line() -> None:
    held = Exclusions.from_bytes("\ufeff ACME \r\n\n\t\n金茂 大厦\r\n#7\n".encode())
    assert len(held) == 3
    assert held.found_in("the acme tower")
    assert held.found_in("金茂 大厦")
    assert held.found_in("unit #7")
    assert not held.found_in("金茂")


@pytest.mark.parametrize("separator", ["\x1c", "\u2028", "\x0b"])
def test_only_a_line_feed_ends_a_line(separator: str) -> None:
    held = Exclusions.from_bytes(f"ab{separator}cd".encode())
    assert not held.found_in("ab")
    assert held.found_in(f"ab{separator}cd")


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
def test_a_file_that_is_not_utf_8_is_refused_by_line_and_not_by_content(encoding: str) -> None:
    with pytest.raises(InvalidError) as caught:
        Exclusions.from_bytes("acme\n金丝雀\n".encode(encoding))
    assert str(caught.value).startswith("exclusions is not UTF-8 on line ")
    assert "acme" not in str(caught.value.to_wire())
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_two_lists_join_into_one() -> None:
    both = Exclusions(["acme"]).joined(Exclusions(["金茂大厦", "acme"]))
    assert len(both) == 2
    assert both.found_in("ACME")
    assert both.found_folded("金茂－大廈")
    assert not Exclusions().joined(Exclusions())


def test_a_lone_surrogate_in_a_term_is_what_go_reads_it_as() -> None:
    assert Exclusions(["a\ud800"]).found_in("A\ufffd")


def test_ten_thousand_terms_are_looked_for() -> None:
    held = Exclusions(f"机密工程第{number}号" for number in range(10_000))
    assert len(held) == 10_000
    assert check_query("建筑边坡工程技术规范 " * 20, held).state == "ok"
    assert check_query("查 機密工程 第9999號", held).reason == "query contains an excluded term after folding"

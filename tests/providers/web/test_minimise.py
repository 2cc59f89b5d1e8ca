"""What may be sent: EXT-20 section 4.2 and host.md C, then the rules that only refuse more."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.exclusions import WHITE_SPACE, Exclusions, trim
from providers.web.minimise import Verdict, check_query, ext20, without_excluded

NONE = Exclusions()
QUERIES = st.one_of(
    st.text(max_size=300),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.text("aAΣσ張张ＡA 　\t\u200b-!:<9site:013.@", max_size=30),
)


def test_white_space_is_unicodes() -> None:
    assert len(set(WHITE_SPACE)) == 25
    assert trim("\u0085\u2028 q\u3000") == "q"
    assert trim("\x1cq\ufeff") == "\x1cq\ufeff"


@pytest.mark.parametrize("query", ["", "   ", "\u3000\u00a0\u2003\n"])
def test_a_blank_query_is_invalid(query: str) -> None:
    assert ext20(query, NONE) == Verdict("invalid", sha256(b"").hexdigest(), "query is empty")


@pytest.mark.parametrize("sign", ["法", "𠀀", "a"])
def test_code_points_are_counted_after_trimming(sign: str) -> None:
    assert ext20(f"  {sign * 256}\u3000", NONE).sent_query == sign * 256
    assert ext20(sign * 257, NONE).reason == "query is longer than 256 code points"


def test_nothing_is_normalised_before_counting() -> None:
    assert ext20("e\u0301" * 129, NONE).state == "invalid"


@pytest.mark.parametrize("query", ["a\ud800", "\udcff", "\udbff\udfff"])
def test_a_lone_surrogate_is_invalid_and_hashed_as_it_is(query: str) -> None:
    verdict = ext20(query, NONE)
    assert (verdict.state, verdict.reason) == ("invalid", "query is not valid Unicode")
    assert verdict.query_sha256 == sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def test_bounds_come_before_terms() -> None:
    assert ext20("acme" * 100, Exclusions(["acme"])).state == "invalid"


def test_a_megabyte_is_invalid_at_once() -> None:
    for query in ("法" * 350_000, " " * 1_000_000, "\u0301" * 500_000, "1 " * 500_000, "@" * 1_000_000):
        assert check_query(query, Exclusions(["法"])).state == "invalid"


def test_an_excluded_term_has_ext_20s_reason_and_a_folded_one_its_own() -> None:
    held = Exclusions(["  ACME "])
    assert check_query("acme 塔楼", held).reason == "query contains an excluded term"
    assert check_query("ａｃｍｅ 塔楼", held).reason == "query contains an excluded term after folding"
    assert without_excluded("ａｃｍｅ 塔楼", held).state == "rejected"
    assert ext20("ａｃｍｅ 塔楼", held).sent_query == "ａｃｍｅ 塔楼"


@given(QUERIES, st.lists(st.text(max_size=4), max_size=4))
def test_every_further_rule_only_refuses_more_and_edits_nothing(query: str, terms: list[str]) -> None:
    held = Exclusions(terms)
    first, second, all_rules = ext20(query, held), without_excluded(query, held), check_query(query, held)
    if first.state != "ok":
        assert first == second == all_rules
    if second.state != "ok":
        assert second == all_rules
    for verdict in (first, second, all_rules, check_query(query, held, "warn")):
        assert verdict.sent_query == (trim(query) if verdict.state == "ok" else "")
        assert bool(verdict.reason) == (verdict.state != "ok")
        assert verdict.query_sha256 == first.query_sha256


@pytest.mark.parametrize(
    ("query", "seen"),
    [
        ("a\x00b", "U+0000 at position 1"),
        ("规范\x1b[31m", "U+001B at position 2"),
        ("a\x85b", "U+0085 at position 1"),
        ("a\u202eb", "U+202E at position 1"),
        ("a\u2066b", "U+2066 at position 1"),
        ("a\u200fb", "U+200F at position 1"),
        ("a\u061cb", "U+061C at position 1"),
        ("a\u2028b", "U+2028 at position 1"),
        ("a\U000e0041b", "U+E0041 at position 1"),
        ("a\ufe01\ufe02\ufe03", "U+FE01 at position 1"),
        ("a\U000e0101\U000e0102", "U+E0101 at position 1"),
    ],
)
def test_controls_and_hidden_characters_are_refused(query: str, seen: str) -> None:
    verdict = check_query(query, NONE)
    assert verdict.reason == f"query holds a control, bidirectional or hidden character, {seen}"


@pytest.mark.parametrize(
    "query", ["葛\U000e0100 飾区", "✔️ 规范", "می\u200cخواهم", "GB\t50330\n边坡", "👩\u200d🔬"]
)
def test_ordinary_invisible_characters_pass(query: str) -> None:
    assert check_query(query, NONE).sent_query == query


@pytest.mark.parametrize("query", ["\u200b", "\ufeff", "\u180e", "\u2060\u3164", "\u0301"])
def test_a_query_that_nobody_can_see_is_refused(query: str) -> None:
    assert ext20(query, NONE).state == "ok"
    assert check_query(query, NONE).reason == "query has no visible character"


@pytest.mark.parametrize(
    ("query", "kind", "place"),
    [
        ("!!g secret project", "bang", (0, 3)),
        ("词 !!", "bang", (2, 4)),
        ("!uo 词", "bang", (0, 3)),
        ("词\u3000!wp", "bang", (2, 5)),
        ("！！g 词", "bang", (0, 3)),
        ("?wp 词", "bang", (0, 3)),
        ("词 :en", "language", (2, 5)),
        ("词 :zh-CN", "language", (2, 8)),
        ("<1 词", "timeout", (0, 2)),
        ("词 <850", "timeout", (2, 6)),
        ("词 site:gov.cn", "field", (2, 7)),
        ("词site: gov.cn", "field", (1, 6)),
        ("-site：gov.cn 词", "field", (1, 6)),
        ("FileType:pdf 词", "field", (0, 9)),
        ("(intitle:规范)", "field", (1, 9)),
        ("词 after:2020", "field", (2, 8)),
    ],
)
def test_what_a_service_would_act_on_is_refused(query: str, kind: str, place: tuple[int, int]) -> None:
    verdict = check_query(query, NONE, "warn")
    assert verdict.state == "rejected"
    assert [finding.to_wire() for finding in verdict.findings] == [
        {"kind": f"search_operator_{kind}", "start": place[0], "end": place[1]}
    ]


@pytest.mark.parametrize(
    "query",
    [
        "注意! 规范",
        "规范！",
        "!",
        "裂缝宽度 <0.2mm",
        "a < b",
        "ISO 13485 :2016",
        "GB 50330 : 2013",
        "?工程测量标准?GB50026-93",
        "CECS 21:2000",
        "https://openstd.samr.gov.cn/bzgk/gb/",
        "Website: 规范",
        "info: see the annex",
        '"建筑边坡" -2002 OR 2013',
        "什么是《建筑边坡工程技术规范》？",
    ],
)
def test_ordinary_marks_are_no_operators(query: str) -> None:
    assert check_query(query, NONE).sent_query == query


def test_the_policy_warn_tells_and_sends() -> None:
    query = "电话 13800138000 规范"
    refused = check_query(query, NONE)
    assert refused.reason == "query holds what should not leave: mobile_number at 3-14"
    warned = check_query(query, NONE, "warn")
    assert (warned.state, warned.sent_query, warned.findings) == ("ok", query, refused.findings)


def test_the_wire_form_leaves_out_what_is_empty() -> None:
    assert ext20(" q ", NONE).to_wire() == {
        "state": "ok",
        "sentQuery": "q",
        "querySha256": sha256(b"q").hexdigest(),
    }
    assert list(check_query("!!g q", NONE).to_wire()) == ["state", "reason", "querySha256", "findings"]

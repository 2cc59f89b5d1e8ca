"""Folding: it finds a term however it is written, and never loses what EXT-20's rule finds."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web import folding, han_variants, lookalikes
from providers.web.exclusions import Exclusions

FOUND = [
    ("项目ＡＣＭＥ规范", "acme"),
    ("A.C.M.E 规范", "acme"),
    ("A c-m_e", "ACME"),
    ("ac\u200bme", "acme"),
    ("ac\u00adm\ufe0fe", "acme"),
    ("a\u0336c\u0336m\u0336e", "acme"),
    ("àćmé", "acme"),
    ("аcmе", "acme"),  # Cyrillic а and е
    ("ΑСМΕ", "acme"),  # Greek and Cyrillic capitals
    ("ΝATO", "nato"),  # Greek capital nu
    ("νato", "vato"),  # Greek small nu
    ("𝐀𝓬𝕞ⅇ", "acme"),
    ("🅰🅲🅼🅴", "acme"),
    ("ⓐⓒⓜⓔ", "acme"),
    ("ᴀᴄᴍᴇ", "acme"),
    ("łódź", "lodz"),
    ("Pr0ject Fa1con", "project falcon"),
    ("ProjectFaIcon", "project falcon"),
    ("Fa|con", "falcon"),
    ("STRASSE", "straße"),
    ("ﬁscal", "FISCAL"),
    ("张 伟", "张伟"),
    ("张\u3000伟", "张伟"),
    ("张😀伟", "张伟"),
    ("張偉", "张伟"),
    ("張·伟", "张偉"),
    ("鉅盛", "钜盛"),
    ("鉅盛", "巨盛"),
    ("頭髮", "头发"),
    ("⾦茂⼤厦", "金茂大厦"),  # Kangxi radicals
    ("黒土", "黑士"),
    ("二○一二工程", "二〇一二工程"),  # U+25CB, a sign and no letter
    ("二◯一二工程", "二零一二工程"),
    ("二零一二工程", "二〇一二工程"),
    ("カ量", "力量"),  # the kana ka
    ("GB 50330—2013", "GB 50330-2013"),
    ("PRJ-１００②", "prj 1002"),
    ("PRJ٣٤", "prj34"),
    ("ΟΔΟΣ", "οδος"),
    ("ISTANBUL", "İstanbul"),
    ("ﾀﾜｰ", "タワー"),
    ("Ｃ＋＋", "C++"),
    ("***secret***", "＊＊＊"),
]
NOT_FOUND = [
    ("cement 2013", "C++"),
    ("violate", "101"),
    ("规范", ""),
    ("规范", " \u3000"),
    ("规范", "\u200b"),
    ("金茂北京大厦", "金茂大厦"),
    ("jinmao", "金茂"),
]


@pytest.mark.parametrize(("query", "term"), FOUND)
def test_a_term_is_found_however_it_is_written(query: str, term: str) -> None:
    assert Exclusions([term]).found_folded(query)
    assert Exclusions(["别的", term]).found_folded(f"标准 {query} 现行")


@pytest.mark.parametrize(("query", "term"), NOT_FOUND)
def test_what_is_another_text_is_not_found(query: str, term: str) -> None:
    assert not Exclusions([term]).found_folded(query)


def test_lower_is_the_simple_mapping_of_every_code_point() -> None:
    for point in range(0x110000):
        character = chr(point)
        lowered = folding.lower(character)
        assert len(lowered) == 1
        assert lowered == ("i" if character == "\u0130" else character.lower())


def test_lower_knows_no_context() -> None:
    assert folding.lower("ΑΣ ΣΑΣ") == "ασ σασ"


def test_folding_forgets_case_of_every_letter() -> None:
    for point in range(0x110000):
        character = chr(point)
        lowered = folding.lower(character)
        if lowered != character:
            assert folding.plain(lowered) == folding.plain(character)


@given(st.text(), st.text())
def test_folding_goes_character_by_character(left: str, right: str) -> None:
    for fold in (folding.plain, folding.looks, folding.kept):
        assert fold(left + right) == fold(left) + fold(right)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folding.plain(folding.plain(text)) == folding.plain(text)


def test_what_the_tables_hold_is_folded_by_them() -> None:
    for other, first in han_variants.VARIANTS.items():
        assert folding.plain(other) == folding.plain(first) == first
    for like, letter in lookalikes.LATIN.items():
        assert folding.looks(like) == folding.looks(letter) == letter
    for other, first in lookalikes.HAN.items():
        assert folding.looks(other) == folding.looks(first)


def test_the_tables_are_as_long_as_they_say() -> None:
    assert (len(han_variants.VARIANTS), len(lookalikes.HAN)) == (2876, 55)
    assert all(len(letter) == 1 and letter.isascii() for letter in lookalikes.LATIN_GROUPS)
    assert "".join(lookalikes.LATIN_GROUPS.values()).count("а") == 1


WORDS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]), st.sampled_from("aAbBсСΣσςİßſ張张 -—０0oOlI1|\u200b\u0301")
    ),
    max_size=8,
)


@given(WORDS, WORDS, WORDS, st.lists(WORDS, max_size=3))
def test_whatever_the_plain_rule_finds_folding_finds(
    head: str, term: str, tail: str, others: list[str]
) -> None:
    for query in (head + term + tail, head + term.upper() + tail, folding.lower(head + term + tail)):
        exclusions = Exclusions([*others, term])
        assert exclusions.found_folded(query) or not exclusions.found_in(query)


@given(WORDS, WORDS, WORDS)
def test_a_term_is_found_without_the_plain_rule_where_letters_are_left_of_it(
    head: str, term: str, tail: str
) -> None:
    if len(folding.plain(term)) > 1:
        assert folding.plain(term) in folding.plain(head + folding.lower(term) + tail)


def test_a_flood_of_marks_folds_in_one_pass() -> None:
    flood = "\u0315\u0300\u05ae\u0345" * 250_000
    assert folding.plain(f"a{flood}b") == "ab"
    assert folding.looks(f"а{flood}b") == "ab"
    assert Exclusions([f"ac{flood}me"]).found_folded("acme")


def test_only_the_basic_plane_is_remembered() -> None:
    table = folding.Table(lambda character: unicodedata.normalize("NFKD", character))
    assert "".join(map(chr, range(0x20000, 0x20100))).translate(table)
    assert table == {}
    assert "é".translate(table) == "e\u0301"
    assert table == {0xE9: "e\u0301"}

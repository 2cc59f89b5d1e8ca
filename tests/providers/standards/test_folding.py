"""Folding: matching.md section 2."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.standards import tables
from providers.standards.folding import fold, han, norm
from providers.standards.natural import natural_key, natural_text


@pytest.mark.parametrize("dash", list(tables.DASHES))
def test_every_dash_of_the_table_is_one_dash(dash: str) -> None:
    assert fold(f"GB 50204{dash}2015") == "GB 50204-2015"


@pytest.mark.parametrize("colon", [*tables.COLONS, "："])
def test_every_colon_of_the_table_is_one_colon(colon: str) -> None:
    assert fold(f"CECS 21{colon}2000") == "CECS 21:2000"


@pytest.mark.parametrize("slash", [*tables.SLASHES, "／"])
def test_every_slash_of_the_table_is_one_slash(slash: str) -> None:
    assert fold(f"GB{slash}T 1") == "GB/T 1"


@pytest.mark.parametrize("dot", [*tables.DOTS, "．"])
def test_a_dot_of_any_kind_between_digits_is_a_point(dot: str) -> None:
    assert fold(f"GB 9706{dot}1") == "GB 9706.1"


def test_a_full_stop_after_a_word_stays() -> None:
    assert fold("规范。1") == "规范。1"


@pytest.mark.parametrize(("radical", "character"), list(tables.RADICALS.items()))
def test_a_radical_is_the_character_it_stands_for(radical: str, character: str) -> None:
    assert fold(f"甲{radical}乙") == f"甲{character}乙"


def test_radicals_that_nfkc_knows_are_folded_too() -> None:
    assert fold("⼯⽤") == "工用"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("GB50204一2015", "GB50204-2015"),
        ("CJJ69一95", "CJJ69-95"),
        ("一次性使用输液器", "一次性使用输液器"),
        ("第一2015", "第一2015"),
        ("GB1一20155", "GB1一20155"),
        ("A一5", "A一5"),
    ],
)
def test_the_numeral_one_is_a_dash_only_before_a_year(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_marks_that_cannot_be_seen_are_dropped_and_controls_part_words() -> None:
    assert fold("GB\u200b 50\ufeff330\u00ad-2013\ufe0f") == "GB 50330-2013"
    assert fold("GB\t50330\u3000\u2028-\n2013") == "GB 50330 - 2013"


def test_runs_of_dashes_and_blanks_are_one() -> None:
    assert fold("JTG  B01 —— 2014") == "JTG B01 - 2014"


def test_a_name_keeps_letters_digits_and_the_word_for_its_kind() -> None:
    assert norm("《建筑边坡 工程技术规范》（ＧＢ）") == "建筑边坡工程技术规范gb"


def test_han_counts_characters_of_every_plane() -> None:
    assert han("规㐀𠀀a1、") == 3


@given(st.text(max_size=200))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=200))
def test_a_name_is_letters_and_digits_and_stays_one(text: str) -> None:
    name = norm(text)
    assert all(map(str.isalnum, name))
    assert norm(name) == name or not unicodedata.is_normalized("NFKC", name.lower())


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_any_text_folds_even_with_lone_surrogates(text: str) -> None:
    assert fold(text) == fold(text + "\u200b")


def test_a_long_run_of_combining_marks_is_folded_in_pieces() -> None:
    assert len(fold("\u0323\u0301" * 100_000)) == 200_000


COMMON = st.text(alphabet="GBT12ＧＴ１２（）／－＿＼～：．、。《》【】“”—_\\-- 　一二建筑规范", max_size=20)


@given(COMMON)
def test_common_text_is_folded_as_any_other(text: str) -> None:
    # A soft hyphen is dropped, and with it the text is no longer common.
    assert fold(text) == fold(f"\u00ad{text}")


def test_every_common_character_is_folded_as_any_other() -> None:
    for point in range(0x10000):
        text = f"a{chr(point)}1{chr(point)}2"
        assert fold(text) == fold(f"{text}\u00ad")


@given(
    st.text(alphabet="GB/T 0123456789.-建甲\u3000", max_size=16),
    st.text(alphabet="GB/T 019.-建甲", max_size=16),
)
def test_natural_order_is_the_same_as_one_text(left: str, right: str) -> None:
    assert (natural_key(left) < natural_key(right)) == (natural_text(fold(left)) < natural_text(fold(right)))
    assert (natural_key(left) == natural_key(right)) == (
        natural_text(fold(left)) == natural_text(fold(right))
    )

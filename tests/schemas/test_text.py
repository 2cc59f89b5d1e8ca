"""Trim, length and refused characters (lifecycle.md section 1, H1 and H2)."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InvalidError
from schemas.record import Record, field
from schemas.rules import Text
from schemas.text import legible, refused_character, shown, trim, units
from tests.strategies import BIDI, CONTROLS, PADDING, texts

EVERY_CHARACTER = [chr(number) for number in range(sys.maxunicode + 1)]


class Note(Record):
    """One text of at most four units."""

    text: str = field(Text(4))


def test_exactly_the_characters_that_ecmascript_trims_are_trimmed() -> None:
    assert {one for one in EVERY_CHARACTER if trim(one) == ""} == set(PADDING)
    assert len(PADDING) == 25


@pytest.mark.parametrize("kept", ["\x1c", "\x1f", "\x85", "\u180e", "\u200b", "\u2060"])
def test_what_python_or_a_reader_may_take_for_white_space_is_kept(kept: str) -> None:
    assert trim(f" {kept}a{kept} ") == f"{kept}a{kept}"


@pytest.mark.parametrize("one", PADDING)
def test_white_space_around_a_text_is_dropped(one: str) -> None:
    assert Note.read({"text": f"{one}{one}a b{one}"}).text == "a b"


@pytest.mark.parametrize("one", [one for one in PADDING if one not in "\v\f"])
def test_white_space_inside_a_text_is_kept(one: str) -> None:
    assert Note.read({"text": f"a{one}b"}).text == f"a{one}b"


@pytest.mark.parametrize("text", ["", " ", PADDING])
def test_nothing_but_white_space_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match=r"note\.text must not be empty or blank"):
        Note.read({"text": text})


@pytest.mark.parametrize("text", ["abcd", "坡道坡度", "𠀀𠀀", "e\u0301e\u0301", "👩a\u200d", " abcd "])
def test_a_text_at_its_bound_is_kept(text: str) -> None:
    assert Note.read({"text": text}).text == text.strip()


@pytest.mark.parametrize(
    ("text", "length"), [("abcde", 5), ("坡道坡度?", 5), ("𠀀𠀀a", 5), ("e\u0301e\u0301e", 5), ("👩‍🚒", 5)]
)
def test_one_unit_over_the_bound_is_refused_with_bound_and_length(text: str, length: int) -> None:
    message = rf"note\.text is {length} UTF-16 code units long; at most 4 are allowed"
    with pytest.raises(InvalidError, match=message) as caught:
        Note.read({"text": text})
    assert caught.value.subject == "note.text"


@given(st.text(st.characters()))
def test_length_is_that_of_utf_16(text: str) -> None:
    assert units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_no_form_of_text_is_taken_for_another() -> None:
    composed, decomposed, ligature = "é", "e\u0301", "ﬁ"
    assert [Note(text=one).text for one in (composed, decomposed, ligature)] == [
        composed,
        decomposed,
        ligature,
    ]
    assert len({Note(text=one).digest() for one in (composed, decomposed)}) == 2


def test_h1_h2_exactly_surrogates_controls_and_bidi_controls_are_refused() -> None:
    surrogates = set(map(chr, range(0xD800, 0xE000)))
    refused = {one for one in EVERY_CHARACTER if refused_character(one) is not None}
    assert refused == surrogates | CONTROLS | BIDI


@pytest.mark.parametrize(
    ("character", "what"),
    [("\ud800", "a lone surrogate, U+D800"), ("\udfff", "a lone surrogate, U+DFFF")]
    + [(one, f"a control character, U+{ord(one):04X}") for one in sorted(CONTROLS | BIDI)],
)
def test_h1_h2_a_refused_character_is_named_with_its_place(character: str, what: str) -> None:
    with pytest.raises(InvalidError) as caught:
        Note.read({"text": f"a{character}b"})
    assert caught.value.message == f"note.text holds {what}, at position 1"
    assert character not in caught.value.message


def test_h2_tab_and_line_ends_may_stand_inside_free_text() -> None:
    assert Note.read({"text": "a\t\nb"}).text == "a\t\nb"
    assert Note.read({"text": "a\r\nb"}).text == "a\r\nb"


@pytest.mark.parametrize("key", ["te\x00xt", "\ud800", "text\u202e"])
def test_h1_h2_hold_for_keys_too(key: str) -> None:
    with pytest.raises(InvalidError, match="control character or lone surrogate") as caught:
        Note.read({"text": "a", key: "b"})
    assert caught.value.message.isprintable()


@given(st.text(st.characters()))
def test_what_an_error_shows_is_short_and_harmless(text: str) -> None:
    said = shown(text)
    assert len(said) <= 60
    assert refused_character(said) is None
    said.encode()


@pytest.mark.parametrize(
    ("value", "said"),
    [({}, "an object"), ([], "an array"), (True, "a boolean"), (1, "a number"), (1.5, "a number"), (None,
     "null"),
     (b"", "bytes"), ("a", "'a'")],
)  # fmt: skip
def test_what_an_error_shows_is_in_the_words_of_json(value: object, said: str) -> None:
    assert shown(value) == said


@given(st.text(st.characters()), st.integers(1, 40))
def test_foreign_text_is_made_to_fit_any_bound(text: str, most: int) -> None:
    made = legible(text, most)
    assert units(made) <= most
    assert refused_character(made) is None
    if units(text) <= most and refused_character(text) is None:
        assert made == text


@given(texts())
def test_a_trimmed_text_is_read_as_it_is(text: str) -> None:
    assert Text(256).read(text) == text

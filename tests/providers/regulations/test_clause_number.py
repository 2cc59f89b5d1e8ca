import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from providers.regulations import numerals
from providers.regulations.clause_number import ClauseNumber, DecimalNumber, from_key, parse
from schemas.errors import InvalidError

LEVEL = st.integers(1, 9999)


@st.composite
def clauses(draw: st.DrawFn) -> ClauseNumber:
    depth = draw(st.integers(0, 3))
    paragraph, item, subitem = (draw(LEVEL) if at < depth else 0 for at in range(3))
    return ClauseNumber(draw(LEVEL), draw(st.integers(0, 9999)), paragraph, item, subitem)


@given(clauses())
@example(ClauseNumber(120, 1, 2, 3))
def test_the_printed_form_and_the_key_of_a_clause_both_read_back_to_it(clause: ClauseNumber) -> None:
    assert parse(clause.text) == clause
    assert from_key(clause.key) == clause


@given(LEVEL)
def test_every_number_that_is_written_reads_back(number: int) -> None:
    assert numerals.read(numerals.write(number)) == number


def test_the_long_form_its_key_and_its_path_are_one_clause() -> None:
    clause = parse("第一百二十条之一第二款第（三）项")
    assert isinstance(clause, ClauseNumber)
    assert (clause.key, clause.path) == ("120-1.2.3", "art120-1/p2/i3")
    assert clause.text == "第一百二十条之一第二款第（三）项"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("第十条", "10"), ("第二十条", "20"), ("第一百零五条", "105"), ("第一百一十条", "110"),
        ("第一百十条", "110"), ("第一千二百六十条", "1260"), ("第一一六条", "116"), ("第２１条", "21"),
        ("12条", "12"), ("十二", "12"), ("第 12 条", "12"), ("第十二条之三", "12-3"), ("12条之3", "12-3"),
        ("12-3", "12-3"), ("12之三", "12-3"), ("第两条", "2"), ("第一百〇五条", "105"),
        ("第五条第二款", "5.2"), ("第五条第二款第三项", "5.2.3"), ("第五条第二款第(三)项", "5.2.3"),
        ("第五条第二款（三）", "5.2.3"), ("第五条第2款第(3)项第1目", "5.2.3.1"), ("第五条（三）项", "5.1.3"),
    ],
)  # fmt: skip
def test_people_write_clause_numbers_in_many_ways(text: str, key: str) -> None:
    assert parse(text).key == key


def test_an_item_without_its_paragraph_is_told_apart_as_a_guess() -> None:
    guess, stated = parse("第五条第三项"), parse("第五条第一款第三项")
    assert guess == stated
    assert isinstance(guess, ClauseNumber)
    assert isinstance(stated, ClauseNumber)
    assert (guess.implied, stated.implied) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "第〇条",
        "第零条",
        "0",
        "",
        "条",
        "第条",
        "第十百条",
        "第五条第二款第三目",
        "第99999条",
        "第五条附",
        "第五款",
        "五千千",
    ],
)
def test_what_numbers_no_clause_is_refused(text: str) -> None:
    with pytest.raises(InvalidError):
        parse(text)


def test_a_bare_decimal_is_ambiguous_among_articles_and_a_clause_elsewhere() -> None:
    with pytest.raises(InvalidError, match="ambiguous"):
        parse("12.3")
    assert parse("12.3", "decimal") == DecimalNumber((12, 3))
    found = parse("5.2.1", "outline")
    assert (found.key, found.text) == ("5.2.1", "5.2.1")
    with pytest.raises(InvalidError):
        parse("5.0", "decimal")


@pytest.mark.parametrize("levels", [(0,), (1, 0, 0, 2), (1, 0, 10000), (1, -1)])
def test_a_clause_leaves_no_level_out_and_stays_within_bounds(levels: tuple[int, ...]) -> None:
    with pytest.raises(InvalidError):
        ClauseNumber(*levels)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["", "0", "1.0", "1-0", "1.2.3.4.5", "第一条"])
def test_a_key_is_canonical_or_refused(key: str) -> None:
    with pytest.raises(InvalidError):
        from_key(key)


@pytest.mark.parametrize("number", [0, 10000, -1])
def test_no_clause_bears_a_number_beyond_the_statutes(number: int) -> None:
    with pytest.raises(ValueError, match="no clause number"):
        numerals.write(number)


@pytest.mark.parametrize("text", ["", "千", "甲", "十十", "一万", "零零百"])
def test_what_is_no_numeral_reads_as_nothing(text: str) -> None:
    assert numerals.read(text) is None

"""Readings of numbers: matching.md section 3."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.standards import grammar
from providers.standards.code import Code
from providers.standards.folding import fold
from providers.standards.library import starter
from providers.standards.rules import Rules
from providers.standards.scan import find_codes, read_record_code
from providers.standards.tables import LISTED

ALL = Rules()


def readings(text: str, rules: Rules = ALL) -> list[tuple[Code, ...]]:
    return [found.readings for found in find_codes(fold(text), rules)]


def first(text: str) -> Code:
    [found] = readings(text)
    return found[0]


GOLDEN = {
    "GB 50330-2013": Code("GB", "50330", year="2013"),
    "gb50330": Code("GB", "50330"),
    "GBJ 16-87": Code("GBJ", "16", year="87"),
    "GB/T 6441-1986": Code("GB", "6441", attr="T", year="1986"),
    "GB / T 6441 - 1986": Code("GB", "6441", attr="T", year="1986"),
    "GB-T 6441-1986": Code("GB", "6441", attr="T", year="1986"),
    "GB_T 50502-2009": Code("GB", "50502", attr="T", year="2009"),
    "GB T 50502-2009": Code("GB", "50502", attr="T", year="2009"),
    "GB/T50502-2009": Code("GB", "50502", attr="T", year="2009"),
    "GBT50502-2009": Code("GB", "50502", attr="T", year="2009"),
    "GB/Z 104-2025": Code("GB", "104", attr="Z", year="2025"),
    "GBZ 188-2014": Code("GBZ", "188", year="2014"),
    "GBZ/T 189.1-2007": Code("GBZ", "189", (".1",), attr="T", year="2007"),
    "JTGTF50-2011": Code("JTG", "F50", attr="T", year="2011"),
    "JTG/TF50-2011": Code("JTG", "F50", attr="T", year="2011"),
    "JTGF90-2015": Code("JTG", "F90", year="2015"),
    "JTG T J22 2008": Code("JTG", "J22", attr="T", year="2008"),
    "GMT 0043-2015": Code("GM", "0043", attr="T", year="2015"),
    "DB13T 1357-2011": Code("DB13", "1357", attr="T", year="2011", regional=True),
    "DB13 T 1357-2011": Code("DB13", "1357", attr="T", year="2011", regional=True),
    "DB13(J)T 148-2012": Code("DB13", "148", attr="T", year="2012", regional=True),
    "GB/T 47587-2O26": Code("GB", "47587", attr="T", year="?"),
    "YY 0341.1-2O2O": Code("YY", "0341", (".1",), year="?"),
    "JGJ 94-l994": Code("JGJ", "94", year="?"),
    "JTG F80/1-2017": Code("JTG", "F80", ("/1",), year="2017"),
    "JTG F80-1-2017": Code("JTG", "F80", ("-1",), year="2017"),
    "JTG/T D70/2-01-2014": Code("JTG", "D70", ("/2", "-01"), attr="T", year="2014"),
    "JTG B 05-2015": Code("JTG", "B05", year="2015"),
    "JTG B05-01-2013": Code("JTG", "B05", ("-01",), year="2013"),
    "JTG/T L11-2014": Code("JTG", "L11", attr="T", year="2014"),
    "GB 5O330": Code("GB", "5O330"),
    "JGJ l8-2012": Code("JGJ", "L8", year="2012"),
    "JGJ-99": Code("JGJ", "99"),
    "G B 50330": Code("GB", "50330"),
    "J G J 18-2012": Code("JGJ", "18", year="2012"),
    "ISO 9001:2015": Code("ISO", "9001", year="2015", year_mark=":"),
    "ISO/IEC 27001:2022": Code("ISO/IEC", "27001", year="2022", year_mark=":"),
    "IEC/TR 60601-4-2:2016": Code("IEC/TR", "60601", ("-4", "-2"), year="2016", year_mark=":"),
    "CECS 102：2002": Code("CECS", "102", year="2002", year_mark=":"),
    "CECS 21:93": Code("CECS", "21", year="93", year_mark=":"),
    "GB 50330(2013)": Code("GB", "50330", year="2013"),
    "GB 50330.2013": Code("GB", "50330", year="2013"),
    "T/CECS 1024-2022": Code("CECS", "1024", attr="G", year="2022"),
    "T-CECS 1024-2022": Code("CECS", "1024", attr="G", year="2022"),
    "T/CECS1024-2022": Code("CECS", "1024", attr="G", year="2022"),
    "T/SHV2X 2-2025": Code("SHV2X", "2", attr="G", year="2025"),
    "T/CECS G:D10-01-2020": Code("CECS", "G:D10", ("-01",), attr="G", year="2020"),
    "Q/CR 9208-2015": Code("Q/CR", "9208", year="2015"),
    "Q/CSG 2 16 004-2019": Code("Q/CSG", "216004", year="2019"),
    "Q/CSG-GPG-GPED 2 16 016-2019": Code("Q/CSG-GPG-GPED", "216016", year="2019"),
    "Q/GD 001 1122.5-2005": Code("Q/GD", "0011122", (".5",), year="2005"),
    "JJF(电子) 0012-2018": Code("JJF(电子)", "0012", year="2018"),
    "JJG（铁道）161.1-1996": Code("JJG(铁道)", "161", (".1",), year="1996"),
    "JJF(CR) 1-2020": Code("JJF(CR)", "1", year="2020"),
    "DB11/T 1312-2025": Code("DB11", "1312", attr="T", year="2025", regional=True),
    "DB3301/T 65.1-2018": Code("DB3301", "65", (".1",), attr="T", year="2018", regional=True),
    "DB330106/T 2-2020": Code("DB330106", "2", attr="T", year="2020", regional=True),
    "DB13 6187-2025": Code("DB13", "6187", year="2025", regional=True),
    "DB136187-2025": Code("DB13", "6187", year="2025", regional=True),
    "DB29-88-2004": Code("DB29", "88", year="2004", regional=True),
    "DB/T29-88": Code("DB29", "88", attr="T", regional=True),
    "DB13(J)/T 148-2012": Code("DB13", "148", attr="T", year="2012", regional=True),
    "DB13(J)148-2012": Code("DB13", "148", year="2012", regional=True),
    "DBJ 15-31-2003": Code("DBJ15", "31", year="2003", regional=True),
    "DBJ15-31-2003": Code("DBJ15", "31", year="2003", regional=True),
    "DBJ/T 15-31-2003": Code("DBJ15", "31", attr="T", year="2003", regional=True),
    "DBJT15-31-2003": Code("DBJ15", "31", attr="T", year="2003", regional=True),
    "DBJ50/T-123-2020": Code("DBJ50", "123", attr="T", year="2020", regional=True),
    "DBJ440100/T 1-2020": Code("DBJ440100", "1", attr="T", year="2020", regional=True),
    "GB 9706. 1 - 2020": Code("GB", "9706", (".1",), year="2020"),
    "GB 9706 .1-2020": Code("GB", "9706", (".1",), year="2020"),
    "DG/TJ08-2056-2019": Code("DGJ08", "2056", attr="T", year="2019", regional=True),
    "DG-TJ08-61-2018": Code("DGJ08", "61", attr="T", year="2018", regional=True),
    "DG/TJ 082077-2010": Code("DGJ08", "2077", attr="T", year="2010", regional=True),
    "DG/TJ 08-2004B-2020": Code("DGJ08", "2004B", attr="T", year="2020", regional=True),
    "DGJ08-108-2004": Code("DGJ08", "108", year="2004", regional=True),
    "DGJ32/TJ 208-2016": Code("DGJ32", "208", attr="T", year="2016", regional=True),
    "DGJ32/J 71-2014": Code("DGJ32", "71", year="2014", regional=True),
    "16G101-1": Code("图集", "G101", ("-1",), year="16"),
    "03SG610": Code("图集", "SG610", year="03"),
    "建标 110-2021": Code("建标", "110", year="2021"),
    "TG/T 5440-2018": Code("TG", "5440", attr="T", year="2018"),
    "CECA/GC 8-2012": Code("CECA/GC", "8", year="2012"),
    "TSG T7001-2009": Code("TSG", "T7001", year="2009"),
    "GB-50330": Code("GB", "50330"),
    "EN ISO 13485:2016": Code("ISO", "13485", year="2016", year_mark=":"),
    "JGJ 3-2010/5": Code("JGJ", "3", year="2010"),
    "GB/XY 12-2012": Code("GB/XY", "12", year="2012"),
    "GB/T 5750.1~13-2006": Code("GB", "5750", (".1",), attr="T", year="2006"),
    "GB 4706.1-2005/XG1-2009": Code("GB", "4706", (".1",), year="2005", amend="XG1-2009"),
    "YY 0104/XG1": Code("YY", "0104", amend="XG1"),
    "SN/T 1000": Code("SN", "1000", attr="T"),
    "CB 3224": Code("CB", "3224"),
    "CB 20-95": Code("CB", "20", year="95"),
    "分离RNAGB/T42080.1-2022": Code("GB", "42080", (".1",), attr="T", year="2022"),
}


@pytest.mark.parametrize(("text", "code"), GOLDEN.items(), ids=GOLDEN)
def test_a_number_has_this_first_reading(text: str, code: Code) -> None:
    assert first(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "HRB400", "C30", "CH4", "110kV", "（ISO法）", "SN 4", "PSD747-2型", "T/CECS", "GB", "GB/T",
        "规范2013", "ABC 12", "Q235", "PM2.5", "GB 1234567890123", "T-BEAM 3", "Office 2016", "5kg", "",
    ],
)  # fmt: skip
def test_this_is_no_number_of_a_standard(text: str) -> None:
    assert readings(text) == []


def test_two_digits_at_the_end_are_a_year_or_a_part() -> None:
    [found] = readings("JTG/T 2231-01")
    assert [(code.parts, code.year) for code in found] == [((), "01"), (("-01",), "")]


def test_one_digit_at_the_end_is_a_part() -> None:
    [found] = readings("JTG F80-1")
    assert [(code.parts, code.year) for code in found] == [(("-1",), "")]


def test_digits_at_the_end_that_are_no_year_may_be_an_unreadable_one() -> None:
    [found] = readings("GB50204-20021")
    assert [(code.parts, code.year) for code in found] == [(("-20021",), ""), ((), "?")]


def test_a_year_glued_to_the_digits_is_a_second_reading() -> None:
    [found] = readings("JGJ522006")
    assert found == (Code("JGJ", "522006"), Code("JGJ", "52", year="2006", glued=True))
    [part] = readings("GB/T 1.12009")
    assert part[1] == Code("GB", "1", (".1",), attr="T", year="2009", glued=True)


def test_a_joint_number_is_two() -> None:
    found = readings("GB/T 19001-2016/ISO 9001:2015")
    assert [code[0] for code in found] == [first("GB/T 19001-2016"), first("ISO 9001:2015")]


def test_numbers_are_found_anywhere() -> None:
    found = readings("依据《建筑边坡工程技术规范》(GB50330-2013)及JGJ120—2012执行")
    assert [code[0] for code in found] == [first("GB 50330-2013"), first("JGJ 120-2012")]


def test_an_edition_of_the_text_is_no_part_of_the_number() -> None:
    assert first("GB 50016-2014（2018年版）") == first("GB 50016-2014")
    assert first("GB 50016 2018年版") == first("GB 50016")


def test_the_spelling_as_typed_stays_a_second_reading() -> None:
    [found] = readings("GBT50330-2013")
    assert Code("GBT", "50330", year="2013") in found[1:]
    assert readings("DB13T 1357", Rules(glued_attribute=False)) == []
    [[typed]] = readings("GBT50330-2013", Rules(glued_attribute=False))
    assert (typed.edit_key, typed.attr) == ("GBT50330", "")


def test_without_the_group_mark_rule_the_mark_stays_in_the_series() -> None:
    assert readings("T/CECS 1-2020", Rules(group_mark=False)) == [(Code("T/CECS", "1", year="2020"),)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("GB/T 5440-2018", "GB/T5440"),
        ("T/CECS 10-2020", "T/CECS10"),
        ("DGJ08-108-2004", "DGJ08-108"),
        ("DBJ/T 15-31-2003", "DBJ15/T31"),
        ("JTG D70/2-2014", "JTGD70/2"),
        ("GB 9706.1-2020", "GB9706.1"),
    ],
)
def test_a_slip_is_looked_for_in_the_number_without_its_year(text: str, key: str) -> None:
    assert first(text).edit_key == key


@pytest.mark.parametrize(
    ("text", "year"),
    [("GBJ 16-87", 1987), ("GB 1-49", 2049), ("GB 1-2013", 2013), ("GB 1", 0), ("GB 1-20021", 0)],
)
def test_editions_are_sorted_by_this_year(text: str, year: int) -> None:
    assert first(text).order_year == year


def test_every_code_of_the_starter_library_is_read_whole_and_in_one_way() -> None:
    for record in starter().records:
        folded = fold(record.code)
        [found] = find_codes(folded, ALL)
        assert (found.start, found.end, len(found.readings)) == (0, len(folded), 1)
        assert read_record_code(record.normalized_code) == found.readings


@pytest.mark.parametrize("rules", [ALL, Rules.literal()])
@pytest.mark.parametrize(
    "behind", ["", " ", "建筑", "-01", " -2", "/XG1-2012", "(2015", "T", "1", "~3", ".2", "：", "规"]
)
def test_a_plain_number_is_read_as_it_is_step_by_step(
    behind: str, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{record.code}{behind}" for record in starter().records[::7]]
    texts += [f"建筑 {text}" for text in texts]
    at_once = [readings(text, rules) for text in texts]
    monkeypatch.setattr(grammar, "_PLAIN_SERIES", frozenset())
    assert at_once == [readings(text, rules) for text in texts]


PREFIXES = st.sampled_from(sorted(LISTED - {"建标", "TSG", "DBJ", "DGJ", "DBJT"}))


@given(
    PREFIXES, st.sampled_from(["", "T", "Z"]), st.integers(100, 99_999), st.integers(1950, 2049), st.data()
)
def test_case_blanks_and_marks_of_a_number_do_not_matter(
    org: str, attr: str, num: int, year: int, data: st.DataObject
) -> None:
    plain = f"{org}/{attr} {num}-{year}" if attr else f"{org} {num}-{year}"
    slash = data.draw(st.sampled_from(["/", " / ", "／", "-"]))
    dash = data.draw(st.sampled_from(["-", "—", " － ", "－", "–"]))
    gap = data.draw(st.sampled_from(["", " ", "\u3000", "  "]))
    spelt = f"{org}{slash}{attr}{gap}{num}{dash}{year}" if attr else f"{org}{gap}{num}{dash}{year}"
    assert first(spelt.lower()) == first(plain) == Code(org, str(num), attr=attr, year=str(year))


@given(st.text(alphabet="GBTJZCSQ/-.:()0123456789 ~一规《》XG", max_size=80))
def test_found_numbers_lie_in_order_and_none_in_another(text: str) -> None:
    folded = fold(text)
    end = 0
    for found in find_codes(folded, ALL):
        assert end <= found.start < found.end <= len(folded)
        assert found.readings
        end = found.end

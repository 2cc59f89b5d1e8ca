"""The matcher's hit rate on real citations does not fall (data/standards/citations.jsonl)."""

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from benchmarks.citations import Figures, measure, read_citations
from providers.standards.folding import fold
from providers.standards.library import Library, StandardRecord
from providers.standards.matching import search
from providers.standards.rules import Rules
from providers.standards.scan import find_codes, read_record_code


@pytest.fixture(scope="module")
def figures(shared: Path, standards: Library) -> Figures:
    return measure(standards, read_citations(shared / "data" / "standards" / "citations.jsonl"))


def test_every_citation_is_counted_once(figures: Figures) -> None:
    assert (figures.rows, figures.present, figures.exact, figures.absent) == (1_473, 1_176, 859, 297)


def test_a_citation_of_one_standard_in_the_library_finds_it(figures: Figures) -> None:
    assert figures.exact_top_1 >= 0.995 * figures.exact
    assert figures.exact_top_3 == figures.exact


def test_a_citation_that_several_editions_answer_finds_one_of_them(figures: Figures) -> None:
    # Not 0.995: of the seven misses five name a title and another number or year, and two a number
    # that is no number. The share was 1169 of 1176 when it was first counted.
    assert figures.top_1 >= 1_169
    assert figures.top_3 == figures.present


def test_a_standard_that_the_library_lacks_is_not_answered_with_confidence(figures: Figures) -> None:
    # The one answer at 0.90 or more is the right standard: the row just does not name it (JGJ522006).
    assert [line.split(" -> ")[1] for line in figures.confident] == ["JGJ 52-2006 0.9038; right: not known"]
    assert figures.absent_confident_edition == 0
    assert figures.absent_answered <= 93
    assert figures.absent_other_standard <= 67


def test_every_record_is_first_by_its_code_and_full_by_its_title(standards: Library) -> None:
    for record in standards.records[::40]:
        [first, *_] = search(standards, record.code)
        assert (first.record, first.score) == (record, 10_000)
        assert search(standards, record.title)[0].score == 10_000


def test_every_code_of_the_library_is_read_whole_and_in_one_way(standards: Library) -> None:
    for record in standards.records:
        folded = fold(record.code)
        [found] = find_codes(folded, Rules())
        assert (found.start, found.end, len(found.readings)) == (0, len(folded), 1)


# Spellings of a code and title that people write, each made from a hundred real records.
FORMS: dict[str, Callable[[str, str], str]] = {
    "lower case": lambda code, _: code.lower(),
    "no blank": lambda code, _: code.replace(" ", ""),
    "blanks around marks": lambda code, _: code.replace("-", " - ").replace("/", " / "),
    "full width": lambda code, _: "".join(
        chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in code
    ),
    "em dash": lambda code, title: f"《{title}》{code.replace('-', '—')}",
    "two em dashes": lambda code, _: code.replace("-", "——"),
    "slash lost": lambda code, _: code.replace("/T", "T"),
    "slash as blank": lambda code, title: f"{code.replace('/T', ' T')}  {title}（正式版）.docx",
    "slash as underscore": lambda code, title: f"{code.replace('/', '_').replace(' ', '_')}_{title}.pdf",
    "backslash": lambda code, _: code.replace("/", "\\"),
    "edition": lambda code, title: f"《{title}（2018年版）》（{code}）",
    "clause": lambda code, _: f"{code}第3.2.1条",
    "clause and item": lambda code, title: f"《{title}》（{code}）第3.2.1条第2款",
    "sentence": lambda code, title: f"按照现行国家标准《{title}》（{code}）执行。",
    "requirement": lambda code, _: f"应符合{code}的要求",
    "brackets": lambda code, title: f"【{code}】{title}",
    "shell brackets": lambda code, title: f"〔{code}〕{title}",
    "list mark": lambda code, title: f"12、{title}({code})",
    "list number": lambda code, title: f"（3）{code}{title}",
    "all glued": lambda code, title: f"{title}{code}".replace(" ", ""),
    "file name": lambda code, title: f"{code}{title}.pdf".replace("/", "").replace(" ", ""),
    "curly quotes": lambda code, title: f"“{title}”{code}",
    "open quotes": lambda code, title: f"《{title} {code}",
    "labels": lambda code, title: f"标准编号：{code} 标准名称：{title}",
    "line break": lambda code, title: f"{code}\n{title}",
    "year in brackets": lambda code, _: re.sub(r"-((?:19|20)[0-9]{2})$", r"（\1）", code),
    "year of two digits": lambda code, title: title + re.sub(r"-(?:19|20)([0-9]{2})$", r"-\1", code),
    "year behind a colon": lambda code, _: re.sub(r"-((?:19|20)[0-9]{2})$", r"：\1", code),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_real_code_is_found_however_it_is_written(form: str, standards: Library) -> None:
    chosen = random.Random(form).sample(list(standards.records), 100)
    missed = []
    for record in chosen:
        query = FORMS[form](record.code, record.title)
        found = search(standards, query)
        if [one.record for one in found[:1]] != [record]:
            missed.append((query, [(one.record.code, one.score) for one in found]))
    assert len(missed) <= 1, missed


def test_a_digit_that_was_read_as_a_letter_still_leads_to_the_number(standards: Library) -> None:
    chosen = [
        one
        for one in random.Random(1).sample(list(standards.records), 300)
        if re.search(r"-20[0-9]{2}$", one.code)
    ]
    for record in chosen:
        misread = f"{record.code[:-3]}O{record.code[-2:]}"
        found = search(standards, f"{record.title} {misread}", limit=8)
        assert record in [one.record for one in found], misread


# With the code alone there is none. These agree in title and in all but one character of the number,
# which the design scores 0.7 * 1 + 0.3 * 0.75, or quote another number in their own title.
NEARLY_THE_SAME = [
    "DB11/T 3047-2025", "DB13/T 3047-2025", "GB 7300.311-2025", "GB 7300.313-2025",
    "YY/T 0287-2017", "YY/T 1985-2025",
]  # fmt: skip


def in_place_of(records: Iterable[StandardRecord], standards: Library) -> list[str]:
    """Each record asked for as if it were not there: what would come back in its place at 0.90 or more?"""
    loud = Rules(quiet_typo=False)
    wrong = set()
    for record in records:
        [number, *_] = read_record_code(record.code)
        for query in (record.code, f"{record.code} {record.title}"):
            for found in search(standards, query, limit=8, rules=loud):
                [other, *_] = read_record_code(found.record.code)
                body = (number.org, number.num, number.parts)
                if found.score >= 9_000 and (other.org, other.num, other.parts) != body:
                    wrong.add((query, found.record.code))
    return sorted(code for _, code in wrong)


def test_one_of_eight_codes_asked_for_as_if_the_library_lacked_it_is_no_other_standard(
    standards: Library,
) -> None:
    assert set(in_place_of(standards.records[::8], standards)) <= set(NEARLY_THE_SAME)


@pytest.mark.soak
def test_a_code_that_the_library_lacks_is_no_other_standard(standards: Library) -> None:
    assert in_place_of(standards.records, standards) == NEARLY_THE_SAME

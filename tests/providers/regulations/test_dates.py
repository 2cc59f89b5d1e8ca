"""Dates of a manifest by their own names, dates that contradict each other, and names that name nothing."""

from pathlib import Path

import pytest

from providers.regulations.intake import read_sources
from schemas.errors import InvalidError
from tests.providers.regulations.law import imported
from tests.providers.regulations.test_intake import row, written

LAW = "示例法\n第一条 甲。\n第三条 丙。\n"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"issued": "2031-3-4"}, "issued"),
        ({"effective": "2031年6月1日"}, "effective"),
        ({"repealed": "2031-02-30"}, "repealed"),
        ({"repealed": "2031-02-30?"}, "repealed"),
        ({"commencements": {"art4": "soon"}}, "commencements.art4"),
    ],
)
def test_a_date_that_is_none_is_told_by_the_manifests_name_with_file_and_edition(
    tmp_path: Path, values: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidError) as refused:
        read_sources([written(tmp_path, row(**values))])
    assert refused.value.subject == field
    for words in (
        "manifest.json",
        "lighthouse-rules@2031-03-04",
        field,
        "不是日期，应写作 YYYY-MM-DD",
        "is no date",
    ):
        assert words in refused.value.message


def told(*, accept: tuple[str, ...] = (), **values: object) -> list[tuple[str, str, bool]]:
    given: dict[str, object] = {"accept": ("gap:art3", *accept), **values}
    kinds = ("effective", "repealed", "edition id", "date in", "accepted")
    return [
        (one.kind, one.detail, one.blocks)
        for one in imported(LAW, **given).defects  # type: ignore[arg-type]
        if one.kind.startswith(kinds)
    ]


@pytest.mark.parametrize("repealed", ["2031-06-01", "2031-05-31"])
def test_an_edition_that_ends_before_it_begins_blocks(repealed: str) -> None:
    assert told(effective_to=repealed) == [
        ("repealed before it is effective", f"失效 repealed {repealed}，施行 effective 2031-06-01", True)
    ]
    assert told(effective_to="2031-06-02") == []


def test_dates_that_do_not_go_together_are_notes() -> None:
    assert told(effective_from="2031-01-01") == [
        ("effective before issued", "施行 effective 2031-01-01，公布 issued 2031-03-04", False)
    ]
    kind = "edition id names another day than issued"
    assert told(key="2031-03-05.2") == [
        (kind, "lighthouse-rules@2031-03-05.2，公布 issued 2031-03-04", False)
    ]
    assert told(key="2030-7") == [(kind, "lighthouse-rules@2030-7，公布 issued 2031-03-04", False)]
    assert told(key="2031-7") == told(key="2031-03-04.2") == told(key="2031", promulgated_on=None) == []
    assert told(uncertain=("effective_to 2040-?",)) == [("date in doubt", "repealed 2040-?", False)]


def test_an_accepted_name_of_no_problem_is_told() -> None:
    kept = "changed:lighthouse-rules@2031-03-04"
    assert told(accept=(kept,)) == []
    assert told(accept=("gap:art33", "changed:other@2000")) == [
        ("accepted name of no problem", "'changed:other@2000'", False),
        ("accepted name of no problem", "'gap:art33'", False),
    ]

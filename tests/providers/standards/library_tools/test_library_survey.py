"""What a library's maintainer should look at, and what changed between two libraries."""

from datetime import date

from providers.standards.library import Library, StandardRecord, starter
from providers.standards.library_check import DOUBTS, KINDS, Finding, counts, outline, survey
from providers.standards.library_diff import difference

TODAY = date(2026, 3, 4)


def record(
    code: str, title: str = "名称", status: str = "现行", relation: str = "", day: str = ""
) -> StandardRecord:
    return StandardRecord(code, code.replace(" ", ""), title, status, relation, day)


def found(kind: str, *records: StandardRecord) -> list[tuple[str, str]]:
    findings = survey(Library("made", records), TODAY)
    return [(one.code, one.seen) for one in findings if one.kind == kind]


def test_a_standard_in_force_whose_relation_says_replaced_is_found() -> None:
    partly = record("GB 2-2000", relation="部分条文被 GB 3-2020 替代")
    assert found("replaced_but_in_force", record("GB 1-2000", relation="被 GB 1-2020 替代"), partly) == [
        ("GB 1-2000", "被 GB 1-2020 替代")
    ]
    ended = record("GB 1-2000", status="废止", relation="被GB 1-2020代替")
    assert found("replaced_but_in_force", ended, record("GB 2-2000", relation="替代 GB 2-1990")) == []


def test_an_upcoming_standard_whose_date_has_passed_is_found() -> None:
    days = {"2026-03-03": True, "2026-03-04": True, "2026-03-05": False}
    for day, passed in days.items():
        upcoming = record("GB 1-2026", status="即将实施", day=day)
        assert bool(found("upcoming_date_has_passed", upcoming)) is passed
    assert found("upcoming_date_has_passed", record("GB 1-2026", day="2026-03-03")) == []


def test_a_date_that_cannot_be_is_found() -> None:
    wrong = ["2014-02-30", "2014", "2012-12-31", "2040-01-01", "2014/06/01"]
    for day in wrong:
        assert found("impossible_date", record("GB 1-2013", day=day)) == [("GB 1-2013", day)]
    for day in ("", "2013-01-01", "2014-06-01"):
        assert found("impossible_date", record("GB 1-2013", day=day)) == []
    ended = record("GB 1-2013", status="废止", day="2026-05-01")
    assert found("ended_before_it_begins", ended) == [("GB 1-2013", "2026-05-01")]


def test_several_editions_in_force_are_found() -> None:
    both = record("GB 1-2013"), record("GB 1-2020")
    assert found("several_editions_in_force", *both) == [("GB 1-2020", "GB 1-2013、GB 1-2020")]
    assert found("several_editions_in_force", both[0], record("GB 1-2020", status="即将实施")) == []
    assert found("several_editions_in_force", record("GB/T 1-2013"), record("GB 1-2020")) == []


def test_an_alias_that_several_records_share_is_found() -> None:
    two = (StandardRecord(f"GB {number}-2000", "GB 1-2000", "甲", "", "", "") for number in (1, 2))
    assert found("one_alias_for_several", *two) == [("GB 1-2000", "GB1-2000: GB 1-2000、GB 2-2000")]


def test_a_family_with_gaps_is_found() -> None:
    parts = [record(f"GB/T 5750.{part}-2023") for part in (1, 2, 5, 8)]
    assert found("family_with_gaps", *parts) == [
        ("GB/T 5750", "有 held .1–.2、.5、.8；缺 missing .3–.4、.6–.7")
    ]
    assert found("family_with_gaps", *parts[:2], record("GB/T 7.3-2000")) == []
    group = [record(f"T/CECS 10{part}-2019") for part in (".1", ".3")]
    assert found("family_with_gaps", *group)[0][0] == "T/CECS 10"


def test_a_code_that_only_relations_name_is_found_once_with_all_who_name_it() -> None:
    both = (
        record("GB 1-2013", relation="替代 GB 1-2002，GB 9-1999"),
        record("GB 2-2013", relation="代替GB 1—2002"),
    )
    assert found("only_in_relations", *both, record("GB 9-1999")) == [
        ("GB 1-2002", "见于 named by GB 1-2013、GB 2-2013")
    ]


def test_a_status_that_nobody_uses_is_noted_once_with_how_many_have_it() -> None:
    statuses = ["现形", "现行", "有效", "现形", "", "即将实施", "作废"]
    records = [record(f"GB {number}-2000", status=status) for number, status in enumerate(statuses, 1)]
    assert found("unusual_status", *records) == [("GB 1-2000", "现形（2 条）"), ("GB 3-2000", "有效（1 条）")]
    assert found("one_status_in_two_words", *records) == []
    both = [*records, record("GB 8-2000", status="废止"), record("GB 9-2000", status="废止")]
    assert found("one_status_in_two_words", *both) == [("GB 7-2000", "废止（2 条）、作废（1 条）")]
    assert not {"unusual_status", "one_status_in_two_words"} & set(DOUBTS)


def test_every_kind_has_its_words_and_is_counted() -> None:
    findings = survey(starter(), TODAY)
    assert {one.kind for one in findings} <= set(KINDS)
    assert sum(counts(findings).values()) == len(findings)
    assert list(counts([])) == list(KINDS)
    assert Finding("no_status", "a", "b").to_wire() == {"kind": "no_status", "code": "a", "seen": "b"}


def test_an_outline_counts_what_is_there() -> None:
    numbers = outline(starter())
    assert numbers["standards"] == 439
    assert numbers["revision"] == starter().revision
    assert numbers["years"] == [1986, 2026]
    assert outline(Library("none", ()))["years"] == []


def test_a_difference_tells_what_came_went_and_changed() -> None:
    kept = record("GB 1-2000")
    old = Library("old", (kept, record("GB 2-2000"), record("GB 3-2000", "旧名", "现行")))
    new = Library("new", (record("GB3-2000", "新名", "废止"), record("GB 4-2000"), kept))
    assert difference(old, new).to_wire() == {
        "added": [record("GB 4-2000").to_wire()],
        "removed": [record("GB 2-2000").to_wire()],
        "changed": [
            {
                "code": "GB3-2000",
                "fields": {
                    "code": {"old": "GB 3-2000", "new": "GB3-2000"},
                    "title": {"old": "旧名", "new": "新名"},
                    "status": {"old": "现行", "new": "废止"},
                },
            }
        ],
    }
    same = difference(old, Library("moved", old.records[::-1]))
    assert (same.added, same.removed, same.changed) == ((), (), ())

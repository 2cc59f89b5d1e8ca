"""Reading a log back: what a report tells a maintainer, and what a replay shows before a change is made."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from providers.standards.answer import answer
from providers.standards.library import Library, StandardRecord, starter
from providers.standards.log_reading import Log, moment, paths_of, read_log
from providers.standards.log_replay import change, replay, rules_without
from providers.standards.log_report import SUGGESTIONS, report
from providers.standards.rules import Rules
from schemas.errors import NotFoundError, UsageError

SLOPES = "GB 50330-2013 建筑边坡工程技术规范"


def line(query: str, time: str = "2026-03-04T05:06:07.000000Z", library: Library | None = None) -> bytes:
    held = library or starter()
    told = {"time": time, "request_id": "a-1", "position": 0, **answer(held, query)}
    return orjson.dumps({**told, "elapsed_ms": 0.5, "library_revision": held.revision}) + b"\n"


def logged(folder: Path, *lines: bytes) -> Log:
    path = folder / "queries-20260304-1-1.jsonl"
    path.write_bytes(b"".join(lines))
    return read_log(paths_of([folder]))


def cited(found: dict[str, Any], kind: str) -> list[str]:
    return [one["cited"] for one in found["suggestions"] if one["kind"] == kind]


def test_a_report_counts_what_a_maintainer_asks_for(tmp_path: Path) -> None:
    queries = [SLOPES, SLOPES, "GB 50330", "GB 99999-2020 不存在的规范名称", "验收规程", "毫不相干的一个名称"]
    log = logged(tmp_path, *map(line, queries))
    found: Any = report(log)
    assert (found["files"], found["lines"], found["queries"]) == (1, 6, 5)
    assert found["frequent"][0]["query"] == SLOPES
    assert found["frequent"][0]["count"] == 2
    assert [row["query"] for row in found["unmatched"]] == [queries[3], queries[5]]
    assert [row["query"] for row in found["low"]] == ["验收规程"]
    assert [row["query"] for row in found["ambiguous"]] == ["GB 50330"]
    assert found["counts"]["unmatched"] == {"queries": 2, "times": 2}
    assert found["revisions"] == {starter().revision: 6}
    assert found["elapsed_ms"] == {"p50": 0.5, "p95": 0.5, "p99": 0.5, "max": 0.5}


def test_a_report_suggests_what_the_library_may_lack(tmp_path: Path) -> None:
    queries = [
        "GB 99999-2020", "GB 50330-2025", "GB 1-2000 建筑边坡工程技术规范", "GB 50330-2013 边坡规程",
        "毫不相干的一个名称", "GB 50330", "",
    ]  # fmt: skip
    found: Any = report(logged(tmp_path, *map(line, queries)))
    assert cited(found, "add_standard") == ["GB 99999-2020"]
    assert cited(found, "add_edition") == ["GB 50330-2025"]
    assert cited(found, "check_code") == ["GB 1-2000"]
    assert cited(found, "check_title") == ["GB 50330-2013"]
    assert cited(found, "add_title") == ["毫不相干的一个名称"]
    [edition] = [one for one in found["suggestions"] if one["kind"] == "add_edition"]
    assert edition["held"] == ["GB 50330-2013", "GB 50330-2002"]


def test_a_citation_that_differs_in_its_attribute_only_is_said_to_name_no_other_title(tmp_path: Path) -> None:
    held = made(("T/CECS 22-2005", "岩土锚杆技术规程", "现行"), ("GB/T 50107-2010", "混凝土强度评定", "现行"))
    queries = ["CECS 22:2005", "GB 50107-2010", "T/CECS 22-05", "T/CECS 22-2005", "T/CECS 22-2005 钢结构规程",
               "GB/T 50107-2010/XG1-2015"]  # fmt: skip
    log = logged(tmp_path, *(line(query, library=held) for query in queries))
    assert log.asked["CECS 22:2005"].candidates[0]["match_score"] == 0.93
    found: Any = report(log)
    assert [(one["kind"], one["cited"], one["held"]) for one in found["suggestions"]] == [
        ("add_standard", "GB/T 50107-2010/XG1-2015", ["GB/T 50107-2010"]),
        ("check_attribute", "CECS 22:2005", ["T/CECS 22-2005 岩土锚杆技术规程"]),
        ("check_attribute", "GB 50107-2010", ["GB/T 50107-2010 混凝土强度评定"]),
        ("check_title", "T/CECS 22-2005", ["T/CECS 22-2005 岩土锚杆技术规程"]),
    ]
    assert SUGGESTIONS["check_attribute"] == "编号只差属性（T/、/T） only the attribute differs"


def test_damaged_and_unfinished_lines_are_counted_and_lose_no_other(tmp_path: Path) -> None:
    bad = [
        b"no json\n",
        b"[]\n",
        b'{"time":1}\n',
        line(SLOPES).replace(b'"candidates":[{', b'"candidates":[1,{'),
    ]
    log = logged(tmp_path, line(SLOPES), *bad, line("GB 50330"), line("验收规程")[:50])
    assert (log.lines, log.unfinished) == (2, 1)
    assert log.damaged == [f"queries-20260304-1-1.jsonl:{number}" for number in (2, 3, 4, 5)]


def test_a_period_is_read_from_its_beginning_to_before_its_end(tmp_path: Path) -> None:
    days = [f"2026-03-0{day}T00:00:00.000000Z" for day in range(1, 5)]
    logged(tmp_path, *(line(SLOPES, day) for day in days))
    begins, ends = moment("2026-03-02", "--since"), moment("2026-03-04", "--until")
    assert read_log(paths_of([tmp_path]), begins, ends).lines == 2
    assert read_log(paths_of([tmp_path]), begins).lines == 3


def test_moments_are_compared_as_instants_and_not_as_texts(tmp_path: Path) -> None:
    logged(tmp_path, line(SLOPES, "2026-03-01T16:30:00.000000Z"), line(SLOPES, "2026-03-01T16:30:00Z"))
    for text, lines in [
        ("2026-03-02T00:30+08:00", 2),
        ("2026-03-02 00:30:00.1+08:00", 0),
        ("2026-03-01T16:30", 2),
        ("2026-03-01t16:30:00z", 2),
        ("2026-03-01T16:30:01", 0),
    ]:
        assert read_log(paths_of([tmp_path]), moment(text, "--since")).lines == lines, text


@pytest.mark.parametrize(
    "text",
    ["", "9999", "2026-03", "2026-3-4", "20260304", "2026-02-30", "2026-W10", "2026-03-04T",
     "2026-03-04T25:00", "2026-03-04T05", "2026-03-04T05:06:60", "2026-03-04T05:06+08",
     "2026-03-04T05:06+24:00", "yesterday",
     "２０２６-03-04", "2026-03-04\n", " 2026-03-04"],
)  # fmt: skip
def test_what_is_no_moment_is_a_wrong_call_that_names_its_option(text: str) -> None:
    with pytest.raises(UsageError, match=r"--until: .* is no date") as raised:
        moment(text, "--until")
    assert raised.value.subject == "--until"
    assert "2026-03-04T05:06:07+08:00" in (raised.value.hint or "")


def test_a_line_whose_time_is_none_is_damaged(tmp_path: Path) -> None:
    assert logged(tmp_path, line(SLOPES), line(SLOPES, "noon")).damaged == ["queries-20260304-1-1.jsonl:2"]


def test_an_empty_log_has_an_empty_report(tmp_path: Path) -> None:
    found: Any = report(read_log(paths_of([tmp_path])))
    assert (found["lines"], found["elapsed_ms"], found["suggestions"]) == (0, {}, [])
    with pytest.raises(NotFoundError):
        paths_of([tmp_path / "none"])


def test_a_replay_against_the_same_library_changes_nothing(tmp_path: Path) -> None:
    log = logged(tmp_path, *map(line, [SLOPES, "GB 50330", "验收规程", ""]))
    found: Any = replay(log.asked.values(), starter(), Rules())
    assert (found["queries"], found["unchanged"], found["changes"]) == (4, 4, [])


def made(*rows: tuple[str, str, str]) -> Library:
    records = (StandardRecord(code, code, title, status, "", "") for code, title, status in rows)
    return Library("made", tuple(records))


def test_a_replay_tells_every_way_in_which_an_answer_changes(tmp_path: Path) -> None:
    before = made(("GB 111-2000", "甲", "现行"), ("GB 222-2000", "乙", "现行"), ("GB 333-2000", "丙", "现行"))
    after = made(
        ("GB 111-2000", "甲", "废止"),
        ("GB 111-2020", "甲", "现行"),
        ("GB 444-2000", "丁", "现行"),
        ("GB 333-2000", "丙丙", "现行"),
    )
    queries = ["GB 111", "GB 222-2000", "GB 444-2000", "GB 111-2000", "GB 333-2000"]
    log = logged(tmp_path, *(line(query, library=before) for query in [*queries, "GB 111"]))
    found: Any = replay(log.asked.values(), after, Rules())
    assert {one["query"]: (one["change"], one["count"]) for one in found["changes"]} == {
        "GB 111": ("other_first", 2),
        "GB 222-2000": ("newly_unmatched", 1),
        "GB 444-2000": ("newly_matched", 1),
        "GB 111-2000": ("other_list", 1),
        "GB 333-2000": ("other_facts", 1),
    }
    assert found["changed"]["other_first"] == {"queries": 1, "times": 2}
    same = log.asked["GB 333-2000"].candidates
    assert change(same, [{**same[0], "match_score": 0.5}]) == "other_scores"


def test_a_replay_shows_what_a_rule_does(tmp_path: Path) -> None:
    log = logged(tmp_path, line("GB50330-2013"), line("GBT50330-2013"))
    found: Any = replay(log.asked.values(), starter(), rules_without(["r4"]))
    assert found["rules_off"] == ["R4"]
    assert {one["change"] for one in found["changes"]} == {"other_list"}


def test_all_rules_off_is_the_letter_of_the_design() -> None:
    assert rules_without([f"R{number}" for number in range(1, 9)]) == Rules.literal()
    with pytest.raises(UsageError, match="R9"):
        rules_without(["R9"])

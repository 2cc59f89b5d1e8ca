"""An audit report: the same facts in both languages and in every form, escaped, and true to the bytes."""

import json
import re
import shutil
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evidence.audit import Replay, replay
from evidence.rendering import report_html, report_json, report_markdown
from evidence.rendering.escape import visible
from evidence.rendering.report_blocks import Value
from evidence.rendering.report_content import Made, Tally
from evidence.rendering.report_html import Bounds
from evidence.rendering.report_words import LANGUAGES, Words
from evidence.story import Story, story
from evidence.verify import verify_replayed
from ledger.erasure import erase
from ledger.sqlite_readonly import open_readonly
from schemas.canonical import digest_bytes
from schemas.ledger import read_raw
from tests.audit.edits import edit
from tests.audit.telling import HOSTILE, Gaps, Told, body_of, say_erased, take_away, told
from tests.rendering.browser import Page
from tests.rendering.markdown_reading import texts, types
from tests.world import open_ledger

MADE = Made("0.0.0", "2026-03-04T05:06:07.000000Z")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(tmp_path_factory.mktemp("told") / "l.sqlite3")


@pytest.fixture
def copy(made: Told, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(made.path, tmp_path / "copy.sqlite3"))


def report(path: Path, form: str = "html", language: str = "zh", bounds: Bounds | None = None) -> str:
    with open_readonly(path).read() as reader:
        said, replayed = story(reader), replay(reader)
        judged = verify_replayed(reader, replayed).to_wire()
        if form == "html":
            return "".join(report_html.render(said, judged, MADE, language, bounds=bounds))
        if form == "md":
            return "".join(report_markdown.render(said, judged, MADE, language))
        return "".join(report_json.render(said, replayed.to_wire(), judged, MADE))


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_every_fact_stands_in_the_page_without_any_script(made: Told, language: str) -> None:
    page = Page(report(made.path, language=language))
    (main,) = page.named("main")
    shown = main.content
    for plan in made.plans.values():
        assert str(plan.plan_id) in shown
        assert visible(plan.request.objective) in shown
    for receipt in made.receipts.values():
        assert receipt.digest("blake3") in shown
        for source in receipt.sources:
            assert source.finding in shown
    for admission in made.admissions.values():
        assert str(admission.admission_id) in shown
        assert visible(admission.reason) in shown
    with open_readonly(made.path).read() as reader:
        for _, raw in reader.records():
            assert digest_bytes(raw) in shown
            assert read_raw(raw).body.digest in shown


def at(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        value = value[int(step) if isinstance(value, list) else step]
    return value


def test_what_the_page_says_is_what_the_bytes_say(made: Told) -> None:
    page = Page(report(made.path))
    with open_readonly(made.path).read() as reader:
        raws = dict(reader.records())
        bodies = {seq: reader.body(read_raw(raw).body.digest) or b"" for seq, raw in raws.items()}
    values: dict[str, Any] = {f"r{seq}": json.loads(raw) for seq, raw in raws.items()}
    values |= {f"b{seq}": json.loads(body) for seq, body in bodies.items()}
    compared = 0
    for element in page.elements:
        found = re.fullmatch(r"([rb]\d+)(/.*)", element.attributes.get("data-at", ""))
        if found is not None:
            compared += 1
            stated = str(at(values[found[1]], found[2]))
            assert element.content in (visible(stated), Words("zh").of_code(stated))
    assert compared > 300


def test_nothing_is_loaded_and_only_the_one_script_may_run(made: Told) -> None:
    html = report(made.path)
    page = Page(html)
    outside = {"src", "srcset", "action", "data", "style", "poster", "background"}
    for element in page.elements:
        assert not outside & set(element.attributes), element.name
        assert not any(name.startswith("on") for name in element.attributes)
        assert element.attributes.get("href", "#").startswith("#")
    assert {"link", "iframe", "object", "embed", "form", "base", "img"}.isdisjoint(
        one.name for one in page.elements
    )
    (policy,) = (one.attributes["content"] for one in page.elements if "http-equiv" in one.attributes)
    script = next(one.content for one in page.named("script") if not one.attributes)
    (style,) = (one.content for one in page.named("style"))
    hashes = [b64encode(sha256(one.encode()).digest()).decode() for one in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style
    assert "@import" not in style
    assert html.index("Content-Security-Policy") < html.index("<style>") < html.index("<script")


def test_texts_of_others_are_escaped_and_kept_apart(made: Told) -> None:
    html = report(made.path)
    assert "<script>alert" not in html
    page = Page(html)
    objective = [one for one in page.named("bdi") if one.content == visible(HOSTILE)]
    assert len(objective) >= 2
    assert "\u2028" not in html
    assert "&#13;" in html
    assert all(one.attributes.get("lang") == "zh-Hans" for one in page.named("html"))


def test_every_link_leads_to_one_place(made: Told) -> None:
    page = Page(report(made.path))
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    links = {one.attributes["href"][1:] for one in page.named("a")}
    assert links <= set(ids)
    assert {"verdict", "plans", "records", "plan-2", "record-4"} <= links


def test_the_markdown_has_the_same_facts_and_no_markup_of_others(made: Told) -> None:
    for language in LANGUAGES:
        document = report(made.path, "md", language)
        read = texts(document)
        assert types(document).isdisjoint({"html_block", "html_inline", "link_open", "image"})
        whole = "".join(read)
        for plan in made.plans.values():
            assert str(plan.plan_id) in whole
        for admission in made.admissions.values():
            assert str(admission.admission_id) in whole
        assert "<script>alert(1)</script>" in whole
        title = {"zh": "外部证据审计报告", "en": "External evidence audit report"}[language]
        assert document.startswith(f"# {title}\n")


def test_the_json_holds_the_replay_and_every_plan(made: Told) -> None:
    document = json.loads(report(made.path, "json"))
    assert document["schema_version"] == "external_evidence_report_v0"
    assert document["replay"]["clean"] is True
    assert [one["plan_id"] for one in document["plans"]] == [one.plan_id for one in made.plans.values()]
    assert [one["kind"] for one in document["events"]] == ["ledger.opened"]
    assert [one["artifact"]["action"] for one in document["provider_calls"]] == ["regulations.search"]
    states = {one["plan_id"]: one["state"] for one in document["plans"]}
    assert states[made.plans["retired"].plan_id] == "retired"


def test_the_counts_are_those_of_the_lives(made: Told) -> None:
    with open_readonly(made.path).read() as reader:
        tally = Tally.of(story(reader))
    expected = {
        "plans": 7,
        "receipts": 5,
        "decisions": 4,
        "admitting": 2,
        "rejecting": 1,
        "superseded_count": 1,
        "sources_admitted": 5,
        "sources_covered": 4,
        "sources_uncovered": 1,
        "retired_count": 1,
        "open": 6,
    }
    assert {name: tally.counts[name] for name in expected} == expected
    reasons = {state: why for _, _, state, why in tally.open}
    assert reasons["retained"] in ("retained 1", "covered")


def test_bodies_that_are_gone_are_shown_as_such(copy: Path) -> None:
    say_erased(copy, body_of(copy, "plan.created"))
    take_away(copy, body_of(copy, "receipt.observed", 1))
    take_away(copy, body_of(copy, "admission.decided", 2), b"{}")
    take_away(copy, body_of(copy, "execution.started"))
    take_away(copy, body_of(copy, "provider.called"))
    page = Page(report(copy))
    marks = {(one.attributes.get("class"), one.content) for one in page.named("span")}
    assert {("mark warn", "正文: 已删除"), ("mark bad", "正文: 缺失"), ("mark bad", "正文: 损坏")} <= marks
    document = report(copy, "md", "en")
    for words in ("body is not held", "erased", "missing", "damaged", "**unknown**"):
        assert words in document
    assert json.loads(report(copy, "json"))["erased"]


def test_what_was_erased_on_record_is_no_fault_and_nothing_that_is_open(copy: Path, made: Told) -> None:
    before = report(copy, "md", "en")
    plan = made.plans["undecided"]
    with closing(open_ledger(copy)) as ledger:
        erase(ledger, str(plan.plan_id), "asked for", "keeper")
        erase(ledger, str(made.admissions["retained"].admission_id), "asked for", "keeper")
    page, document = Page(report(copy)), report(copy, "md", "en")
    marks = {one.content for one in page.named("span") if one.attributes.get("class") == "mark off"}
    assert "已删除" in marks
    assert "前后一致" in page.named("main")[0].content
    assert "The bodies of 6 records were erased on record: these steps were not derived again." in document
    assert "2 steps cannot be derived without bodies that were erased." in document
    assert "not every step can be derived" in document
    assert "every id and every transition was derived" not in document
    assert "those counts may add up to less" in document
    assert str(plan.request.objective) not in document
    told = document[document.index("`body.erased`") :]
    for words in (
        f"- Plan id (plan_id): `{plan.plan_id}`",
        "- Bodies (bodies): 4",
        "- Reason (reason): `asked for`",
    ):
        assert words in told
    rows = [line.count("\n| Plan ") for line in (before, document)]
    assert rows == [7, 5]  # the head of the table is one of them


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_ledger_with_holes_has_a_report(made: Told, language: str) -> None:
    whole = Gaps.of(made.path)
    seq, raw = next(pair for pair in whole.raws.items() if whole.kind(pair[0]) == "execution.finished")
    whole.raws[seq] = read_raw(raw).replace(kind="execution.paused").canonical()
    kinds = {whole.kind(seq) for seq in whole.raws} - {"ledger.opened"}
    with open_readonly(made.path).read() as reader:
        replayed = replay(reader)
        judged = verify_replayed(reader, replayed).to_wire()
    for kind in sorted(kinds):
        for holes in (whole.without(kind), whole.emptied(kind)):
            said = holes.story()
            page = Page("".join(report_html.render(said, judged, MADE, language)))
            assert page.by_id("check").attributes["class"] == "idle"
            assert "".join(report_markdown.render(said, judged, MADE, language))
            json.loads("".join(report_json.render(said, replayed.to_wire(), judged, MADE)))
    document = "".join(report_markdown.render(whole.emptied("ledger.opened").story(), judged, MADE, language))
    assert "execution.paused" in document
    assert Words(language)("missing") in document


def test_why_a_sink_refused_a_source_is_told(made: Told) -> None:
    document = report(made.path, "md", "en")
    assert "Write blockers" in document
    assert "refused" in document
    assert "只查了一处" in document


def test_what_a_replay_finds_stands_in_the_report(made: Told, tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite3"
    chance = Random(3)
    edit(made.path, broken, chance)
    page = report(broken)
    assert "被改动：" in page
    assert 'id="findings"' in page
    assert '<a href="#findings">不成立之处</a>' in page
    assert 'href="#findings"' not in report(made.path)
    assert "## What does not hold" in report(broken, "md", "en")


def test_a_finding_is_told_in_the_language_of_the_report(made: Told, tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite3"
    shutil.copyfile(made.path, broken)
    digest = body_of(broken, "receipt.observed")
    take_away(broken, digest)
    for language, rule, found in (
        (
            "zh",
            "正文就是记录所载正文摘要的那一份（the body is the one that the record names）",
            "没有这一摘要的正文",
        ),
        ("en", "the body is the one that the record names", "no body is stored under this digest"),
    ):
        labels = {"zh": ("规则", "应为", "实为"), "en": ("Rule", "Expected", "Found")}[language]
        document = report(broken, "md", language)
        values = (rule, f"`{digest}`", found)
        told = "\n".join(f"- {label}: {value}" for label, value in zip(labels, values, strict=True))
        assert f"`body`\n\n{told}\n" in document


def test_a_record_that_cannot_be_read_is_named(copy: Path) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE records SET raw = ? WHERE seq = 6", (b"{}",))
    assert "无法读出的记录" in report(copy)


def test_a_large_ledger_says_what_it_leaves_out(made: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_PLANS", "MOST_OPEN", "MOST_RECORDS"):
        monkeypatch.setattr(f"evidence.rendering.report_content.{name}", 2)
    monkeypatch.setattr("evidence.rendering.report_content.MOST_CALLS", 0)
    document = report(made.path, "md", "en")
    for words in ("first 2 plans", "5 are not", "4 more are not listed", "1 more calls", "first 2 records"):
        assert words in document


def test_more_findings_than_are_listed_are_counted(
    made: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evidence.rendering.report_content.MOST_FINDINGS", 0)
    broken = tmp_path / "broken.sqlite3"
    edit(made.path, broken, Random(3))
    assert re.search(r"[1-9]\d* more are not listed; see audit replay", report(broken, "md", "en"))


def embedded(page: str, block: str) -> Iterator[tuple[str, bytes]]:
    for line in Page(page).by_id(block).content.splitlines():
        if line:
            name, _, content = line.partition(" ")
            yield name, b64decode(content)


def test_bytes_are_embedded_as_they_are_stored_up_to_the_bounds(made: Told) -> None:
    with open_readonly(made.path).read() as reader:
        raws = list(reader.records())
    page = report(made.path)
    assert [(int(name), raw) for name, raw in embedded(page, "embedded-records")] == raws
    for digest, body in embedded(page, "embedded-bodies"):
        assert digest_bytes(body) == digest
    small = report(made.path, bounds=Bounds(2000, 1500))
    assert sum(len(raw) for _, raw in embedded(small, "embedded-records")) <= 2000
    assert 0 < sum(len(body) for _, body in embedded(small, "embedded-bodies")) <= 1500
    assert "记录 2000 B、正文 1500 B" in small


def test_an_empty_ledger_has_a_report(made: Told) -> None:
    with open_readonly(made.path).read() as reader:
        empty, judged = Story(reader, until=-1), verify_replayed(reader, Replay()).to_wire()
        page = "".join(report_html.render(empty, judged, MADE, "zh"))
    assert "无法核实" in page
    assert "None" not in page.partition("<script")[0]
    assert "没有待处理的事项" in page


def test_both_languages_have_every_word_with_the_same_gaps() -> None:
    zh, en = (Words(language).patterns("") for language in LANGUAGES)
    assert set(zh) == set(en)
    for key in zh:
        gaps = [sorted(re.findall(r"\{(\w+)\}", words[key])) for words in (zh, en)]
        assert gaps[0] == gaps[1], key
        assert zh[key].strip() == zh[key] != ""


def test_a_bar_in_a_reference_does_not_end_a_cell() -> None:
    assert "|" not in report_markdown._cell(Value("a|b", "code"))

"""The HTML report in a real Chromium, from file://: it verifies, and a tampered copy says what and where."""

import re
from base64 import b64decode, b64encode
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from blake3 import blake3

from evidence.rendering import report_html
from evidence.rendering.report_html import Bounds
from evidence.story import story
from ledger.sqlite_readonly import open_readonly
from ledger.store import Draft
from schemas.canonical import canonical, digest_bytes
from schemas.ledger import Subject
from tests.audit.telling import HOSTILE, Told, body_of, say_erased, take_away, told
from tests.rendering.browser import checked, dumped
from tests.rendering.pages import Edit, report, resealed
from tests.world import open_ledger

pytestmark = pytest.mark.chromium
HASHES = Path(report_html.__file__).with_name("report_hashes.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(tmp_path_factory.mktemp("told") / "l.sqlite3")


def test_the_page_verifies_in_both_languages(made: Told, tmp_path: Path) -> None:
    for language, words in {"zh": "复核相符：", "en": "It agrees: "}.items():
        page = tmp_path / f"报告 #1 {language}.html"  # a name that has to be quoted in an address
        page.write_text(report(made.path, language), encoding="utf-8")
        outcome = checked(page)
        assert (outcome.tone, outcome.left, outcome.complaints) == ("ok", "", [])
        assert outcome.told.startswith(words)
        assert not re.search(r"\b0\b", outcome.told)


def line(page: str, block: str, place: int) -> str:
    found = re.search(rf'id="{block}"[^>]*>\n(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1].splitlines()[place]


def with_one_byte_changed(page: str, block: str, place: int, old: bytes, new: bytes) -> str:
    before = line(page, block, place)
    name, _, content = before.partition(" ")
    raw = b64decode(content)
    assert old in raw
    return page.replace(before, f"{name} {b64encode(raw.replace(old, new, 1)).decode()}", 1)


def test_one_byte_of_a_record_is_noticed_there(made: Told, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    honest = report(made.path)
    changed = with_one_byte_changed(honest, "embedded-records", 12, b'"actor":"tester"', b'"actor":"taster"')
    page.write_text(changed, encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "bad"
    assert outcome.told.startswith("本页已被改动：")
    assert outcome.complaints[0].startswith("#12 记录的字节不是其编号所指")
    assert outcome.complaints[1].startswith("#13 链接断开")


def test_one_byte_of_a_body_is_noticed_at_its_record(made: Told, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    honest = report(made.path, "en")
    digest = body_of(made.path, "admission.decided")
    found = re.search(r'id="embedded-bodies">\n(.*?)</script>', honest, re.DOTALL)
    assert found is not None
    place = next(n for n, one in enumerate(found[1].splitlines()) if one.startswith(digest))
    changed = with_one_byte_changed(honest, "embedded-bodies", place, b'"admit"', b'"admin"')
    page.write_text(changed, encoding="utf-8")
    outcome = checked(page)
    with open_readonly(made.path).read() as reader:
        seq = next(one.seq for one in story(reader).steps() if one.record.body.digest == digest)
    assert outcome.tone == "bad"
    assert outcome.told.startswith("This page was changed: ")
    assert outcome.complaints[0].startswith(f"#{seq} the body's bytes are not what its digest names")


def without_a_source(page: str) -> str:
    return re.sub(r"<h5><span>来源 2</span>.*?(?=<h5>)", "", page, count=1, flags=re.DOTALL)


EDITS: dict[str, tuple[Edit, str]] = {
    "a shown reason": (
        lambda page: page.replace(">都对得上<", ">都对不上<", 1),
        "页面显示的内容不是字节所载",
    ),
    "the head": (
        lambda page: re.sub(
            r'(data-at="head">blake3:)(.)', lambda m: m[1] + ("1" if m[2] == "0" else "0"), page
        ),
        "末条编号不符",
    ),
    "the root": (
        lambda page: re.sub(
            r'(data-at="root">sha256:)(.)', lambda m: m[1] + ("1" if m[2] == "0" else "0"), page
        ),
        "树根不符",
    ),
    "a record taken out": (
        lambda page: page.replace(line(page, "embedded-records", 5) + "\n", "", 1),
        "#6 记录的序号与位置不符",
    ),
    "the root in base64": (
        lambda page: re.sub(r'(data-at="base">)(.)', lambda m: m[1] + ("1" if m[2] == "0" else "0"), page),
        "树根不符",
    ),
    "a paragraph put in": (
        lambda page: page.replace('<h2 id="summary">', '<p>均已复查。</p><h2 id="summary">', 1),
        "页面的文字、样式或脚本与页面摘要不符",
    ),
    "another verdict": (
        lambda page: page.replace(">前后一致，但没有与账本以外的任何东西比对", ">已核实", 1),
        "页面的文字、样式或脚本与页面摘要不符",
    ),
    "no seal": (
        lambda page: re.sub("<footer.*?</footer>", "", page, count=1),
        "页面的文字、样式或脚本与页面摘要不符",
    ),
    "a paragraph behind the script": (
        lambda page: page.replace("</body>", "<p>均已复查。</p></body>", 1),
        "页面上多出了内容",
    ),
    "no base64": (
        lambda page: page.replace(line(page, "embedded-records", 0), "0 ***", 1),
        "内嵌的数据无法读出",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_every_other_edit_is_noticed_and_named(made: Told, tmp_path: Path, what: str) -> None:
    edit, words = EDITS[what]
    page, honest = tmp_path / "page.html", report(made.path)
    changed = edit(honest)
    assert changed != honest
    page.write_text(changed, encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "bad"
    assert words in outcome.complaints[0]


OF_RECORDS: dict[str, tuple[Edit, str]] = {
    "an admission called a rejection": (
        lambda page: page.replace('/disposition">采纳<', '/disposition">拒绝<', 1),
        "页面显示的内容不是字节所载",
    ),
    "a source taken out": (without_a_source, "字节所载的内容没有显示在页面上"),
    "a row taken out": (
        lambda page: re.sub(r'<tr id="record-5">.*?</tr>\n', "", page, count=1, flags=re.DOTALL),
        "记录表的行数不符",
    ),
    "a place taken away": (
        lambda page: re.sub(r' data-at="b[0-9]+/sources/0/finding"', "", page, count=1),
        "字节所载的内容没有显示在页面上",
    ),
    "a count": (
        lambda page: re.sub(r'(data-at="count/plans">)7<', r"\g<1>8<", page),
        "计数不是由记录算出的数",
    ),
}


def test_who_writes_the_seal_anew_is_still_seen_by_the_records(made: Told, tmp_path: Path) -> None:
    honest = changed = report(made.path)
    assert resealed(honest) == honest
    for edit, _ in OF_RECORDS.values():
        before, changed = changed, edit(changed)
        assert changed != before
    page = tmp_path / "page.html"
    page.write_text(resealed(changed), encoding="utf-8")
    outcome = checked(page)
    listed = "\n".join(outcome.complaints)
    assert outcome.tone == "bad"
    for _, words in OF_RECORDS.values():
        assert words in listed
    assert "sources/1/finding" in listed
    assert "摘要不符" not in listed


def test_who_takes_the_bodies_out_with_a_new_seal_has_a_page_that_is_not_all_checked(
    made: Told, tmp_path: Path
) -> None:
    honest = report(made.path)
    emptied = re.sub(r'(id="embedded-bodies">\n).*?</script>', r"\1</script>", honest, flags=re.DOTALL)
    page = tmp_path / "page.html"
    page.write_text(resealed(emptied), encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "warn"
    assert outcome.told.startswith("所查部分相符，但有未复核的内容")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_of_a_ledger_that_does_not_hold_is_never_green(
    made: Told, tmp_path: Path, language: str
) -> None:
    path = tmp_path / "l.sqlite3"
    path.write_bytes(made.path.read_bytes())
    take_away(path, body_of(path, "provider.called"))
    page = tmp_path / "page.html"
    page.write_text(report(path, language), encoding="utf-8")
    outcome = checked(page)
    assert (outcome.tone, outcome.complaints) == ("bad", [])
    told = {"zh": "账本不成立（TAMPERED）", "en": "The ledger does not hold (TAMPERED)"}
    assert outcome.told.startswith(told[language])


def test_who_rewrites_a_body_with_its_digest_still_has_ids_that_do_not_follow(
    made: Told, tmp_path: Path
) -> None:
    page, honest = tmp_path / "page.html", report(made.path)
    found = re.search(r'id="embedded-bodies">\n(.*?)</script>', honest, re.DOTALL)
    assert found is not None
    digest = body_of(made.path, "admission.decided")
    old = next(one for one in found[1].splitlines() if one.startswith(digest))
    body = b64decode(old.partition(" ")[2]).replace("都对得上".encode(), "都对不上".encode())
    own = digest_bytes(body)
    changed = honest.replace(old, f"{own} {b64encode(body).decode()}").replace(digest, own)
    records = re.search(r'id="embedded-records"[^>]*>\n(.*?)</script>', changed, re.DOTALL)
    assert records is not None
    for one in records[1].splitlines():
        name, _, content = one.partition(" ")
        raw = b64decode(content).replace(digest.encode(), own.encode())
        changed = changed.replace(one, f"{name} {b64encode(raw).decode()}", 1)
    page.write_text(changed, encoding="utf-8")
    told_of = "\n".join(checked(page).complaints)
    assert "编号不是由内容推出的编号" in told_of
    assert "记录的字节不是其编号所指" in told_of


def test_what_is_not_embedded_is_said_and_is_no_tampering(made: Told, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(report(made.path, "en", Bounds(4000, 3000)), encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "warn"
    assert re.match(
        r"Not checked: [1-9]\d* records and [1-9]\d* bodies are not embedded, so that [1-9]", outcome.left
    )


def test_an_erased_body_is_left_out_and_the_rest_verifies(made: Told, tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    path.write_bytes(made.path.read_bytes())
    say_erased(path, body_of(path, "receipt.observed"))
    page = tmp_path / "page.html"
    page.write_text(report(path), encoding="utf-8")
    outcome = checked(page)
    assert (outcome.tone, outcome.complaints) == ("warn", [])
    assert outcome.left == "1 份正文已按记录删除，无从复核。"


def test_a_field_of_an_odd_name_is_found_in_its_body(made: Told, tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite3"
    path.write_bytes(made.path.read_bytes())
    odd = {"a/b~c\u202e": HOSTILE, "~1": "x", "__proto__": "y"}
    with closing(open_ledger(path)) as ledger, ledger.write() as writer:
        body, name = canonical(odd), "external_evidence_policy_v0"
        writer.append(Draft("policy.changed", "t", "p", Subject(), name, digest_bytes(b"s"), body))
    page = tmp_path / "page.html"
    page.write_text(report(path), encoding="utf-8")
    outcome = checked(page)
    assert (outcome.tone, outcome.complaints) == ("ok", [])


def test_nothing_of_others_becomes_markup_or_runs(made: Told, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(report(made.path), encoding="utf-8")
    seen = dumped(page)
    assert seen.count("<script") == 4  # two of embedded bytes, the words, and the one that checks
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in seen


def test_the_hashes_are_those_of_other_implementations_at_every_boundary(tmp_path: Path) -> None:
    chance = Random(0)
    sizes = [0, 1, 55, 56, 63, 64, 65, 119, 120, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 4096, 5121]
    contents = [chance.randbytes(size) for size in (*sizes, 7169, 8192, 31_744, 102_400)]
    contents += [bytes([255]) * size for size in sizes]
    calls = "".join(
        f'show(Uint8Array.from(atob("{b64encode(one).decode()}"), (c) => c.charCodeAt(0)));\n'
        for one in contents
    )
    show = "const show = (b) => document.body.append(`[${blake3(b)} ${sha256(b)}]`);\n"
    page = tmp_path / "hashes.html"
    page.write_text(f"<!DOCTYPE html><body><script>{HASHES}{show}{calls}</script>", encoding="utf-8")
    found = re.findall(r"\[([0-9a-f]{64} [0-9a-f]{64})\]", dumped(page))
    expected = [f"{blake3(one).hexdigest()} {digest_bytes(one, 'sha256')[7:]}" for one in contents]
    assert found == expected

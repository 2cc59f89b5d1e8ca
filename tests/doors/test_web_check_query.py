"""`web check-query`, as a process: answers, exit statuses, and no excluded term anywhere."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command import Done, run

Quick = Callable[..., Done]
CANARY = "canary-7f3a 金丝雀"
VARIABLE = "EXTERNAL_EVIDENCE_EXCLUSIONS_FILE"


def check(quick: Quick, folder: Path, value: Any, *options: str | Path) -> Done:
    (folder / "input.json").write_text(json.dumps(value), encoding="ascii")
    return quick("web", "check-query", "--input", "input.json", *options, cwd=folder)


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def test_a_query_that_may_be_sent(quick: Quick, tmp_path: Path) -> None:
    done = check(quick, tmp_path, {"query": "  GB 50330-2013 现行\u3000", "exclusions": ["acme", " "]})
    assert (done.status, done.err) == (0, b"")
    assert done.answer == {
        "state": "ok",
        "sentQuery": "GB 50330-2013 现行",
        "querySha256": digest("GB 50330-2013 现行"),
    }


def test_an_excluded_term_and_one_after_folding(quick: Quick, tmp_path: Path) -> None:
    plain = check(quick, tmp_path, {"query": "Acme 塔楼", "exclusions": [" ACME "]})
    assert (plain.status, plain.answer) == (
        1,
        {
            "state": "rejected",
            "reason": "query contains an excluded term",
            "querySha256": digest("Acme 塔楼"),
        },
    )
    folded = {"query": "ＡＣＭＥ 塔楼", "exclusions": ["acme"]}
    done = check(quick, tmp_path, folded)
    assert (done.status, done.answer["reason"]) == (1, "query contains an excluded term after folding")
    alone = check(quick, tmp_path, folded, "--no-folding")
    assert (alone.status, alone.answer["sentQuery"]) == (0, "ＡＣＭＥ 塔楼")


@pytest.mark.parametrize("query", ["", " \u3000", "法" * 257, "a\ud800"])
def test_a_query_that_is_none_is_a_negative_answer(quick: Quick, tmp_path: Path, query: str) -> None:
    for options in ((), ("--no-folding",)):
        done = check(quick, tmp_path, {"query": query}, *options)
        assert (done.status, done.answer["state"]) == (1, "invalid")
        assert done.answer["querySha256"] == digest(query.strip(" \u3000"))


def test_no_folding_leaves_ext_20s_rule_alone(quick: Quick, tmp_path: Path) -> None:
    for query in ("!!g 词", "a\u202eb", "电话 13800138000", "\u200b"):
        assert check(quick, tmp_path, {"query": query}).status == 1
        alone = check(quick, tmp_path, {"query": query}, "--no-folding")
        assert (alone.status, alone.answer["sentQuery"]) == (0, query)


def test_detectors_refuse_or_warn(quick: Quick, tmp_path: Path) -> None:
    value = {"query": "电话 13800138000"}
    finding = {"kind": "mobile_number", "start": 3, "end": 14}
    refused = check(quick, tmp_path, value)
    assert (refused.status, refused.answer["findings"]) == (1, [finding])
    assert b"13800138000" not in refused.out
    warned = check(quick, tmp_path, value, "--detectors", "warn")
    assert (warned.status, warned.answer["findings"]) == (0, [finding])
    assert warned.answer["sentQuery"] == value["query"]


def test_terms_come_from_stdin_a_file_and_the_environment(quick: Quick, tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text(f"{CANARY}\nacme\n", encoding="utf-8")
    call = ("web", "check-query", "--input", "-")
    raw = json.dumps({"query": "查 Acme", "exclusions": ["other"]}).encode()
    assert run(*call, cwd=tmp_path, stdin=raw).status == 0
    assert run(*call, "--exclusions", "terms.txt", cwd=tmp_path, stdin=raw).status == 1
    assert run(*call, cwd=tmp_path, stdin=raw, environment={VARIABLE: "terms.txt"}).status == 1
    assert run(*call, cwd=tmp_path, stdin=raw, environment={VARIABLE: "none.txt"}).status == 4
    both = quick(*call, "--exclusions", "-", cwd=tmp_path)
    assert (both.status, both.error["code"]) == (2, "usage")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (CANARY.encode("gb18030"), "exclusions is not UTF-8 on line 1"),
        (f"acme\n{CANARY}".encode("utf-16"), "exclusions is not UTF-8 on line 1"),
        (b" \n\t\n", "the file of excluded terms holds none"),
    ],
)
def test_a_file_of_terms_that_cannot_be_used_is_refused(
    quick: Quick, tmp_path: Path, content: bytes, told: str
) -> None:
    (tmp_path / "terms.txt").write_bytes(content)
    done = check(quick, tmp_path, {"query": "q"}, "--exclusions", "terms.txt")
    assert (done.status, done.out, done.error["message"]) == (3, b"", told)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "q",
        {},
        {"query": None},
        {"query": 7},
        {"query": CANARY, "exclusions": CANARY},
        {"query": "q", "exclusions": [CANARY, 7]},
        {"query": "q", "exclusions": {CANARY: 1}},
        {"query": "q", "exclusion": [CANARY]},
        {"query": "q", CANARY: 1},
    ],
)
def test_another_value_is_refused_without_showing_it(quick: Quick, tmp_path: Path, value: Any) -> None:
    done = check(quick, tmp_path, value)
    assert (done.status, done.out, done.error["code"]) == (3, b"", "invalid")
    assert b"canary" not in done.err


def test_null_exclusions_are_none(quick: Quick, tmp_path: Path) -> None:
    assert check(quick, tmp_path, {"query": "q", "exclusions": None}).status == 0


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize(
    "query", [f"查 {CANARY}", "查 CANARY7f3a金絲雀", "q", "", "!!g canary", "canary 13800138000"]
)
def test_no_excluded_term_and_no_refused_query_comes_out(
    quick: Quick, tmp_path: Path, query: str, form: str
) -> None:
    (tmp_path / "terms.txt").write_text("金丝雀二号\n", encoding="utf-8")
    options = ("--exclusions", "terms.txt", "--format", form)
    done = check(quick, tmp_path, {"query": query, "exclusions": [CANARY]}, *options)
    for said in (done.out, done.err):
        assert b"canary" not in said.lower()
        assert "金".encode() not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input.json", "terms.txt"]


def test_the_text_says_the_same(quick: Quick, tmp_path: Path) -> None:
    ok = check(
        quick, tmp_path, {"query": "规范 a@b.cn"}, "--format", "text", "--detectors", "warn"
    ).out.decode()
    assert ok.splitlines()[:3] == [
        "查询检查 query check: 可以发送 ok",
        "  将发送 would send: 规范 a@b.cn",
        "  警告 warning: 疑似邮箱（第 3–9 字） email at 3-9",
    ]
    no = check(quick, tmp_path, {"query": "!!g 规范"}, "--format", "text").out.decode()
    assert no.startswith(
        "查询检查 query check: 拒绝 rejected\n  原因 reason: 含有检索运算符 !（第 0–3 字） query holds search"
    )


def test_many_terms_and_long_queries(quick: Quick, tmp_path: Path) -> None:
    terms = [f"机密工程第{number}号" for number in range(10_000)]
    assert check(quick, tmp_path, {"query": "机密工程第9999.5号", "exclusions": terms}).status == 0
    assert check(quick, tmp_path, {"query": "机密 工程第9999号", "exclusions": terms}).status == 1
    assert (
        check(quick, tmp_path, {"query": "法" * 1_000_000, "exclusions": terms}).answer["state"] == "invalid"
    )


def test_a_query_of_two_lines_is_shown_on_one(quick: Quick, tmp_path: Path) -> None:
    done = check(quick, tmp_path, {"query": "边坡\n  原因 reason: forged"}, "--format", "text")
    assert done.out.decode().splitlines()[1] == "  将发送 would send: 边坡 原因 reason: forged"

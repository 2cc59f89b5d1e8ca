"""`plan` and its kin where the web is set: what is kept back before it is written, whatever its form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command import QUESTION, SLOPES, Done, run

Quick = Callable[..., Done]
TERM = "金丝雀计划"
ESCAPED = "https://a.example/%E9%87%91%E4%B8%9D%E9%9B%80%E8%AE%A1%E5%88%92"
REQUEST: dict[str, Any] = {
    "objective": "o",
    "user_activity": "u",
    "decision": "d",
    "evidence_kinds": ["standard_status"],
}


@pytest.fixture
def terms(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "terms.txt").write_text(f"{TERM}\n", encoding="utf-8")
    return "--exclusions", "terms.txt"


def nothing_was_kept(folder: Path, done: Done) -> None:
    assert (done.status, done.out, done.error["code"]) == (3, b"", "invalid")
    assert not (folder / ".external-evidence").exists()
    assert not any(form in done.err.decode() for form in (TERM, "金絲雀", "%E9%87%91", "Ｇ", "丝"))


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (("--search-term", f"查 {TERM}"), "search_terms[0]"),
        (("--search-term", "金絲雀計劃"), "search_terms[0]"),
        (("--search-term", "好", "--search-term", "金 丝-雀 计划"), "search_terms[1]"),
        (("--constraint", TERM), "constraints[0]"),
        (("--source", ESCAPED), "source_refs[0]"),
        (("--source", ESCAPED.lower()), "source_refs[0]"),
    ],
)
def test_a_request_with_an_excluded_term_is_refused_before_anything_is_written(
    quick: Quick, tmp_path: Path, terms: tuple[str, str], options: tuple[str, ...], where: str
) -> None:
    done = quick("plan", *QUESTION, *options, *terms, cwd=tmp_path)
    nothing_was_kept(tmp_path, done)
    assert done.error["message"] == f"{where} holds an excluded term; nothing was recorded"


@pytest.mark.parametrize(
    "request_",
    [
        REQUEST | {"objective": TERM, "evidence_kinds": 7},
        REQUEST | {TERM: 1},
        REQUEST | {"evidence_kinds": [TERM * 50]},
        REQUEST | {"search_terms": [{"x": [TERM]}]},
        [TERM],
        TERM,
    ],
    ids=["another field is wrong", "a name", "too long", "deep", "a list", "a text"],
)
def test_no_other_error_comes_first_and_shows_it(
    quick: Quick, tmp_path: Path, terms: tuple[str, str], request_: Any
) -> None:
    raw = json.dumps(request_).encode()
    done = quick("plan", "--request", "-", *terms, cwd=tmp_path, stdin=raw)
    nothing_was_kept(tmp_path, done)
    assert "holds an excluded term; nothing was recorded" in done.error["message"]


def test_terms_from_stdin_are_read_once(quick: Quick, tmp_path: Path) -> None:
    options = ("--exclusions", "-", "--search-url", "http://127.0.0.1:1")
    call = ("plan", *QUESTION, *SLOPES, *options, "--prefer", "method:local-standards")
    done = quick(*call, cwd=tmp_path, stdin=f"{TERM}\n".encode())
    assert (done.status, done.answer["status"]) == (0, "ready"), done
    two = quick("plan", "--request", "-", "--exclusions", "-", cwd=tmp_path)
    assert (two.status, two.error["message"]) == (2, "only one file can be stdin")


def test_a_reason_with_an_excluded_term_is_not_recorded(lived: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text(f"{TERM}\n", encoding="utf-8")
    environment = {"EXTERNAL_EVIDENCE_EXCLUSIONS_FILE": str(tmp_path / "terms.txt")}
    call = ("admit", "receipt.json", "--decision", "reject", "--supersede", "--reason")
    done = run(*call, f"为 {TERM}", cwd=lived, environment=environment)
    assert (done.status, done.error["subject"]) == (3, "reason")
    assert TERM not in done.err.decode()


def test_settings_of_capture_alone_leave_the_connector_unset(quick: Quick, tmp_path: Path) -> None:
    (tmp_path / "web.toml").write_text("[capture]\npages = 1\n", encoding="utf-8")
    found = quick("discover", "--web", "web.toml", cwd=tmp_path).answer
    [row] = [one for one in found["providers"] if one["provider_id"] == "connector:web-search"]
    assert (row["enabled"], row["ready"]) == (False, False)
    assert "--search-url" in row["unavailable_reason"]
    done = quick("plan", *QUESTION, *SLOPES, "--web", "web.toml", cwd=tmp_path)
    assert done.answer["selected_provider"]["provider_id"] == "method:local-standards"


def test_a_connector_that_is_not_ready_says_what_to_do(quick: Quick, tmp_path: Path) -> None:
    (tmp_path / "web.toml").write_text('[search]\nservice = "brave"\n', encoding="utf-8")
    for options, told in (
        (("--search-url", "http://127.0.0.1:1"), "cannot be reached"),
        (("--web", "web.toml"), "set EXTERNAL_EVIDENCE_BRAVE_KEY"),
    ):
        found = quick("discover", *options, cwd=tmp_path).answer
        [row] = [one for one in found["providers"] if one["provider_id"] == "connector:web-search"]
        assert told in row["unavailable_reason"]
    assert quick("discover", "--web", "none.toml", cwd=tmp_path).status == 4
    assert quick("discover", "--web", "-", "--exclusions", "-", cwd=tmp_path).status == 2

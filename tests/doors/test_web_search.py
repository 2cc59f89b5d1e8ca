"""`web search`, as a process: states, exit statuses, EXT-20's names; no key, no excluded term shown."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from evidence.doors.web_settings import read_settings
from schemas.errors import NotFoundError
from schemas.ext20 import camel
from schemas.outside import MAX_BYTES
from schemas.web import WebSearchHit, WebSearchResult
from tests.doors.command import Done, run
from tests.providers.web.asking import body, finding, healthy, queries
from tests.providers.web.search.faking import Fake, faking, says
from tests.providers.web.search.formats import FORMATS

Quick = Callable[..., Done]
KEY = "canary-key-0123456789abcdef"
HITS = ("https://std.samr.gov.cn/1", "https://shop.example/2", "https://shop.example/3")
NAMES = {camel(spec.name) for spec in fields(WebSearchResult)}
HIT_NAMES = {camel(spec.name) for spec in fields(WebSearchHit)}


@pytest.fixture(scope="module")
def serving() -> Iterator[Fake]:
    with faking() as made:
        yield made


@pytest.fixture
def fake(serving: Fake) -> Fake:
    return healthy(serving, finding({"边坡支护": HITS}))


def test_hits_in_ext_20s_words(quick: Quick, fake: Fake, tmp_path: Path) -> None:
    done = quick("web", "search", " 边坡支护 ", "--search-url", fake.url, cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    answer = done.answer
    assert answer.keys() <= NAMES
    assert (answer["state"], answer["provider"], answer["sentQuery"]) == ("ok", "searxng", "边坡支护")
    assert [(hit["rank"], hit["url"]) for hit in answer["results"]] == list(enumerate(HITS, 1))
    assert all(hit.keys() <= HIT_NAMES for hit in answer["results"])
    assert answer["results"][0]["official"] is True
    assert WebSearchResult.read(answer).to_wire() == answer
    assert list(tmp_path.iterdir()) == []


def test_limit_and_official_first(quick: Quick, fake: Fake, tmp_path: Path) -> None:
    healthy(fake, finding({"q": tuple(reversed(HITS))}))
    call = ("web", "search", "q", "--search-url", fake.url)
    assert len(quick(*call, "--limit", "2", cwd=tmp_path).answer["results"]) == 2
    first = quick(*call, "--prefer-official", cwd=tmp_path).answer["results"][0]
    assert (first["url"], first["rank"]) == (HITS[0], 3)
    assert quick(*call, "--limit", "51", cwd=tmp_path).status == 2


@pytest.mark.parametrize(
    ("query", "state", "sent"),
    [
        ("没有", "empty", 1),
        ("!!g 边坡", "rejected", 0),
        ("a\u202eb", "rejected", 0),
        ("13800138000", "rejected", 0),
    ],
)
def test_a_negative_state_exits_with_1(
    quick: Quick, fake: Fake, tmp_path: Path, query: str, state: str, sent: int
) -> None:
    done = quick("web", "search", query, "--search-url", fake.url, cwd=tmp_path)
    assert (done.status, done.err, done.answer["state"]) == (1, b"", state)
    assert done.answer.keys() <= NAMES
    assert len(queries(fake)) == sent


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (says(503, {}), "unavailable"),
        (says(429, {}, Retry_After="3"), "rate_limited"),
        (says(500, {}), "unavailable"),
        (says(200, b"[]"), "error"),
        (says(200, body("边坡支护", (), [["up", "timeout"]])), "unavailable"),
    ],
    ids=["503", "429", "500", "no object", "engines"],
)
def test_a_failure_of_the_service_is_a_state(
    quick: Quick, fake: Fake, tmp_path: Path, answer: Callable[..., None], state: str
) -> None:
    healthy(fake, answer)
    done = quick("web", "search", "边坡支护", "--search-url", fake.url, cwd=tmp_path)
    assert (done.status, done.err, done.answer["state"]) == (1, b"", state)
    assert done.answer["reason"].startswith("SearXNG: ")


def test_nobody_there_is_unavailable(quick: Quick, tmp_path: Path) -> None:
    done = quick("web", "search", "边坡", "--search-url", "http://127.0.0.1:1", cwd=tmp_path)
    assert (done.status, done.answer["state"]) == (1, "unavailable")
    assert "sentQuery" not in done.answer
    call = ("web", "search", "边坡", "--search-url", "http://127.0.0.1:1", "--format", "text")
    lines = quick(*call, cwd=tmp_path).out.decode().splitlines()
    assert lines[1] == "  未发出 not sent"
    assert lines[2].startswith("  原因 reason: SearXNG（http://127.0.0.1:1）拒绝连接，请确认它已启动 ")
    assert lines[2].endswith("http://127.0.0.1:1 refused the connection: is it running?")


@pytest.mark.parametrize("query", ["", " \u3000", "法" * 257])
def test_what_is_no_query_is_refused(quick: Quick, fake: Fake, tmp_path: Path, query: str) -> None:
    done = quick("web", "search", query, "--search-url", fake.url, cwd=tmp_path)
    assert (done.status, done.out, done.error["code"]) == (3, b"", "invalid")
    assert fake.received == []


def test_bytes_that_are_no_unicode_are_refused(fake: Fake, tmp_path: Path) -> None:
    done = run("web", "search", b"\xd0\xff\xb1", "--search-url", fake.url, cwd=tmp_path)
    assert (done.status, done.error["message"]) == (3, "query is not valid Unicode")
    assert fake.received == []


def test_without_a_service_the_call_is_wrong(quick: Quick, tmp_path: Path) -> None:
    done = quick("web", "search", "边坡", cwd=tmp_path)
    assert (done.status, done.error["message"]) == (2, "no search service is set")
    assert "--search-url" in (done.error["hint"] or "")
    assert quick("web", "search", "边坡", "--service", "google", cwd=tmp_path).status == 2
    assert quick("web", "search", "边坡", "--search-url", "ftp://x", cwd=tmp_path).status == 2


def test_a_key_from_the_environment_or_a_command_is_sent_and_never_shown(fake: Fake, tmp_path: Path) -> None:
    form = FORMATS["bocha"]
    fake.does = {form.path: says(200, form.body(form.hit))}
    call = ("web", "search", "边坡支护 GB 50330", "--service", "bocha", "--search-url", fake.url)
    none = run(*call, cwd=tmp_path)
    assert (none.status, none.answer["state"], fake.received) == (1, "unavailable", [])
    assert "EXTERNAL_EVIDENCE_BOCHA_KEY" in none.answer["reason"]
    printing = f"{sys.executable} -c \"print('{KEY}')\""
    for variable, value in (("KEY", KEY), ("KEY_COMMAND", printing)):
        environment = {f"EXTERNAL_EVIDENCE_BOCHA_{variable}": value}
        done = run(*call, cwd=tmp_path, environment=environment)
        assert (done.status, done.answer["state"]) == (0, "ok"), done
        assert f"Bearer {KEY}".encode() in fake.received[-1]
        assert KEY.encode() not in done.out + done.err
    fake.does = {form.path: says(401, {"code": 401, "message": f"bad key {KEY}"})}
    echoed = run(*call, cwd=tmp_path, environment={"EXTERNAL_EVIDENCE_BOCHA_KEY": KEY})
    assert (echoed.status, echoed.answer["state"]) == (1, "unavailable")
    assert KEY.encode() not in echoed.out + echoed.err


def test_another_service_than_the_settings_name_has_its_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "web.toml"
    file.write_text('[search]\nurl = "http://127.0.0.1:8888"\nengines = ["x"]\n', encoding="utf-8")
    found = read_settings(str(file), None, "bocha")
    assert (found.service, found.url, found.options.engines) == ("bocha", "", ())
    assert read_settings(str(file), None, "searxng").url == "http://127.0.0.1:8888"
    monkeypatch.setenv("EXTERNAL_EVIDENCE_SEARCH_URL", "http://127.0.0.1:9999")
    assert read_settings(None, None, "bocha").url == ""
    assert read_settings(None, None).url == "http://127.0.0.1:9999"
    assert read_settings(str(file)).url == "http://127.0.0.1:8888"
    assert read_settings(str(file), "http://127.0.0.1:7777").url == "http://127.0.0.1:7777"
    monkeypatch.setenv("EXTERNAL_EVIDENCE_WEB", str(tmp_path / "none.toml"))
    with pytest.raises(NotFoundError):
        read_settings(None)


def test_hits_with_an_excluded_term_are_counted_and_not_shown(
    quick: Quick, fake: Fake, tmp_path: Path
) -> None:
    answer = body("边坡支护", [*HITS, "https://a.example/%E9%87%91%E4%B8%9D%E9%9B%80"])
    answer["results"][1]["title"] = "查金絲雀"
    healthy(fake, says(200, answer))
    (tmp_path / "terms.txt").write_text("金丝雀\n", encoding="utf-8")
    call = ("web", "search", "边坡支护", "--search-url", fake.url, "--exclusions", "terms.txt")
    for form in ("json", "text"):
        done = quick(*call, "--format", form, cwd=tmp_path)
        assert done.status == 0
        assert b"hits that hold an excluded term and are not shown: 2" in done.out
        assert not any(sign in done.out.decode() for sign in ("金", "%E9%87%91"))
    refused = quick(*call[:2], "查 金絲雀", *call[3:], cwd=tmp_path)
    assert (refused.status, refused.answer["state"]) == (1, "rejected")
    assert "sentQuery" not in refused.answer


def test_the_text_says_the_same_and_no_title_makes_a_line_of_its_own(
    quick: Quick, fake: Fake, tmp_path: Path
) -> None:
    answer = body("边坡支护", HITS)
    answer["results"][0]["title"] = "题\n  1. 伪造\x1b[31m"
    answer["results"][1] |= {"title": "", "content": ""}
    healthy(fake, says(200, answer))
    call = ("web", "search", "边坡支护", "--search-url", fake.url, "--format", "text")
    lines = quick(*call, cwd=tmp_path).out.decode().splitlines()
    assert lines[0].startswith("网络检索 web search: 有结果 ok (searxng, ")
    assert lines[1] == "  已发送 sent: 边坡支护"
    assert lines[2].startswith("  1. 题 1. 伪造")
    assert lines[2].endswith(" [官方 official]")
    assert lines[3:7] == [f"     {HITS[0]}", "     摘要", "  2. （无题）", f"     {HITS[1]}"]
    assert lines[-1] == "搜索摘要不是证据，须抓取原页。 A snippet is no evidence: capture the page."
    assert "\x1b" not in "".join(lines)
    empty = quick(*call[:2], "!!g x", *call[3:], cwd=tmp_path).out.decode()
    assert "  未发出 not sent\n  原因 reason: 含有检索运算符 !（第 0–3 字） query holds search op" in empty


def test_a_warning_of_a_detector_goes_to_stderr(quick: Quick, fake: Fake, tmp_path: Path) -> None:
    (tmp_path / "web.toml").write_text('detectors = "warn"\n', encoding="utf-8")
    call = ("web", "search", "电话 13800138000", "--search-url", fake.url, "--web", "web.toml")
    done = quick(*call, cwd=tmp_path)
    assert (done.status, done.err) == (
        1,
        "警告 warning: 疑似手机号（第 3–14 字） mobile_number at 3-14\n".encode(),
    )
    assert queries(fake) == ["电话 13800138000"]


@pytest.mark.parametrize(
    ("name", "content", "status", "told"),
    [
        ("none.toml", None, 4, "settings: there is no file"),
        ("web.toml", b"[search]\nkeys = 1", 3, "web.toml: [search] has an unknown key 'keys'"),
        ("web.toml", b"\xff", 3, "web.toml is not TOML"),
        ("web.toml", b"#" * (MAX_BYTES + 1), 3, "settings is larger than"),
        ("web.toml", b"[capture]\nseconds = 0", 3, "web.toml: [capture] seconds must be from"),
    ],
    ids=["missing", "unknown", "no text", "large", "bound"],
)
def test_wrong_settings(
    quick: Quick, tmp_path: Path, name: str, content: bytes | None, status: int, told: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = quick("web", "search", "q", "--web", name, cwd=tmp_path)
    assert (done.status, done.out) == (status, b"")
    assert told in done.error["message"]


def test_exclusions_that_are_not_there_or_too_many_stop_the_search(
    quick: Quick, fake: Fake, tmp_path: Path
) -> None:
    call = ("web", "search", "边坡支护", "--search-url", fake.url, "--exclusions", "terms.txt")
    assert quick(*call, cwd=tmp_path).status == 4
    # What stands behind the bound would be a term that nobody looks for.
    (tmp_path / "terms.txt").write_bytes(b"\n" * MAX_BYTES + "边坡\n".encode())
    done = quick(*call, cwd=tmp_path)
    assert (done.status, done.error["message"]) == (3, f"exclusions is larger than {MAX_BYTES} bytes")
    assert fake.received == []


def test_a_reader_that_went_away_is_told_by_the_status(fake: Fake, tmp_path: Path) -> None:
    for form in ("json", "text"):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as nobody:
            call = ("web", "search", "边坡支护", "--search-url", fake.url, "--format", form)
            done = run(*call, cwd=tmp_path, stdout=nobody)
        assert (done.status, done.err) == (141, b"")


@pytest.mark.parametrize(
    "url",
    [
        "http://user:hunter2hunter2@127.0.0.1:1/",
        "http://user:hunter2hunter2@127.0.0.1:999999/",
        "http://user:hunter2 hunter2@h/",
        "http://127.0.0.1:1/?key=hunter2hunter2",
        "http://127.0.0.1:1/#hunter2hunter2",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_shown(quick: Quick, tmp_path: Path, url: str) -> None:
    done = quick("web", "search", "q", "--search-url", url, cwd=tmp_path)
    assert (done.status, done.out, done.error["code"]) == (2, b"", "usage")
    proxied = quick("web", "capture", "http://127.0.0.1/", "--proxy", url, cwd=tmp_path)
    assert proxied.status in (1, 2)  # a fragment is no part of what is asked
    assert "hunter2" not in (done.err + proxied.err + proxied.out).decode()


def test_a_query_that_the_service_states_stays_on_its_line(quick: Quick, fake: Fake, tmp_path: Path) -> None:
    healthy(fake, says(200, body("边坡\n  原因 reason: forged", HITS)))
    done = quick("web", "search", "边坡", "--search-url", fake.url, "--format", "text", cwd=tmp_path)
    lines = done.out.decode().splitlines()
    assert lines[1] == "  已发送 sent: 边坡 原因 reason: forged"
    assert len([line for line in lines if line.startswith("  原因")]) == 1


@pytest.mark.parametrize("option", ["--exclusions", "--web"])
def test_an_option_that_names_no_file_is_not_left_out(
    quick: Quick, fake: Fake, tmp_path: Path, option: str
) -> None:
    fake.received.clear()
    url = ("--search-url", fake.url)
    for call in (
        ("web", "search", "边坡", *url),
        ("discover", *url),
        ("web", "capture", "http://127.0.0.1:1/"),
    ):
        done = quick(*call, option, "", cwd=tmp_path)
        assert (done.status, done.error["code"], done.out) == (2, "usage", b""), call
    assert fake.received == []

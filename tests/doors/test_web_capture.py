"""`web capture`, as a process: states, exit statuses, EXT-20's names, certificates, what is withheld."""

import os
import signal
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

import pytest
import trustme

from schemas.ext20 import camel
from schemas.web import WebCapture, WebClauseCandidate
from tests.doors.command import Done, run, start
from tests.providers.web.capture.peer import Peer, page, running

Quick = Callable[..., Done]
NAMES = {camel(spec.name) for spec in fields(WebCapture)}
CLAUSE_NAMES = {camel(spec.name) for spec in fields(WebClauseCandidate)}
HEAD = '<head><title>边坡办法</title><meta name="PubDate" content="2024-01-02"></head>'
LAW = f"<html>{HEAD}<p>第一条 边坡<br>支护。</p><p>第二条 {'长' * 300}</p><p>第三条 完。</p></html>"
GBK = LAW.encode("gbk")
KIND = "Content-Type: text/html; charset=gbk"


@pytest.fixture(scope="module")
def serving() -> Iterator[Peer]:
    with running() as made:
        yield made


@pytest.fixture
def site(serving: Peer) -> Peer:
    serving.answers.clear()
    serving.requests.clear()
    serving.answer("/law", page(GBK, 200, KIND))
    return serving


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def secure(authority: trustme.CA) -> Iterator[Peer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with running(context) as made:
        made.answer("/law", page(GBK, 200, KIND))
        made.answer("/robots.txt", page(b"", 404))
        yield made


def call(site: Peer, target: str, *options: str) -> tuple[str, ...]:
    allowed = ("--allow-address", "127.0.0.0/8", "--allow-port", str(site.port))
    return ("web", "capture", site.url(target, "127.0.0.1"), *allowed, *options)


def test_a_captured_page_in_ext_20s_words(quick: Quick, site: Peer, tmp_path: Path) -> None:
    done = quick(*call(site, "/law"), cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    answer = done.answer
    assert answer.keys() <= NAMES
    assert (answer["state"], answer["retention"]) == ("captured", "excerpt")
    assert (answer["byteSize"], answer["sha256"]) == (len(GBK), sha256(GBK).hexdigest())
    assert [one["clauseNo"] for one in answer["candidates"]] == ["第一条", "第二条", "第三条"]
    assert all(one.keys() == CLAUSE_NAMES for one in answer["candidates"])
    assert max(len(one["excerpt"]) for one in answer["candidates"]) == 200
    assert WebCapture.read(answer).to_wire() == answer
    assert site.targets == ["/robots.txt", "/law"]
    assert list(tmp_path.iterdir()) == []


def test_details_tell_how_it_was_fetched_and_what_the_page_states(
    quick: Quick, site: Peer, tmp_path: Path
) -> None:
    site.answer("/old", page(b"", 302, "Location: /law"))
    answer = quick(*call(site, "/old", "--details"), cwd=tmp_path).answer
    assert answer.keys() == {"capture", "provenance"}
    assert answer["capture"].keys() <= NAMES
    told = answer["provenance"]
    assert [(hop["url"], hop["status"]) for hop in told["hops"]] == [
        (site.url("/old", "127.0.0.1"), 302),
        (site.url("/law", "127.0.0.1"), 200),
    ]
    assert (told["pinned"], told["robots"], told["framing"]) == (True, "no robots.txt", "length")
    assert (told["title"], told["publicationDate"]) == ("边坡办法", "2024-01-02")
    assert (told["charset"], told["kind"]) == ("gb18030", "html")


def test_the_text_has_both_languages_and_no_line_of_a_page(quick: Quick, site: Peer, tmp_path: Path) -> None:
    lines = quick(*call(site, "/law", "--format", "text"), cwd=tmp_path).out.decode().splitlines()
    assert lines[0] == "网页抓取 web capture: 已抓取 captured"
    assert lines[1] == "  标题 title: 边坡办法"
    assert f"  内容 content: text/html; charset=gbk, {len(GBK)} 字节 bytes" in lines
    assert lines[6:8] == ["  留存 retention: 摘录 excerpt", "  条款候选 clause candidates: 3"]
    shown = [line for line in lines if line.startswith("  [")]
    assert shown[0].endswith("] 第一条 边坡 支护。")
    assert shown[0].count("第一条") == 1
    details = quick(*call(site, "/law", "--format", "text", "--details"), cwd=tmp_path).out.decode()
    assert "  地址已核对 pinned: 是 yes\n" in details
    assert f"  经过 hops: {site.url('/law', '127.0.0.1')} 200 127.0.0.1\n" in details
    assert "  编码 charset: gb18030\n" in details
    gone = quick(*call(site, "/gone", "--format", "text", "--details"), cwd=tmp_path).out.decode()
    assert gone.startswith(
        "网页抓取 web capture: 失败 failed\n  原因 reason: 对方答复 404 status 404\n"
        f"  原址 asked: {site.url('/gone', '127.0.0.1')}\n"
    )
    assert "  正文止于 framing: —\n" in gone
    assert "charset" not in gone


def test_the_text_of_a_page_that_moved_tells_where_from(quick: Quick, site: Peer, tmp_path: Path) -> None:
    site.answer("/old", page(b"", 301, "Location: /new"))
    site.answer("/new", page(b"", 302, "Location: /law"))
    out = quick(*call(site, "/old", "--format", "text"), cwd=tmp_path).out.decode()
    asked, found = site.url("/old", "127.0.0.1"), site.url("/law", "127.0.0.1")
    assert f"  网址 url: {found}\n  原址 asked: {asked}（301、302 跳转 moved）\n" in out
    assert "原址" not in quick(*call(site, "/law", "--format", "text"), cwd=tmp_path).out.decode()


PRIVATE = "192.168.1.1 不是公网地址 the host is 192.168.1.1, which is not public: Private-Use"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (
            "www.gov.cn",
            ("网址不完整 the URL is not absolute", "  提示 hint: 请写 write https://www.gov.cn\n"),
        ),
        ("nonsense", ("网址不完整 the URL is not absolute", "")),
        ("http://192.168.1.1/", (PRIVATE, "")),
        ("http://user:hunter2@a.cn/", ("网址中有用户名 url names a user", None)),
    ],
)
def test_the_text_of_a_refusal_has_both_languages_and_the_address(
    quick: Quick, tmp_path: Path, url: str, told: tuple[str, str | None]
) -> None:
    reason, hint = told
    after = "" if hint is None else f"  原址 asked: {url}\n{hint}"
    out = quick("web", "capture", url, "--format", "text", cwd=tmp_path).out.decode()
    assert out == f"网页抓取 web capture: 被拒绝 rejected\n  原因 reason: {reason}\n{after}"


def test_a_page_that_shows_next_to_nothing_without_its_scripts_says_so(
    quick: Quick, site: Peer, tmp_path: Path
) -> None:
    site.answer("/app", page(b"<title>App</title><div id=app>Loading</div><script src=a.js></script>"))
    answer = quick(*call(site, "/app"), cwd=tmp_path).answer
    assert (answer["state"], answer["reason"]) == (
        "captured",
        "正文几乎为空，可能需要脚本 almost no text; the page may need scripts",
    )


@pytest.mark.parametrize(
    ("target", "state", "told"),
    [
        ("/gone", "failed", "status 404"),
        ("/inside", "rejected", "the host is"),
        ("/empty", "captured", "no content"),
        ("/cut", "failed", "before its stated length"),
        ("/?mail=a@b.cn", "rejected", "url holds what should not leave: email"),
        ("/private/x", "rejected", "robots.txt disallows it"),
    ],
)
def test_states_and_exit_statuses(
    quick: Quick, site: Peer, tmp_path: Path, target: str, state: str, told: str
) -> None:
    site.answer("/robots.txt", page(b"User-agent: *\nDisallow: /private/\n", 200, "Content-Type: text/plain"))
    site.answer("/inside", page(b"", 302, "Location: http://10.1.2.3/"))
    site.answer("/empty", page(b""))
    site.answer("/cut", page(b"abc", length=9), "cut")
    done = quick(*call(site, target), cwd=tmp_path)
    assert (done.status, done.err) == (0 if state == "captured" else 1, b"")
    assert (done.answer["state"], done.answer.keys() <= NAMES) == (state, True)
    assert told in done.answer["reason"], done.answer


def test_robots_need_not_be_asked(quick: Quick, site: Peer, tmp_path: Path) -> None:
    site.answer("/robots.txt", page(b"User-agent: *\nDisallow: /\n", 200, "Content-Type: text/plain"))
    assert quick(*call(site, "/law"), cwd=tmp_path).status == 1
    assert quick(*call(site, "/law", "--no-robots"), cwd=tmp_path).status == 0
    assert site.targets == ["/robots.txt", "/law"]


@pytest.mark.parametrize(
    "url",
    ["", "law", "file:///etc/passwd", "http://127.0.0.1/", "http://a@b/", "http://2130706433/", "\u202e"],
)
def test_what_may_not_be_asked_for_is_rejected(quick: Quick, tmp_path: Path, url: str) -> None:
    done = quick("web", "capture", url, cwd=tmp_path)
    assert (done.status, done.err) == (1, b"")
    assert (done.answer["state"], done.answer.keys()) == ("rejected", {"state", "reason", "fetchedAt"})


def test_bytes_that_are_no_unicode_are_rejected(tmp_path: Path) -> None:
    done = run("web", "capture", b"http://127.0.0.1/\xff\xfe", cwd=tmp_path)
    assert (done.status, done.answer["reason"]) == (1, "url is not valid Unicode")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--seconds", "0"), "seconds must be from"),
        (("--seconds", "nan"), "seconds must be from"),
        (("--allow-address", "127.0.0.1/8"), "allow_networks must be CIDR blocks"),
        (("--allow-port", "70000"), "allow_ports must be from"),
        (("--proxy", "https://x"), "proxy must be http://HOST:PORT"),
        (("--ca-file", "none.pem"), "ca_file must be a file of certificates in PEM"),
        (("--nonsense",), "No such option"),
    ],
)
def test_a_wrong_option(quick: Quick, tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    done = quick("web", "capture", "http://127.0.0.1/", *options, cwd=tmp_path)
    assert (done.status, done.out, done.error["code"]) == (2, b"", "usage")
    assert told in done.error["message"]


def test_missing_and_unknown_settings(quick: Quick, tmp_path: Path) -> None:
    (tmp_path / "web.toml").write_text("[capture]\ncookies = true\n", encoding="utf-8")
    for options, status in (
        (("--web", "none.toml"), 4),
        (("--web", "web.toml"), 3),
        (("--exclusions", "x"), 4),
    ):
        done = quick("web", "capture", "http://127.0.0.1/", *options, cwd=tmp_path)
        assert (done.status, done.out) == (status, b"")
        assert done.error["message"]


def test_a_certificate_is_verified_against_the_file_that_is_named(
    quick: Quick, secure: Peer, authority: trustme.CA, tmp_path: Path
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    good = quick(*call(secure, "/law", "--ca-file", "ca.pem"), cwd=tmp_path)
    assert (good.status, good.answer["state"]) == (0, "captured")
    assert good.answer["finalUrl"].startswith("https://127.0.0.1:")
    for options in (("--ca-file", "other.pem"), ()):
        before = len(secure.requests)
        done = quick(*call(secure, "/law", *options), cwd=tmp_path)
        assert (done.status, done.err, done.answer["state"]) == (1, b"", "failed")
        assert "certificate" in done.answer["reason"].lower()
        assert len(secure.requests) == before
    (tmp_path / "web.toml").write_text('[capture]\nca_file = "ca.pem"\n', encoding="utf-8")
    assert quick(*call(secure, "/law", "--web", "web.toml"), cwd=tmp_path).status == 0


def test_through_a_proxy_the_address_is_told_not_to_be_checked(
    quick: Quick, site: Peer, tmp_path: Path
) -> None:
    site.answer("http://page.test/law", page(GBK, 200, KIND))
    options = ("--proxy", site.url("", "127.0.0.1"), "--no-robots", "--details")
    done = quick("web", "capture", "http://page.test/law", *options, cwd=tmp_path)
    assert (done.status, done.answer["provenance"]["pinned"]) == (0, False)
    assert site.targets == ["http://page.test/law"]


def test_a_long_capture_tells_on_stderr_that_it_runs(quick: Quick, site: Peer, tmp_path: Path) -> None:
    site.answer("/slow", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 30.0)
    done = quick(*call(site, "/slow", "--no-robots", "--seconds", "3.3"), cwd=tmp_path)
    assert (done.status, done.answer["state"]) == (1, "failed")
    assert done.err.decode() == "抓取中 capturing: 3 s，至多 at most 3.3 s\n"


def test_a_page_with_an_excluded_term_shows_no_word_of_it(quick: Quick, site: Peer, tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("邊坡\n", encoding="utf-8")
    call_ = call(site, "/law", "--exclusions", "terms.txt", "--details")
    for form in ("json", "text"):
        done = quick(*call_, "--format", form, cwd=tmp_path)
        assert done.status == 0
        assert "坡" not in done.out.decode() + done.err.decode()
        assert b"the page holds an excluded term; nothing of its text is kept" in done.out
    site.requests.clear()
    refused = quick(*call(site, "/边坡", "--exclusions", "terms.txt"), cwd=tmp_path)
    assert (refused.status, refused.answer["reason"]) == (1, "url contains an excluded term after folding")
    assert site.requests == []


def test_an_interrupt_ends_a_capture_at_once(site: Peer, tmp_path: Path) -> None:
    asked = threading.Event()

    def stalling() -> Iterator[bytes | float]:
        asked.set()
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
        yield 300.0

    site.answers["/slow"] = stalling
    process = start(*call(site, "/slow", "--no-robots", "--seconds", "300"), cwd=tmp_path)
    assert asked.wait(60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert b'"code":"interrupted"' in err


def test_a_reader_that_went_away_is_told_by_the_status(site: Peer, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        done = run(*call(site, "/law"), cwd=tmp_path, stdout=nobody)
    assert (done.status, done.err) == (141, b"")

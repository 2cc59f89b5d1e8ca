"""After a whole run, good steps and bad ones: no excluded term, key or page body anywhere it must not be."""

import base64
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.doors.command import Done, run
from tests.doors.forking import Forking
from tests.journeys.web_world import WebWorld
from tests.providers.web.capture.peer import page
from tests.providers.web.relay import Relay, relaying
from tests.providers.web.search.faking import Fake, faking, says
from tests.providers.web.search.formats import FORMATS, well
from tests.searx.running import T2026

anchor = pytest.mark.parametrize("web_world", [T2026], indirect=True, ids=["2026"])

TERM = "金丝雀计划"
TRADITIONAL = "金絲雀計劃"
KEYS = ("Zq8canaryKEY0123456789abcdef", "Zq9canaryCOMMAND0123456789ab")
BODY = "尾声暗记戊己庚辛"
HTML = "Content-Type: text/html; charset=utf-8"
QUESTION = (
    *("--objective", "尾矿库有哪些规定？", "--user-activity", "审查", "--decision", "是否补充"),
    *("--evidence-kind", "regulation", "--prefer", "connector:web-search"),
)


def forms(secret: str) -> Iterator[bytes]:
    """`secret` as bytes might hold it: charsets, escapes of addresses and of JSON, hexadecimal, base64."""
    for charset in ("utf-8", "gb18030", "utf-16-le", "utf-16-be"):
        raw = secret.encode(charset)
        yield raw
        yield raw.hex().encode()
        yield quote(raw, safe="").encode()
        yield quote(raw, safe="").lower().encode()
        yield "".join(f"%{octet:02X}" for octet in raw).encode()
        for before in range(3):  # where it stands in three bytes decides how it looks
            coded = base64.b64encode(b"\0" * before + raw)
            yield coded[(before * 8 + 5) // 6 + (before > 0) : len(coded) // 4 * 4 - 4]
    yield secret.encode("unicode-escape")
    yield secret.encode("ascii", "xmlcharrefreplace")


SECRETS = {secret: [*forms(secret)] for secret in (TERM, TRADITIONAL, *KEYS, BODY)}


def assert_clean(content: bytes, where: object, secrets: tuple[str, ...] = tuple(SECRETS)) -> None:
    lowered = content.lower()
    for secret in secrets:
        for form in SECRETS[secret]:
            assert form not in content, (where, secret, form)
            assert form.lower() not in lowered, (where, secret, form)


def test_the_forms_would_be_found() -> None:
    for secret in SECRETS:
        for text in (f"a{secret}b", f"ab{secret}", f"abc{secret}d"):
            for coded in (base64.b64encode(text.encode()), text.encode("gb18030"), quote(text).encode()):
                with pytest.raises(AssertionError):
                    assert_clean(coded, "here")


class Case:
    """A user's folders, and everything that the commands said in them."""

    def __init__(self, folder: Path, quick: Forking) -> None:
        self.quick = quick
        self.given = folder / "given"
        self.watched = folder / "watched"
        self.work = self.watched / "work"
        for part in ("work", "home", "cache", "temp"):
            (self.watched / part).mkdir(parents=True)
        self.given.mkdir()
        (self.given / "terms.txt").write_text(f"{TERM}\n", encoding="utf-8")
        self.around = {
            "HOME": str(self.watched / "home"),
            "XDG_CACHE_HOME": str(self.watched / "cache"),
            "TMPDIR": str(self.watched / "temp"),
            "EXTERNAL_EVIDENCE_EXCLUSIONS_FILE": str(self.given / "terms.txt"),
        }
        self.said: list[Done] = []

    def __call__(
        self,
        *arguments: str,
        status: int = 0,
        stdin: bytes = b"",
        more: Mapping[str, str] | None = None,
        call: Callable[..., Done] | None = None,
    ) -> Done:
        around = {**self.around, **(more or {})}
        done = (call or self.quick)(*arguments, cwd=self.work, stdin=stdin, environment=around)
        assert done.status == status, (arguments, done)
        self.said.append(done)
        return done

    def keep(self, name: str, *arguments: str, **how: Any) -> Any:
        done = self(*arguments, **how)
        (self.work / f"{name}.json").write_bytes(done.out)
        return done.answer

    def assert_clean(self) -> None:
        for done in self.said:
            assert_clean(done.out, "stdout")
            assert_clean(done.err, "stderr")
        files = [path for path in self.watched.rglob("*") if path.is_file()]
        for path in files:
            assert_clean(str(path).encode(), "a name")
            assert_clean(path.read_bytes(), path)


@pytest.fixture
def case(tmp_path: Path, quick: Forking) -> Case:
    return Case(tmp_path, quick)


@pytest.fixture
def furnished(web_world: WebWorld) -> Iterator[WebWorld]:
    """The site with pages that hold what must not be kept, and a search server that finds them."""
    site = web_world.site
    words = "尾矿库的安全设施应当经过审查。" * 20
    hidden = (
        f"<script>{BODY}</script><!-- {BODY} --><p hidden>{BODY}</p><a title='{BODY}' href='/{BODY}'>x</a>"
    )
    site.answer(
        "/body", page(f"<title>尾矿库</title><p>第一条 {words}{BODY}</p>{hidden}".encode(), 200, HTML)
    )
    site.answer("/term", page(f"<title>尾矿 {TERM}</title><p>第一条 {TRADITIONAL}</p>".encode(), 200, HTML))
    site.answer("/away", page(b"", 302, f"Location: /{quote(TERM)}"))
    where = site.url("", "127.0.0.1")
    paths = ("body", "term", "away", quote(TERM), TRADITIONAL, f"?q={quote(TERM.encode('gb18030'))}")
    rows = [("尾矿库公告", f"{where}/{path}", "尾矿库", "2024-01-01") for path in paths]
    rows += [(f"尾矿库 {TERM}", f"{where}/titled", TRADITIONAL, "2024-01-01")]
    with sqlite3.connect(web_world.searx.upstream.database) as database:
        database.executemany("INSERT INTO notices VALUES (?, ?, ?, ?)", rows)
    database.close()
    site.requests.clear()
    yield web_world
    with sqlite3.connect(web_world.searx.upstream.database) as database:
        database.execute("DELETE FROM notices WHERE content = '尾矿库' OR url LIKE '%/titled'")
    database.close()


@anchor
def test_nothing_is_left_of_a_whole_life_and_its_failures(
    furnished: WebWorld, relay: Relay, case: Case
) -> None:
    furnished.settings(case.given, relay)
    web = ("--web", str(case.given / "web.toml"))
    case("discover", *web)
    case.keep("plan", "plan", *QUESTION, "--search-term", "尾矿库", *web)
    shown = case("execute", "plan.json", *web, status=1)
    assert furnished.site.requests == []
    # A process of its own, as a user starts it.
    seen = case.keep("receipt", "execute", "plan.json", "--allow-network", *web, call=run)
    found = {source["source_ref"].rpartition("/")[2] for source in seen["receipt"]["sources"]}
    assert found == {"body", "term"}
    assert "尾矿库的安全设施" in str(seen)
    assert seen["receipt"]["limitations"][0].startswith("3 个网址为本方规则所拒")
    case.keep("admission", "admit", "receipt.json", "--decision", "admit", "--reason", "可", "--all-sources")
    case("readback", "--execute", "admission.json")
    case("readback", "admission.json", "--format", "markdown")
    case("readback", "admission.json", "--format", "text")
    case("retire", "admission.json")
    case("audit", "replay")
    for form in ("json", "text"):
        case("web", "search", "尾矿库", *web, "--format", form)
        for path, status in (("body", 0), ("term", 0), ("away", 1), (quote(TERM), 1), (TRADITIONAL, 1)):
            url = furnished.site.url(f"/{path}", "127.0.0.1")
            case("web", "capture", url, *web, "--details", "--format", form, status=status)
    _refused(case, web)
    relay.cut()
    case("execute", "plan.json", "--allow-network", *web, status=4)
    case.assert_clean()
    assert_clean(shown.out, "what would be sent")
    asked = b"".join([*relay.requests, *furnished.site.requests, furnished.log.read_bytes()])
    assert_clean(asked, "what was sent")
    assert not any(TERM in query for _, query in furnished.searx.upstream.asked)


def _refused(case: Case, web: tuple[str, ...]) -> None:
    """Every way in which a term could come in; each is refused, and a ledger that is new stays unmade."""
    ledger = ("--ledger", "new.sqlite3")
    for options in (
        ("--search-term", f"查 {TERM}"),
        ("--search-term", TRADITIONAL),
        ("--search-term", "金.丝.雀.计.划"),
        ("--constraint", TERM),
        ("--source", f"http://127.0.0.1/{quote(TERM)}"),
        ("--source", f"http://127.0.0.1/{quote(TERM.encode('gb18030'))}"),
    ):
        case("plan", *QUESTION, *options, *web, *ledger, status=3)
        case("plan", *QUESTION, *options, *web, "--no-ledger", status=3)
    request = f'{{"objective": "{TERM}", "evidence_kinds": 1}}'.encode()
    case("plan", "--request", "-", *ledger, status=3, stdin=request)
    reason = ("admit", "receipt.json", "--decision", "reject", "--supersede", "--reason")
    case(*reason, f"因 {TERM}", status=3)
    assert not (case.work / "new.sqlite3").exists()
    case("web", "search", f"查 {TERM}", *web, status=1)
    case("web", "search", TERM * 60, *web, status=3)
    case("web", "check-query", "--input", "-", stdin=f'{{"query": "查 {TRADITIONAL}"}}'.encode(), status=1)
    (case.given / "bad.txt").write_bytes(TERM.encode("gb18030"))
    case("web", "search", "q", *web, "--exclusions", str(case.given / "bad.txt"), status=3)


@pytest.fixture(scope="module")
def fake() -> Iterator[Fake]:
    with faking() as made:
        yield made


@anchor
@pytest.mark.parametrize(("service", "variable"), [("bocha", "KEY"), ("tavily", "KEY_COMMAND")])
def test_no_key_is_left_anywhere(
    web_world: WebWorld, fake: Fake, case: Case, service: str, variable: str
) -> None:
    """A key goes to its service in one header; a service that repeats it changes nothing."""
    form, site = FORMATS[service], web_world.site
    site.requests.clear()
    fake.received.clear()
    program = case.given / "print_key.py"
    program.write_text(f"print({KEYS[1]!r})\nprint('second line')\n", encoding="utf-8")
    key, value = (KEYS[0], KEYS[0]) if variable == "KEY" else (KEYS[1], f"{sys.executable} {program}")
    name = f"EXTERNAL_EVIDENCE_{service.upper()}"
    more = {f"{name}_{variable}": value}
    lines = ["[search]", f'service = "{service}"', f'url = "{fake.url}"', "[capture]", "spacing = 0"]
    lines += ['allow_networks = ["127.0.0.0/8"]', f"allow_ports = [{site.port}]"]
    (case.given / "web.toml").write_text("\n".join(lines), encoding="utf-8")
    web = ("--web", str(case.given / "web.toml"))
    hit = {**form.hit, "url": site.url("/utf8.html", "127.0.0.1")}
    well(fake)
    fake.does[form.path] = says(200, form.body(hit))
    case("discover", *web, more=more)
    case.keep("plan", "plan", *QUESTION, "--search-term", "边坡支护 GB 50330", *web, more=more)
    case("execute", "plan.json", *web, more=more, status=1)
    seen = case("execute", "plan.json", "--allow-network", *web, more=more).answer
    assert [source["source_ref"] for source in seen["receipt"]["sources"]] == [hit["url"]]
    case("web", "search", "边坡支护 GB 50330", *web, more=more)
    for status in (401, 429, 500, 200):
        echo = form.body({**hit, "url": site.url(f"/{key}", "127.0.0.1"), "title": key})
        fake.does[form.path] = says(status, echo | {"message": f"bad key {key}", key: key}, X_Key=key)
        case("web", "search", "边坡支护 GB 50330", *web, more=more, status=int(status != 200))
        case("execute", "plan.json", "--allow-network", *web, more=more, status=1)
    fake.does = {form.path: says(200, f"<p>{key}".encode(), "text/html")}
    case("web", "search", "边坡支护 GB 50330", *web, more=more, status=1)
    for wrong in (("KEY", f"{key} two words"), ("KEY_COMMAND", f"false {key}"), ("KEY_COMMAND", key)):
        more = {f"{name}_{wrong[0]}": wrong[1]}
        case("discover", *web, more=more)
        case("web", "search", "边坡支护 GB 50330", *web, more=more, status=1)
    case("audit", "replay")
    case.assert_clean()
    assert_clean(b"".join(site.requests), "the site")
    for message in fake.received:
        lines = message.decode().split("\r\n")
        assert_clean(
            "".join(line for line in lines if line != f"Authorization: Bearer {key}").encode(), "fake"
        )


@anchor
def test_a_key_of_one_service_never_reaches_another(web_world: WebWorld, case: Case) -> None:
    with relaying(web_world.searx.port) as wire:
        more = {"EXTERNAL_EVIDENCE_SEARCH_URL": wire.url, "EXTERNAL_EVIDENCE_SEARXNG_KEY": KEYS[1]}
        more |= {
            f"EXTERNAL_EVIDENCE_{name}_KEY": KEYS[0]
            for name in ("BOCHA", "BAIDU", "ZHIPU", "BRAVE", "TAVILY")
        }
        case("web", "search", "边坡支护", more=more)
        case("discover", more=more)
        assert_clean(b"".join(wire.requests), "SearXNG")
    case.assert_clean()

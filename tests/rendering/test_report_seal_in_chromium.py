"""The seal of the HTML report in a real Chromium: what the page shows is all that was sealed."""

import json
import re
from base64 import b64encode
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from ledger.erasure import erase
from tests.audit.telling import Told, told
from tests.rendering.browser import Page, checked, dumped
from tests.rendering.pages import Edit, report, resealed
from tests.world import open_ledger

pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return told(tmp_path_factory.mktemp("told") / "l.sqlite3")


SEAL = "页面的文字、样式或脚本与页面摘要不符"


def hash_of(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def restyled(page: str, rules: str) -> str:
    """The page with more style, and the hash of it where the browser asks for it."""
    found = re.search("<style>(.*?)</style>", page, re.DOTALL)
    assert found is not None
    return page.replace(found[1], found[1] + rules).replace(hash_of(found[1]), hash_of(found[1] + rules))


def reworded(page: str, key: str, text: str) -> str:
    changed = re.sub(rf'("{re.escape(key)}":)".*?"', lambda told: f"{told[1]}{json.dumps(text)}", page)
    assert changed != page
    return changed


def test_who_changes_how_it_looks_and_not_what_it_says_is_noticed(made: Told, tmp_path: Path) -> None:
    page, honest = tmp_path / "page.html", report(made.path)
    hides = ".mark.warn { font-size: 0; } .mark.warn::before { font-size: 1rem; content: '可以退休'; }"
    page.write_text(restyled(honest, hides), encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "bad"
    (told_of,) = outcome.complaints
    stated = re.search('id="seal">.*?<code>(.*?)</code>', honest)
    assert stated is not None
    assert told_of.startswith(f"{SEAL}应为 {stated[1]}实为 sha256:")
    # By the seal alone: what it is beside is no finding for who writes it anew.
    page.write_text(resealed(restyled(honest, hides)), encoding="utf-8")
    assert checked(page).tone == "ok"


ELSEWHERE: dict[str, Edit] = {
    "the script": lambda page: with_another_script(page, "const MOST = 50", "const MOST = 49"),
    "the way it is read": lambda page: page.replace('dir="ltr"', 'dir="rtl"', 1),
    "the body's own style": lambda page: page.replace("<body>", '<body style="direction: rtl">', 1),
    "a second style": lambda page: page.replace("</head>", "<style>b { color: red; }</style></head>", 1),
    "what the browser may load": lambda page: page.replace("default-src &#x27;none&#x27;; ", "", 1),
}


def with_another_script(page: str, old: str, new: str) -> str:
    found = re.search("<script>(.*?)</script>", page, re.DOTALL)
    assert found is not None
    script = found[1].replace(old, new)
    return page.replace(found[1], script).replace(hash_of(found[1]), hash_of(script))


@pytest.mark.parametrize("what", ELSEWHERE)
def test_the_seal_covers_all_that_the_page_is(made: Told, tmp_path: Path, what: str) -> None:
    page, honest = tmp_path / "page.html", report(made.path)
    changed = ELSEWHERE[what](honest)
    assert changed != honest
    page.write_text(changed, encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "bad"
    assert [one.startswith(SEAL) for one in outcome.complaints] == [True]


def test_who_rewrites_the_words_does_not_write_the_headline(made: Told, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    honest = report(made.path).replace(">都对得上<", ">都对不上<", 1)
    page.write_text(reworded(honest, "bad.fact", "复核相符"), encoding="utf-8")
    outcome = checked(page)
    assert (outcome.tone, outcome.told) == ("bad", "本页已被改动：2 处不相符，以第一处为准。")
    assert outcome.complaints[1].startswith(SEAL)
    broken = report(made.path, "en").replace('"bad.fact":"', '"bad.fact":', 1)  # no words at all
    page.write_text(broken, encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "bad"
    assert outcome.told.startswith("This page was changed: ")
    assert outcome.complaints[-1].startswith(
        "the text, style or script of the page is not what its seal names"
    )


HOSTS = [["<body>"], ['<p id="outcome">', '<h2 id="summary">', '<footer id="seal">']]


@pytest.mark.parametrize("hosts", HOSTS)
def test_what_a_shadow_shows_in_place_of_the_page_is_not_shown(
    made: Told, tmp_path: Path, hosts: list[str]
) -> None:
    page, changed = tmp_path / "page.html", report(made.path)
    shadow = '<template shadowrootmode="closed">均已复查</template>'
    for host in hosts:
        changed = changed.replace(host, host + shadow, 1)
    # The text that is laid out of the element, which is that of the shadow while there is one.
    asks = "<script>addEventListener('load', () => { document.title = document.body.innerText; });</script>"
    policy = re.sub(r"<meta http-equiv.*?>", "", changed, count=1)
    page.write_text(policy.replace("</head>", f"{asks}</head>", 1), encoding="utf-8")
    (shown,) = re.findall("<title>(.*?)</title>", dumped(page), re.DOTALL)
    assert "均已复查" not in shown
    assert "页面摘要（SHA-256）" in shown
    assert "概览" in shown


def test_the_page_of_a_life_that_was_erased_is_amber_and_claims_no_derivation(tmp_path: Path) -> None:
    path, page = tmp_path / "l.sqlite3", tmp_path / "page.html"
    plan = told(path).plans["retired"]
    with closing(open_ledger(path)) as ledger:
        erase(ledger, str(plan.request.request_id), "asked for", "keeper")
    page.write_text(report(path), encoding="utf-8")
    seen = Page(dumped(page))
    assert seen.by_id("check").attributes["class"] == "warn"
    said = next(one for one in seen.named("p") if one.content.startswith("前后一致"))
    assert said.attributes["class"] == "warn"
    assert "每个编号" not in said.content
    assert "不是每一步都推得出来" in said.content
    assert "0 个步骤" not in seen.named("main")[0].content


def test_a_page_that_was_cut_says_no_word_of_being_whole(made: Told, tmp_path: Path) -> None:
    page, honest = tmp_path / "page.html", report(made.path)
    page.write_text(honest[: len(honest) // 2], encoding="utf-8")
    outcome = checked(page)
    assert outcome.tone == "idle"
    assert outcome.told.startswith(
        "脚本未运行：本页的内容没有在此浏览器中复核。完整的页面以“页面摘要”一行结尾"
    )

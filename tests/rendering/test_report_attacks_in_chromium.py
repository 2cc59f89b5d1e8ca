"""Who edits the markup of the HTML report, not its script or seal, turns it red: each way a row."""

import pytest

from evidence.rendering.report_html import Bounds
from tests.audit.telling import told
from tests.rendering.browser import Outcome, all_checked
from tests.rendering.pages import Edit, report

pytestmark = pytest.mark.chromium
SHADOW = "元素显示的不是它自己的文字"
SEAL = "页面的文字、样式或脚本与页面摘要不符"
BESIDE = "页面上多出了内容"
GREEN = '<section id="check" class="ok"><p id="outcome">复核相符</p></section>'


def before(place: str, markup: str) -> Edit:
    return lambda page: page.replace(place, markup + place, 1)


def within(place: str, markup: str) -> Edit:
    return lambda page: page.replace(place, place + markup, 1)


def instead(place: str, markup: str) -> Edit:
    return lambda page: page.replace(place, markup, 1)


SHOWING = {
    "input": '<input value="FORGED">',
    "textarea": '<textarea placeholder="FORGED"></textarea>',
    "button": "<button>FORGED</button>",
    "select": '<select><option label="FORGED"></option></select>',
    "img": '<img alt="FORGED">',
    "object": '<object data="data:text/html,FORGED"></object>',
    "embed": '<embed src="data:text/html,FORGED">',
    "iframe": '<iframe srcdoc="FORGED"></iframe>',
    "svg": '<svg><rect width="9" height="9"/></svg>',
    "math": "<math><mfrac><mi></mi><mi></mi></mfrac></math>",
    "canvas": '<canvas width="9"></canvas>',
    "video": '<video controls poster="data:,"></video>',
    "audio": "<audio controls></audio>",
    "details": "<details open><summary></summary></details>",
    "meter": '<meter value="1"></meter>',
    "progress": '<progress value="1"></progress>',
    "marquee": "<marquee>FORGED</marquee>",
    "rule": "<hr>",
    "list": "<ol><li></li></ol>",
    "title": '<p title="FORGED"></p>',
    "tone": '<p class="ok"></p>',
    "dialog": "<dialog open></dialog>",
    "own name": "<x-forged></x-forged>",
    "template": "<template>FORGED</template>",
    "style": "<style>h1 { color: red; }</style>",
    "link": '<link rel="stylesheet" href="data:text/css,h1{color:red}">',
    "text": "FORGED",
    "form": '<form><input name="attributes"><input name="childNodes"><input name="nodeType"></form>',
    "field": '<form id="check"><input name="remove"><input name="dataset"></form>',
}
NAMES = ("getElementById", "querySelectorAll", "createElement", "addEventListener", "documentElement")
HOSTS = {
    "body": "<body>",
    "main": "<main>",
    "h1": "<h1>",
    "nav": '<nav aria-label="跳到">',
    "h2": '<h2 id="summary">',
    "h3": '<h3 id="plan-1">',
    "p": '<p id="outcome">',
    "plan": "<section>",
    "div": '<div class="scroll">',
    "span": '<span data-at="count/plans">',
    "footer": '<footer id="seal">',
}
SHADOWS = {
    "open": '<template shadowrootmode="open">FORGED</template>',
    "closed": '<template shadowrootmode="closed">FORGED</template>',
    "closed around": '<template shadowrootmode="closed">FORGED<slot></slot></template>',
    "kept": '<template shadowrootmode="closed" shadowrootclonable shadowrootserializable>FORGED</template>',
}
SHADOWED = [*((host, "closed") for host in HOSTS), *(("h1", kind) for kind in SHADOWS if kind != "closed")]
OTHERS: dict[str, Edit] = {
    "hidden": instead("<h1>", '<h1 hidden="">'),
    "all hidden": instead("<main>", '<main hidden="">'),
    "the whole hidden": instead("<html ", '<html hidden="" '),
    "another language": instead('lang="zh-Hans"', 'lang="ar"'),
    "a part in another language": instead("<h1>", '<h1 lang="ar">'),
    "read from the right": instead("<h1>", '<h1 dir="rtl">'),
    "all read from the right": instead("<body>", '<body dir="rtl">'),
    "a style of its own": instead("<h1>", '<h1 style="font-size: 0">'),
    "written in": instead("<h1>", '<h1 contenteditable="">'),
    "another place in the table": instead("<td>", '<td colspan="2">'),
    "bidi override": within("<h1>", "\u202e"),
    "bidi override in a value": within('<span data-at="count/plans">', "\u202e"),
    "no width": within("<h1>", "\u200b"),
    "a remark within": within("<h1>", "<!-- -->"),
    "no policy": instead("http-equiv=", "name="),
    "a weaker policy": instead("style-src ", "style-src &#x27;unsafe-inline&#x27; "),
    "a second policy": before("<title>", '<meta http-equiv="Content-Security-Policy" content="">'),
    "a style in the head": before("</head>", "<style>h1 { color: red; }</style>"),
    "a link in the head": before("</head>", '<link rel="stylesheet" href="other.css">'),
    "a base": before("</head>", '<base href="https://example.org/">'),
    "a template in the head": before("</head>", SHADOWS["closed"]),
    "a template before the head": before("<head>", SHADOWS["open"]),
    "another title": within("<title>", "FORGED "),
    "behind the end": lambda page: f"{page}<input value='FORGED'>",
    "no records": instead('id="embedded-records"', 'id="embedded"'),
    "no words": instead('id="words"', 'id="none"'),
    "no seal": instead('id="seal"', 'id="none"'),
    "no place for the outcome": instead('<section id="check" class="idle"', '<section class="ok"'),
    "no place for what is left": instead('id="left"', 'id="none"'),
    "the outcome hidden beside a green one": lambda page: page.replace(
        '<section id="check"', f'{GREEN}<div hidden=""><section id="check"', 1
    ).replace("</section>\n", "</section></div>\n", 1),
    "a green outcome before all": before("<main>", GREEN),
}


def attacks() -> dict[str, Edit]:
    """Every way to edit a page, by what it is called."""
    found: dict[str, Edit] = {}
    for name, markup in SHOWING.items():
        found[f"{name} beside"] = before("<main>", markup)
        found[f"{name} in the text"] = before('<h2 id="summary">', markup)
    for name in NAMES:
        found[f"named {name}"] = before("<main>", f'<img name="{name}">')
        found[f"named {name} in the text"] = before("<h1>", f'<form name="{name}"></form>')
    for host, kind in SHADOWED:
        found[f"{kind} shadow of {host}"] = within(HOSTS[host], SHADOWS[kind])
    found["open shadow of what can have none"] = within("<bdi>", SHADOWS["open"])
    return found | OTHERS


ATTACKS = attacks()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("pages")
    ledger = told(folder / "l.sqlite3").path
    honest = report(ledger)
    pages = {name: edit(honest) for name, edit in ATTACKS.items()}
    assert [name for name, page in pages.items() if page == honest] == []
    pages |= {
        "zh": honest,
        "en": report(ledger, "en"),
        "saved": honest.replace("<html", "<!-- saved from url=(0013)plans.html -->\n<html", 1) + "\n\n",
        "in part": report(ledger, bounds=Bounds(bodies=0)),
    }
    paths = [folder / f"page-{place}.html" for place in range(len(pages))]
    for path, page in zip(paths, pages.values(), strict=True):
        path.write_text(page, encoding="utf-8")
    return dict(zip(pages, all_checked(paths), strict=True))


@pytest.mark.parametrize("what", ATTACKS)
def test_a_page_of_edited_markup_is_red_in_sight_and_tells_no_other_outcome(
    outcomes: dict[str, Outcome], what: str
) -> None:
    outcome = outcomes[what]
    if what == "the whole hidden":  # then nothing at all is in sight
        assert outcome.tone == "bad unseen"
    else:
        assert outcome.tone == "bad"
    assert "复核相符" not in outcome.told
    assert outcome.complaints


@pytest.mark.parametrize(("page", "tone"), [("zh", "ok"), ("en", "ok"), ("saved", "ok"), ("in part", "warn")])
def test_a_page_as_it_was_made_is_not_red(outcomes: dict[str, Outcome], page: str, tone: str) -> None:
    outcome = outcomes[page]
    assert (outcome.tone, outcome.complaints) == (tone, [])


def test_it_says_which_way_the_page_was_edited(outcomes: dict[str, Outcome]) -> None:
    for host, kind in SHADOWED:
        (told_of,) = outcomes[f"{kind} shadow of {host}"].complaints
        assert told_of.startswith(SHADOW)
    for name in SHOWING.keys() - {"form", "field"}:
        (told_of,) = outcomes[f"{name} beside"].complaints
        assert told_of.startswith(BESIDE)
        assert any(one.startswith(SEAL) for one in outcomes[f"{name} in the text"].complaints)

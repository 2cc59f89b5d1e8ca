"""A page as Chromium sees it after its scripts ran, and as an HTML parser sees it before."""

import json
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

PATIENCE_SECONDS = 300
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
VOID = {"meta", "br", "hr", "img", "link", "input"}


def chromium() -> str | None:
    """Debian's Chromium, or what others call theirs."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def dumped(page: Path, *options: str) -> str:
    """The page's HTML after Chromium has opened it from its file and run its scripts."""
    program = chromium()
    assert program is not None, "chromium is not installed"
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        command = [program, *QUIET, *options, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
        ended = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_SECONDS)
    return ended.stdout.decode()


class Element(NamedTuple):
    """One element: its name, its attributes, and all text in it."""

    name: str
    attributes: dict[str, str]
    text: list[str]

    @property
    def content(self) -> str:
        """Its text."""
        return "".join(self.text)


class Page(HTMLParser):
    """Every element of a page, in order of its start."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, [])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, tag
        assert self._open.pop().name == tag, f"{tag} closes something else"

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text.append(data)

    def by_id(self, name: str) -> Element:
        """The one element of that id."""
        (found,) = (one for one in self.elements if one.attributes.get("id") == name)
        return found

    def named(self, *names: str) -> list[Element]:
        """Every element called so."""
        return [one for one in self.elements if one.name in names]


class Outcome(NamedTuple):
    """What a report says of itself after its check: its class, its sentence, its complaints."""

    tone: str
    told: str
    left: str
    complaints: list[str]


def checked(page: Path) -> Outcome:
    """Open a report in Chromium and read what its check found."""
    seen = Page(dumped(page))
    items = [one.content for one in seen.named("li")]
    listed = seen.by_id("complaints").content
    return Outcome(
        seen.by_id("check").attributes["class"],
        seen.by_id("outcome").content,
        seen.by_id("left").content,
        [item for item in items if item in listed],
    )


# What hides behind names of its own in a page that is read (`<img name="body">`) hides nothing here.
_READER = """<!DOCTYPE html><title>pages</title><pre id="outcomes"></pre><div>FRAMES</div><script>
const own = (page, query) => Array.from(Document.prototype.querySelectorAll.call(page, query));
const text = (page, query) => own(page, query).map((one) => one.textContent).join("");
const told = ({ contentDocument: page }) => [
  own(page, "#check").map((one) => `${one.className}${one.checkVisibility() ? "" : " unseen"}`).join(" and "),
  text(page, "#outcome"), text(page, "#left"), own(page, "#complaints li").map((one) => one.textContent)];
onload = () => {
  const outcomes = [...document.querySelectorAll("div > iframe")].map(told);
  document.getElementById("outcomes").textContent = JSON.stringify(outcomes);
};
</script>"""


def all_checked(pages: list[Path]) -> list[Outcome]:
    """As `checked`, of many pages of one folder in one Chromium; the tone of what is not in sight says so."""
    frames = "".join(f'<iframe src="{one.name}"></iframe>' for one in pages)
    reader = pages[0].with_name("reader.html")
    reader.write_text(_READER.replace("FRAMES", frames), encoding="utf-8")
    told = Page(dumped(reader, "--allow-file-access-from-files")).by_id("outcomes").content
    return [Outcome(*one) for one in json.loads(told)]

"""Clause candidates on the real texts of laws and regulations."""

import re
from pathlib import Path

import pytest

from providers.web.extraction.page import Page, extract

# Lines that start with 第X条 and go on as an article does (spec/regulations.md 2), found the plain way.
_ARTICLE = re.compile(
    r"^[\s>#*\u200b\ufeff]*(第[〇零一二三四五六七八九十百千]+条(?:之[一二三四五六七八九十]+)?)"
    r"(?=[\s*]|[^条款项的至、，])",
    re.MULTILINE,
)


def as_html(text: str) -> bytes:
    lines = "".join(f"<p><span>{line}</span></p>\n" for line in text.splitlines())
    return f"<html><head><meta charset=gb2312></head><body>{lines}</body></html>".encode("gb18030")


def articles(page: Page) -> list[str]:
    assert all(page.text[one.start : one.end] == one.excerpt for one in page.candidates)
    return [one.clause_no for one in page.candidates if "条" in one.clause_no]


@pytest.fixture(scope="module")
def texts(shared: Path) -> list[Path]:
    files = (shared / "data" / "regulations").rglob("*")
    return sorted(file for file in files if file.suffix in (".md", ".txt"))


def test_every_article_of_every_edition_is_a_candidate_as_text_and_as_a_gbk_page(texts: list[Path]) -> None:
    total = 0
    for file in texts:
        body = file.read_bytes()
        page = extract(body, "text/plain; charset=utf-8")
        expected = _ARTICLE.findall(page.text)
        assert articles(page) == expected, file.name
        assert articles(extract(as_html(page.text), "text/html")) == expected, file.name
        total += len(expected)
    assert total > 5000

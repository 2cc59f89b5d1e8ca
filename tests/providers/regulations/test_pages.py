"""A reader of another format hands in pages; nodes and slices know theirs."""

from pathlib import Path

from providers.regulations.corpus import Corpus
from providers.regulations.importer import Asset
from providers.regulations.intake import Source
from providers.regulations.lines import Cleaned, Line
from tests.providers.regulations.corpora import clock
from tests.providers.regulations.law import edition


def paged(asset: bytes, _name: str) -> Cleaned:
    """Pages as a PDF's text has them: a form feed between two."""
    lines: list[Line] = []
    for page, text in enumerate(asset.decode().split("\f"), 1):
        lines += [Line(len(lines) + 1 + at, 0, line, page=page) for at, line in enumerate(text.split("\n"))]
    return Cleaned(tuple(lines), (), 0, "utf-8", tuple(line.text for line in lines))


def test_a_node_that_crosses_a_page_break_has_both_pages_and_a_slice_has_its_own(tmp_path: Path) -> None:
    data = "灯塔维护条例\n第一条 如下：\n（一）甲；\f（二）乙。\n第二条 丙。".encode()
    readers = {".pdf": ("pdf-cn-law/1", paged)}
    with Corpus.open(tmp_path / "c.sqlite3", clock, create=True, readers=readers) as corpus:
        corpus.import_sources([Source(edition(), (Asset(data, "law.pdf"),))])
        revision = corpus.publish()
        node = corpus.node(revision, "lighthouse-rules@2031-03-04#art1")
        assert (node.page_start, node.page_end) == (1, 2)
        found = corpus.resolve(revision, node.node_id, 0, 4)
        assert (found.page_start, found.page_end) == (1, 1)
        found = corpus.resolve(revision, "lighthouse-rules@2031-03-04#art1/p1/i2")
        assert (found.page_start, found.page_end) == (2, 2)
        [entry] = corpus.entries()
        assert entry.extractor == "pdf-cn-law/1"

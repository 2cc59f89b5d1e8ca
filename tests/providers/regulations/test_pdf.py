"""A law read from a PDF by PDFium: lines, folios, paragraphs that the margin breaks, pages."""

from pathlib import Path

import pytest

from providers.regulations.corpus import Corpus
from providers.regulations.importer import Asset
from providers.regulations.intake import Source
from providers.regulations.pdf import clean_pdf
from schemas.errors import InvalidError
from tests.providers.regulations.corpora import clock
from tests.providers.regulations.law import edition
from tests.providers.web.extraction import handmade

LAW = handmade.pdf(
    ["灯塔维护条例", "第一章 总则", "第一条 守塔人应当每日擦拭灯罩并且在雾天的时候", "— 1 —"],
    ["敲钟，每分钟一次。", "前款所称雾天由港口宣布。", "第二条 灯油：", "（一）自备；", "- 2 -"],
)
NODE = "lighthouse-rules@2031-03-04#"


def test_a_paragraph_that_a_page_breaks_is_one_and_knows_both_pages(tmp_path: Path) -> None:
    with Corpus.open(tmp_path / "c.sqlite3", clock, create=True) as corpus:
        report = corpus.import_sources([Source(edition(), (Asset(LAW, "law.pdf"),))])
        assert report.problems == ()
        revision = corpus.publish()
        node = corpus.node(revision, f"{NODE}art1/p1")
        assert node.text == "守塔人应当每日擦拭灯罩并且在雾天的时候\n敲钟，每分钟一次。"
        assert (node.page_start, node.page_end) == (1, 2)
        assert corpus.node(revision, f"{NODE}art1/p2").text == "前款所称雾天由港口宣布。"
        assert corpus.resolve(revision, f"{NODE}art1/p1", 20, 22).page_start == 2
        assert corpus.node(revision, f"{NODE}art2/p1/i1").page_start == 2
        [entry] = corpus.entries()
        assert entry.extractor == "pdf-cn-law/1"
        assert entry.nodes[0].path == "ch1"


def test_folios_are_set_aside_by_name() -> None:
    cleaned = clean_pdf(LAW)
    assert [(aside.number, aside.reason) for aside in cleaned.asides] == [(4, "folio"), (9, "folio")]
    assert [line.page for line in cleaned.lines] == [1, 1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"%PDF-1.7 and nothing else", "damaged"),
        (handmade.pdf_of(handmade.stream(b"")), "no text layer"),
    ],
)
def test_a_pdf_that_cannot_be_read_whole_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(InvalidError, match=why):
        clean_pdf(data, "law.pdf")

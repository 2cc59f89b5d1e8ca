"""PDF in a child process: text and pages, and files that are damaged, locked, empty or hostile."""

import io
import sys

import pytest

from providers.web.extraction import pdf, pdf_child
from providers.web.extraction.page import Limits, extract
from tests.providers.web.extraction import handmade

TWO_PAGES = handmade.pdf(
    ["第一条 为了甲，制定本办法。", "（一）乙；", "3.1.2 基坑应当监测。"], ["第二条 丙。"]
)
SOON = pdf.PdfLimits(seconds=20)
# One second of work for PDFium, at least, on any machine of today.
LONG = handmade.pdf_of(handmade.endless(1_500_000))


def test_the_text_layer_comes_page_by_page_with_clauses_and_the_version_that_read_it() -> None:
    page = extract(TWO_PAGES, "text/html; charset=gbk")
    assert (page.kind, page.problem, page.charset) == ("pdf", "", "")
    assert page.text == "第一条 为了甲，制定本办法。\n（一）乙；\n3.1.2 基坑应当监测。\f第二条 丙。"
    assert page.extractor.startswith("external-evidence-pdf/1 pypdfium2/5.")
    assert [one.clause_no for one in page.candidates] == ["第一条", "3.1.2", "第二条"]
    assert page == extract(TWO_PAGES, "")


def test_the_mark_of_a_pdf_may_stand_behind_other_bytes_but_not_behind_markup() -> None:
    assert extract(b"\0junk\n" + TWO_PAGES, "application/octet-stream").kind == "pdf"
    assert extract("<p>文件以 %PDF- 开头</p>".encode(), "application/pdf").text == "文件以 %PDF- 开头"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (handmade.pdf_of(handmade.stream(b"")), "no text layer"),
        (
            handmade.pdf_of(handmade.stream(b"q 100 0 0 100 0 0 cm BI /W 1/H 1/BPC 8/CS/G ID \x80 EI Q")),
            "no text layer",
        ),
        (TWO_PAGES[:100], "not a readable PDF: damaged, or cut short"),
        (TWO_PAGES[:-400], "not a readable PDF: damaged, or cut short"),
        (handmade.pdf_of(), "not a readable PDF: damaged, or cut short"),
        (b"%PDF-1.7 and nothing else", "not a readable PDF: damaged, or cut short"),
        (
            handmade.pdf(
                ["甲"],
                trailer=b"/Encrypt 8 0 R/ID[(a)(a)]",
                extra=(b"<</Filter/Standard/V 1/R 2/O(%s)/U(%s)/P -4>>" % (b"o" * 32, b"u" * 32),),
            ),
            "encrypted: it cannot be opened without its key",
        ),
    ],
)
def test_a_pdf_without_text_says_why(body: bytes, problem: str) -> None:
    page = extract(body, "application/pdf")
    assert (page.kind, page.text, page.text_sha256, page.problem) == ("pdf", "", "", problem)


def test_a_page_that_cannot_be_read_is_told_and_the_others_are_kept() -> None:
    body = handmade.pdf(["甲甲"], ["乙乙"]).replace(b"/Kids[6 0 R 8 0 R]", b"/Kids[5 0 R 8 0 R]")
    layer = pdf.read(body, SOON)
    assert (layer.text, layer.notes) == ("\f乙乙", ("1 pages cannot be read",))


def test_a_stream_bomb_ends_at_the_memory_that_is_allowed() -> None:
    limits = pdf.PdfLimits(seconds=20, memory=256 << 20)
    layer = pdf.read(handmade.pdf_of(handmade.bomb(300)), limits)
    assert "more memory than is allowed" in layer.problem


def test_work_without_end_stops_at_the_processor_time_that_is_allowed() -> None:
    layer = pdf.read(LONG, pdf.PdfLimits(seconds=60, cpu_seconds=1))
    assert layer.problem == "it needs more processor time than is allowed"


def test_work_without_end_stops_at_the_deadline() -> None:
    assert pdf.read(LONG, pdf.PdfLimits(seconds=0.2)).problem == "not read within 0.2 s"


def test_more_pages_or_text_than_is_allowed_are_cut_and_told() -> None:
    five = handmade.pdf(*[["甲乙丙"]] * 5)
    assert pdf.read(five, pdf.PdfLimits(most_pages=2)).notes == ("pages 1 to 2 of 5",)
    assert pdf.read(five, pdf.PdfLimits(most_text=5)).notes == ("pages 1 to 2 of 5",)


def test_a_child_that_answers_without_end_is_cut() -> None:
    assert pdf._bounded(io.BytesIO(b"x" * 100_000), 99_999) is None
    assert pdf._bounded(io.BytesIO(b"x" * 100_000), 100_000) == b"x" * 100_000
    assert "ended with status -9" in pdf._layer(None, -9).problem


def test_a_pdf_that_does_not_fit_the_pipe_is_read_all_the_same() -> None:
    padded = handmade.pdf(["甲甲"], extra=(handmade.stream(b"x" * 3_000_000),))
    assert pdf.read(padded, SOON).text == "甲甲"
    assert pdf.read(b"%PDF-" + b"x" * 3_000_000, SOON).problem


def test_the_child_gives_the_same_answer_where_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    head, _, text = pdf_child.text_layer(TWO_PAGES, 10, 1000).partition("\n")
    assert (head.split(" ")[0], head.split(" ")[2:]) == ("ok", ["2", "0", "2"])
    assert text == extract(TWO_PAGES, "").text
    assert pdf_child.text_layer(TWO_PAGES[:200], 10, 1000) == "damaged"
    broken = TWO_PAGES.replace(b"/Kids[6 0 R", b"/Kids[5 0 R")
    assert pdf_child.text_layer(broken, 10, 1000).split("\n")[0].endswith(" 2 1 2")
    assert pdf_child.text_layer(TWO_PAGES, 10, 5).split("\n")[0].endswith(" 1 0 2")
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    assert pdf_child.text_layer(TWO_PAGES, 10, 1000) == "missing"


def test_without_the_extra_the_problem_names_it() -> None:
    assert ".[pdf]" in pdf._layer(b"missing", 0).problem


def test_half_a_pair_of_utf_16_is_told_as_unmapped() -> None:
    layer = pdf.read(handmade.pdf_of(handmade.stream(b"BT /F1 9 Tf <D800 4E00> Tj ET")), SOON)
    assert "\ud800" not in layer.text
    assert pdf._layer("ok 1 1 0 1\n甲\ufffd".encode(), 0).notes == (
        "noted: 1 characters that the PDF does not map to text",
    )


def test_the_limits_of_a_page_hold_for_a_pdf_too() -> None:
    page = extract(TWO_PAGES, "", limits=Limits(most_text=5, most_candidates=0))
    assert (page.text, page.candidates) == ("第一条 为", ())
    assert page.notes == (
        "the text is cut at 5 of 41 code points",
        "only the first 0 clause candidates are kept",
    )

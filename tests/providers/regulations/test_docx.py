import io
import zipfile

import pytest

from providers.regulations.docx import clean_docx
from providers.regulations.lines import MOST_BYTES
from schemas.errors import InvalidError
from tests.providers.regulations.law import blocked, imported, texts

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def paragraph(*runs: str, more: str = "") -> str:
    return f"<w:p>{more}" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in runs) + "</w:p>"


def document(body: str, *, root: str = "document", head: str = "", part: str = "word/document.xml") -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part, f"{head}<w:{root} {SPACE}>{body}</w:{root}>")
    return kept.getvalue()


def test_paragraphs_breaks_and_tables_of_a_word_document_are_lines() -> None:
    row = "<w:tr>" + "".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in ("灯塔", "一")) + "</w:tr>"
    data = document(
        "<w:body>"
        + paragraph("灯塔维护", "条例")
        + paragraph("")
        + paragraph("\u200b")
        + "<w:sdt><w:sdtContent>" + paragraph("第一条　甲。") + "</w:sdtContent></w:sdt>"
        + "<w:p><w:r><w:t>（一）乙；</w:t><w:br/><w:t>（二）丙</w:t><w:tab/><w:t>丁。</w:t></w:r></w:p>"
        + f"<w:tbl>{row}</w:tbl><w:sectPr/>"
        + "</w:body>"
    )  # fmt: skip
    found = imported(data, name="law.docx")
    assert texts(found) == {
        "art1": "甲。\n乙；\n丙\t丁。",
        "art1/p1": "甲。\n乙；\n丙\t丁。",
        "art1/p1/i1": "乙；",
        "art1/p1/i2": "丙\t丁。",
        "anx1": "灯塔 | 一",
        "anx1/tbl1": "灯塔 | 一",
        "anx1/tbl1/row1": "灯塔 | 一",
    }
    assert found.entry.extractor == "docx-cn-law/1"
    assert blocked(found) == []


COUNTED = paragraph("甲。", more="<w:pPr><w:numPr/></w:pPr>")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"no zip", "no Word document"),
        (document("", part="other.xml"), "no Word document"),
        (document("<w:p>"), "no Word document"),
        (document(""), "no body"),
        (document("<w:body/>", head='<!DOCTYPE x [<!ENTITY a "b">]>'), "entities"),
        (document(f"<w:body>{' ' * (MOST_BYTES + 1)}</w:body>"), "unpacks"),
        (
            document(f"<w:body>{paragraph('甲。', more='<w:pPr><w:numPr/></w:pPr>')}</w:body>"),
            "numbers itself",
        ),
    ],
)
def test_what_is_no_word_document_or_hides_its_numbers_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(InvalidError, match=why):
        clean_docx(data, "law.docx")

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


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_bytes_that_no_decompressor_takes_are_refused_as_no_document(method: int) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", method) as archive:
        archive.writestr("word/document.xml", f"<w:document {SPACE}><w:body/></w:document>" + " " * 500)
    whole = kept.getvalue()
    refused = 0
    for at in range(50, len(whole)):
        changed = whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :]
        try:
            clean_docx(changed, "law.docx")
        except InvalidError:
            refused += 1
    assert refused > len(whole) // 3


def test_entities_are_refused_in_any_encoding() -> None:
    head = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "甲">]>'
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        text = f"{head}<w:document {SPACE}><w:body>{paragraph('&a;')}</w:body></w:document>"
        archive.writestr("word/document.xml", text.encode("utf-16"))
    with pytest.raises(InvalidError, match="entities"):
        clean_docx(kept.getvalue(), "law.docx")


def test_every_paragraph_is_read_once_whatever_stands_around_it() -> None:
    around = "<w:sdt><w:sdtContent>" * 2000 + paragraph("三") + "</w:sdtContent></w:sdt>" * 2000
    box = f"<w:txbxContent>{paragraph('框')}</w:txbxContent>"
    alternate = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    )
    moved = "<w:p><w:moveFrom><w:r><w:t>移</w:t></w:r></w:moveFrom></w:p>"
    body = (
        f"{paragraph('一')}<w:customXml>{paragraph('二')}</w:customXml>{around}{moved}"
        f"<w:p><w:r>{alternate}</w:r></w:p><w:p><w:moveTo><w:r><w:t>移</w:t></w:r></w:moveTo></w:p>"
    )
    lines = clean_docx(document(f"<w:body>{body}</w:body>"), "law.docx").lines
    assert [line.text for line in lines] == ["一", "二", "三", "框", "移"]


def test_a_table_within_a_table_is_refused() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('内')}</w:tc></w:tr></w:tbl>"
    with pytest.raises(InvalidError, match="table within a table"):
        clean_docx(document(f"<w:body><w:tbl><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl></w:body>"), "law.docx")

"""A page from its bytes: kinds, problems, hashes, and properties that hold for any bytes."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.extraction.main_content import main_content
from providers.web.extraction.page import HTML_EXTRACTOR, TEXT_EXTRACTOR, Limits, extract


@pytest.mark.parametrize(
    ("body", "content_type", "kind", "problem"),
    [
        (b"<p>x", "text/html", "html", ""),
        (b"x", "TEXT/HTML ; charset=utf-8", "html", ""),
        (b"<p>x", "application/xhtml+xml", "html", ""),
        (b" <!-- x --> <html>x", "", "html", ""),
        (b"\xef\xbb\xbf<!DOCTYPE html>x", "application/octet-stream", "html", ""),
        (b"<html>x", "application/pdf", "html", ""),
        (b"<html>x", "text/plain", "html", ""),
        (b"x < y", "text/plain", "text", ""),
        (b"x", "", "text", ""),
        (b"a,b", "text/csv", "text", ""),
        (b"{}", "application/json", "text", ""),
        (b"<x/>", "application/rss+xml", "text", ""),
        (b"\xff\xfex\0", "text/plain", "text", ""),
        (b"x\0\1", "", "other", "not a text format: it holds control bytes"),
        (b"x", "image/png\x1b", "other", "not a text format: image/png?"),
        (
            b"words",
            "application/pdf",
            "other",
            "declared as PDF, but there is no %PDF- in its first 1,024 bytes",
        ),
        (b"PK\x03\x04", "text/html", "other", "not a text format: a ZIP container, such as DOCX or XLSX"),
        (b"\x89PNG\r\n\x1a\n", "", "other", "not a text format: a PNG image"),
        (b"", "text/html", "other", "no content"),
        (b"<script>x", "text/html", "html", "no text"),
        (b"\xff\xff", "text/html", "html", "undecodable"),
    ],
)
def test_the_bytes_and_the_content_type_say_what_a_page_is(
    body: bytes, content_type: str, kind: str, problem: str
) -> None:
    page = extract(body, content_type)
    assert (page.kind, page.problem) == (kind, problem)
    assert bool(page.text) is not bool(problem)


def test_a_chinese_page_has_a_text_with_its_hash_and_the_way_it_was_read() -> None:
    source = "<title>甲办法</title><p>第一条　䶮𠅤：<br>（一）乙；</p>\r\n<p>第二条　丙。</p>"
    page = extract(source.encode("gb18030"), "text/html; charset=utf-8")
    assert page.text == "甲办法\n第一条　䶮𠅤：\n（一）乙；\n第二条　丙。"
    assert page.text_sha256 == hashlib.sha256(page.text.encode()).hexdigest()
    assert (page.extractor, page.charset, page.title) == (HTML_EXTRACTOR, "gb18030", "甲办法")
    assert page.charset_steps == ("http:utf-8 failed", "gb18030")
    assert [one.excerpt for one in page.candidates] == ["第一条　䶮𠅤：\n（一）乙；", "第二条　丙。"]


def test_plain_text_keeps_everything_but_its_line_ends() -> None:
    page = extract("第一条  甲\r\n\r第二条\t乙\r\n\n".encode(), "text/plain")
    assert (page.text, page.extractor) == ("第一条  甲\n\n第二条\t乙", TEXT_EXTRACTOR)


def test_the_text_and_its_candidates_are_bounded_and_a_cut_is_told() -> None:
    body = "第一条 甲。\n第二条 乙。\n第三条 丙。".encode()
    page = extract(body, "text/plain", limits=Limits(most_text=15, most_candidates=1, most_excerpt=5))
    assert page.text == "第一条 甲。\n第二条 乙。\n第"
    assert [one.excerpt for one in page.candidates] == ["第一条 甲"]
    assert page.notes == (
        "the text is cut at 15 of 20 code points",
        "only the first 1 clause candidates are kept",
    )


@pytest.mark.parametrize("content_type", ["text/plain", "text/html"])
def test_text_of_more_bytes_than_are_read_is_no_text_and_that_is_told(content_type: str) -> None:
    bound = Limits(most_bytes=20)
    assert extract(b"a" * 20, content_type, limits=bound).problem == ""
    page = extract(b"a" * 21, content_type, limits=bound)
    assert (page.text, page.problem) == ("", "too large to be read as text: more than 20 bytes")


PIECES = [
    "<p>",
    "</p>",
    "<td>",
    "<br>",
    "第一条",
    "第二条",
    "（一）",
    "3.1.2",
    "附录A",
    " ",
    "　",
    "&nbsp;",
    "&#x4e00;",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "\r\n",
    "\r",
    "甲。",
    "𠅤",
    "目录",
    "发布日期：2024-01-05",
    "<",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from(["utf-8", "gb18030", "utf-16"]),
)
def test_offsets_hold_in_every_charset_and_a_second_run_gives_the_same_page(source: str, codec: str) -> None:
    body = source.encode(codec)
    page = extract(body, f"text/html; charset={codec}")
    assert page == extract(body, f"text/html; charset={codec}")
    assert all(page.text[one.start : one.end] == one.excerpt for one in page.candidates)
    assert page.text == extract(source.encode(), "text/html; charset=utf-8").text
    assert "\r" not in page.text


@given(st.binary(max_size=400), st.text(max_size=30))
def test_no_bytes_and_no_content_type_raise(body: bytes, content_type: str) -> None:
    page = extract(body.replace(b"%PDF-", b""), content_type)
    assert bool(page.text) is not bool(page.problem)
    assert bool(page.text_sha256) is bool(page.text)


MENU = "首页\n政务公开\n政策文件\n办事服务\n互动交流\n走进本市\n"
NOTICE = (
    "关于开展检查的通知\n各有关单位：\n为了规范施工活动，现将有关事项通知如下。"
    "\n（一）甲类工程，应当自查；\n（二）乙类工程，应当报告。"
)
FOOT = "\n网站地图\n联系我们\n无障碍\n版权所有"


def test_the_main_content_leaves_the_menus_out_and_keeps_every_item() -> None:
    found = main_content(MENU + NOTICE + FOOT)
    assert found == NOTICE.removeprefix("关于开展检查的通知\n")


def test_a_text_without_sentences_is_its_own_main_content() -> None:
    assert main_content("首页\n\n政务") == "首页\n\n政务"


@given(st.text(st.sampled_from("甲。\n ，")))
def test_the_main_content_is_a_run_of_lines_of_the_text(text: str) -> None:
    assert f"\n{main_content(text)}\n" in f"\n{text}\n"


def test_the_main_content_ends_with_the_signature_and_its_day() -> None:
    signed = f"{NOTICE}\n某市住房局\n2024年1月5日"
    assert main_content(MENU + signed + FOOT).endswith("报告。\n某市住房局\n2024年1月5日")


def test_the_main_content_is_not_what_stands_at_the_foot_of_a_page() -> None:
    foot = "\n主办：某局，地址：某路，电话：某号，邮箱：某处"
    assert main_content(MENU + "请于周五前报送。" + foot) == "请于周五前报送。"

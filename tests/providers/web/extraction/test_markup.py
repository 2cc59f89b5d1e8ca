"""HTML into text: blocks, cells, what is dropped, what stays as it is, and malformed pages."""

import html
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.extraction import markup, references, tokens


def text(source: str) -> str:
    return markup.read(source).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>甲</p><p>乙</p>", "甲\n乙"),
        ("<p>甲<p>乙", "甲\n乙"),
        ("前<div>中</div>后", "前\n中\n后"),
        ("<div><div><p>甲</p></div></div><div></div><p>乙</p>", "甲\n乙"),
        ("甲<br>乙<br/>丙</br>丁", "甲\n乙\n丙\n丁"),
        ("<p>甲</p><br>乙", "甲\n\n乙"),
        ("<br>", ""),
        ("<p>\n  甲 \n 乙\t丙 </p>\n", "甲 乙 丙"),
        ("<b>甲</b> <i>乙</i><u>丙</u>", "甲 乙丙"),
        ("<b>甲 </b> 乙", "甲 乙"),
        ("<p>　　第一条&nbsp;甲　</p>", "　　第一条\xa0甲　"),
        ("<ul><li>（一）甲；<li>（二）乙。</ul>", "（一）甲；\n（二）乙。"),
        ("<pre>甲\n  乙\t丙</pre>丁", "甲\n  乙\t丙\n丁"),
        ("<pre>甲\n</pre>乙", "甲\n乙"),
        ("<pre></pre>乙</pre> 丙", "乙\n丙"),
        ("甲<textarea></textarea>乙", "甲\n乙"),
        ("<textarea>甲\n <b></textarea>", "甲\n <b>"),
        ("<xmp>甲 &amp; <b></xmp>乙", "甲 &amp; <b>\n乙"),
        ("<plaintext>甲</plaintext>", "甲</plaintext>"),
        ("<title> 题 \n 目 </title>正文", "题 目\n正文"),
        ("<p hidden>甲</p><p style='display:none'>乙</p>", "甲\n乙"),
        ("a\0b", "ab"),
    ],
)
def test_a_block_is_a_line_and_white_space_is_what_a_browser_shows(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<table><tr><td>甲</td><td>乙</td></tr><tr><td>丙<td>丁</table>后", "甲\t乙\n丙\t丁\n后"),
        ("<table><tr><td><p>甲</p></td><td><p>乙</p><p>丙</p></td></tr></table>", "甲\t乙\n丙"),
        ("<table><tr><td></td><td>乙</td><td></td></tr><tr><td>丙</td></tr></table>", "\t乙\t\n丙"),
        ("<table><tr><th>甲<th>乙<tr><td>丙</table>", "甲\t乙\n丙"),
        (
            "<table><tr><td>甲</td><td><table><tr><td>乙</td><td>丙</td></tr></table></td><td>丁</td></tr></table>",
            "甲\t乙\t丙\t丁",
        ),
        ("前<table><tr><td>甲<td></table></table>后", "前\n甲\t\n后"),
        ("<td>甲</td> <td> 乙 </td>", "甲\t乙"),
    ],
)
def test_cells_are_apart_by_a_tab_and_rows_by_a_line(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("甲<script>x<b></scr</script >乙", "甲乙"),
        ("甲<SCRIPT>x</sCrIpT>乙", "甲乙"),
        ("甲<script>永远", "甲"),
        ("甲<script>x</ſcript>y</script>乙", "甲乙"),
        ("甲<style>x</style>乙<noscript>x<p>y</noscript>丙", "甲乙丙"),
        ("甲<noscript>永远<p>", "甲"),
        ("甲<iframe>x</iframe><noembed>x</noembed><noframes>x</noframes>乙", "甲乙"),
        ("甲<template>x<template>y</template><script></template></script>z</template>乙", "甲乙"),
        ("甲<template>永远<p>", "甲"),
        ("甲</template>乙", "甲乙"),
        ("甲<!-- <p>x --!>乙<!---->丙<!-->丁<!--->戊", "甲乙丙丁戊"),
        ("甲<!-- -- > 永远", "甲"),
        ("甲<!>乙<!x'>'>丙", "甲乙'>丙"),
        ("甲<?php x ?>乙", "甲乙"),
        ("甲<![CDATA[x]]>乙", "甲乙"),
        ("甲<![CDATA[x>y]]>乙", "甲y]]>乙"),  # as the standard has it outside SVG and MathML
        ("甲</>乙</1 x>丙</ p>丁", "甲乙丙丁"),
        ("甲<!doctype html>乙", "甲乙"),
    ],
)
def test_scripts_styles_templates_and_comments_leave_nothing(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b <1 <", "a < b <1 <"),
        ("甲</", "甲</"),
        ("甲<b", "甲"),
        ("甲</b", "甲"),
        ("<a title='x>y'>甲</a>", "甲"),
        ('<a title="never ends>甲</a>', ""),
        ("<a title=x>甲<a/b=c>乙<a =x>丙<a x= >丁<a x=>戊", "甲乙丙丁戊"),
        ('<a x="1"="2">甲', "甲"),
        ("<a x='1'y>甲", "甲"),
        ("<a\nb>甲</A\tc='>'>乙", "甲乙"),
    ],
)
def test_malformed_tags_are_read_as_browsers_read_them(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("&lt;&#60;&#x3C;&#X3c;&lt", "<<<<<"),
        ("&notit; &notin; &no &;& &# &#x", "¬it; ∉ &no &;& &# &#x"),
        ("&#0;&#xD800;&#x110000;&#99999999;", "\ufffd" * 4),
        ("&#" + "9" * 5000 + ";", "\ufffd"),
        ("&#" + "0" * 5000 + "65;", "A"),
        ("&#128;&#x85;", "€…"),
        ("&#19968;&nbsp;&CounterClockwiseContourIntegral;", "一\xa0∳"),
    ],
)
def test_character_references_are_decoded_as_the_standard_says(source: str, expected: str) -> None:
    assert references.decoded(source) == expected


@given(st.text(st.sampled_from("&#xX;1aAmplt nbsp文")))
def test_references_agree_with_the_standard_library_where_numbers_are_ordinary(source: str) -> None:
    if "&#" not in source:
        assert references.decoded(source) == html.unescape(source)


def test_attributes_are_read_with_their_references_and_the_first_of_two_counts() -> None:
    (token,) = tokens.tokens("<meta NAME=\"a&amp;b\" content='x' name=c d e= f=&lt;>")
    assert tokens.values(token.text) == {
        "name": "a&b",
        "content": "x",
        "d": "",
        "e": "f=&lt;".replace("&lt;", "<"),
    }


def test_the_head_is_kept_by_name() -> None:
    read = markup.read(
        "<title>甲</title><title>乙</title><meta name=PubDate content=1><meta property='og:x' content=2>"
        "<meta itemprop=datePublished content=3><meta name=pubdate content=9><meta charset=x>"
    )
    assert (read.title, read.metas) == ("甲", {"pubdate": "1", "og:x": "2", "datepublished": "3"})


def test_a_page_cannot_fill_memory_with_meta_elements() -> None:
    many = "".join(f"<meta name=n{number} content=x>" for number in range(1000))
    assert len(markup.read(many).metas) == 200


class _Library(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


PIECES = [
    "甲",
    " ",
    "乙",
    "<p>",
    "</p>",
    "<b class='x>y'>",
    "</b>",
    "&amp;",
    "&nbsp;",
    "<br>",
    "<!-- 丙 -->",
    "<a/>",
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_well_formed_pages_hold_the_characters_that_html_parser_finds(source: str) -> None:
    library = _Library()
    library.feed(source)
    library.close()
    assert "".join(text(source).split()) == "".join("".join(library.seen).split())


HOSTILE = [
    "<",
    "<!--",
    "<!-- --",
    "&",
    "&#1",
    "&#x",
    "</",
    '<a b="',
    "<div>",
    "<td>",
    "<table><tr><td>",
    "<br>",
    "<template>",
    "<script>",
    "</scr",
    "<![CDATA[",
    "<!",
    "<a ",
    "b='1' ",
    "<p>",
    "\t",
    "<pre>",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_page_gives_no_more_tokens_and_text_than_it_has_characters(piece: str) -> None:
    source = piece * 20_000
    assert sum(1 for _ in tokens.tokens(source)) <= len(source)
    assert len(text(source)) <= len(source)


@given(st.lists(st.sampled_from([*PIECES, *HOSTILE, '"', "'", ">", "-->"]), max_size=30).map("".join))
def test_no_page_raises_and_the_text_is_the_same_each_time(source: str) -> None:
    assert text(source) == text(source)
    assert len(text(source)) <= len(source)
    assert not text(source).endswith("\n")

"""What a page says of itself: only its own words, and where they stand."""

import pytest

from providers.web.extraction.page import extract
from providers.web.extraction.statements import Stated, published, publisher


@pytest.mark.parametrize(
    ("content", "day"),
    [
        ("2024-01-05", "2024-01-05"),
        ("2024-01-05 10:20:30", "2024-01-05"),
        ("2024-01-05T10:20:30+08:00", "2024-01-05"),
        ("2024/1/5", "2024-01-05"),
        ("2024年1月5日", "2024-01-05"),
        ("20240105", "2024-01-05"),
        ("２０２４-01-05", "2024-01-05"),
        ("2024-02-30", ""),
        ("yesterday", ""),
        ("12345-01-05", ""),
        ("", ""),
    ],
)
def test_a_meta_element_states_the_day(content: str, day: str) -> None:
    assert published({"pubdate": content}, "") == Stated(day, "meta:pubdate" if day else "")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("发布日期：2024年1月5日", Stated("2024-01-05", "text:发布日期")),
        ("发布时间: 2024-01-05 10:00 来源：某局", Stated("2024-01-05", "text:发布时间")),
        ("发 布 日 期：2024.1.5", Stated("2024-01-05", "text:发布日期")),
        ("【发布日期】：2024-1-5", Stated("2024-01-05", "text:发布日期")),
        ("成文日期\t2024年01月05日", Stated("2024-01-05", "text:成文日期")),
        ("发文日期\n２０２４年１月５日", Stated("2024-01-05", "text:发文日期")),
        ("成文日期：2024-01-05\n发布日期：2024-01-09", Stated("2024-01-09", "text:发布日期")),
        ("发布日期：2024-01-05\n发布日期：2020-01-05\n", Stated("2024-01-05", "text:发布日期 (first of 2)")),
        ("发布日期：2024-13-05", Stated("", "")),
        ("发布日期：见附件 2024-01-05", Stated("", "")),
        ("自发布日期2024-01-05起", Stated("", "")),
        ("更新日期：2024-01-05，访问时间：2024-01-05", Stated("", "")),
    ],
)
def test_a_label_in_the_text_states_the_day(text: str, stated: Stated) -> None:
    assert published({}, text) == stated


@pytest.mark.parametrize(
    ("metas", "text", "stated"),
    [
        ({"contentsource": " 某市  住房局 "}, "来源：别处", Stated("某市 住房局", "meta:contentsource")),
        ({}, "来源：某市住房局 浏览次数：1", Stated("某市住房局", "text:来源")),
        ({}, "来　源：某报\n发布机构：\t某局\n", Stated("某局", "text:发布机构")),
        ({}, "能量来源于太阳", Stated("", "")),
        ({"contentsource": " "}, "", Stated("", "")),
    ],
)
def test_the_publisher_is_who_the_page_names(metas: dict[str, str], text: str, stated: Stated) -> None:
    assert publisher(metas, text) == stated


def test_a_page_carries_what_it_states_and_where() -> None:
    source = """<meta charset=gb2312><meta name="ArticleTitle" content="甲 办法">
        <meta name=PubDate content=2024-01-05><p>来源：某局</p><p>第一条 甲。</p>"""
    page = extract(source.encode("gb18030"), "text/html")
    assert (page.title, page.publication_date, page.publication_date_from) == (
        "甲 办法",
        "2024-01-05",
        "meta:pubdate",
    )
    assert (page.publisher, page.publisher_from) == ("某局", "text:来源")

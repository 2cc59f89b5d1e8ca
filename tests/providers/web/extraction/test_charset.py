"""The ladder of charsets: strict steps, every failure told, nothing replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.extraction.charset import Decoded, decode

RARE = "第一条　本办法适用于䶮山、㙍村和𠅤里的工程。"
PLAIN = "第一条　本办法适用于本市的建设工程。"
HTML = "text/html"


def page(text: str, head: str) -> str:
    return f"<html><head>{head}</head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("label", ["gb2312", "GBK", "x-gbk", "gb18030", "cp936"])
@pytest.mark.parametrize(
    "head", ['<meta charset="{}">', "<META http-equiv=Content-Type content='text/html; charset={}'>"]
)
def test_what_a_meta_calls_gb2312_or_gbk_is_read_as_gb18030(label: str, head: str) -> None:
    source = page(RARE, head.format(label))
    assert decode(source.encode("gb18030"), HTML) == Decoded(source, "gb18030", ("meta:gb18030",))


def test_a_wrong_header_falls_through_to_the_meta_and_is_told() -> None:
    source = page(RARE, "<meta charset=gbk>")
    found = decode(source.encode("gb18030"), "text/html; charset=UTF-8")
    assert found == Decoded(source, "gb18030", ("http:utf-8 failed", "meta:gb18030"))


def test_the_header_comes_before_the_meta() -> None:
    source = page(PLAIN, "<meta charset=utf-8>")
    found = decode(source.encode("gb18030"), 'text/html; charset="GB2312"')
    assert found == Decoded(source, "gb18030", ("http:gb18030",))


@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")]
)
def test_a_byte_order_mark_comes_before_everything_and_is_no_text(mark: bytes, codec: str) -> None:
    source = page(RARE, "<meta charset=gbk>")
    found = decode(mark + source.encode(codec), "text/html; charset=gb2312")
    assert (found.text, found.charset, found.steps[0]) == (source, codec, f"bom:{codec}")


def test_a_byte_order_mark_that_lies_falls_through() -> None:
    found = decode(b"\xff\xfe" + b"odd", HTML)
    assert found == Decoded(None, "", ("bom:utf-16-le failed", "utf-8 failed", "gb18030 failed"))


@pytest.mark.parametrize("text", [RARE, PLAIN, "ASCII 附件"])
@pytest.mark.parametrize(
    ("codec", "steps"), [("utf-8", ("utf-8",)), ("gb18030", ("utf-8 failed", "gb18030"))]
)
def test_without_a_declaration_utf_8_and_then_gb18030_are_tried(
    text: str, codec: str, steps: tuple[str, ...]
) -> None:
    assert decode(text.encode(codec), "") == Decoded(text, codec, steps)


def test_an_unknown_label_is_told_and_passed_over() -> None:
    found = decode(PLAIN.encode(), "text/html; charset=x-klingon\x1b")
    assert found == Decoded(PLAIN, "utf-8", ("http:x-klingon? unknown", "utf-8"))


def test_big5_is_read_where_it_is_declared() -> None:
    text = "第一條　本辦法適用於本市之工程。"
    assert decode(text.encode("big5"), "text/html; charset=Big5").text == text


def test_an_xml_declaration_is_asked_after_the_meta() -> None:
    source = f'<?xml version="1.0" encoding="GB2312"?>{page(RARE, "")}'
    assert decode(source.encode("gb18030"), HTML) == Decoded(source, "gb18030", ("xml:gb18030",))


def test_utf_16_in_a_meta_that_reads_as_ascii_means_utf_8() -> None:
    source = page(PLAIN, "<meta charset=utf-16>")
    assert decode(source.encode(), HTML).steps == ("meta:utf-8",)


def test_utf_16_is_read_where_the_header_declares_it() -> None:
    assert decode(PLAIN.encode("utf-16-be"), "text/html; charset=utf-16be").text == PLAIN


def test_utf_16_that_nobody_declares_is_not_taken_for_text() -> None:
    found = decode("<p>plain words</p>".encode("utf-16-le"), HTML)
    assert found == Decoded(None, "", ("utf-8 failed", "gb18030 failed"))


def test_latin_1_proves_nothing_so_it_comes_after_what_can_fail() -> None:
    source = page(PLAIN, "<meta charset=gb2312>")
    found = decode(source.encode("gb18030"), "text/html; charset=ISO-8859-1")
    told = "http:cp1252 set aside: nearly any bytes fit it"
    assert found == Decoded(source, "gb18030", (told, "meta:gb18030"))
    french = decode("déjà vu".encode("latin-1"), "text/plain; charset=latin1", markup=False)
    assert french == Decoded("déjà vu", "cp1252", (told, "utf-8 failed", "http:cp1252"))


def test_utf_8_with_one_bad_byte_is_refused_and_not_read_as_other_characters() -> None:
    damaged = ("正文" * 40).encode() + b"\xff" + b"a"
    assert decode(damaged, "text/html; charset=utf-8").text is None
    cut = ("条文正" * 40).encode()[:-1]
    assert cut.decode("gb18030", "ignore")  # what a lenient reader would show
    assert decode(cut, "").text is None


def test_what_a_reader_should_know_is_noted() -> None:
    private = decode("字\ue000\ufffd".encode(), HTML)
    assert private.steps == (
        "utf-8",
        "noted: 1 private-use characters",
        "noted: 1 U+FFFD stood in the source",
    )
    both = decode("联通".encode("gbk"), "text/html; charset=gbk")
    assert both.text == "联通"
    assert (
        decode("文".encode() * 2, "text/html; charset=gbk").steps[-1] == "noted: the bytes are UTF-8 as well"
    )


@pytest.mark.parametrize(
    "head",
    [
        "<!-- <meta charset=gbk> -->",
        "<script>'<meta charset=gbk>'</script>",
        "<meta name=description content='charset=gbk'>",
        "<meta http-equiv=content-type content=text/html>",
        "<meta http-equiv=refresh content='0; charset=gbk'>",
        "<meta charset=''>",
    ],
)
def test_what_only_looks_like_a_declaration_declares_nothing(head: str) -> None:
    assert decode(page(PLAIN, head).encode(), HTML).steps == ("utf-8",)


def test_a_meta_behind_long_scripts_is_found() -> None:
    source = page(RARE, f"<script>{'x' * 4000}</script><meta charset=gbk>")
    assert decode(source.encode("gb18030"), HTML).steps == ("meta:gb18030",)


def test_plain_text_declares_nothing_inside() -> None:
    source = "<meta charset=gbk> 说明"
    assert decode(source.encode(), "text/plain", markup=False).steps == ("utf-8",)


SCALARS = st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff")
HAN = st.text(st.sampled_from("第一条款项本辦法工程的，。　abc 1"), max_size=60)


@given(st.text(SCALARS, max_size=60), st.sampled_from(["utf-8", "gb18030", "utf-16le", "utf-16be"]))
def test_text_comes_back_from_every_charset_that_is_declared(text: str, label: str) -> None:
    found = decode(text.encode(label), f"text/html; charset={label}", markup=False)
    assert found.text == text


@given(HAN, st.sampled_from(["gbk", "big5"]))
def test_common_text_comes_back_from_gbk_and_big5(text: str, label: str) -> None:
    encodable = text.encode(label, "ignore")
    found = decode(encodable, f"text/plain; charset={label}", markup=False)
    assert found.text == encodable.decode(label)


@given(st.binary(max_size=300), st.sampled_from(["", "text/html; charset=utf-8", "text/html; charset=gbk"]))
def test_no_bytes_raise_and_no_replacement_is_made(body: bytes, content_type: str) -> None:
    found = decode(body, content_type)
    if found.text is None:
        assert not found.charset
    else:
        mark = {"utf-8": b"\xef\xbb\xbf", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(
            found.charset, b""
        )
        # The bytes decode strictly to this very text: nothing was replaced, left out or added.
        assert body.removeprefix(mark).decode(found.charset) == found.text

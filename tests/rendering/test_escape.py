"""No text of others becomes markup or moves a terminal, and every one can be read as it was."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evidence.rendering.escape import code, markdown, terminal, visible, with_base64
from tests.rendering.markdown_reading import texts, types
from tests.sinks.strategies import NASTY

ANY = st.one_of(st.text(), st.lists(st.sampled_from(NASTY), max_size=8).map("".join))
LIST = {"bullet_list_open", "list_item_open", "list_item_close", "bullet_list_close"}
TABLE = {
    f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")
}
# What stands before and after the text, what of that is read, and the structure that all of it makes.
PLACES = {
    "paragraph": ("", "", "", set()),
    "item": ("- L: ", "", "L: ", LIST),
    "bare item": ("- ", "", "", LIST),
    "heading": ("## ", "", "", {"heading_open", "heading_close"}),
    "cell": ("| a |\n| --- |\n| ", " |", "a", TABLE),
    "next line": ("before\n", "", "before", {"softbreak"}),
    "quote": ("> ", "", "", {"blockquote_open", "blockquote_close"}),
}


@pytest.mark.parametrize("place", PLACES)
@given(text=ANY)
@example(text="1. a")
@example(text="[a]: /b")
@example(text="    code")
@example(text="a\n===\n")
@example(text="===")
@example(text="---")
@example(text="+ a")
@example(text="|a|b|\n|-|-|\n|c|d|")
def test_any_text_anywhere_is_one_text_and_reads_back_intact(place: str, text: str) -> None:
    before, after, read, structure = PLACES[place]
    document = f"{before}{markdown(text)}{after}\n"
    assert types(document) <= {*structure, "paragraph_open", "paragraph_close", "text"}
    # An empty text leaves the blank before it at the end of a line, where it counts for nothing.
    assert "".join(texts(document)) == (read + visible(text) if text else read.rstrip())


@given(ANY)
def test_escaped_text_is_one_line_without_controls(text: str) -> None:
    assert len(markdown(text).splitlines()) <= 1
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", markdown(text))


@given(ANY)
def test_a_code_span_holds_its_text_and_nothing_else(text: str) -> None:
    written = re.sub(r"\r\n?|\n", " ", visible(text))
    if not written.strip(" "):
        return
    document = f"- L: {code(text)}\n"
    assert types(document) == {*LIST, "paragraph_open", "paragraph_close", "text", "code_inline"}
    assert texts(document) == ["L: ", written]


@given(ANY)
def test_a_terminal_gets_no_control_but_tab_and_line_feed(text: str) -> None:
    shown = terminal(text)
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]", shown
    )
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("see https://e.x/a", "://"),
        ("see HTTPS://e.x/a", "://"),
        ("see www.e.org", "e.org"),
        ("see E.ORG/x", "E.ORG"),
        ("ask a@e.x", "@"),
        ("mailto:a", ":a"),
        ("it is :smile: and :100:", ":smile:"),
        ("it is :100:", ":100"),
        ("costs $1 and $2", "$"),
        ("<at id=all></at>", "<"),
    ],
)
def test_what_transports_beyond_commonmark_obey_is_broken_up(text: str, never: str) -> None:
    assert never not in markdown(text)


@pytest.mark.parametrize(
    "text", ["坡度不应大于 1:12。", "3.1 节，表 2-1", "GB/T 50352-2019", "12:30", 'it\'s "so"']
)
def test_ordinary_prose_stays_readable_in_the_source(text: str) -> None:
    assert markdown(text) == text


def test_a_root_in_hex_is_followed_by_its_base64() -> None:
    root = "cbf3d2d45b3152bbf0c409cddd031795d7f02be6c045d819999d29ec9148f92e"
    assert with_base64(root) == f"{root} (y/PS1FsxUrvwxAnN3QMXldfwK+bARdgZmZ0p7JFI+S4=)"
    assert with_base64(f"blake3:{root}") == f"blake3:{root}"

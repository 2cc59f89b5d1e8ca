"""Which part of a node is shown: at most 200 code points, whole lines where they fit, the heaviest part."""

from hypothesis import given
from hypothesis import strategies as st

from providers.regulations.search.excerpts import span

LINES = st.lists(st.text("灯罩路车，。Ａ１\u3000", min_size=1, max_size=260), min_size=1, max_size=6)
TERMS = st.dictionaries(st.sampled_from(["灯", "灯罩", "路车", "a1"]), st.floats(0.1, 9), max_size=4)


@given(LINES, TERMS)
def test_a_span_is_inside_the_text_and_short(lines: list[str], weights: dict[str, float]) -> None:
    text = "\n".join(lines)
    start, end = span(text, weights)
    assert 0 <= start < end <= len(text)
    assert end - start <= 200
    assert (start, end) == (0, len(text)) or len(text) > 200


def test_the_line_that_fits_best_is_shown_with_the_lines_around_it_that_fit() -> None:
    lines = ["首" * 90, "次" * 90, "灯罩" + "三" * 50, "四" * 40, "末" * 90]
    text = "\n".join(lines)
    start, end = span(text, {"灯罩": 1.0})
    assert text[start:end] == "\n".join(lines[1:4])[:200]
    assert text[slice(*span(text, {"首首": 1.0}))] == "\n".join(lines[:2])
    assert text[slice(*span(text, {"末末": 1.0}))] == "\n".join(lines[2:])


def test_a_long_line_is_cut_where_the_terms_stand() -> None:
    text = "前" * 300 + "灯罩" + "后" * 300
    start, end = span(text, {"灯罩": 1.0, "灯": 0.5})
    assert text[start:end].index("灯罩") == 20
    assert span(text, {}) == (0, 200)
    assert "罩" in text[slice(*span(text[:302], {"灯罩": 1.0}))]

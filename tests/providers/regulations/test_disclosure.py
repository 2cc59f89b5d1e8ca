from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.regulations.disclosure import EXCERPT, disclosed, withheld
from providers.regulations.node import Node, PageSpan, text_sha256
from providers.regulations.offsets import span
from schemas.errors import InvalidError
from tests.providers.regulations.law import edition

TEXT = "灯塔𠀀长明。" * 60
NODE = Node(
    regulation_id="lighthouse-rules", edition_id="lighthouse-rules@2031-03-04",
    node_id="lighthouse-rules@2031-03-04#art1", kind="art", clause_no="第一条", heading_path=(), parent="",
    ordinal=1, text=TEXT, sha256=text_sha256(TEXT), source_asset_sha256="0" * 64,
    pages=(PageSpan(4, 0, 100), PageSpan(5, 101, 360)),
)  # fmt: skip
OFFSET = st.integers(-2, 400)


@given(st.sampled_from(("full", "excerpt", "metadata_only", "withheld")), OFFSET, OFFSET)
def test_what_is_shown_is_the_slice_that_its_offsets_name_and_within_the_level(
    level: str, start: int, end: int
) -> None:
    one = edition(disclosure=level, withheld_reason="来源权利限制")
    last = end or len(TEXT)
    if not 0 <= start < last <= len(TEXT):
        with pytest.raises(InvalidError):
            disclosed(NODE, one, start, end)
        return
    shown = disclosed(NODE, one, start, end)
    assert shown.excerpt == TEXT[shown.start : shown.end]
    assert len(shown.excerpt) == shown.end - shown.start
    if level == "full":
        assert (shown.start, shown.end) == (start, end or len(TEXT))
    elif level == "excerpt":
        assert shown.start == start
        assert 0 < len(shown.excerpt) <= EXCERPT
    else:
        assert (shown.excerpt, shown.withheld_reason) == ("", "来源权利限制")
    assert shown.disclosure == level


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 0, (0, 10)),
        (None, None, (0, 10)),
        (3, 0, (3, 10)),
        (3, None, (3, 10)),
        (0, 10, (0, 10)),
        (9, 10, (9, 10)),
    ],
)
def test_offsets_that_are_given(start: object, end: object, expected: tuple[int, int]) -> None:
    assert span(10, start, end) == expected
    assert span(0, 0, 0) == (0, 0)


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 11), (5, 5), (6, 5), (-1, 3), (0, -1), (True, 3), (0, 2.0), ("1", 2), (10, 0), (11, 0)],
)
def test_offsets_are_refused_and_never_clamped(start: object, end: object) -> None:
    with pytest.raises(InvalidError) as refused:
        span(10, start, end)
    assert refused.value.subject == "range"


def test_withholding_in_a_call_has_its_own_reason() -> None:
    assert withheld("hash mismatch").withheld_reason == "hash mismatch"


def test_pages_are_those_of_the_slice() -> None:
    assert (NODE.page_start, NODE.page_end) == (4, 5)
    assert NODE.pages_of(0, 50) == (4, 4)
    assert replace(NODE, pages=()).page_start is None
    assert replace(NODE, pages=()).page_end is None

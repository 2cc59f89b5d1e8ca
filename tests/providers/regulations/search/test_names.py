"""Names of regulations in a query: whole, without ceremony, short; a form that fits two names none."""

import pytest

from providers.regulations.edition import Edition
from providers.regulations.search.names import Names

TITLES = {
    "water": "中华人民共和国水井安全法",
    "lamp": "路灯安全生产管理条例",
    "lamp-quality": "路灯质量管理条例",
    "reading": "最高人民法院关于审理路灯承包合同纠纷案件适用法律问题的解释（一）",
    "punish": "行政处罚法",
}
NAMES = Names(
    Edition(regulation_id=slug, key="2020-01-01", title=title, kind="", disclosure="full")
    for slug, title in TITLES.items()
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("中华人民共和国水井安全法第三条", ("中华人民共和国水井安全法", "water")),
        ("按水井安全法处理", ("水井安全法", "water")),
        ("水井安全法规", None),
        ("路灯", None),
    ],
)
def test_a_whole_name_is_the_longest_and_no_part_of_another_word(
    text: str, expected: tuple[str, str] | None
) -> None:
    assert NAMES.whole(text) == (None if expected is None else (expected[0], frozenset({expected[1]})))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("水安法第三条", "water"),
        ("井法", None),
        ("路灯质量条例", "lamp-quality"),
        ("路灯条例", None),
        ("路灯承包司法解释(一)第二条", "reading"),
        ("行政法规", None),
        ("使用方法", None),
        ("法", None),
        ("水全井法", None),
        ("水井安全法法", "water"),
        ("路安生管条例例条例", "lamp"),
    ],
)
def test_a_short_form_names_a_regulation_only_if_it_fits_one_in_few_pieces(
    text: str, expected: str | None
) -> None:
    found = NAMES.short(text)
    assert (None if found is None else set(found[1])) == (None if expected is None else {expected})

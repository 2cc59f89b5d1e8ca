"""Whatever a file holds, every line of it is accounted for and every id and hash is well formed."""

from hypothesis import given
from hypothesis import strategies as st

from providers.regulations.node import PATH, text_sha256
from schemas.errors import InvalidError
from tests.providers.regulations.law import imported

TOKENS = st.sampled_from((
    "第一条", "第二条", "第一条之一", "第十百条", "第一编", "第二分编", "第一章", "第一节", "附件",
    "附录A", "附：", "附则", "目录", "序言", "（一）", "(二)", "（1）", "1.", "1\\.", "2、", "1.1",
    "1.1.1", "5.2.1.3.1", "一、", "十二、", "甲", "乙丙。", "；", " ", "　", "\u00a0", "\u200b",
    "**", "__", "# ", "### ", ">", "<br>", "<table>", "<td>丁</td>", "|", "---|---", "---", "\n",
    "\n\n", "\r\n", "<!--", "-->", "<!-- INFO END -->", "![图](a.png)", "图1", "- [总则](#总则)",
    "2031年1月1日通过", "（", "）", "𠀀", "\x85", "\u2028",
))  # fmt: skip
TEXT = st.lists(TOKENS, max_size=60).map("".join)
LOST = {"line in no node", "line in two nodes", "text lost"}


@given(TEXT, st.sampled_from(("灯塔维护条例\n", "", "# 甲\n")), st.sampled_from(("甲", "关于甲的决定")))
def test_nothing_is_dropped_from_any_text(body: str, head: str, title: str) -> None:
    found = imported(head + body, title=title)
    assert not [defect for defect in found.defects if defect.kind in LOST]
    for node in found.entry.nodes:
        assert all(PATH.fullmatch(step) for step in node.path.split("/"))
        assert text_sha256(found.texts[node.sha256]) == node.sha256
    paths = [node.path for node in found.entry.nodes]
    assert len(set(paths)) == len(paths)
    assert {node.parent for node in found.entry.nodes} <= {"", *paths}
    assert imported(head + body, title=title).entry.to_bytes() == found.entry.to_bytes()


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        found = imported(data)
    except InvalidError:
        return
    assert not [defect for defect in found.defects if defect.kind in LOST]

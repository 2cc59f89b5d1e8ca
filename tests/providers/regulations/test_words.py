"""What a reader is told is Chinese first, with a way out; kinds stay as JSON has them."""

import re
from pathlib import Path

import pytest

from providers.regulations import kinds as module
from providers.regulations.kinds import KINDS, bilingual
from schemas.errors import InvalidError, NotFoundError
from tests.providers.regulations.corpora import OLD, opened, source
from tests.providers.regulations.law import imported

ID = "lighthouse-rules@2031-03-04"
_KIND = re.compile(
    r'(?:\b(?:remark|made|_about)\(|\byield(?: edition\.edition_id,| first,)? \(?)\s*"([A-Za-z][^"]+)"'
)


def test_every_kind_has_a_chinese_name() -> None:
    sources = Path(module.__file__).parent.glob("*.py")
    found = {kind for one in sources for kind in _KIND.findall(one.read_text(encoding="utf-8"))}
    assert {"gap before a clause", "number twice", "title differs", "claimed status differs"} <= found
    assert found - set(KINDS) == set()
    assert bilingual("title differs") == "名称与清单不同 title differs"
    assert bilingual("another kind") == "another kind"


def test_one_problem_is_one_and_several_are_several(tmp_path: Path) -> None:
    with opened(tmp_path, source(data="灯塔维护条例\n第一条 甲。\n第三条 丙。\n".encode())) as corpus:
        with pytest.raises(InvalidError, match=r"^不能发布（1 项问题） 1 problem keeps the corpus"):
            corpus.publish()
        corpus.import_sources([source(data="灯塔维护条例\n第二条 甲。\n第四条 丙。\n".encode())])
        with pytest.raises(InvalidError, match=r"^不能发布（2 项问题） 2 problems keep the corpus"):
            corpus.publish()


def test_a_number_that_occurs_again_says_how_often() -> None:
    found = imported("示例法\n第一条 甲。\n第一条 乙。\n第一条 丙。\n")
    told = [(one.line, one.detail) for one in found.defects if one.kind == "number twice" and not one.blocks]
    assert told == [
        (3, "art1 第 2 次出现 occurs 2 times so far"),
        (4, "art1 第 3 次出现 occurs 3 times so far"),
    ]


def test_a_node_or_an_edition_that_is_not_there_says_what_is(tmp_path: Path) -> None:
    bare = source("2000", data="灯塔维护条例\n无编号的正文。\n".encode(), effective_from=None)
    with opened(tmp_path, OLD, source(), bare) as corpus:
        corpus.publish()
        with pytest.raises(NotFoundError, match="不在该语料修订中") as refused:
            corpus.node("", f"{ID}#第九条")
        assert str(refused.value.hint).startswith("节点写作 art4/p1/i2；该版本有 art1–art5。")
        with pytest.raises(NotFoundError) as refused:
            corpus.node("", "lighthouse-rules@2000#art1")
        assert "该版本有 pre1。" in str(refused.value.hint)
        with pytest.raises(NotFoundError) as refused:
            corpus.node("", "lighthouse-rules@1999#art1")
        assert ID in str(refused.value.hint)
        with pytest.raises(NotFoundError) as refused:
            corpus.node("", "pier-rules@1999#art1")
        assert refused.value.hint is None

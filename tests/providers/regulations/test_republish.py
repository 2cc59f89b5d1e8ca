"""A text that was published under an id, what is withdrawn, and what a later manifest goes on saying."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from providers.regulations.corpus import Corpus
from providers.regulations.pointer import Held
from schemas.errors import InvalidError, OrderError
from tests.providers.regulations.corpora import OLD, opened, source
from tests.providers.regulations.law import CHAPTERS, Dress

ID = "lighthouse-rules@2031-03-04"
OLD_ID = OLD.edition.edition_id
SHORTER = (CHAPTERS[0], CHAPTERS[1])


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    with opened(tmp_path, OLD, source()) as made:
        yield made


def test_another_text_under_a_published_edition_id_blocks_until_it_is_accepted(corpus: Corpus) -> None:
    first = corpus.publish()
    changed = source(law=SHORTER)
    report = corpus.import_sources([changed])
    [told] = report.problems
    assert told in corpus.check()
    assert (told.edition_id, told.kind, told.name) == (ID, "published text changed", f"changed:{ID}")
    assert told.detail.startswith("正文与现行语料修订不同（1 条）")
    assert source().assets[0].sha256 in told.detail
    assert changed.assets[0].sha256 in told.detail
    with pytest.raises(InvalidError, match="正文与现行语料修订不同"):
        corpus.publish()
    assert corpus.current() == first
    corpus.import_sources([source(law=SHORTER, accept=(f"changed:{ID}",))])
    assert corpus.publish() != first


def test_new_metadata_or_another_dress_of_the_same_text_does_not_block(corpus: Corpus) -> None:
    corpus.publish()
    corpus.import_sources([source(label="另一标签", data=Dress(bold=True, blank=True).render(CHAPTERS))])
    assert corpus.check() == []


def test_a_text_is_held_against_the_revision_that_was_published_last_with_it(corpus: Corpus) -> None:
    first = corpus.publish()
    corpus.remove(ID, "误收")
    second = corpus.publish()
    corpus.import_sources([source(law=SHORTER)])
    assert [one.detail.split("（")[0] for one in corpus.check()] == [f"正文与语料修订 {first}不同"]
    # A withdrawn text is corrected under its own id.
    corpus.withdraw(first, "错版")
    assert corpus.check() == []
    assert corpus.publish() not in (first, second)


def test_a_withdrawn_revision_is_not_published_again_and_the_way_out_works(corpus: Corpus) -> None:
    first = corpus.publish()
    held = corpus.withdraw(first, "权利人要求")
    assert held == [Held(OLD_ID, (), True), Held(ID, (), True)]
    assert corpus.withdrawn_because(first) == "权利人要求"
    with pytest.raises(OrderError, match="已撤回，不能再发布") as refused:
        corpus.publish()
    assert "regulations remove" in str(refused.value.hint)
    corpus.remove(OLD_ID, "权利人要求")
    second = corpus.publish()
    corpus.import_sources([OLD])
    third = corpus.publish("a", second)
    assert corpus.withdrawn_because(third) == ""
    corpus.remove(ID, "误收")
    assert corpus.withdraw(third, "再撤") == []


def test_withdrawing_names_the_published_revisions_that_hold_the_editions(corpus: Corpus) -> None:
    first = corpus.publish()
    corpus.remove(OLD_ID, "误收")
    second = corpus.publish()
    assert corpus.withdraw(first, "错版") == [Held(ID, (second,), True)]


def tombstones(corpus: Corpus) -> list[str]:
    return [one["editionId"] for one in json.loads(corpus.manifest()).get("tombstones", [])]


def test_a_tombstone_lasts_until_the_edition_comes_back(corpus: Corpus) -> None:
    first = corpus.publish()
    corpus.remove(OLD_ID, "误收")
    second = corpus.publish()
    assert corpus.publish() == second
    corpus.import_sources([source(label="另一标签")])
    corpus.publish()
    assert tombstones(corpus) == [OLD_ID]
    corpus.publish("a", first)
    assert tombstones(corpus) == []
    corpus.publish()
    assert tombstones(corpus) == [OLD_ID]
    corpus.import_sources([OLD])
    corpus.publish()
    assert tombstones(corpus) == []


def test_a_tombstone_of_the_current_manifest_is_carried_forward(corpus: Corpus) -> None:
    corpus.publish()
    corpus.remove(OLD_ID, "误收")
    corpus.publish()
    corpus._store.run("DELETE FROM tombstones")  # as an earlier version left a corpus
    corpus.import_sources([source(label="另一标签")])
    corpus.publish()
    assert tombstones(corpus) == [OLD_ID]


def test_the_beginning_of_a_revision_id_names_it_when_it_is_one_alone(corpus: Corpus) -> None:
    revision = corpus.publish()
    assert corpus.full(revision[:9]) == corpus.full(revision) == revision
    assert corpus.full("kbr1-") == "kbr1-"
    unknown = "kbr1-" + "".join("0" if one != "0" else "1" for one in revision[5:9])
    assert corpus.full(unknown) == unknown
    corpus._store.run("INSERT INTO revisions VALUES (?, '', 0, '[]')", revision[:9] + "x")
    with pytest.raises(InvalidError, match="begins 2 revision ids"):
        corpus.full(revision[:9])

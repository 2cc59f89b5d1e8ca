"""What the embedded index keeps of a unit, how it is written in parts, and what a term is worth."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from providers.regulations.corpus import Corpus
from providers.regulations.search.grams import fold, grams
from providers.regulations.search.postings import DIGITS, LONGEST, Writer, weigh
from providers.regulations.search.seam import Terms, Within
from providers.regulations.search.sqlite_build import fill
from providers.regulations.search.sqlite_index import SqliteIndex
from providers.regulations.search.units import Unit
from schemas.errors import StorageError
from tests.providers.regulations.search.town import SOURCES

CARTS = "carts@2020-02-02"
EDITIONS = {one.edition.edition_id: one.edition for one in SOURCES}
TERMS = Terms(("灯罩", "路灯", "罚款", "马车"), ("灯", "无"))


def unit(text: str, heading: str = "") -> Unit:
    return Unit(CARTS, "art1", heading, text, "0" * 64)


def test_a_term_earns_more_the_oftener_it_stands_and_the_shorter_the_unit_and_in_a_heading() -> None:
    writer = Writer(EDITIONS)

    def level(term: str, text: str, heading: str = "") -> int:
        [found] = [one for one in writer.lexemes(unit(text, heading)) if one[1:] == term]
        return DIGITS.index(found[0])

    assert level("桥", "桥") < level("桥", "桥" * 9)
    assert level("桥", "桥" + "上不得停车" * 60) < level("桥", "桥")
    assert level("桥", "桥上") < level("桥", "桥上", "第一章 桥")
    assert level("办法", "不得停车") == level("马车", "不得停车")  # both of the title alone
    assert writer.units == 8
    assert dict(writer.terms())["得停"][level("得停", "不得停车")] >= 2


def test_a_word_that_is_longer_than_any_query_is_not_kept() -> None:
    writer = Writer(EDITIONS)
    found = writer.lexemes(unit(f"{'x' * LONGEST} {'y' * (LONGEST + 1)}"))
    assert any(one.endswith("x" * LONGEST) for one in found)
    assert not any("y" in one for one in found)


def test_the_terms_of_a_text_are_those_of_a_query() -> None:
    text = "第三条 打碎灯罩的，处 20 元罚款 gb50330 ａ１"
    kept = {one[1:] for one in Writer(EDITIONS).lexemes(unit(fold(text)))}
    found = grams(fold(text))
    assert {*found.singles, *found.pairs, *found.words} <= kept


def test_many_headings_are_not_all_kept_in_memory() -> None:
    writer = Writer(EDITIONS)
    for at in range(1100):
        writer.lexemes(unit("桥", f"第{at}章 桥"))
    assert len(writer._headings) < 1100


def test_a_rare_term_is_worth_more_and_one_that_is_everywhere_still_finds() -> None:
    weighed = weigh(Terms(("甲", "乙", "丙")), {"甲": [0, 1], "乙": [1, 98]}, 100)
    assert weighed.frequencies == {"甲": 1, "乙": 99, "丙": 0}
    assert weighed.worths["1甲"] > 1000 * weighed.worths["1乙"] > 0
    assert weighed.worths.keys() == {"1甲", "0乙", "1乙"}


def test_an_index_that_is_written_in_many_parts_recalls_the_same(published: Corpus, tmp_path: Path) -> None:
    revision = published.pinned()
    whole, parts = SqliteIndex(tmp_path / "whole"), SqliteIndex(tmp_path / "parts")
    whole.build(revision, published.nodes(), published.editions())
    parts.path(revision).parent.mkdir()
    with closing(sqlite3.connect(parts.path(revision), isolation_level=None)) as db:
        fill(db, revision, published.nodes(), published.editions(), part=100)
    for within in (Within(), Within({CARTS}), Within(None, "art2"), Within({CARTS}, "art2")):
        recalled = parts.recall(revision, TERMS, within, 5)
        assert recalled.candidates
        assert recalled == whole.recall(revision, TERMS, within, 5)
    whole.close()
    parts.close()


def test_the_index_file_of_an_earlier_version_goes_with_the_next_build_or_drop(
    published: Corpus, tmp_path: Path
) -> None:
    index, revision = SqliteIndex(tmp_path), published.pinned()
    former = tmp_path / f"{revision}.fts1"
    former.write_bytes(b"")
    index.build(revision, published.nodes(), published.editions())
    assert not former.exists()
    former.write_bytes(b"")
    index.drop(revision)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE meta SET value = 1000000000000 WHERE name = 'units'",
        "UPDATE meta SET value = 'middle' WHERE name = 'byte_order'",
        "UPDATE span SET last = 1000000",
        "UPDATE posting SET units = x'ffffff7f'",
        "UPDATE posting SET units = x'ff'",
        "UPDATE term SET counts = '{'",
        "UPDATE meta SET value = 'no number' WHERE name = 'mean_length'",
        "DELETE FROM unit",
    ],
)
def test_numbers_of_an_index_that_cannot_be_are_told(published: Corpus, tmp_path: Path, change: str) -> None:
    index, revision = SqliteIndex(tmp_path), published.pinned()
    index.build(revision, published.nodes(), published.editions())
    with closing(sqlite3.connect(index.path(revision))) as db:
        db.execute(change)
        db.commit()
    with pytest.raises(StorageError, match="cannot be read"):
        index.recall(revision, TERMS, Within(), 5)
    index.close()

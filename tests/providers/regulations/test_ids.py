"""S1 to S8 of regulations.md section 3 on laws that Hypothesis makes up."""

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from providers.regulations.node import PATH, clause_key
from tests.providers.regulations.law import (
    CHAPTERS,
    Article,
    Chapter,
    Clause,
    Dress,
    blocked,
    imported,
    kinds,
    texts,
)
from tests.unmeasured import unmeasured

# Nothing that a recogniser could take for a label, and no mark that Markdown takes away.
SENTENCE = st.text("灯塔守护人航行海岸油罩雾船港口昼夜明暗", min_size=1, max_size=12).map(
    lambda text: f"{text}。"
)
CLAUSE = st.builds(Clause, SENTENCE, st.lists(SENTENCE, max_size=3).map(tuple))
BODY = st.lists(CLAUSE, min_size=1, max_size=3).map(tuple)
TITLE = st.text("总则附罚维护灯", min_size=2, max_size=4)


@st.composite
def laws(draw: st.DrawFn) -> tuple[Chapter, ...]:
    chapters = []
    number, inserted = 0, 0
    for _ in range(draw(st.integers(1, 3))):
        articles = []
        for _ in range(draw(st.integers(1, 3))):
            extra = number > 0 and draw(st.booleans())
            number, inserted = (number, inserted + 1) if extra else (number + 1, 0)
            articles.append(Article(number, draw(BODY), inserted))
        chapters.append(Chapter(draw(TITLE), tuple(articles)))
    return tuple(chapters)


DRESSES = st.builds(
    Dress,
    bold=st.booleans(),
    gap=st.sampled_from(("　", " ", "  ", "\u00a0", " 　")),
    indent=st.sampled_from(("", "　　", "\u00a0" * 7, "\t　")),
    marks=st.sampled_from(("", "## ", "### ")),
    eol=st.sampled_from(("\n", "\r\n", "\r", "<br>\n")),
    blank=st.booleans(),
    contents=st.booleans(),
    half_width=st.booleans(),
    spaced_headings=st.booleans(),
    front_matter=st.booleans(),
    charset=st.sampled_from(("utf-8", "utf-8-sig", "gb18030")),
)


@given(laws(), DRESSES)
def test_s1_s8_ids_and_texts_depend_on_the_printed_numbers_and_the_words_only(
    law: tuple[Chapter, ...], dress: Dress
) -> None:
    plain, dressed = imported(Dress().render(law)), imported(dress.render(law), name="other.txt")
    assert texts(dressed) == texts(plain)
    assert dressed.entry.nodes == plain.entry.nodes
    assert blocked(dressed) == []


@given(laws())
def test_s2_an_article_keeps_its_id_when_its_headings_are_lost(law: tuple[Chapter, ...]) -> None:
    whole, bare = texts(imported(Dress().render(law))), texts(imported(Dress(headings=False).render(law)))
    assert {path: text for path, text in whole.items() if not path.startswith("ch")} == bare


@given(laws())
def test_s3_s4_paragraphs_and_items_count_inside_their_article_in_reading_order(
    law: tuple[Chapter, ...],
) -> None:
    found = texts(imported(Dress().render(law)))
    for article in (article for chapter in law for article in chapter.articles):
        step = f"art{article.number}" + (f"-{article.inserted}" if article.inserted else "")
        for at, clause in enumerate(article.clauses, 1):
            assert found[f"{step}/p{at}"] == "\n".join((clause.text, *clause.items))
            for number, item in enumerate(clause.items, 1):
                assert found[f"{step}/p{at}/i{number}"] == item
        assert f"{step}/p{len(article.clauses) + 1}" not in found


def test_s4_nothing_unnumbered_is_counted_across_the_document() -> None:
    one_row = "\n甲|乙\n---|---\n一|二\n\n"
    found = texts(imported(f"示例法\n第一条 甲。\n{one_row}第二条 乙。\n{one_row}第三条 丙。\n"))
    assert {"art1/tbl1/row2", "art2/tbl1/row2"} <= set(found)


@given(laws(), st.data())
def test_s5_a_number_that_occurs_twice_is_marked_and_keeps_the_edition_from_being_published(
    law: tuple[Chapter, ...], data: st.DataObject
) -> None:
    chapter = data.draw(st.sampled_from(law))
    article = data.draw(st.sampled_from(chapter.articles))
    again = replace(chapter, articles=(*chapter.articles, article))
    twice = tuple(again if one is chapter else one for one in law)
    found = imported(Dress().render(twice))
    step = f"art{article.number}" + (f"-{article.inserted}" if article.inserted else "")
    assert f"{step}~2" in texts(found)
    assert "number twice" in {kind for kind, _ in blocked(found)}
    accepted = imported(Dress().render(twice), accept=(f"{step}~2",))
    assert "number twice" not in {kind for kind, _ in blocked(accepted)}
    assert clause_key(f"a@2000#{step}~2") == ""


@given(laws(), SENTENCE)
def test_s6_a_corrected_text_keeps_every_id(law: tuple[Chapter, ...], sentence: str) -> None:
    first = law[0].articles[0]
    corrected = replace(
        first, clauses=(replace(first.clauses[0], text=f"更正：{sentence}"), *first.clauses[1:])
    )
    chapter = replace(law[0], articles=(corrected, *law[0].articles[1:]))
    before, after = imported(Dress().render(law)), imported(Dress().render((chapter, *law[1:])))
    assert [node.path for node in after.entry.nodes] == [node.path for node in before.entry.nodes]
    assert after.entry.to_bytes() != before.entry.to_bytes()


@given(laws())
def test_s7_ids_are_short_ascii_and_ordinals_keep_the_reading_order(law: tuple[Chapter, ...]) -> None:
    found = imported(Dress().render(law)).entry
    for node in found.nodes:
        assert f"{found.edition.edition_id}#{node.path}".isascii()
        assert all(PATH.fullmatch(step) for step in node.path.split("/"))
    assert all(one.ordinal + 1 == other.ordinal for one, other in pairwise(found.nodes))


@given(laws())
@settings(max_examples=20)
def test_s8_the_same_asset_gives_the_same_bytes_again(law: tuple[Chapter, ...]) -> None:
    data = Dress().render(law)
    assert imported(data).entry.to_bytes() == imported(data).entry.to_bytes()


CHILD = """
import sys
from pathlib import Path
from datetime import UTC, datetime
from providers.regulations.corpus import Corpus
paths = [Path(one) for one in sys.argv[2:]]
with Corpus.open(Path(sys.argv[1]), lambda: datetime(2032, 1, 1, tzinfo=UTC), create=True) as corpus:
    corpus.import_files(paths)
    print(corpus.publish())
    Path(sys.argv[1]).with_suffix(".json").write_bytes(corpus.manifest())
"""


@pytest.mark.parametrize("charset", ["utf-8", "gb18030"])
def test_s8_another_process_hash_seed_locale_and_order_give_byte_identical_manifests(
    tmp_path: Path, charset: str
) -> None:
    files = []
    for slug in ("lamp-rules", "tower-rules", "boat-rules"):
        for key in ("2031-03-04", "2032-03-04"):
            path = tmp_path / slug / f"{key}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(Dress(charset=charset, bold=True).render(CHAPTERS, title=f"{slug}条例"))
            files.append(str(path))
    manifests = set()
    for at, (seed, locale, order) in enumerate(
        (("0", "C", files), ("4242", "C.UTF-8", files[::-1]), ("7", "POSIX", [*files[3:], *files[:3]]))
    ):
        corpus = tmp_path / f"{at}.sqlite3"
        environment = unmeasured(PYTHONHASHSEED=seed, LC_ALL=locale, PYTHONUTF8="0")
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(corpus), *order],
            env=environment, stdout=subprocess.PIPE, check=True, text=True,
        )  # fmt: skip
        data = corpus.with_suffix(".json").read_bytes()
        assert done.stdout.strip() == "kbr1-" + hashlib.sha256(data).hexdigest()[:32]
        manifests.add(data)
    assert len(manifests) == 1
    assert len(json.loads(manifests.pop())["editions"]) == 6


def test_inserted_and_missing_numbers_are_told_with_their_lines() -> None:
    found = imported(Dress().render(CHAPTERS))
    assert "inserted article" in kinds(found)
    gap = imported("示例法\n第一条 甲。\n第三条 乙。\n第二条 丙。\n")
    assert blocked(gap) == [("article out of order", 4), ("gap before an article", 3)] or blocked(gap) == [
        ("gap before an article", 3),
        ("article out of order", 4),
    ]
    part = imported("示例法分则\n第一百零二条 甲。\n第一百零三条 乙。\n", accept=("gap:art102",))
    assert blocked(part) == []
    assert part.entry.gaps == ("art102",)
    assert ("gap before a heading", 2) in blocked(imported("示例法\n第二章 甲\n第一条 乙。\n"))

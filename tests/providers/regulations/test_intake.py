import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from providers.regulations.intake import read_sources
from schemas.errors import InvalidError, NotFoundError, StorageError
from tests.providers.regulations.law import CHAPTERS, TITLE, Dress

DATA = Dress(marks="# ").render(CHAPTERS)


def row(**values: object) -> dict[str, Any]:
    return {
        "regulation_id": "lighthouse-rules", "edition_id": "lighthouse-rules@2031-03-04", "title": TITLE,
        "kind": "行政法规", "doc_no": "灯塔委员会令第7号", "edition_label": "2031年公布",
        "legal_status": "现行有效",
        "issued": "2031-03-04", "effective": "2031-06-01", "repealed": None, "file": "law.md",
        "sha256": hashlib.sha256(DATA).hexdigest(), "bytes": len(DATA), "disclosure": "full", **values,
    }  # fmt: skip


def written(folder: Path, *rows: object, **more: object) -> Path:
    (folder / "law.md").write_bytes(DATA)
    path = folder / "manifest.json"
    path.write_text(json.dumps({"editions": list(rows), **more}), encoding="utf-8")
    return path


def test_a_manifest_names_editions_and_their_files(tmp_path: Path) -> None:
    variant = {"edition_id": "lighthouse-rules@2031-03-04", "variant": "b", "file": "law.md"}
    path = written(
        tmp_path,
        row(accept=["b", "a"], relations={"replaces": "x@1"}, commencements={"art4": "2032-01-01"}),
        variants=[variant],
    )
    [source] = read_sources([path])
    assert source.edition.title == TITLE
    assert source.edition.accept == ("a", "b")
    assert source.edition.relations == (("replaces", "x@1"),)
    assert source.edition.commencements == (("art4", "2032-01-01"),)
    assert source.edition.effective_to is None
    assert [asset.data for asset in source.assets] == [DATA, DATA]


def test_a_date_that_its_source_doubts_is_kept_with_the_doubt_or_left_open(tmp_path: Path) -> None:
    [source] = read_sources([written(tmp_path, row(repealed="2040-05-01?"))])
    assert source.edition.effective_to == "2040-05-01"
    assert source.edition.uncertain == ("effective_to 2040-05-01?",)
    [source] = read_sources([written(tmp_path, row(repealed="2040-?"))])
    assert (source.edition.effective_to, source.edition.uncertain) == (None, ("effective_to 2040-?",))


@pytest.mark.parametrize(
    ("rows", "more", "error"),
    [
        ([row(discolsure="withheld")], {}, "unknown field"),
        ([row(disclosure=None)], {}, "no disclosure level"),
        ([row(disclosure="open")], {}, "none of"),
        ([row(disclosure="withheld")], {}, "no withheld_reason"),
        ([row(disclosure="withheld", withheld_reason=" ")], {}, "no withheld_reason"),
        ([row(edition_id="lighthouse-rules@2031-99-99")], {}, "names no day"),
        ([row(edition_id="lighthouse-rules@2031-02-29.2")], {}, "names no day"),
        ([row(regulation_id="other")], {}, "no edition of"),
        ([row(sha256="0" * 64)], {}, "not the file"),
        ([row(file="../law.md")], {}, "not beside"),
        ([row(file="")], {}, "not beside"),
        ([row(title=7)], {}, "not text"),
        ([row(accept="a")], {}, "no list"),
        ([row(relations=["a"])], {}, "no object"),
        ([7], {}, "no object"),
        ([row(), row()], {}, "two primary sources"),
        ([row()], {"variants": [{"edition_id": "other@2000", "file": "law.md"}]}, "does not list"),
    ],
)
def test_a_manifest_that_says_nonsense_is_refused(
    tmp_path: Path, rows: list[object], more: dict[str, object], error: str
) -> None:
    with pytest.raises(InvalidError, match=error):
        read_sources([written(tmp_path, *rows, **more)])


@pytest.mark.parametrize("text", ["[]", "{}", '{"editions": 7}'])
def test_a_file_that_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(InvalidError, match="no manifest"):
        read_sources([path])


def test_a_loose_file_is_an_edition_by_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "lighthouse-rules"
    folder.mkdir()
    path = folder / "2031-03-04.md"
    path.write_bytes(DATA)
    [source] = read_sources([path])
    assert source.edition.edition_id == "lighthouse-rules@2031-03-04"
    assert (source.edition.title, source.edition.disclosure) == (TITLE, "full")
    path.with_suffix(".txt").write_bytes(Dress().render(CHAPTERS))
    [source] = read_sources([path.with_suffix(".txt")])
    assert source.edition.title == TITLE
    path.write_bytes(b"")
    with pytest.raises(InvalidError, match="title"):
        read_sources([path])


def test_a_file_that_is_not_there_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_sources([tmp_path / "none.md"])
    with pytest.raises(NotFoundError):
        read_sources([tmp_path])
    loop = tmp_path / "loop.md"
    loop.symlink_to(loop)
    with pytest.raises(StorageError):
        read_sources([loop])

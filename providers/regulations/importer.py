"""One edition read from its primary asset: `md-cn-law/1` (regulations.md sections 1 to 3)."""

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from providers.regulations import claims, completeness, defects, division
from providers.regulations.branch import Branch, Tree
from providers.regulations.defects import Defect
from providers.regulations.edition import Edition
from providers.regulations.lines import Cleaned, Line
from providers.regulations.manifest import AssetRecord, Entry, NodeRecord
from providers.regulations.node import LONGEST_ID, PATH, PageSpan, text_sha256
from providers.regulations.readers import READERS, Reader, reader_for
from providers.regulations.tree import grow
from schemas.errors import InvalidError
from schemas.text import shown

NO_ARTICLES = "没有识别出第…条，正文作为段落收入 no 第N条 was recognised; the text is taken in as paragraphs"


@dataclass(frozen=True, slots=True)
class Asset:
    """The bytes of a source as they came, and what the source is called where it lies."""

    data: bytes
    name: str

    @property
    def sha256(self) -> str:
        """The hash of the bytes."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Imported:
    """An edition as the corpus takes it in: its manifest entry, its texts by hash, and what was noticed."""

    entry: Entry
    texts: dict[str, str]
    defects: tuple[Defect, ...]
    asides: tuple[tuple[int, str], ...]


def import_edition(
    edition: Edition,
    primary: Asset,
    others: Sequence[Asset] = (),
    *,
    readers: Mapping[str, tuple[str, Reader]] = READERS,
) -> Imported:
    """`edition` as nodes with hashes; equal assets and metadata give equal bytes on every machine (S8).

    The other assets are kept beside the primary one; how their articles differ is told.
    """
    extractor, reader = reader_for(primary.name, readers)
    cleaned = reader(primary.data, primary.name)
    parts = division.divide(cleaned.lines, edition.title, cleaned.info_end)
    tree = grow(parts)
    nodes, texts = _nodes(edition.edition_id, tree)
    found = _defects(edition, primary, cleaned, parts, tree)
    for other in others:
        found += _variant(edition, tree, other, readers)
    assets = tuple(
        AssetRecord(asset.sha256, len(asset.data), primary=asset is primary)
        for asset in (primary, *sorted(others, key=lambda one: one.sha256))
    )
    gaps = tuple(defect.name.removeprefix("gap:") for defect in found if defect.name.startswith("gap:"))
    articles = sum(branch.kind == "art" for branch in tree.branches)
    if not any(branch.kind == "art" or branch.kind[0] == "x" for branch in tree.branches) and nodes:
        found = sorted([*found, Defect(edition.edition_id, primary.name, 0, "no articles", NO_ARTICLES)])
    entry = Entry(edition, extractor, tree.scheme, assets, articles, gaps, tuple(nodes))
    asides = tuple((aside.number, aside.reason) for aside in (*cleaned.asides, *parts.contents))
    return Imported(entry, texts, tuple(found), asides)


def _nodes(edition_id: str, tree: Tree) -> tuple[list[NodeRecord], dict[str, str]]:
    records: list[NodeRecord] = []
    texts: dict[str, str] = {}
    for ordinal, branch in enumerate(tree.branches, 1):
        node_id = f"{edition_id}#{branch.path}"
        if len(node_id) > LONGEST_ID or not all(map(PATH.fullmatch, branch.path.split("/"))):
            raise InvalidError(f"{node_id} is no node id", subject=edition_id)
        text, spans = branch.spans()
        digest = text_sha256(text)
        texts[digest] = text
        above = branch.above.path if branch.above is not None else ""
        records.append(
            NodeRecord(
                branch.path, digest, above, ordinal, branch.clause_no, _pages(spans), branch.title != ""
            )
        )
    return records, texts


def _pages(spans: list[tuple[Line, int, int]]) -> tuple[PageSpan, ...]:
    pages: list[PageSpan] = []
    for line, start, end in spans:
        if line.page is None:
            continue
        if pages and pages[-1].page == line.page:
            pages[-1] = PageSpan(line.page, pages[-1].start, end)
        else:
            pages.append(PageSpan(line.page, start, end))
    return tuple(pages)


def _defects(
    edition: Edition, asset: Asset, cleaned: Cleaned, parts: division.Parts, tree: Tree
) -> list[Defect]:
    def made(kind: str, line: int, detail: str, *, blocks: bool = False, name: str = "") -> Defect:
        accepted = bool(name) and name in edition.accept
        return Defect(edition.edition_id, asset.name, line, kind, detail, blocks and not accepted, name)

    found = [made(*one, blocks=one[0] == "control character") for one in defects.of_lines(cleaned)]
    found += [made(*one) for one in defects.unbalanced(parts.notes)]
    found += [made(remark.kind, remark.line, remark.detail) for remark in tree.remarks]
    if parts.contents:
        found.append(
            made(
                "table of contents",
                parts.contents[0].number,
                f"{len(parts.contents)} 行不计入正文 lines set aside",
            )
        )
    found += [
        made("annex table", _line(branch), f"{branch.path} 下 {len(branch.children)} 行 rows under it")
        for branch in tree.branches
        if branch.kind == "tbl" and branch.path.startswith("anx")
    ]
    found += [
        made(kind, line, detail, blocks=True, name=name)
        for kind, line, detail, name in completeness.problems(cleaned, parts.contents, tree)
    ]
    found += [made(*one) for one in claims.of_title(edition, parts.title)]
    found += [made(*one) for one in claims.of_text(edition, cleaned)]
    paths = {branch.path for branch in tree.branches}
    found += [
        made("commencement of no node", 0, shown(path), blocks=True)
        for path, _ in edition.commencements
        if path not in paths
    ]
    found += [made(*one, blocks=one[0] == claims.NEVER_IN_FORCE) for one in claims.of_dates(edition)]
    known = {f"changed:{edition.edition_id}", *(defect.name for defect in found)}
    found += [
        made("accepted name of no problem", 0, shown(name)) for name in edition.accept if name not in known
    ]
    return sorted(found)


def _line(branch: Branch) -> int:
    return next((piece.line.number for leaf in branch.leaves() for piece in leaf.pieces), 0)


def _variant(
    edition: Edition, tree: Tree, other: Asset, readers: Mapping[str, tuple[str, Reader]]
) -> list[Defect]:
    """How many articles another source of the same edition gives otherwise, white space and width aside."""
    try:
        cleaned = reader_for(other.name, readers)[1](other.data, other.name)
    except InvalidError as error:
        return [Defect(edition.edition_id, other.name, 0, "variant not read", error.message)]
    theirs = _articles(grow(division.divide(cleaned.lines, edition.title, cleaned.info_end)))
    ours = _articles(tree)
    differ = sorted({path for path, text in ours.items() ^ theirs.items()})
    if not differ:
        return []
    detail = f"{len(ours)} 条中 {len(differ)} 条不同，第一处 of so many articles differ, first {differ[0]}"
    return [Defect(edition.edition_id, other.name, 0, "variant differs", detail)]


def _articles(tree: Tree) -> dict[str, str]:
    return {
        branch.path: "".join(unicodedata.normalize("NFKC", branch.spans()[0]).split())
        for branch in tree.branches
        if branch.kind == "art"
    }

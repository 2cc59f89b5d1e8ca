"""A connection that does not take what it is given, or that the system cannot make."""

import socket
from collections.abc import Iterator

import pytest

from providers.web.capture.connecting import connect, receiving, send
from providers.web.capture.deadline import Deadline
from providers.web.capture.ending import FailedError

LARGE = bytes(4 << 20)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    with near, far:
        yield near, far


def test_a_request_that_is_not_read_ends_with_the_deadline(pair: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(FailedError, match=r"not over within 0\.05 seconds"):
        send(pair[0], LARGE, Deadline(0.05))


def test_a_request_to_one_who_has_gone_fails(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[1].close()
    with pytest.raises(FailedError, match="the request was not taken: "):
        send(pair[0], LARGE, Deadline(10))


def test_nothing_is_received_after_the_deadline(pair: tuple[socket.socket, socket.socket]) -> None:
    moments = iter([0.0, 2.0])
    late = Deadline(1, lambda: next(moments))
    pair[1].sendall(b"a page")
    with pytest.raises(FailedError, match="not over within 1 seconds"):
        receiving(pair[0], late)(10)


def test_an_address_that_does_not_answer_leaves_time_for_the_next() -> None:
    # A full queue: the system lets no further connection be made, and says nothing.
    with socket.create_server(("127.0.0.1", 0), backlog=0) as silent:
        port = silent.getsockname()[1]
        waiting = [socket.socket() for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        with socket.create_server(("127.0.0.2", port)):
            connection, address = connect(["127.0.0.1", "127.0.0.2"], port, Deadline(2))
        with connection:
            assert address == "127.0.0.2"
        for one in waiting:
            one.close()

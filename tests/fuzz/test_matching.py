"""A short run of the fuzz target, and the inputs that it once failed on."""

import pytest

from tests.fuzz.matching import one_input, run


def test_random_bytes_find_no_difference() -> None:
    run(200, seed=7)


@pytest.mark.parametrize("data", [b"", b"\0" * 64, b"\xff" * 64, "《建筑》GB 50330".encode()])
def test_plain_bytes_find_no_difference(data: bytes) -> None:
    one_input(data)


@pytest.mark.soak
def test_many_random_bytes_find_no_difference() -> None:
    run(20_000, seed=8)

"""Tests that read the shared specifications and data beside the checkout: CI needs them, a user may not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from providers.standards.library import Library, load

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


@pytest.fixture(scope="session", autouse=True)
def kept_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the matcher keeps of large libraries goes to a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared specifications, vectors and data."""
    return SHARED


@pytest.fixture(scope="session")
def standards(shared: Path) -> Library:
    """The 6,073 real standards, read once."""
    return load(shared / "data" / "standards" / "standards.csv")

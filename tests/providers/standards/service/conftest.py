"""One service on the starter library for every test that only asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.providers.standards.service.running import Service, running


@pytest.fixture(scope="session")
def starter_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder: Path = tmp_path_factory.mktemp("starter-service")
    with running(folder, measured=True) as service:
        yield service

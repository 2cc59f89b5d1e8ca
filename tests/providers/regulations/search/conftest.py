"""One published and indexed town for all search tests."""

from collections.abc import Iterator

import pytest

from providers.regulations.corpus import Corpus
from tests.providers.regulations.search.town import Found, searching, town


@pytest.fixture(scope="package")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with town(tmp_path_factory.mktemp("town")) as corpus:
        yield corpus


@pytest.fixture(scope="package")
def found(published: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Found:
    search = searching(published, tmp_path_factory.mktemp("search"))
    search.build()
    return Found(search, published)

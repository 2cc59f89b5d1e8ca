"""The providers that a command's options describe, and those that nobody has set up."""

import os
import time
from functools import cache

from evidence.doors import output
from evidence.doors.options import SERVICE_VARIABLE, corpus_path, open_library, system_clock
from evidence.doors.web_settings import names_web, read_exclusions, read_settings
from evidence.engine import DEFAULT_TIMEOUT_SECONDS
from ledger.store import Ledger
from providers.base import Provider, standing
from providers.registry import Registry
from schemas.provider import ProviderRow

_HOW = {
    "connector:regulations": (
        "未设置法规库，请用 --corpus 指明其文件 no corpus of regulations is set: give its file with --corpus"
    ),
    "connector:standards-service": (
        "未设置标准服务，请用 --standards-service 给出网址"
        " no standards service is set: give its URL with --standards-service"
    ),
    "connector:web-search": (
        "未设置检索服务，请用 --search-url 给出 SearXNG 的网址，或用 --web 给出设置文件"
        " no search service is set: give a SearXNG with --search-url URL, or --web FILE"
    ),
}


def open_registry(  # noqa: PLR0913, PLR0917 - one parameter an option
    library: str | None = None,
    provider_files: tuple[str, ...] = (),
    registry_files: tuple[str, ...] = (),
    no_builtin: bool = False,
    standards_service: str | None = None,
    web_file: str | None = None,
    search_url: str | None = None,
    exclusions_file: str | None = None,
    corpus_file: str | None = None,
    seconds: float = DEFAULT_TIMEOUT_SECONDS,
    *,
    ledger: Ledger | None = None,
    actor: str = "local",
) -> Registry:
    """The inventory that the options describe, for runs of at most `seconds`.

    A malformed row is told on stderr and left out. Calls of the regulations host are audited into
    `ledger`; without one they are unavailable.
    """
    providers: list[Provider] = []
    unset: list[ProviderRow] = []
    if not no_builtin:
        from providers.standards.provider import LocalStandards

        providers.append(LocalStandards(lambda: open_library(library), system_clock))
        if url := standards_service or os.environ.get(SERVICE_VARIABLE):
            from providers.standards.remote import StandardsService

            providers.append(StandardsService(url, system_clock))
        else:
            unset.append(_unset("connector:standards-service"))
        settings = read_settings(web_file, search_url) if names_web(web_file, search_url) else None
        if settings is not None and settings.configured:
            from providers.web.assembly import connector

            exclusions = read_exclusions(exclusions_file)
            providers.append(connector(settings, system_clock, exclusions, os.environ, time.sleep, seconds))
        else:
            unset.append(_unset("connector:web-search"))
        if corpus_path(corpus_file):
            from evidence.doors.corpus import open_host
            from providers.regulations.connector import Regulations

            opened = cache(
                lambda: open_host(corpus_file, ledger, actor, web_file, search_url, exclusions_file, seconds)
            )
            providers.append(Regulations(opened, system_clock))
        else:
            unset.append(_unset("connector:regulations"))
    if not provider_files and not registry_files:
        return Registry(tuple(providers), listed=tuple(unset))
    from evidence.doors.artifacts import read_json
    from providers.registry import read_connector_registry, read_provider_inventory

    named = {name: "stdin" if name == "-" else name for name in (*provider_files, *registry_files)}
    observed = [read_provider_inventory(read_json(file, named[file]), named[file]) for file in provider_files]
    listed = [read_connector_registry(read_json(file, named[file]), named[file]) for file in registry_files]
    for listing in (*observed, *listed):
        for problem in listing.problems:
            output.print_notice(f"warning: {problem}; the row is left out")
    return Registry(
        tuple(providers),
        tuple(row for listing in observed for row in listing.rows),
        (*(row for listing in listed for row in listing.rows), *unset),
    )


def _unset(provider_id: str) -> ProviderRow:
    """A connector that comes with the package and that nobody has set up."""
    return standing(provider_id, "connector", _HOW[provider_id], enabled=False)

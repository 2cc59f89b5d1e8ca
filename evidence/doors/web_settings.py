"""The options about the web that several commands share, and what must not leave."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evidence.doors.artifacts import read_bytes
from schemas.errors import InvalidError

if TYPE_CHECKING:
    from providers.web.exclusions import Exclusions
    from providers.web.settings import Settings
    from schemas.request import Request

F = TypeVar("F", bound=Callable[..., Any])

EXCLUSIONS_VARIABLE = "EXTERNAL_EVIDENCE_EXCLUSIONS_FILE"
SEARCH_VARIABLE = "EXTERNAL_EVIDENCE_SEARCH_URL"
WEB_VARIABLE = "EXTERNAL_EVIDENCE_WEB"


def exclusions_option(command: F) -> F:
    """`--exclusions`: the terms that must not leave."""
    return click.option(
        "--exclusions",
        "exclusions_file",
        metavar="FILE",
        help=f"Terms that must not leave, one a line, UTF-8; else ${EXCLUSIONS_VARIABLE}, else none.",
    )(command)


def web_option(command: F) -> F:
    """`--web`: the settings of search and capture."""
    return click.option(
        "--web",
        "web_file",
        metavar="FILE",
        help=f"Settings of search and capture (TOML, see docs/web.md); else ${WEB_VARIABLE}.",
    )(command)


def search_option(command: F) -> F:
    """`--search-url`: where the search service is."""
    return click.option(
        "--search-url",
        metavar="URL",
        help=f"The search service, a SearXNG unless the settings say another; else ${SEARCH_VARIABLE}.",
    )(command)


def read_exclusions(given: str | None) -> "Exclusions":
    """The excluded terms of the option's file, else of the environment's, else none.

    A file that is named and holds no term is refused: whoever named it wants something kept back.
    """
    from providers.web.exclusions import Exclusions

    path = given or os.environ.get(EXCLUSIONS_VARIABLE)
    if not path:
        return Exclusions()
    held = Exclusions.from_bytes(read_bytes(path, "exclusions"))
    if not held:
        raise InvalidError("the file of excluded terms holds none", subject="exclusions")
    return held


def read_settings(web_file: str | None, search_url: str | None = None) -> "Settings":
    """The settings of the option's file or the environment's, with the address that is named beside it."""
    from providers.web.settings import Settings, read

    path = web_file or os.environ.get(WEB_VARIABLE)
    settings = read(read_bytes(path, "settings"), path) if path else Settings()
    # An address in the environment speaks of the usual service, not of one that a file names.
    url = search_url or (os.environ.get(SEARCH_VARIABLE) if not settings.configured else None)
    return replace(settings, url=url) if url else settings


def names_web(web_file: str | None, search_url: str | None) -> bool:
    """Whether anything here says that the web is to be searched."""
    return bool(web_file or search_url or os.environ.get(WEB_VARIABLE) or os.environ.get(SEARCH_VARIABLE))


def keep_back(request: "Request", exclusions_file: str | None) -> None:
    """Refuse a request that holds an excluded term, before any of it is written or sent.

    Raises InvalidError, which names the field and never what stands in it.
    """
    if not (exclusions_file or os.environ.get(EXCLUSIONS_VARIABLE)):
        return
    exclusions = read_exclusions(exclusions_file)
    for where, text in _texts(request.to_wire(), ""):
        if exclusions.found_folded(text):
            raise InvalidError(f"{where} holds an excluded term; nothing was recorded", subject=where)


def _texts(value: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from _texts(one, f"{where}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _texts(one, f"{where}[{number}]")

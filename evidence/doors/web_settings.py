"""The options about the web that several commands share, and what must not leave."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evidence.doors.artifacts import read_bytes
from schemas.errors import InvalidError
from schemas.outside import MAX_BYTES

if TYPE_CHECKING:
    from providers.web.exclusions import Exclusions
    from providers.web.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

EXCLUSIONS_VARIABLE = "EXTERNAL_EVIDENCE_EXCLUSIONS_FILE"
SEARCH_VARIABLE = "EXTERNAL_EVIDENCE_SEARCH_URL"
WEB_VARIABLE = "EXTERNAL_EVIDENCE_WEB"
_KEPT = f"{__name__}.exclusions"


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

    A file that is named and holds no term is refused, and so is an option without a name, as of a shell
    variable that is not set: whoever gave it wants something kept back. One command reads it once, since it
    may be stdin.
    """
    from providers.web.exclusions import Exclusions

    path = os.environ.get(EXCLUSIONS_VARIABLE) or None if given is None else given
    if path is None:
        return Exclusions()
    kept = click.get_current_context().meta
    if _KEPT not in kept:
        held = Exclusions.from_bytes(_whole(path, "exclusions"))
        if not held:
            raise InvalidError("the file of excluded terms holds none", subject="exclusions")
        kept[_KEPT] = held
    exclusions: Exclusions = kept[_KEPT]
    return exclusions


def _whole(path: str, what: str) -> bytes:
    """All of a file. A part of it would let pass what stands in the rest."""
    content = read_bytes(path, what)
    if len(content) > MAX_BYTES:
        raise InvalidError(f"{what} is larger than {MAX_BYTES} bytes", subject=what)
    return content


def read_settings(
    web_file: str | None, search_url: str | None = None, service: str | None = None
) -> "Settings":
    """The settings of the option's file or the environment's, with what is named beside it.

    Another `service` than theirs has its own address: none of it, nor a key, goes to the one that they name.
    """
    from providers.web.search.adapter import Options
    from providers.web.settings import Settings, read

    path = os.environ.get(WEB_VARIABLE) or None if web_file is None else web_file
    settings = Settings() if path is None else read(_whole(path, "settings"), path)
    if service and service != settings.service:
        settings = replace(settings, service=service, url="", options=Options())
    # An address in the environment speaks of the usual service, not of one that a file names.
    url = search_url or (os.environ.get(SEARCH_VARIABLE) if not settings.configured else None)
    return replace(settings, url=url) if url else settings


def names_web(web_file: str | None, search_url: str | None) -> bool:
    """Whether anything here says that the web is to be searched."""
    return bool(
        web_file is not None or search_url or os.environ.get(WEB_VARIABLE) or os.environ.get(SEARCH_VARIABLE)
    )


def keep_back(stated: object, exclusions_file: str | None = None) -> None:
    """Refuse what is stated, as JSON, when it holds an excluded term: before it is read, written or sent.

    Raises InvalidError, which names the field and never what stands in it.
    """
    if exclusions_file is None and not os.environ.get(EXCLUSIONS_VARIABLE):
        return
    from providers.web.screening import holds

    exclusions = read_exclusions(exclusions_file)
    for where, text in _texts(stated, ""):
        if holds(text, exclusions):
            raise InvalidError(f"{where} holds an excluded term; nothing was recorded", subject=where)


def _texts(value: object, where: str) -> Iterator[tuple[str, str]]:
    """Every text of a JSON value with its place; a name comes before it is part of a place."""
    if isinstance(value, str):
        yield where or "the request", value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield where or "a name", name
            yield from _texts(one, f"{where}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _texts(one, f"{where}[{number}]")

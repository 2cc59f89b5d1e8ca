"""Options that several commands share, and the engine that they describe."""

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ledger.places import Place, place
from schemas.canonical import ALGORITHMS, DEFAULT_ALGORITHM, Algorithm, digest_bytes
from schemas.errors import NotFoundError, UsageError
from schemas.ledger import OPENED

if TYPE_CHECKING:  # a command that checks a ledger needs no engine
    from evidence.engine import Engine
    from ledger.signing import Signing
    from ledger.store import Ledger, Opening
    from providers.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])

LEDGER_VARIABLE = "EXTERNAL_EVIDENCE_LEDGER"
LIBRARY_VARIABLE = "EXTERNAL_EVIDENCE_LIBRARY"
CORPUS_VARIABLE = "EXTERNAL_EVIDENCE_CORPUS"
INDEX_VARIABLE = "EXTERNAL_EVIDENCE_CORPUS_INDEX"
SERVICE_VARIABLE = "EXTERNAL_EVIDENCE_STANDARDS_URL"
ACTOR_VARIABLE = "EXTERNAL_EVIDENCE_ACTOR"
KEY_VARIABLE = "EXTERNAL_EVIDENCE_LEDGER_KEY"
DEFAULT_FOLDER = ".external-evidence"
_ACTOR = r"[A-Za-z0-9_.:@/+-]{1,128}"


def system_clock() -> datetime:
    """The real time, in UTC."""
    return datetime.now(UTC)


def format_option(*choices: str) -> Callable[[F], F]:
    """`--format`: JSON when piped, text on a terminal, unless chosen."""
    return click.option(
        "--format",
        "chosen_format",
        type=click.Choice(["json", "text", *choices]),
        help="Answer as JSON or as text; without it, text on a terminal and JSON when piped.",
    )


def ledger_options(command: F) -> F:
    """`--ledger` and `--no-ledger`."""
    command = click.option(
        "--no-ledger", is_flag=True, help="Work on artifacts alone; record nothing, look nothing up."
    )(command)
    return click.option(
        "--ledger",
        "ledger_path",
        metavar="FILE|URL",
        help=f"The ledger, a file or postgresql://…; else ${LEDGER_VARIABLE},"
        f" else {DEFAULT_FOLDER}/ledger.sqlite3 here.",
    )(command)


def writer_options(command: F) -> F:
    """The ledger options, and `--actor`: who takes the step."""
    command = click.option(
        "--actor", metavar="NAME", help=f"Who takes this step; else ${ACTOR_VARIABLE}, else the user's name."
    )(command)
    return ledger_options(key_option(command))


def key_option(command: F) -> F:
    """`--key`: the file of the key that signs the ledger; `open_ledger` finds it in the context."""
    return click.option(
        "--key",
        metavar="FILE",
        expose_value=False,
        callback=_keep_key,
        help=f"The key that signs the ledger; else ${KEY_VARIABLE}, else the ledger has none.",
    )(command)


def _keep_key(context: click.Context, _: click.Parameter, given: str | None) -> None:
    context.meta[KEY_VARIABLE] = given


def key_path() -> Path | None:
    """Where the ledger's key is: the option, the environment, or nowhere."""
    given = click.get_current_context().meta.get(KEY_VARIABLE) or os.environ.get(KEY_VARIABLE)
    return Path(given) if given else None


def signing_key() -> "Signing | None":
    """The key that signs the ledger; None, and nothing that signs is imported, when nobody names one."""
    path = key_path()
    if path is None:
        return None
    from ledger.signing import Signing

    return Signing.load(path)


def corpus_option(command: F) -> F:
    """`--corpus`: the file of the corpus."""
    return click.option(
        "--corpus",
        "corpus_file",
        metavar="FILE",
        help=f"The corpus of regulations (法规语料库); else ${CORPUS_VARIABLE}.",
    )(command)


def corpus_path(given: str | None) -> str | None:
    """Where the corpus is, None when nobody says."""
    return given or os.environ.get(CORPUS_VARIABLE) or None


def index_option(command: F) -> F:
    """`--index`: the search index of the corpus in PostgreSQL; `index_url` reads it."""

    def keep(context: click.Context, _parameter: click.Parameter, given: str | None) -> None:
        context.meta[INDEX_VARIABLE] = given

    return click.option(
        "--index",
        metavar="URL",
        expose_value=False,
        callback=keep,
        help="The search index of the corpus in PostgreSQL, postgresql://…, for many machines;"
        f" else ${INDEX_VARIABLE}, else beside the corpus.",
    )(command)


def index_url() -> str | None:
    """Where the search index is, None when it lies beside the corpus."""
    given: str | None = click.get_current_context().meta.get(INDEX_VARIABLE)
    return given or os.environ.get(INDEX_VARIABLE) or None


def provider_options(command: F) -> F:
    """Where provider rows come from: the library of the built-in method, and inventory files."""
    from evidence.doors.web_settings import exclusions_option, search_option, web_option

    for option in (
        click.option(
            "--no-builtin", is_flag=True, help="Take only the rows of the files, not the built-in providers."
        ),
        click.option(
            "--connector-registry",
            "registry_files",
            metavar="FILE",
            multiple=True,
            help="A connector_registry_v1 file; its rows are inventory only, never ready. Repeatable.",
        ),
        click.option(
            "--providers",
            "provider_files",
            metavar="FILE",
            multiple=True,
            help="A provider inventory: rows observed by whoever wrote the file. Repeatable.",
        ),
        click.option(
            "--standards-service",
            "standards_service",
            metavar="URL",
            help=f"A standards service to ask as connector:standards-service; else ${SERVICE_VARIABLE}.",
        ),
        web_option,
        search_option,
        exclusions_option,
        corpus_option,
        index_option,
        click.option(
            "--library",
            metavar="FILE",
            help=f"The standards library (CSV); else ${LIBRARY_VARIABLE}, else the starter library.",
        ),
    ):
        command = option(command)
    return command


def digest_option(command: F) -> F:
    """`--digest`: the algorithm of new identities."""
    return click.option(
        "--digest",
        "algorithm",
        type=click.Choice(list(ALGORITHMS)),
        default=DEFAULT_ALGORITHM,
        show_default=True,
        help="The algorithm of new identities; an artifact that arrives keeps its own.",
    )(command)


def ledger_place(given: str | None) -> Place:
    """Where the ledger is: the option, the environment, or the default below the working directory."""
    return place(given or os.environ.get(LEDGER_VARIABLE) or str(Path(DEFAULT_FOLDER) / "ledger.sqlite3"))


def ledger_path(given: str | None) -> Path:
    """The same for who looks at files; UsageError where the ledger is in a database."""
    found = ledger_place(given)
    if not isinstance(found, Path):
        raise UsageError(f"{found} is no file, and this looks at files", subject="--ledger")
    return found


def beside_ledger(given: str | None) -> Path:
    """The folder of what is kept beside the ledger; beside one in a database, the default folder here."""
    found = ledger_place(given)
    return found.parent if isinstance(found, Path) else Path(DEFAULT_FOLDER)


def open_ledger(given: str | None, no_ledger: bool, *, create_as: str | None = None) -> "Ledger | None":
    """The ledger to write to, closed when the command ends; None with `--no-ledger`.

    Only with `create_as`, the actor's name, is a missing one made; else it raises NotFoundError.
    """
    if no_ledger:
        if given:
            raise UsageError("--ledger and --no-ledger exclude each other", subject="--no-ledger")
        return None
    from ledger.places import open_ledger as open_at

    where = ledger_place(given)
    begin = None
    if isinstance(where, Path):  # a database is begun by `ledger init` only
        if create_as is None and not where.exists():
            raise NotFoundError(
                f"there is no ledger at {where}",
                subject=str(where),
                hint="`plan` makes one; name another with --ledger, or work on files alone with --no-ledger",
            )
        begin = None if create_as is None else opening(create_as)
    ledger = open_at(where, system_clock, create=begin, signing=signing_key())
    click.get_current_context().call_on_close(ledger.close)
    return ledger


def opening(actor: str) -> "Opening":
    """How a new ledger begins."""
    from ledger.store import Opening
    from schemas.published import schema_bytes

    return Opening(actor, digest_bytes(schema_bytes(OPENED)))


def actor_name(given: str | None) -> str:
    """Who acts; raises UsageError for a name that a record cannot hold."""
    name = given or os.environ.get(ACTOR_VARIABLE)
    if name is None:
        import getpass

        try:
            name = re.sub(r"[^A-Za-z0-9_.:@/+-]", "_", getpass.getuser())[:128] or "unknown"
        except (KeyError, OSError):  # no user database entry; an OSError from Python 3.13 on
            name = "unknown"
    if re.fullmatch(_ACTOR, name) is None:
        raise UsageError(
            f"--actor must be 1-128 characters of A-Z a-z 0-9 _ . : @ / + -, found {name!a}",
            subject="--actor",
        )
    return name


def open_library(given: str | None) -> Any:
    """The standards library: the option, the environment, or the starter library."""
    from providers.standards.library import load, starter

    path = given or os.environ.get(LIBRARY_VARIABLE)
    return load(path) if path else starter()


def engine(
    ledger: "Ledger | None",
    registry: "Registry | None" = None,
    actor: str | None = None,
    algorithm: str = DEFAULT_ALGORITHM,
    timeout_seconds: float | None = None,
) -> "Engine":
    """The engine on the real clock; it waits as long as it does by itself, unless told."""
    from evidence.engine import DEFAULT_TIMEOUT_SECONDS, Engine
    from providers.registry import Registry

    return Engine(
        registry=registry or Registry(),
        clock=system_clock,
        ledger=ledger,
        actor=actor_name(actor),
        algorithm=cast(Algorithm, algorithm),
        timeout_seconds=DEFAULT_TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds,
    )

"""The command that serves the standards library over HTTP."""

import os
from pathlib import Path
from typing import Any

import click
import orjson

from evidence.doors import output
from evidence.doors.options import DEFAULT_FOLDER, LIBRARY_VARIABLE, format_option, system_clock
from schemas.dates import instant
from schemas.errors import NotReadyError

MEGABYTE = 1_000_000
LOG_VARIABLE = "EXTERNAL_EVIDENCE_STANDARDS_LOG"


def log_folder(given: str | None) -> Path:
    """Where the query log is: the option, the environment, or the default below the working directory."""
    return Path(given or os.environ.get(LOG_VARIABLE) or Path(DEFAULT_FOLDER) / "standards-log")


@click.command(epilog="SIGHUP reloads the library, SIGTERM and SIGINT stop; requests under way are answered.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address opens it to others.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8077, show_default=True, help="0 for any free port."
)
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes.")
@click.option("--library", metavar="FILE", help=f"A CSV library; else ${LIBRARY_VARIABLE}, else the starter.")
@click.option(
    "--log-dir",
    metavar="DIR",
    help=f"The query log; else ${LOG_VARIABLE}, else {DEFAULT_FOLDER}/standards-log.",
)
@click.option(
    "--log-mb",
    type=click.FloatRange(0.001, 10_000),
    default=64,
    show_default=True,
    help="A file's largest size.",
)
@click.option(
    "--log-days",
    "log_days",
    type=click.IntRange(0),
    default=180,
    show_default=True,
    help="Days kept; 0 for ever.",
)
@click.option(
    "--poll",
    "poll_seconds",
    type=click.FloatRange(0, 86_400),
    default=2.0,
    show_default=True,
    help="Seconds between looks at the library file; 0 for never.",
)
@click.option(
    "--grace",
    "grace_seconds",
    type=click.FloatRange(1, 600),
    default=30,
    show_default=True,
    help="Seconds to end requests.",
)
@click.option("--echo", type=click.Choice(["body", "queries"]), hidden=True)
@format_option()
def serve(
    library: str | None, log_dir: str | None, log_mb: float, chosen_format: str | None, **given: Any
) -> int:
    """Answer POST /v1/search from the library until told to stop; events go to stderr.

    Also GET /healthz, /readyz and /openapi.json. Needs the extra `server`.
    """
    try:
        from providers.standards.service.settings import Settings
        from providers.standards.service.supervisor import Supervisor
    except ModuleNotFoundError as error:
        raise _missing(error) from error
    as_json = output.wants_json(chosen_format)
    settings = Settings(
        log_folder=log_folder(log_dir).absolute(),
        library=library or os.environ.get(LIBRARY_VARIABLE) or None,
        log_bytes=int(log_mb * MEGABYTE),
        **given,
    )
    Supervisor(settings, lambda event: output.print_notice(_told(event, as_json))).run()
    return 0


def _missing(error: ModuleNotFoundError) -> NotReadyError:
    from providers.standards.extras import reinstall

    return NotReadyError(
        f"serving needs {error.name}, which is not installed",
        subject="serve",
        hint=reinstall("server"),
    )


def _told(event: dict[str, Any], as_json: bool) -> str:
    event = {"time": instant(system_clock()), **event}
    if as_json:
        return orjson.dumps(output.escape_surrogates(event)).decode()
    (_, time), (_, name), *facts = event.items()
    return "  ".join([time, name.replace("_", " "), *(f"{key} {value}" for key, value in facts)])

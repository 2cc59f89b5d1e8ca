"""`external-evidence`: the command line. Each command's code is imported only when it is called."""

import importlib
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from evidence.doors import output
from schemas.errors import EvidenceError, StorageError, UsageError

COMMANDS = {
    "discover": "evidence.doors.lifecycle:discover",
    "plan": "evidence.doors.lifecycle:plan",
    "execute": "evidence.doors.lifecycle:execute",
    "receipt": "evidence.doors.lifecycle:receipt",
    "admit": "evidence.doors.lifecycle:admit",
    "readback": "evidence.doors.lifecycle:readback",
    "retire": "evidence.doors.lifecycle:retire",
    "audit": "evidence.doors.audit:audit",
    "standards": "evidence.doors.standards:standards",
    "schema": "evidence.doors.schema:schema",
    "rpc": "evidence.doors.serve:rpc",
    "demo": "evidence.doors.demo:demo",
    "doctor": "evidence.doors.doctor:doctor",
}
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that imports a command when it is named, so that a start costs one command."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command = getattr(importlib.import_module(module), name)
        return command if isinstance(command, click.Command) else None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 ok, 1 a valid but negative answer, 2 usage, 3 refused, 4 not found or not ready, "
    "5 integrity, 75 try again, 130 interrupted.",
)
@click.version_option(package_name="external-evidence", message="%(prog)s %(version)s")
def cli() -> None:
    """Turn a decision-bound question into evidence whose whole life can be checked.

    discover, plan, execute, receipt, admit, readback, retire: every step is recorded, and
    `audit replay` recomputes every id and every transition.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its status; no bad input ends in a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(run(given))


def run(arguments: list[str]) -> int:
    """The exit status of one command; errors are printed to stderr as the answer's format wants."""
    try:
        status = cli.main(args=arguments, prog_name="external-evidence", standalone_mode=False)
    except click.exceptions.Exit as request:
        status = request.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        output.print_notice("interrupted")
        status = INTERRUPTED
    except click.ClickException as error:
        status = _fail(_usage(error), arguments)
    except EvidenceError as error:
        status = _fail(error, arguments)
    except BrokenPipeError:
        output.discard_stdout()
        status = output.READER_LEFT
    except OSError as error:
        what = f"{error.strerror or error}: {error.filename or 'unnamed file'}"
        status = _fail(StorageError(what), arguments)
    return status if isinstance(status, int) else 0


def _fail(error: EvidenceError, arguments: list[str]) -> int:
    output.print_error(error, output.wants_json(_chosen(arguments)))
    return error.exit_status


def _usage(error: click.ClickException) -> UsageError:
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context is not None else None
    return UsageError(error.format_message(), hint=hint)


def _chosen(arguments: list[str]) -> str | None:
    for place, argument in enumerate(arguments):
        if argument.startswith("--format="):
            return argument.partition("=")[2]
        if argument == "--format" and place + 1 < len(arguments):
            return arguments[place + 1]
    return None

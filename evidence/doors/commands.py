"""All commands, and what the error of one becomes. A command's code is imported only when it is called."""

import os

import click

from evidence.doors import output
from evidence.doors.lazy import LazyGroup
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
    "ledger": "evidence.doors.ledger:ledger",
    "standards": "evidence.doors.standards:standards",
    "web": "evidence.doors.web:web",
    "regulations": "evidence.doors.regulations:regulations",
    "schema": "evidence.doors.schema:schema",
    "rpc": "evidence.doors.serve:rpc",
    "demo": "evidence.doors.demo:demo",
    "doctor": "evidence.doors.doctor:doctor",
}
NAME = "external-evidence"
COMPLETION = "_EXTERNAL_EVIDENCE_COMPLETE"
FORMATS = ("json", "text", "markdown")


class StoppedError(EvidenceError):
    """Somebody interrupted the command; what was not finished was not written."""

    code = "interrupted"
    exit_status = 130
    retryable = True


def _show_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"{NAME} {version(NAME)}")
        context.exit()


@click.group(
    cls=LazyGroup,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit status: 0 ok, 1 a valid but negative answer, 2 usage, 3 refused, 4 not found or not ready, "
    "5 integrity, 75 try again, 130 interrupted.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Turn a decision-bound question into evidence whose whole life can be checked.

    discover, plan, execute, receipt, admit, readback, retire: every step is recorded, and
    `audit replay` recomputes every id and every transition.
    """


def prepare(arguments: list[str]) -> None:
    """Import the command that is named, so that no interrupt falls into an import and becomes its error."""
    cli.prepare(arguments)


def run(arguments: list[str]) -> int:
    """The exit status of one command; errors are printed to stderr as the answer's format wants.

    Only KeyboardInterrupt comes out.
    """
    output.escape_what_streams_lack()
    try:
        status = _call(arguments)
    except click.exceptions.Exit as request:
        status = request.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        status = _show_help(error, arguments)
    except click.ClickException as error:
        status = _fail(_usage(error), arguments)
    except EvidenceError as error:
        status = _fail(error, arguments)
    except BrokenPipeError:
        output.discard_stdout()
        status = output.READER_LEFT
    except OSError as error:
        output.discard_stdout()  # it may be what failed, and nothing more is written there
        status = _fail(StorageError(_told(error)), arguments)
    return status if isinstance(status, int) else 0


def _call(arguments: list[str]) -> object:
    if COMPLETION in os.environ:
        return cli.main(list(arguments), prog_name=NAME)
    # Not cli.main: it answers a reader that went away with 1, which means a negative answer here.
    with cli.make_context(NAME, list(arguments)) as context:
        return cli.invoke(context)


def _told(error: OSError) -> str:
    what = error.strerror or str(error)
    return what if error.filename is None else f"{what}: {error.filename!r}"


def interrupted(arguments: list[str]) -> int:
    """Tell that the command was interrupted; the exit status of that."""
    return _fail(StoppedError("interrupted; nothing is half-written"), arguments)


def _fail(error: EvidenceError, arguments: list[str]) -> int:
    output.print_error(error, output.wants_json(_chosen(arguments)))
    return error.exit_status


def _show_help(error: click.exceptions.NoArgsIsHelpError, arguments: list[str]) -> int:
    if output.wants_json(_chosen(arguments)):
        return _fail(_usage(click.UsageError("a command is missing", error.ctx)), arguments)
    output.print_notice(error.format_message())
    return UsageError.exit_status


def _usage(error: click.ClickException) -> UsageError:
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context is not None else None
    return UsageError(" ".join(error.format_message().split()), hint=hint)


def _chosen(arguments: list[str]) -> str | None:
    chosen = None
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument.startswith("--format="):
            chosen = argument.partition("=")[2]
        elif argument == "--format" and place + 1 < len(arguments):
            chosen = arguments[place + 1]
    # What is no format at all is the error that is to be told.
    return chosen if chosen in FORMATS else None

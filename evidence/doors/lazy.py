"""Groups of commands whose code is imported only when it is called."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports a command when it is named, so that a start costs one command.

    `places` says of each command where it is, as `module:name`.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.places = places
        _say_help(self)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        return self._load(cmd_name)

    def prepare(self, arguments: Sequence[str]) -> None:
        """Import the command that is named first, and so on while that is a group of this kind."""
        command = self._load(arguments[0]) if arguments else None
        if isinstance(command, LazyGroup):
            command.prepare(arguments[1:])

    def _load(self, name: str) -> click.Command | None:
        place = self.places.get(name)
        if place is None:
            return None
        module, _, attribute = place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            return None
        _say_help(command)
        return command


def _say_help(command: click.Command) -> None:
    """Let the command have `-h` with a text of ours: each start would look for translations of click's."""
    if command.add_help_option:
        command.add_help_option = False
        told = "Show this message and exit."
        names = ["-h", "--help"]
        command.params.append(
            click.Option(
                names, is_flag=True, is_eager=True, expose_value=False, callback=_show_help, help=told
            )
        )


def _show_help(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        click.echo(context.get_help(), color=context.color)
        context.exit()

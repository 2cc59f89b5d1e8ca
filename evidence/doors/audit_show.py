"""`audit show` and `audit diff`: what one id names, and what two ledgers say differently."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.audit_places import ledger_option, reading
from evidence.doors.options import format_option
from schemas.errors import IntegrityError

if TYPE_CHECKING:
    from evidence.story import Story

FORKED_STATUS = 1


@click.command(
    epilog="Exit status 4: nothing has that id, or several ids begin so; 5: a body is missing or is not the "
    "one that its record names."
)
@click.argument("identity", metavar="ID")
@ledger_option
@format_option()
def show(identity: str, given: str | None, chosen_format: str | None) -> int:
    """Show what ID names: its records and its artifact.

    ID is any id or unique beginning of one, of a record, request, plan, receipt, observation, decision or
    body; or a record's number, as 12 or seq:12.
    """
    from evidence.plan_story import DAMAGED, MISSING
    from evidence.show import show as find
    from evidence.story import story

    with reading(given) as reader:
        shown = find(story(reader), identity)
    if output.wants_json(chosen_format):
        output.print_json(shown.to_wire())
    else:
        from evidence.rendering.show_text import render

        output.print_text(render(shown.to_wire()))
    return IntegrityError.exit_status if shown.body in (MISSING, DAMAGED) else 0


@click.command(
    epilog="Exit status 1: the two are not one history, they fork or have no record in common; 4: there is "
    "no such ledger or record."
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@ledger_option
@format_option()
def diff(a: str, b: str, given: str | None, chosen_format: str | None) -> int:
    """Compare two ledgers, or two states of one, in terms of decisions.

    A and B are each a ledger FILE or URL, a state of one as FILE@STATE or URL@STATE, or a state of the
    ledger of --ledger as @STATE. STATE is the number of the last record, or a time as 2026-03-04T05:06:07Z.
    """
    from evidence.diff import FORKED, OTHER
    from evidence.diff import diff as compare

    with ExitStack() as stack:
        told = compare(stack.enter_context(_state(a, given)), stack.enter_context(_state(b, given)))
    if output.wants_json(chosen_format):
        output.print_json(told.to_wire())
    else:
        from evidence.rendering.diff_text import render

        output.print_text(render(told.to_wire()))
    return FORKED_STATUS if told.relation in (FORKED, OTHER) else 0


@contextmanager
def _state(named: str, given: str | None) -> "Iterator[Story]":
    from evidence.diff import state_at
    from evidence.story import story

    file, moment = _divided(named)
    with reading(file or given) as reader:
        yield story(reader, state_at(reader, moment) if moment else None)


def _divided(named: str) -> tuple[str, str]:
    """The ledger and the state of it that `named` means; each is empty where it names none."""
    from evidence.diff import is_state
    from schemas.database_url import is_meant_as_url

    file, sign, moment = named.rpartition("@")
    # A path may hold the sign too: the last one divides, where the whole is no file. In a URL it also stands
    # behind the user's name, before the host.
    beyond = file.partition("://")[2]
    whole = not ("/" in beyond and is_state(moment)) if is_meant_as_url(named) else Path(named).exists()
    return (named, "") if whole or not sign else (file, moment)

"""The command that shows the published JSON Schemas."""

import click

from evidence.doors import output
from evidence.doors.options import format_option
from schemas.published import names, schema_bytes


@click.group()
def schema() -> None:
    """The JSON Schemas (2020-12) of every artifact."""


@schema.command()
@click.argument("name")
def show(name: str) -> int:
    """Print the schema NAME, or the one of a `schema_version`, byte for byte as it is published."""
    output.print_text(schema_bytes(name).decode("utf-8"))
    return 0


@schema.command("list")
@format_option()
def list_names(chosen_format: str | None) -> int:
    """Print the names of all schemas; as text one a line."""
    if output.wants_json(chosen_format):
        output.print_json({"schemas": list(names())})
    else:
        output.print_text("\n".join(names()))
    return 0

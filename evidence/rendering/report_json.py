"""An audit report as one JSON document, written plan by plan."""

from collections.abc import Iterator
from typing import Any

import orjson

from evidence.rendering.report_content import Made
from evidence.story import Story


def render(story: Story, replayed: dict[str, Any], judged: dict[str, Any], made: Made) -> Iterator[str]:
    """The report of `story`, a part at a time, with the wire forms of its replay and its verification."""
    head = {
        "schema_version": "external_evidence_report_v0",
        "made": made._asdict(),
        "verification": judged,
        "replay": replayed,
        "ledger": story.to_wire(),
        "erased": story.erased,
    }
    yield orjson.dumps(head).decode()[:-1]
    for name, parts in (
        ("events", (step.told() for step in story.events())),
        ("provider_calls", (step.told() for step in story.calls())),
        ("plans", (plan.to_wire() for plan in story.plans())),
    ):
        yield f',\n"{name}": ['
        for number, part in enumerate(parts):
            yield f"{',' if number else ''}\n{orjson.dumps(part).decode()}"
        yield "]"
    yield "}\n"

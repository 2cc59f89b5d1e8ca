"""What a connector would send, shown before it may."""

from collections.abc import Sequence

from evidence.doors import output
from providers.base import Outgoing, Withheld

_UNSENT = {"search": "不会发送 will not be sent", "fetch": "不会抓取 will not be fetched"}


def show_outgoing(
    outgoing: Sequence[Outgoing], withheld: Sequence[Withheld], chosen_format: str | None
) -> int:
    """Show what would leave and what of the plan would not, in the connector's words."""
    if output.wants_json(chosen_format):
        kept = {"withheld": [one.to_wire() for one in withheld]} if withheld else {}
        messages = [message.to_wire() for message in outgoing]
        output.print_json({"network_allowed": False, "outgoing": messages, **kept})
        return 1
    lines = [
        "未发送任何内容。加 --allow-network 后将发送： Nothing was sent. With --allow-network it would send:"
    ]
    lines += [f"发往 to {message.destination}:\n{message.content}" for message in outgoing]
    if not outgoing:
        lines.append("只读本机内容，什么也不发送 nothing: it reads what is here")
    lines += [f"{_UNSENT[one.kind]}: {one.what} — {one.reason}" for one in withheld]
    output.print_text("\n".join(lines))
    return 1

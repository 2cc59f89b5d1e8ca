"""What a connector would send, shown before it may."""

from collections.abc import Sequence

from evidence.doors import output
from providers.base import Outgoing, Withheld

_UNSENT = {"search": "不会发送 will not be sent", "fetch": "不会抓取 will not be fetched"}

_HEAD = "未发送任何内容。加 --allow-network 后将发送： Nothing was sent. With --allow-network it would send:"
# What a connector sends is its own word, so that each asks for the option, also one that sends nothing today.
_NOTHING = (
    "尚未执行。这个连接器只读本机内容，什么也不发送；但凡连接器都要写明 --allow-network 才执行。"
    " Not run yet. This connector reads what is here and sends nothing; still, every connector is run only"
    " with --allow-network."
)


def show_outgoing(
    outgoing: Sequence[Outgoing], withheld: Sequence[Withheld], chosen_format: str | None
) -> int:
    """Show what would leave and what of the plan would not, in the connector's words."""
    if output.wants_json(chosen_format):
        kept = {"withheld": [one.to_wire() for one in withheld]} if withheld else {}
        messages = [message.to_wire() for message in outgoing]
        output.print_json({"network_allowed": False, "outgoing": messages, **kept})
        return 1
    lines = [_HEAD if outgoing or withheld else _NOTHING]
    lines += [f"发往 to {message.destination}:\n{message.content}" for message in outgoing]
    lines += [f"{_UNSENT[one.kind]}: {one.what} — {one.reason}" for one in withheld]
    output.print_text("\n".join(lines))
    return 1

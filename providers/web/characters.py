"""Characters that no query holds: controls, those that turn the direction, and hidden text."""

import re

from providers.web import folding

# C0 and C1 but tab, LF and CR, as everywhere (lifecycle.md H2); line and paragraph separators; marks,
# embeddings, overrides and isolates of direction and the shapes deprecated with them; annotations; tags,
# and variation selectors in a row, which can spell text that nobody sees. One variation selector after
# a character is ordinary (葛󠄀, ✔️).
_REFUSED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb"
    "\U000e0000-\U000e007f]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}"
)


def refused(text: str) -> str | None:
    """Why `text` may not be sent for its characters, in words that do not repeat it; None if it may."""
    found = _REFUSED.search(text)
    if found is not None:
        point = ord(found[0][0])
        return (
            f"holds a control, bidirectional or hidden character, U+{point:04X} at position {found.start()}"
        )
    if not folding.kept(text).strip():
        return "has no visible character"
    return None

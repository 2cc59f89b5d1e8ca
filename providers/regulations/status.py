"""Legal status computed from dates at a day that is named (regulations.md section 8, E1 to E5)."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Final, Literal

from providers.regulations.edition import Edition

Status = Literal["尚未生效", "现行有效", "已修改", "已废止", "失效", "效力未知"]

SHANGHAI: Final = timezone(timedelta(hours=8), "Asia/Shanghai")
_FIRST: Final = "0000-00-00"
_NEVER: Final = "9999-99-99"


def today(now: datetime) -> str:
    """The day in Shanghai at `now`: the asOf when none is named."""
    return now.astimezone(SHANGHAI).date().isoformat()


def commencement(edition: Edition, path: str = "") -> str | None:
    """The day a node comes into force: its own, else that of a node above, else the edition's."""
    own = dict(edition.commencements)
    steps = path.split("/") if path else []
    for length in range(len(steps), 0, -1):
        day = own.get("/".join(steps[:length]))
        if day is not None:
            return day
    return edition.effective_from


def in_force(edition: Edition, as_of: str, path: str = "") -> bool | None:
    """Whether the edition, or one node of it, is in force on `as_of`; None when its dates are not known."""
    start = commencement(edition, path)
    if start is None:
        return None
    return start <= as_of < (edition.effective_to or _NEVER)


def legal_status(edition: Edition, editions: Iterable[Edition], as_of: str, path: str = "") -> Status:
    """The status on `as_of`; `editions` are all of the revision, among them those that followed."""
    start = commencement(edition, path)
    if start is None:
        return "效力未知"
    if as_of < start:
        return "尚未生效"
    if edition.effective_to is None or as_of < edition.effective_to:
        return "现行有效"
    return _ended(edition, editions, as_of)


def _ended(edition: Edition, editions: Iterable[Edition], as_of: str) -> Status:
    # How it ended is no date: the source's word tells a repeal from an amendment, else a successor does.
    if edition.claimed_status == "失效":
        return "失效"
    if edition.claimed_status == "已废止":
        return "已废止"
    followed = any(
        other.regulation_id == edition.regulation_id
        and other.edition_id != edition.edition_id
        and (edition.effective_to or _NEVER) <= (other.effective_from or _FIRST) <= as_of
        for other in editions
    )
    return "已修改" if followed or edition.claimed_status == "已修改" else "已废止"


def future(edition: Edition, editions: Iterable[Edition], as_of: str) -> list[Edition]:
    """The promulgated editions of the same regulation that are not in force yet, earliest first (E2)."""
    coming = [
        other
        for other in editions
        if other.regulation_id == edition.regulation_id and (other.effective_from or _FIRST) > as_of
    ]
    return sorted(coming, key=lambda other: (other.effective_from or _NEVER, other.edition_id))


def overlaps(editions: Sequence[Edition]) -> list[tuple[str, str]]:
    """Pairs of editions of one regulation that would be in force on one day (E3)."""
    found: list[tuple[str, str]] = []
    ordered = sorted(
        (edition for edition in editions if edition.effective_from is not None),
        key=lambda one: (one.regulation_id, one.effective_from or "", one.edition_id),
    )
    for at, first in enumerate(ordered):
        for second in ordered[at + 1 :]:
            if second.regulation_id != first.regulation_id:
                break
            if (second.effective_from or "") < (first.effective_to or _NEVER):
                found.append((first.edition_id, second.edition_id))
    return found


def gaps(editions: Sequence[Edition]) -> list[tuple[str, str]]:
    """Pairs of neighbouring editions between which a regulation was not in force (E3: reported, allowed)."""
    ordered = sorted(
        (edition for edition in editions if edition.effective_from is not None),
        key=lambda one: (one.regulation_id, one.effective_from or "", one.edition_id),
    )
    return [
        (first.edition_id, second.edition_id)
        for first, second in pairwise(ordered)
        if first.regulation_id == second.regulation_id
        and first.effective_to is not None
        and first.effective_to < (second.effective_from or "")
    ]

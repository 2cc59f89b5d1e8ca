"""What a manifest claims of an edition, held against its own text and dates: a claim is not a fact.

An amended text keeps its first commencement, so a date in the text never replaces the edition's; it
is told (regulations.md section 0).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from providers.regulations import doc_no, status
from providers.regulations.edition import Edition
from providers.regulations.lines import Cleaned, Line
from schemas.text import legible

NEVER_IN_FORCE: Final = "repealed before it is effective"
# What a manifest calls the dates of an edition.
_FIELDS: Final = {"promulgated_on": "issued", "effective_from": "effective", "effective_to": "repealed"}
_COMMENCES: Final = re.compile(
    r"自\s*([0-9]{4})\s*年\s*([0-9]{1,2})\s*月\s*([0-9]{1,2})\s*日\s*起\s*(?:施行|实施|执行|生效)"
)
_OWN: Final = re.compile("本(?:法|条例|办法|规定|细则|解释|公告|通告|决定|规则|标准)")
_FRONT: Final = re.compile(r"\s*(?:effective_date|date|施行日期)\s*:\s*['\"]?([0-9]{4}-[0-9]{2}-[0-9]{2})")


def of_title(edition: Edition, title: Sequence[Line]) -> Iterator[tuple[str, int, str]]:
    """Whether the document is headed as the manifest says: another file under the name is seen here first."""
    for line in title:
        if "".join(line.text.split()) != "".join(edition.title.split()):
            yield "title differs", line.number, legible(line.text, 60)


def of_text(edition: Edition, cleaned: Cleaned) -> Iterator[tuple[str, int, str]]:
    """Kind, line and detail of every claim that the document itself does not bear out."""
    key = edition.doc_no_key
    if key and not any(key in doc_no.fold(line) for line in cleaned.source):
        yield "document number not in the file", 0, edition.doc_no
    effective = edition.effective_from
    for line in cleaned.lines:
        match = _COMMENCES.search(line.text)
        if match is None or not effective or not _OWN.search(line.text[: match.start()]):
            continue
        year, month, day = (int(part) for part in match.groups())
        printed = f"{year:04}-{month:02}-{day:02}"
        if printed != effective:
            yield (
                "commencement in the text differs",
                line.number,
                f"正文 printed {printed}，清单 claimed {effective}",
            )
    for aside in cleaned.asides:
        match = _FRONT.match(aside.text) if aside.reason == "front matter" else None
        if match is not None and match[1] not in (effective, edition.promulgated_on):
            yield "front matter names another date", aside.number, match[1]


def of_dates(edition: Edition) -> Iterator[tuple[str, int, str]]:
    """What the dates of one edition say against each other, and against its id."""
    issued, effective, repealed = edition.promulgated_on, edition.effective_from, edition.effective_to
    if effective and repealed and repealed <= effective:
        yield NEVER_IN_FORCE, 0, f"失效 repealed {repealed}，施行 effective {effective}"
    if issued and effective and effective < issued:
        yield "effective before issued", 0, f"施行 effective {effective}，公布 issued {issued}"
    day = edition.key.partition(".")[0]
    named = day if len(day) == len("2000-01-01") else day[: len("2000")]
    if issued and not issued.startswith(named):
        yield "edition id names another day than issued", 0, f"{edition.edition_id}，公布 issued {issued}"
    for doubt in edition.uncertain:
        name, _, printed = doubt.partition(" ")
        yield "date in doubt", 0, f"{_FIELDS.get(name, name)} {printed}"


def of_status(editions: Sequence[Edition]) -> Iterator[tuple[str, str, str]]:
    """Edition, kind and detail of every claimed status that the dates do not give on its own day."""
    for edition in editions:
        if not edition.claimed_status or not edition.status_as_of:
            continue
        computed = status.legal_status(edition, editions, edition.status_as_of)
        if computed != edition.claimed_status:
            detail = (
                f"来源称 claimed {edition.claimed_status}，"
                f"按日期推算 by its dates {computed}（{edition.status_as_of}）"
            )
            yield edition.edition_id, "claimed status differs", detail


def of_gaps(editions: Sequence[Edition]) -> Iterator[tuple[str, str, str]]:
    """Edition, kind and detail of every time in which no edition of a regulation was in force (E3)."""
    for first, second in status.gaps(editions):
        yield (
            first,
            "gap between editions",
            f"{second} 施行之前没有有效的版本 nothing is in force before {second}",
        )

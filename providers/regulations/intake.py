"""A manifest of source files, or loose files, as editions to import."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from providers.regulations.edition import Disclosure, Edition, is_date, is_key
from providers.regulations.importer import Asset
from providers.regulations.lines import MOST_BYTES
from providers.regulations.readers import reader_for
from schemas.errors import InvalidError, NotFoundError, StorageError
from schemas.outside import parse
from schemas.text import refused_character, shown

# What a manifest calls a field, and what an edition calls it.
_TEXTS: Final = {
    "title": "title",
    "kind": "kind",
    "doc_no": "doc_no",
    "edition_label": "label",
    "legal_status": "claimed_status",
    "status_as_of": "status_as_of",
    "source": "source",
    "source_licence": "source_licence",
    "rights": "rights",
    "withheld_reason": "withheld_reason",
    "note": "note",
}
_DATES: Final = {"issued": "promulgated_on", "effective": "effective_from", "repealed": "effective_to"}
_OTHERS: Final = frozenset(
    {"regulation_id", "edition_id", "file", "sha256", "bytes", "disclosure", "disclosure_suggested", "accept",
     "relations", "commencements"}
)  # fmt: skip
_TOP: Final = frozenset({"editions", "variants", "schema", "collected"})
_VARIANT: Final = frozenset({"edition_id", "variant", "file", "source", "sha256", "bytes", "note"})


@dataclass(frozen=True, slots=True)
class Source:
    """One edition with its assets, the primary one first."""

    edition: Edition
    assets: tuple[Asset, ...]


def read_sources(paths: Sequence[Path]) -> list[Source]:
    """The editions of `paths`: a manifest (`.json`) names files beside it, any other file is an edition.

    A loose file lies at `<regulation-id>/<edition-key>.<md|txt>`; its title is its first line. The order
    of paths and entries does not matter. Two sources for one edition are refused.
    """
    found: list[Source] = []
    for path in paths:
        found += _manifest(path) if path.suffix == ".json" else [_loose(path)]
    ids = [source.edition.edition_id for source in found]
    twice = sorted(one for one, times in Counter(ids).items() if times > 1)
    if twice:
        raise InvalidError(f"{twice[0]} 有两个主要来源 has two primary sources", subject=twice[0])
    return sorted(found, key=lambda source: source.edition.edition_id)


def _manifest(path: Path) -> list[Source]:
    wire = parse(_bytes(path), path.name)
    if not isinstance(wire, dict) or not isinstance(wire.get("editions"), list):
        raise InvalidError(
            f"{path.name} 不是清单 is no manifest: it has no list of editions", subject=path.name
        )
    _known(wire, _TOP, path.name)
    listed = wire.get("variants", [])
    if not isinstance(listed, list):
        raise InvalidError(f"variants 不是列表：variants of {path.name} is no list", subject="variants")
    variants: dict[str, list[Asset]] = {}
    for row in listed:
        known = _row(row, _VARIANT, path.name)
        variants.setdefault(str(known.get("edition_id")), []).append(_asset(path.parent, known))
    sources = []
    for row in wire["editions"]:
        known = _row(row, frozenset({*_TEXTS, *_DATES, *_OTHERS}), path.name)
        edition = _edition(known, path.name)
        primary = _asset(path.parent, known)
        sources.append(Source(edition, (primary, *variants.pop(edition.edition_id, []))))
    if variants:
        raise InvalidError(
            f"{path.name} has variants of {shown(min(variants))}, which it does not list 清单没有列出该版本",
            subject=path.name,
        )
    return sources


def _row(row: object, allowed: frozenset[str], where: str) -> dict[str, Any]:
    """A row with known names only: a misspelt `disclosure` must not publish what it would withhold."""
    if not isinstance(row, dict):
        raise InvalidError(f"{where} 有一项不是对象 has an entry that is no object", subject=where)
    _known(row, allowed, where)
    return cast(dict[str, Any], row)


def _known(row: dict[str, Any], allowed: frozenset[str], where: str) -> None:
    unknown = sorted(set(row) - allowed)
    if unknown:
        raise InvalidError(
            f"{where} 有未知的字段 has the unknown field {shown(unknown[0])}", subject=unknown[0]
        )


def _edition(row: dict[str, Any], where: str) -> Edition:
    regulation_id, _, key = _text(row, "edition_id").partition("@")
    if _text(row, "regulation_id") != regulation_id:
        raise InvalidError(
            f"{row['edition_id']} 与 regulation_id 不符 is no edition of {row['regulation_id']}",
            subject="edition_id",
        )
    texts = {ours: _text(row, theirs) for theirs, ours in _TEXTS.items()}
    dates, uncertain = _dates(row, where)
    commencements = _pairs(row, "commencements")
    for node, day in commencements:
        _check_day(day, f"commencements.{node}", row, where)
    level = _text(row, "disclosure") or _text(row, "disclosure_suggested")
    if not level:
        raise InvalidError(
            f"{row['edition_id']} 没有写披露级别 has no disclosure level", subject="disclosure"
        )
    if level == "withheld" and not texts["withheld_reason"]:
        raise InvalidError(
            f"{row['edition_id']} 不披露而没有写明原因 is withheld and has no withheld_reason",
            subject="withheld_reason",
        )
    return Edition(
        regulation_id=regulation_id,
        key=_key(key),
        disclosure=cast(Disclosure, level),
        uncertain=uncertain,
        accept=tuple(sorted(_list(row, "accept"))),
        relations=_pairs(row, "relations"),
        commencements=commencements,
        promulgated_on=dates["promulgated_on"],
        effective_from=dates["effective_from"],
        effective_to=dates["effective_to"],
        **texts,
    )


def _key(key: str) -> str:
    """Refused here and not in `Edition`: what was published under such a key is still read."""
    if not is_key(key):
        raise InvalidError(f"edition_id 的日期 {shown(key)} 不存在 names no day", subject="edition_id")
    return key


def _check_day(text: str, field: str, row: dict[str, Any], where: str) -> None:
    """A day is told by the name that the manifest gives it, with the edition and the file."""
    if is_date(text):
        return
    raise InvalidError(
        f"{where} 中 {row['edition_id']} 的 {field} {shown(text)} 不是日期，应写作 YYYY-MM-DD"
        f" is no date YYYY-MM-DD",
        subject=field,
    )


def _dates(row: dict[str, Any], where: str) -> tuple[dict[str, str | None], tuple[str, ...]]:
    """The dates of a row; a `?` says that the source doubts one, and what is then no date is left open."""
    dates: dict[str, str | None] = {}
    uncertain: list[str] = []
    for theirs, ours in _DATES.items():
        text = _text(row, theirs)
        if text.endswith("?"):
            uncertain.append(f"{ours} {text}")
            text = text[:-1] if len(text) == len("2000-01-01?") else ""
        if text:
            _check_day(text, theirs, row, where)
        dates[ours] = text or None
    return dates, tuple(uncertain)


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidError(f"{name} 不是文本：is {shown(value)}, not text", subject=name)
    return value.strip()


def _list(row: dict[str, Any], name: str) -> list[str]:
    value = row.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidError(f"{name} 不是文本列表 is no list of texts", subject=name)
    return value


def _pairs(row: dict[str, Any], name: str) -> tuple[tuple[str, str], ...]:
    value = row.get(name, {})
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise InvalidError(f"{name} 不是文本对象 is no object of texts", subject=name)
    return tuple(sorted(value.items()))


def _asset(folder: Path, row: dict[str, Any]) -> Asset:
    name = _text(row, "file")
    path = folder / name
    if not name or refused_character(name) is not None or not _is_beside(path, folder):
        raise InvalidError(f"文件不在清单旁边 file {shown(name)} is not beside its manifest", subject="file")
    asset = Asset(_bytes(path), name)
    size = row.get("bytes")
    if size is not None and (isinstance(size, bool) or size != len(asset.data)):
        raise InvalidError(
            f"{name} 不是清单所指的文件 is not the file that its manifest names: {len(asset.data)} bytes",
            subject=name,
        )
    declared = _text(row, "sha256")
    if declared and declared != asset.sha256:
        raise InvalidError(
            f"{name} 不是清单所指的文件 is not the file that its manifest names: sha256 {asset.sha256}",
            subject=name,
        )
    return asset


def _is_beside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links that go round in a circle: RuntimeError before Python 3.13
        return False


def _loose(path: Path) -> Source:
    asset = Asset(_bytes(path), path.name)
    return Source(_edition_of(path, asset), (asset,))


def _edition_of(path: Path, asset: Asset) -> Edition:
    _, reader = reader_for(asset.name)
    lines = reader(asset.data, asset.name).lines
    title = next((line.text for line in lines if line.heading_marks == 1), lines[0].text if lines else "")
    return Edition(
        regulation_id=path.absolute().parent.name,
        key=_key(path.stem),
        title=title,
        kind="",
        disclosure="full",
    )


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise NotFoundError(f"没有这个文件 no file at {path}", subject=str(path)) from error
    except OSError as error:
        raise StorageError(f"{path} 无法读取 cannot be read: {error}", subject=str(path)) from error
    if len(data) > MOST_BYTES:
        raise InvalidError(
            f"{path.name} 过大 has more than the {MOST_BYTES} bytes that are read", subject=path.name
        )
    return data

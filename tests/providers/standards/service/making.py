"""Small libraries to serve."""

import os
from pathlib import Path

from providers.standards.library import COLUMNS


def csv_text(*rows: tuple[str, ...]) -> bytes:
    """A library of (code, title, status, relation, date) rows; what a row lacks is blank."""
    lines = [",".join(COLUMNS)]
    for code, *rest in rows:
        title, status, relation, date = [*rest, "", "", "", ""][:4]
        lines.append(",".join([code, code.replace(" ", ""), title, status, f'"{relation}"', date]))
    return "\n".join([*lines, ""]).encode()


def numbered(generation: int) -> bytes:
    """A library in which every status names its generation: an answer tells which library gave it."""
    rows = [
        (f"GB {50000 + number}-2010", f"标准第{number}号技术规范", f"第{generation}代")
        for number in range(40)
    ]
    return csv_text(*rows)


def put(path: Path, content: bytes) -> None:
    """Put a whole file in the place of another, as a maintainer should."""
    aside = path.with_suffix(".new")
    aside.write_bytes(content)
    os.replace(aside, path)  # noqa: PTH105 - the same in one call

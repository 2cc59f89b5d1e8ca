"""The published JSON Schemas: their names, their records, and the bytes in `v0/`.

The bytes are what a ledger registers; `python -m schemas` writes them and a test compares them.
"""

import re
from pathlib import Path

from schemas.errors import NotFoundError

FOLDER = Path(__file__).parent / "v0"
LONGEST_NAME = 96  # a longer one is no schema's, and no file system's either
_VERSION = r"(?:loopx_)?external_evidence_([a-z_]+)_v0"


def names() -> list[str]:
    """The names of all published schemas, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def schema_bytes(name: str) -> bytes:
    """The published bytes of one schema, by its name or by the `schema_version` that artifacts state.

    Raises NotFoundError with the known names.
    """
    version = re.fullmatch(_VERSION, name)
    short = version.group(1) if version else name
    path = FOLDER / f"{short}.json"
    if len(short) > LONGEST_NAME or not short.replace("_", "").isalnum() or not path.is_file():
        raise NotFoundError(
            f"no schema is named {name!r}", subject=name, hint=f"known names: {', '.join(names())}"
        )
    return path.read_bytes()

"""Write the table of special addresses as code: `python -m tools.iana_special [REGISTRY.csv…]`.

`providers/web/capture/special.csv` holds the facts. With the two registries as IANA publishes them
(iana-ipv4-special-registry-1.csv, iana-ipv6-special-registry-1.csv) their rows are replaced first, and
AS_OF is to be set to the day on which they were fetched.
"""

import csv
import ipaddress
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / "providers" / "web" / "capture"
FACTS = HOME / "special.csv"
CODE = HOME / "special.py"
AS_OF = "2026-07-18"  # the state of both registries

Row = dict[str, str]
_COLUMNS = ("block", "name", "reference", "reachable", "source")
_HEAD = '''"""Addresses with a special purpose, written from special.csv by `python -m tools.iana_special`."""

# IANA's two special-purpose registries, multicast and deprecated blocks of the address spaces, and
# addresses of cloud services. One row: block, name, globally reachable.
AS_OF = "{as_of}"
'''


def main() -> None:
    """Write the facts and the code anew and say how many blocks they hold."""
    rows = facts()
    for registry in sys.argv[1:]:
        rows = replaced(rows, Path(registry))
    with FACTS.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    CODE.write_text(code(rows), encoding="utf-8")
    sys.stdout.write(f"{len(rows)} blocks\n")


def facts() -> list[Row]:
    """The committed rows."""
    with FACTS.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def replaced(rows: list[Row], registry: Path) -> list[Row]:
    """`rows` with those of one registry replaced by the file that IANA publishes."""
    source = registry.name.removesuffix("-1.csv")
    with registry.open(encoding="utf-8", newline="") as stream:
        new = [row for line in csv.DictReader(stream) for row in _blocks(line, source)]
    kept = [row for row in rows if row["source"] != source]
    return sorted([*kept, *new], key=_place)


def _place(row: Row) -> str:
    """The registries first, in the order of their names; the rest as it stands."""
    return row["source"] if row["source"].endswith("registry") else "z"


def _blocks(line: Row, source: str) -> Iterator[Row]:
    number = re.search(r"RFC([0-9]+)", line["RFC"])
    reachable = re.match("True|False", line["Globally Reachable"])
    for block in re.sub(r"\[[0-9]+\]", "", line["Address Block"]).split(","):
        yield {
            "block": block.strip(),
            "name": line["Name"].replace('"', ""),
            "reference": f"RFC {number[1]}" if number else "",
            "reachable": reachable[0] if reachable else "",
            "source": source,
        }


def code(rows: list[Row]) -> str:
    """The module that the fetcher imports; a block whose reachability is not stated is not reachable."""
    parts = [_HEAD.format(as_of=AS_OF)]
    for version in (4, 6):
        lines = [
            f'    ("{row["block"]}", "{row["name"]}", {row["reachable"] == "True"}),\n'
            for row in rows
            if ipaddress.ip_network(row["block"]).version == version
        ]
        parts.append(f"IPV{version} = (\n{''.join(lines)})\n")
    return "".join(parts)


if __name__ == "__main__":
    main()

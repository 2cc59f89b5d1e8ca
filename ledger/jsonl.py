"""A log as JSON Lines to read, search and count: a line each record, with its body beside it.

    {"body":…,"id":…,"record":{…}}

`body` is null where the body is gone. It is for reading: who verifies takes a bundle.
"""

from typing import BinaryIO

import orjson

from ledger.export import walk
from ledger.store import Reader
from schemas.outside import parse


def write_jsonl(reader: Reader, out: BinaryIO) -> None:
    """Write every record and body that `reader` sees; IntegrityError: the log does not hold together."""
    for stored in walk(reader):
        body = None if stored.body is None else parse(stored.body, "body")
        line = {"body": body, "id": stored.id, "record": stored.record.to_wire()}
        out.write(orjson.dumps(line) + b"\n")

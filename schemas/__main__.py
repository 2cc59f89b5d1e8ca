"""`python -m schemas`: write `v0/*.json` anew from the records; `--check` only compares."""

import json
import sys

from schemas.admission import Admission, Decision, Projection
from schemas.json_schema import schema_of
from schemas.ledger import Execution, LedgerOpened, LedgerRecord, ProviderCall, Supersession
from schemas.ledger_erasure import BodyErased
from schemas.ledger_keys import KeyRotated, LedgerRestored
from schemas.plan import ExecutionEnvelope, Plan
from schemas.provider import Discovery, ProviderRow
from schemas.published import FOLDER
from schemas.readback import Readback
from schemas.receipt import Receipt, ReceiptObservation
from schemas.record import Record
from schemas.request import Request
from schemas.retirement import Retirement

RECORDS: dict[str, type[Record]] = {
    "request": Request,
    "provider": ProviderRow,
    "discovery": Discovery,
    "plan": Plan,
    "execution_envelope": ExecutionEnvelope,
    "receipt": Receipt,
    "receipt_observation": ReceiptObservation,
    "decision": Decision,
    "projection": Projection,
    "admission": Admission,
    "readback": Readback,
    "retirement": Retirement,
    "ledger_record": LedgerRecord,
    "ledger_opened": LedgerOpened,
    "key_rotated": KeyRotated,
    "ledger_restored": LedgerRestored,
    "body_erased": BodyErased,
    "execution": Execution,
    "supersession": Supersession,
    "provider_call": ProviderCall,
}


def generated() -> dict[str, bytes]:
    """File name -> bytes of every schema."""
    return {
        f"{name}.json": (json.dumps(schema_of(record, name), ensure_ascii=False, indent=2) + "\n").encode()
        for name, record in RECORDS.items()
    }


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` say which of them differ; the exit status."""
    differing = []
    FOLDER.mkdir(exist_ok=True)
    for name, content in generated().items():
        path = FOLDER / name
        if path.is_file() and path.read_bytes() == content:
            continue
        differing.append(name)
        if "--check" not in arguments:
            path.write_bytes(content)
    for name in differing:
        print(name)  # noqa: T201 - a command line
    return 1 if differing and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Steps of whoever keeps a log, not of a life: their schema is registered with the first of each kind."""

from ledger.store import Appended, Draft, Head, Writer, registration
from schemas.canonical import digest_bytes
from schemas.errors import IntegrityError
from schemas.ledger import Subject
from schemas.published import schema_bytes


def registered(writer: Writer, schema: str, actor: str) -> Head:
    """The head after the schema was registered."""
    document = schema_bytes(schema)
    if not writer.has_schema(schema, digest_bytes(document)):
        writer.append(registration(actor, schema, document))
    head = writer.head()
    if head is None:
        raise IntegrityError("the first record is missing", subject="record")
    return head


def keep(
    writer: Writer,
    kind: str,
    schema: str,
    command: str,
    actor: str,
    body: bytes,
    subject: Subject | None = None,
) -> Appended:
    """Append the step; `command` tells it from every other of its kind."""
    stated = digest_bytes(schema_bytes(schema))
    return writer.append(Draft(kind, actor, command, subject or Subject(), schema, stated, body))

"""What every sink must do: hold admitted sources, give them back as they are stored, withdraw them."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from schemas.admission import Admission
from schemas.readback import Held, WriteBlocker
from schemas.receipt import Source


class Sink(Protocol):
    """A place where admitted evidence is used (lifecycle.md section 9).

    A sink that cannot be reached or written raises StorageError or BusyError, one whose bytes do not
    hold together IntegrityError; after any of them nothing is half-written.
    """

    name: ClassVar[str]

    def write(self, admission: Admission, sources: Sequence[Source], recorded_at: str) -> list[WriteBlocker]:
        """Hold each of `sources` for `admission`; every source that could not be held, and why.

        Idempotent per (admission_id, source_ref). A blocked source stops no other. A row that is there
        with another finding or lineage is a `conflict` and is left alone; one that was withdrawn
        becomes current again.
        """
        ...

    def withdraw(self, admission_id: str, by: str, recorded_at: str) -> int:
        """Mark what is held for `admission_id` as withdrawn by `by`; how many rows changed."""
        ...

    def held(self, plan_id: str) -> list[Held]:
        """Every sound row of one plan, withdrawn ones included, read afresh from the stored bytes."""
        ...

    def damaged(self, plan_id: str) -> list[WriteBlocker]:
        """What is stored and cannot be trusted, among it every damaged row of one plan."""
        ...

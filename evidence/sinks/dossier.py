"""The embedded sink: one SQLite file per research question, and the Markdown beside it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from evidence.lifecycle.admit import verify_admission
from evidence.lifecycle.readback import held_of
from evidence.sinks.database import named_errors, transaction
from evidence.sinks.dossier_markdown import render
from evidence.sinks.dossier_rows import Contents, Rows
from schemas.admission import Admission
from schemas.canonical import algorithm_of, is_digest
from schemas.errors import InvalidError, MismatchError
from schemas.readback import Held, WriteBlocker
from schemas.receipt import Source
from schemas.request import Request

PATIENCE_SECONDS = 10.0


class Dossier:
    """What is held for one research question, as a Sink (lifecycle.md section 9).

    Every call opens `dossier-<first 16 hex digits of the request id>.sqlite3` in `folder` anew, so what
    is read is what is stored. Reading never creates a file. `patience`: seconds to wait for another
    writer before BusyError.
    """

    name: ClassVar[str] = "dossier"

    def __init__(self, folder: Path, question: Request, patience: float = PATIENCE_SECONDS) -> None:
        request_id = question.request_id or ""
        if not is_digest(request_id) or question.identity(algorithm_of(request_id)) != request_id:
            raise MismatchError(
                "request.request_id is not the digest of the request", subject="request.request_id"
            )
        if "\0" in str(folder):
            raise InvalidError("the dossier folder holds a NUL character", subject="folder")
        stem = f"dossier-{request_id.partition(':')[2][:16]}"
        self.question = question
        self.path = folder / f"{stem}.sqlite3"
        self.document = folder / f"{stem}.md"
        self._patience = patience

    def write(self, admission: Admission, sources: Sequence[Source], recorded_at: str) -> list[WriteBlocker]:
        """Hold each of `sources`, then write the Markdown anew; see Sink.write.

        A damaged row of the same key is written again from `admission`. When only the Markdown cannot be
        written, an error says so although the rows are held; writing again makes up for it.
        """
        verify_admission(admission)
        if admission.request_id != self.question.request_id:
            raise MismatchError(
                f"admission.request_id is {admission.request_id}; the dossier's question is "
                f"{self.question.request_id}",
                subject="admission.request_id",
            )
        with named_errors(self.path.parent):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._writing() as rows:
            rows.begin()
            rows.put_admission(admission)
            found = [_put(rows, admission, source, recorded_at) for source in sources]
        self.render()
        return [blocker for blocker in found if blocker is not None]

    def withdraw(self, admission_id: str, by: str, recorded_at: str) -> int:
        """Mark the current entries of `admission_id` as withdrawn by `by`; how many changed."""
        if not self._exists():
            return 0
        changed = 0
        with self._writing() as rows:
            for number, held in rows.contents().entries if rows.present() else ():
                if held.admission_id == admission_id and held.withdrawn is None:
                    rows.put(held.replace(withdrawn=by, recorded_at=recorded_at), number)
                    changed += 1
        self.render()
        return changed

    def held(self, plan_id: str) -> list[Held]:
        """Every sound entry of one plan, withdrawn ones included, in order of arrival."""
        return [held for _, held in self._contents().entries if held.plan_id == plan_id]

    def damaged(self, plan_id: str) -> list[WriteBlocker]:
        """A damaged question or admission, the damaged entries of this plan, a Markdown that is another."""
        contents = self._contents()
        damages = [
            WriteBlocker(source_ref=damage.source_ref, code="damaged", reason=damage.reason)
            for damage in contents.damaged
            if damage.plan_id in (None, plan_id)
        ]
        if self._exists() and not contents.damaged and not self._document_is(contents):
            reason = f"{self.document.name} is not what the rows say; `readback --execute` writes it anew"
            damages.append(WriteBlocker(source_ref=None, code="damaged", reason=reason))
        return damages

    def _document_is(self, contents: Contents) -> bool:
        expected = render(self.question, contents).encode("utf-8")
        with named_errors(self.document):
            return self.document.is_file() and self.document.read_bytes() == expected

    def render(self) -> None:
        """Write the Markdown from the rows, replacing the file as a whole and only if it changes."""
        if not self._exists():
            return
        # Under the write lock, so that of two writers the one that renders last has seen both.
        with self._writing() as rows:
            if rows.present():
                document = render(self.question, rows.contents()).encode("utf-8")
                with named_errors(self.document):
                    _replace(self.document, document)

    def _contents(self) -> Contents:
        if not self._exists():
            return Contents((), {}, ())
        with transaction(self.path, self._patience, write=False) as connection:
            rows = Rows(connection, self.question, self.path)
            return rows.contents() if rows.present() else Contents((), {}, ())

    @contextmanager
    def _writing(self) -> Iterator[Rows]:
        with transaction(self.path, self._patience, write=True) as connection:
            yield Rows(connection, self.question, self.path)

    def _exists(self) -> bool:
        with named_errors(self.path):
            return self.path.exists()


def _put(rows: Rows, admission: Admission, source: Source, recorded_at: str) -> WriteBlocker | None:
    ref = source.source_ref
    if source not in admission.downstream_projection.sources:
        return WriteBlocker(
            source_ref=ref, code="not_admitted", reason="the admission projects no such source"
        )
    wanted = held_of(admission, source, recorded_at)
    stored = rows.entry(wanted.admission_id, ref)
    if stored is None:
        rows.put(wanted)
        return None
    number, entry = stored
    if isinstance(entry, Held):
        if entry.replace(withdrawn=None, recorded_at=recorded_at) != wanted:
            return WriteBlocker(
                source_ref=ref,
                code="conflict",
                reason=f"entry {number} of this admission and reference holds another finding or lineage",
            )
        if entry.withdrawn is None:
            return None
    rows.put(wanted, number)
    return None


def _replace(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)  # what a killed writer left, or a link to somebody's file
        with part.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise

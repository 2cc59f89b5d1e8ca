"""How a log in PostgreSQL is begun, with the tables where they are not there.

A key's first checkpoint is put beside it (KEY.checkpoint) before the log is committed: so one key begins one
log, in whatever databases it is tried at once. Who is killed in between has used up a key, nothing else.
"""

import os
from typing import TYPE_CHECKING

from ledger.files import claim, disclaim
from ledger.postgres_layout import check_layout, is_laid_out, lay_out
from ledger.postgres_session import (
    BEGIN,
    CollidedError,
    DoubtError,
    NoPostgresLedgerError,
    Session,
    TakenError,
)
from ledger.postgres_url import PostgresUrl
from ledger.postgres_view import LogSession, PostgresWriter, Statements
from ledger.sql_key import keyed
from ledger.store import Clock, Opening
from schemas.errors import BusyError, EvidenceError, UsageError

if TYPE_CHECKING:
    from ledger.signing import Signing

MOST_TRIES = 8
WRITE = b"BEGIN ISOLATION LEVEL READ COMMITTED"
_LOGS = b"SELECT log, name FROM head ORDER BY name"


def named_log(session: Session, place: PostgresUrl) -> tuple[int, str]:
    """The number and name of the log that `place` means.

    NoPostgresLedgerError: it is not there. UsageError: there are several and none is named.
    """
    logs = session.rows(_LOGS)
    found = [(number, name) for number, name in logs if place.log in (None, name)]
    if not found:
        raise NoPostgresLedgerError(f"there is no ledger at {place}", subject=str(place), hint=BEGIN)
    if len(found) > 1:
        names = ", ".join(name for _, name in found[:8])
        raise UsageError(
            f"{place} holds {len(found)} logs", subject="--ledger", hint=f"name one after a #: {names}"
        )
    return found[0]


def begin(
    place: PostgresUrl, clock: Clock, opening: Opening, timeout_seconds: float, signing: "Signing | None"
) -> PostgresUrl:
    """The place of the log, which is begun where it is not there, with the tables where they are not."""
    opening = keyed(opening._replace(origin=opening.origin or place.log), signing)
    if place.log is not None and place.log != opening.origin:
        raise UsageError(f"{place} and {opening.origin} are two names", subject="origin")
    claims = _Claims(signing)
    for _ in range(MOST_TRIES):
        session = Session(place, timeout_seconds, readonly=False)
        try:
            return _try_begin(session, place, clock, opening, claims)
        except (TakenError, CollidedError, DoubtError):
            continue  # somebody else was first; theirs is as good
        finally:
            session.close()
    raise BusyError(f"{place} is being begun by others", subject=str(place), hint="try again")


class _Claims:
    """What this beginning put beside the key; without a key, or a place beside it, nothing."""

    def __init__(self, signing: "Signing | None") -> None:
        self.signing = signing
        self._path = None if signing is None else signing.published
        self._doubtful: bytes | None = None

    def seen(self) -> bytes | None:
        """What stands beside the key; None where that is only what an own commit in doubt left there."""
        found = None if self.signing is None else self.signing.published_note()
        return None if found == self._doubtful else found

    def commit(self, session: Session, note: bytes | None) -> None:
        """Commit the log whose first checkpoint is `note`. TakenError: the key has begun one by now."""
        if self._path is None or note is None:
            session.commit()
            return
        if self._doubtful is not None:
            session.rows(_LOGS)  # what is sent is done, so that a commit in doubt would have been met by now
            disclaim(self._path, self._doubtful)
        if not claim(self._path, note):
            raise TakenError(f"{self._path} is there by now", subject=str(self._path))
        try:
            session.commit()
        except DoubtError:
            self._doubtful = note
            raise
        except EvidenceError:
            disclaim(self._path, note)
            raise


def _try_begin(
    session: Session, place: PostgresUrl, clock: Clock, opening: Opening, claims: _Claims
) -> PostgresUrl:
    published = claims.seen()  # before it is known what is there
    session.begin(WRITE)
    number = 1
    if is_laid_out(session):
        check_layout(session, place)
        logs = session.rows(_LOGS)
        if logs and (opening.origin is None or opening.origin in {name for _, name in logs}):
            return place.of_log(named_log(session, place._replace(log=opening.origin))[1])
        number += max((number for number, _ in logs), default=0)
    else:
        lay_out(session)
    if claims.signing is not None:
        claims.signing.refuse_used(published)
    name = opening.origin or f"external-evidence/{os.urandom(8).hex()}"
    own = LogSession(session, Statements(number))
    own.put("INSERT INTO head VALUES (-1, '', ?)", name)
    writer = PostgresWriter(own, str(place), clock)
    writer.signing = claims.signing
    writer.found(opening.draft(name), name)
    claims.commit(session, writer.seal())
    return place.of_log(name)

"""From draft editions to an immutable revision (regulations.md section 9)."""

from typing import Final

import orjson

from providers.regulations import drafts, manifest
from providers.regulations.kinds import bilingual
from providers.regulations.manifest import Entry
from providers.regulations.store import Store, holds
from schemas.errors import IntegrityError, InvalidError

SHOWN: Final = 5


def build(store: Store, now: str) -> str:
    """The drafts as an immutable revision, in state draft until it is published; its id."""
    found = drafts.problems(store)
    if found:
        listed = "; ".join(
            f"{one.where or one.edition_id} {bilingual(one.kind)}: {one.detail}" for one in found[:SHOWN]
        )
        many = "1 problem keeps" if len(found) == 1 else f"{len(found)} problems keep"
        raise InvalidError(
            f"不能发布（{len(found)} 项问题） {many} the corpus from being published: {listed}",
            subject=found[0].edition_id,
            hint="regulations check 全部列出；有名称的可由审查者在清单中接受"
            " lists them; a reviewer may accept a named one in the manifest",
        )
    held = drafts.drafted(store)
    if not held:
        raise InvalidError(
            "语料库中没有可发布的版本 the corpus holds no edition to publish", subject="corpus"
        )
    for _, entry in held:
        _check_texts(store, entry)
    tombstones = [{"editionId": one, "reason": why} for one, why in drafts.lasting(store, held)]
    data = [store.run("SELECT data FROM entries WHERE sha256 = ?", digest)[0][0] for digest, _ in held]
    revision = manifest.revision_id(data, tombstones)
    if not store.run("SELECT 1 FROM revisions WHERE id = ?", revision):
        nodes = sum(len(entry.nodes) for _, entry in held)
        store.run("INSERT INTO revisions VALUES (?, ?, ?, ?)", revision, now, nodes, orjson.dumps(tombstones))
        rows = [(revision, entry.edition.edition_id, digest) for digest, entry in held]
        store.run_many("INSERT INTO members VALUES (?, ?, ?)", rows)
    return revision


def _check_texts(store: Store, entry: Entry) -> None:
    wanted = {record.sha256: record.path for record in entry.nodes}
    rows = store.run(
        "SELECT sha256, text FROM texts WHERE sha256 IN (SELECT value FROM json_each(?))",
        orjson.dumps(sorted(wanted)).decode(),
    )
    held = {digest for digest, text in rows if holds(text, digest, str)}
    for digest, path in wanted.items():
        if digest not in held:
            node = f"{entry.edition.edition_id}#{path}"
            raise IntegrityError(f"the text of {node} is not what its hash says", subject=node)

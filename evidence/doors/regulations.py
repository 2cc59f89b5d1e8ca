"""Commands on the corpus of regulations: import, check, publish, search, resolve, compare."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.corpus import CALLER, open_corpus, open_provider, open_search
from evidence.doors.options import actor_name, corpus_option, format_option, index_option, system_clock
from evidence.doors.regulations_text import (
    defect,
    defect_lines,
    diff_lines,
    diff_row,
    held_line,
    hit_lines,
    import_lines,
    revision_line,
    undisclosed,
    unverified,
)
from evidence.doors.result_file import binary_stdout
from providers.regulations.manifest import verify
from schemas.errors import NotReadyError, OrderError, StorageError, UsageError
from schemas.text import refused_character, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from providers.regulations.corpus import Corpus
    from schemas.regulations import RegulationEvidence


class _Plain(click.ParamType[str]):
    """Text that a file can hold; a shell hands over any bytes."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        problem = refused_character(value)
        if problem is not None:
            self.fail(f"{shown(value)} {problem}", param, ctx)
        return value


PLAIN = _Plain()


@click.group()
def regulations() -> None:
    """A pinned corpus of laws and regulations (法规语料库): import, publish, search, resolve, compare."""


@regulations.command("import", epilog="Exit status: 0 taken in; 1 taken in, and something blocks publishing.")
@click.argument("files", nargs=-1, required=True, metavar="MANIFEST|FILE…")
@click.option("--all", "everything", is_flag=True, help="Show every defect as text, not the first of them.")
@corpus_option
@format_option()
def import_(
    files: tuple[str, ...], everything: bool, corpus_file: str | None, chosen_format: str | None
) -> int:
    """Take editions in as drafts, all of them or none; every defect is told with file and line.

    A manifest (.json) names files beside it. A loose file lies at REGULATION-ID/EDITION-KEY.md or .txt.
    """
    from providers.regulations.intake import read_sources

    sources = read_sources([Path(file) for file in files])  # before a corpus is made for nothing
    report = open_corpus(corpus_file, create=True).import_sources(sources)
    if output.wants_json(chosen_format):
        output.print_json(
            {
                "editions": list(report.editions),
                "nodes": report.nodes,
                "blocked": bool(report.problems),
                "defects": [defect(one) for one in report.defects],
            }
        )
    else:
        output.print_text("\n".join(import_lines(report, everything)))
    return 1 if report.problems else 0


@regulations.command(epilog="Exit status: 0 nothing blocks publishing; 1 something does.")
@click.option("--all", "everything", is_flag=True, help="Show every note as text, not one line a kind.")
@corpus_option
@format_option()
def check(everything: bool, corpus_file: str | None, chosen_format: str | None) -> int:
    """Tell everything that keeps the drafts from being published, and what they show together."""
    corpus = open_corpus(corpus_file)
    problems = corpus.check()
    notes = [one for one in corpus.defects() if not one.blocks]
    if output.wants_json(chosen_format):
        output.print_json(
            {
                "publishable": not problems,
                "problems": [defect(one) for one in problems],
                "notes": [defect(one) for one in notes],
            }
        )
    else:
        head = "可以发布 nothing blocks publishing" if not problems else "不能发布 blocked"
        output.print_text("\n".join([head, *defect_lines([*problems, *notes], everything)]))
    return 1 if problems else 0


@regulations.command()
@click.argument("revision", default="", type=PLAIN)
@click.option("--actor", metavar="NAME", help="Who publishes; else $EXTERNAL_EVIDENCE_ACTOR, else the user.")
@corpus_option
@index_option
@format_option()
def publish(revision: str, actor: str | None, corpus_file: str | None, chosen_format: str | None) -> int:
    """Make the drafts, or an earlier REVISION, current in one step, and index what is current."""
    corpus = open_corpus(corpus_file)
    published = corpus.publish(actor_name(actor), corpus.full(revision))
    open_search(corpus, corpus_file).build(published)
    nodes = corpus.verify(published)
    if output.wants_json(chosen_format):
        output.print_json({"corpusRevision": published, "nodes": nodes, "state": "published"})
    else:
        output.print_text(
            f"已发布 published: {published}\n  节点 nodes: {nodes}，哈希均已核验 all hashes hold"
        )
    return 0


@contextmanager
def _index_left(revision: str) -> "Iterator[None]":
    """Say of an index that cannot be reached that the corpus itself has withdrawn the revision."""
    try:
        yield
    except (StorageError, NotReadyError) as error:
        raise type(error)(
            f"本地已撤回；服务器上的索引未去掉，请再撤回一次 {revision} is withdrawn here, its index is not"
            f" taken away: withdraw it again. {error.message}",
            subject=error.subject,
            hint=error.hint,
        ) from error


@regulations.command()
@click.argument("revision", type=PLAIN)
@click.option("--reason", required=True, type=PLAIN, help="Why; it stays on record.")
@click.option("--actor", metavar="NAME", help="Who withdraws it.")
@corpus_option
@index_option
@format_option()
def withdraw(
    revision: str, reason: str, actor: str | None, corpus_file: str | None, chosen_format: str | None
) -> int:
    """Take the texts of a revision away for a reason, and its index; ids and hashes stay.

    Where the index could not be reached it is withdrawn none the less; the same command again takes the
    index away.
    """
    corpus = open_corpus(corpus_file)
    search = open_search(corpus, corpus_file)
    revision = corpus.full(revision)
    try:
        held = corpus.withdraw(revision, reason, actor_name(actor))
    except OrderError:  # it is withdrawn already; its index may have been left
        with _index_left(revision):
            if not search.holds(revision):
                raise
        held = []
    with _index_left(revision):
        search.drop(revision)
    if output.wants_json(chosen_format):
        also = [{"edition": one.edition_id, "revisions": one.revisions, "draft": one.draft} for one in held]
        output.print_json(
            {"corpusRevision": revision, "state": "withdrawn", "reason": reason, "alsoHeldBy": also}
        )
    else:
        output.print_text("\n".join([f"已撤回 withdrawn: {revision}", *map(held_line, held)]))
    return 0


@regulations.command()
@click.argument("edition", type=PLAIN)
@click.option("--reason", required=True, type=PLAIN, help="Why; the next revision's manifest says it.")
@corpus_option
@format_option()
def remove(edition: str, reason: str, corpus_file: str | None, chosen_format: str | None) -> int:
    """Drop an EDITION from the drafts; the next revision bears a tombstone, revisions before it stay."""
    open_corpus(corpus_file).remove(edition, reason)
    if output.wants_json(chosen_format):
        output.print_json({"edition": edition, "state": "removed", "reason": reason})
    else:
        output.print_text(f"已移出草稿 removed from the drafts: {edition}")
    return 0


@regulations.command()
@click.argument("revision", default="", type=PLAIN)
@corpus_option
def manifest(revision: str, corpus_file: str | None) -> int:
    """Write the manifest of a REVISION, or of the current one, byte for byte as its id is computed.

    `sha256sum` of it begins with the id's digits; it holds the hash of every node and source file.
    """
    corpus = open_corpus(corpus_file)
    pinned = corpus.pinned(corpus.full(revision))
    content = corpus.manifest(pinned)
    verify(content, pinned)
    with binary_stdout() as stream:
        stream.write(content)
    return 0


@regulations.command()
@corpus_option
@format_option()
def revisions(corpus_file: str | None, chosen_format: str | None) -> int:
    """List every revision and its state."""
    known = open_corpus(corpus_file).revisions()
    if output.wants_json(chosen_format):
        output.print_json(
            [
                {
                    "corpusRevision": one.revision,
                    "state": one.state,
                    "current": one.current,
                    "editions": one.editions,
                    "nodes": one.nodes,
                    "builtAt": one.built_at,
                    "publishedAt": one.published_at,
                    "withdrawnAt": one.withdrawn_at,
                    "actor": one.actor,
                    "reason": one.reason,
                }
                for one in known
            ]
        )
        return 0
    lines = list(map(revision_line, known))
    output.print_text("\n".join(lines or ["没有语料修订 no revision"]))
    return 0


@regulations.command(epilog="Exit status: 0 hits (state ok or degraded); 1 empty or unavailable.")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 50), help="At most so many hits; 10 without it.")
@click.option(
    "--revision", default="", type=PLAIN, metavar="ID", help="Search this revision, not the current one."
)
@click.option("--current-only", is_flag=True, help="Only what is in force today (现行有效).")
@click.option("--kind", "kinds", multiple=True, help="Only documents of this kind. Repeatable.")
@click.option("--doc-no", default="", help="Only the document of this number (文号).")
@click.option("--clause-no", default="", help="Only this clause (条款号).")
@corpus_option
@index_option
@format_option()
def search(
    query: str,
    limit: int | None,
    revision: str,
    current_only: bool,
    corpus_file: str | None,
    chosen_format: str | None,
    **narrowed: object,
) -> int:
    """Search by text, document number or clause number; the answer is EXT-20's RegulationsSearchResult."""
    from schemas.regulations import RegulationsSearchRequest

    named = any(narrowed[name] for name in ("doc_no", "clause_no"))
    if not named and not any(one.isalnum() for one in query):
        raise UsageError(
            "检索词为空 the query holds no word",
            subject="QUERY",
            hint="或写 or give --doc-no, --clause-no",
        )
    provider = open_provider(corpus_file)
    request = RegulationsSearchRequest(
        query=query,
        corpus_revision=provider.corpus.full(revision),
        current_only=current_only,
        limit=limit or 0,
        **narrowed,  # type: ignore[arg-type]  # click's own values of the options above
    )
    result = provider.search_regulations(CALLER, request)
    if output.wants_json(chosen_format):
        output.print_json(result.to_wire())
    else:
        output.print_text("\n".join(hit_lines(result)))
    return 0 if result.hits else 1


@regulations.command(epilog="Exit status: 0 the hash was verified; 1 it was not, and nothing is shown.")
@click.argument("node", type=PLAIN)
@click.option(
    "--revision", default="", type=PLAIN, metavar="ID", help="The pinned revision; else the current one."
)
@click.option("--start", type=int, default=0, help="First code point of the slice.")
@click.option("--end", type=int, default=0, help="One past its last; 0 for the end.")
@corpus_option
@format_option()
def resolve(
    node: str, revision: str, start: int, end: int, corpus_file: str | None, chosen_format: str | None
) -> int:
    """Give the evidence of one node of a pinned revision, hashed anew: EXT-20's RegulationEvidence.

    NODE is a node id, or urn:kbreg:REVISION:NODE as it stands in a receipt.
    """
    from schemas.regulations import RegulationEvidenceRequest

    if node.startswith("urn:kbreg:"):
        named, _, node = node.removeprefix("urn:kbreg:").partition(":")
        if revision not in ("", named):
            raise UsageError("--revision is another than that of the reference", subject="--revision")
        revision = named
    provider = open_provider(corpus_file)
    request = RegulationEvidenceRequest(
        corpus_revision=provider.corpus.pinned(provider.corpus.full(revision)),
        node_id=node,
        start=start,
        end=end,
    )
    found = provider.resolve_regulation_evidence(CALLER, request)
    if output.wants_json(chosen_format):
        output.print_json(found.to_wire())
    else:
        because = provider.corpus.withdrawn_because(found.corpus_revision)
        verified = "（已核验 verified）" if found.hash_verified else unverified(because)
        lines = [
            f"{found.node_id}  {found.clause_no}",
            *_edition_lines(provider.corpus, found),
            f"  语料修订 revision: {found.corpus_revision}",
            f"  节点哈希 node sha256: {found.node_sha256}{verified}",
            f"  来源原件 source asset sha256: {found.source_asset_sha256}",
            f"  披露 disclosure: {found.disclosure} {found.withheld_reason}".rstrip(),
        ]
        if found.excerpt:
            lines += [
                f"  节点文本（不含条、项序号） node text, without its number [{found.start}:{found.end}]:",
                found.excerpt,
            ]
        elif found.hash_verified and found.disclosure not in ("full", "excerpt"):
            lines.append(f"  {undisclosed(found.disclosure, '')}")
        output.print_text("\n".join(lines))
    return 0 if found.hash_verified else 1


def _edition_lines(corpus: "Corpus", found: "RegulationEvidence") -> list[str]:
    """Which document the node is of, and whether it is in force today; nothing where that did not hold."""
    from providers.regulations.status import legal_status, today

    if not found.edition_id or not found.hash_verified:
        return []
    edition = corpus.edition(found.corpus_revision, found.edition_id)
    day, path = today(system_clock()), found.node_id.partition("#")[2]
    status = legal_status(edition, corpus.editions(found.corpus_revision), day, path)
    label = f"（{edition.label}）" if edition.label else ""
    return [
        f"  《{edition.title}》{label} {edition.doc_no}".rstrip(),
        f"  效力 legal status: {status}（今日 today）",
    ]


@regulations.command()
@click.argument("old", metavar="EDITION", type=PLAIN)
@click.argument("new", metavar="EDITION", type=PLAIN)
@click.option(
    "--revision", default="", type=PLAIN, metavar="ID", help="The pinned revision; else the current one."
)
@click.option("--all", "everything", is_flag=True, help="Show unchanged articles too.")
@corpus_option
@format_option()
def diff(
    old: str,
    new: str,
    revision: str,
    everything: bool,
    corpus_file: str | None,
    chosen_format: str | None,
) -> int:
    """Compare two editions article by article (新旧对照)."""
    corpus = open_corpus(corpus_file)
    revision = corpus.full(revision)
    compared = corpus.diff(old, new, revision)
    editions = corpus.edition(revision, old), corpus.edition(revision, new)
    if output.wants_json(chosen_format):
        rows = [diff_row(row, editions) for row in compared.rows]
        output.print_json({"old": old, "new": new, "counts": compared.counts(), "rows": rows})
    else:
        output.print_text("\n".join(diff_lines(compared, editions, everything)))
    return 0

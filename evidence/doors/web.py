"""Commands on the web: what may leave, what is found, what a page says."""

from typing import TYPE_CHECKING, cast

import click

from evidence.doors import output
from evidence.doors.artifacts import read_json
from evidence.doors.options import format_option
from evidence.doors.web_capture import capture
from evidence.doors.web_search import search
from evidence.doors.web_settings import exclusions_option, read_exclusions
from schemas.errors import InvalidError, UsageError

if TYPE_CHECKING:
    from providers.web.exclusions import Exclusions
    from providers.web.minimise import Verdict

_FIELDS = frozenset({"query", "exclusions"})


@click.group()
def web() -> None:
    """The open web: search it, capture pages, check what would be sent (网络检索、网页抓取、查询检查)."""


web.add_command(search)
web.add_command(capture)


@web.command(
    "check-query",
    epilog="Exit status: 0 the query may be sent; 1 it may not (state rejected or invalid); "
    "3 the input is not such an object; 4 a file is not there.",
)
@click.option("--input", "given", metavar="FILE|-", required=True, help="The JSON object; - for stdin.")
@exclusions_option
@click.option("--no-folding", is_flag=True, help="Leave only EXT-20's own rule: no folding, no other rule.")
@click.option(
    "--detectors",
    type=click.Choice(["refuse", "warn"]),
    default="refuse",
    show_default=True,
    help="What to do where a number, address or key is seen.",
)
@format_option()
def check_query(
    given: str, exclusions_file: str | None, no_folding: bool, detectors: str, chosen_format: str | None
) -> int:
    """Tell whether a query may be sent to a search service; nothing is sent.

    The input is {"query": TEXT, "exclusions": [TERM, …]}. The answer has `state` (ok, rejected or
    invalid), `reason`, `sentQuery` (the query as it would be sent, only when ok), `querySha256` (of the
    query without white space at its ends) and `findings` (kind and place); what is empty is left out.

    EXT-20's rule comes first: 1-256 code points of valid Unicode, and no excluded term in it. Then the
    query is refused for an excluded term after folding (widths, case, marks, separators, look-alikes,
    traditional and simplified), for control, bidirectional or hidden characters, for search operators
    that a service would act on (!!g, !name, :lang, <9, site:), and for what looks like a resident id,
    mobile number, social credit code, bank card, e-mail address, internal host or key. Nothing is edited.
    """
    from providers.web.minimise import Policy, ext20
    from providers.web.minimise import check_query as every_rule

    if given == "-" and exclusions_file == "-":
        raise UsageError("--input and --exclusions cannot both be stdin", subject="--exclusions")
    query, exclusions = _request(read_json(given, "input"))
    exclusions = exclusions.joined(read_exclusions(exclusions_file))
    verdict = (
        ext20(query, exclusions) if no_folding else every_rule(query, exclusions, cast(Policy, detectors))
    )
    if output.wants_json(chosen_format):
        output.print_json(verdict.to_wire())
    else:
        output.print_text("\n".join(_lines(verdict)))
    return 0 if verdict.state == "ok" else 1


def _request(value: object) -> "tuple[str, Exclusions]":
    """The query and its excluded terms; an error names a field and never shows what it holds."""
    from providers.web.exclusions import Exclusions

    if not isinstance(value, dict) or not isinstance(query := value.get("query"), str):
        raise InvalidError('input must be an object with the text "query"', subject="query")
    if value.keys() - _FIELDS:
        # A misspelt "exclusions" would let every term pass.
        raise InvalidError("input has a field that is neither query nor exclusions", subject="input")
    terms = value.get("exclusions")
    if terms is None:
        return query, Exclusions()
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
        raise InvalidError("exclusions must be a list of texts", subject="exclusions")
    return query, Exclusions(terms)


def _lines(verdict: "Verdict") -> list[str]:
    from providers.web.words import told, told_findings

    words = {"ok": "可以发送 ok", "rejected": "拒绝 rejected", "invalid": "无效 invalid"}
    lines = [f"查询检查 query check: {words[verdict.state]}"]
    if verdict.reason:
        lines.append(f"  原因 reason: {told(verdict.reason)}")
    if verdict.sent_query:
        lines.append(f"  将发送 would send: {' '.join(verdict.sent_query.split())}")
    if verdict.state == "ok":
        lines += [f"  警告 warning: {told_findings([one])} {one}" for one in verdict.findings]
    return [*lines, f"  摘要 sha256: {verdict.query_sha256}"]

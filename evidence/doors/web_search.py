"""`web search`: one question to a real search service."""

import os
from typing import TYPE_CHECKING

import click

from evidence.doors import output
from evidence.doors.options import format_option, system_clock
from evidence.doors.web_settings import (
    exclusions_option,
    read_exclusions,
    read_settings,
    search_option,
    web_option,
)
from schemas.errors import InvalidError

if TYPE_CHECKING:
    from schemas.web import WebSearchResult

_STATES = {
    "ok": "有结果 ok",
    "empty": "无结果 empty",
    "unavailable": "不可用 unavailable",
    "rate_limited": "被限流 rate_limited",
    "rejected": "被拒绝 rejected",
    "error": "出错 error",
}


@click.command(
    epilog="Exit status: 0 the state is ok; 1 it is empty, unavailable, rate_limited, rejected or error; "
    "2 no search service is set; 3 the query is none (empty, longer than 256 characters) or the settings are "
    "wrong."
)
@click.argument("query")
@search_option
@click.option("--service", metavar="NAME", help="searxng, bocha, baidu, zhipu, brave or tavily.")
@click.option("--limit", type=click.IntRange(1, 50), help="At most so many hits.")
@click.option("--prefer-official", is_flag=True, help="Official sources first; ranks stay as received.")
@web_option
@exclusions_option
@format_option()
def search(
    query: str,
    search_url: str | None,
    service: str | None,
    limit: int | None,
    prefer_official: bool,
    web_file: str | None,
    exclusions_file: str | None,
    chosen_format: str | None,
) -> int:
    """Ask a real search service once, after the rules of `check-query`.

    The answer is EXT-20's WebSearchResult. A key comes from EXTERNAL_EVIDENCE_<SERVICE>_KEY or from the
    command in EXTERNAL_EVIDENCE_<SERVICE>_KEY_COMMAND.
    """
    from providers.web.assembly import search_service
    from providers.web.minimise import check_query as every_rule
    from providers.web.screening import screened
    from providers.web.words import told_findings
    from schemas.web import WebSearchRequest, WebSearchResult

    settings = read_settings(web_file, search_url, service)
    exclusions = read_exclusions(exclusions_file)
    asked = search_service(settings, system_clock, os.environ)
    verdict = every_rule(query, exclusions, settings.detectors)
    if verdict.state == "invalid":
        raise InvalidError(verdict.reason, subject="query")
    if verdict.state == "ok":
        for finding in verdict.findings:
            output.print_notice(f"警告 warning: {told_findings([finding])} {finding}")
        request = WebSearchRequest(
            query=verdict.sent_query, prefer_official=prefer_official, limit=limit or settings.hits
        )
        result = screened(asked.search(request).result, exclusions)
    else:
        from schemas.dates import instant

        now = instant(system_clock())
        result = WebSearchResult(
            provider=settings.service, searched_at=now, state=verdict.state, reason=verdict.reason
        )
    if output.wants_json(chosen_format):
        output.print_json(result.to_wire())
    else:
        output.print_text("\n".join(_found_lines(result)))
    return 0 if result.state == "ok" else 1


def _line(text: str) -> str:
    # Words of others must not look like a line of ours.
    return " ".join(text.split())


def _found_lines(result: "WebSearchResult") -> list[str]:
    from providers.web.words import told

    state = _STATES.get(result.state, result.state)
    lines = [f"网络检索 web search: {state} ({result.provider}, {result.searched_at})"]
    lines.append(f"  已发送 sent: {_line(result.sent_query)}" if result.sent_query else "  未发出 not sent")
    if result.reason:
        lines.append(f"  原因 reason: {_line(told(result.reason))}")
    for hit in result.results:
        official = " [官方 official]" if hit.official else ""
        lines += [f"{hit.rank:3}. {_line(hit.title) or '（无题）'}{official}", f"     {hit.url}"]
        if hit.snippet:
            lines.append(f"     {_line(hit.snippet)[:160]}")
    if result.results:
        lines.append("搜索摘要不是证据，须抓取原页。 A snippet is no evidence: capture the page.")
    return lines

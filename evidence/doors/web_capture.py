"""`web capture`: one page, whole and hashed, or why not."""

import re
import time
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

import click

from evidence.doors import output
from evidence.doors.options import format_option, system_clock
from evidence.doors.web_settings import exclusions_option, read_exclusions, read_settings, web_option

if TYPE_CHECKING:
    from providers.web.capturing import Captured, Capturer
    from schemas.web import WebCaptureRequest

PROGRESS_SECONDS = 3.0
_HOST = re.compile(r"(?:[\w-]+\.)+\w{2,}(?::\d+)?(?:[/?]\S*)?\Z")
_KEPT = {"full": "全文 full", "excerpt": "摘录 excerpt", "metadata_only": "仅题录 metadata_only"}
_LABELS = {
    "pinned": "地址已核对",
    "robots": "爬虫规则",
    "framing": "正文止于",
    "hops": "经过",
    "kind": "类别",
    "extractor": "取文程序",
    "textSha256": "正文摘要",
    "charset": "编码",
    "charsetSteps": "编码判定",
    "notes": "说明",
    "title": "页面题名",
    "publisher": "页面所载来源",
    "publicationDate": "页面所载日期",
    "publicationDateFrom": "日期出处",
}


@click.command(
    epilog="Exit status: 0 captured; 1 rejected (our policy) or failed (their fault); 2 a wrong option; "
    "3 wrong settings."
)
@click.argument("url")
@click.option("--ca-file", metavar="FILE", help="Certificate authorities in place of the system's, PEM.")
@click.option(
    "--allow-address",
    "allow_networks",
    metavar="CIDR",
    multiple=True,
    help="Addresses to allow although they are not public, such as 127.0.0.0/8. Repeatable.",
)
@click.option(
    "--allow-port", "allow_ports", type=int, multiple=True, help="A port beside 80 and 443. Repeatable."
)
@click.option("--proxy", metavar="URL", help="Ask through http://HOST:PORT; addresses are then not checked.")
@click.option("--no-robots", is_flag=True, help="Do not ask robots.txt.")
@click.option("--seconds", type=float, help="One deadline over everything; 20 unless the settings say so.")
@click.option("--details", is_flag=True, help="Also how it was fetched and what the page states of itself.")
@web_option
@exclusions_option
@format_option()
def capture(
    url: str,
    details: bool,
    no_robots: bool,
    web_file: str | None,
    exclusions_file: str | None,
    chosen_format: str | None,
    **policy: Any,
) -> int:
    """Capture one page: the whole of it read and hashed, clause candidates with their offsets.

    The answer is EXT-20's WebCapture; with --details it is {"capture": …, "provenance": …}. Only public
    addresses are connected to, and only ports 80 and 443. What is kept of the text follows a rule of
    rights: excerpts, unless the host publishes laws (full) or sells standards (metadata only).
    """
    from providers.web.assembly import capturer
    from schemas.web import WebCaptureRequest

    settings = read_settings(web_file).with_policy(robots=False if no_robots else None, **policy)
    pages = capturer(settings, system_clock, read_exclusions(exclusions_file), time.sleep)
    found = _captured(pages, WebCaptureRequest(url=url), settings.policy.seconds)
    if output.wants_json(chosen_format):
        wire = found.capture.to_wire()
        output.print_json({"capture": wire, "provenance": _provenance(found)} if details else wire)
    else:
        # What our own rules refuse may hold what must not be shown.
        asked = url if pages.refusal(url) is None else ""
        output.print_text("\n".join(_captured_lines(found, asked, details)))
    return 0 if found.capture.state == "captured" else 1


def _captured(pages: "Capturer", request: "WebCaptureRequest", seconds: float) -> "Captured":
    """The capture, with a line on stderr every few seconds while it runs."""
    from providers.web.crew import begun

    capture = begun(lambda: pages.capture(request))
    waited = 0.0
    while not wait([capture], PROGRESS_SECONDS).done:
        waited += PROGRESS_SECONDS
        output.print_notice(f"抓取中 capturing: {waited:.0f} s，至多 at most {seconds:g} s")
    return capture.result()


def _provenance(found: "Captured") -> dict[str, object]:
    fetched, page = found.fetched, found.page
    told: dict[str, object] = {
        "pinned": fetched.pinned,
        "robots": fetched.robots,
        "framing": fetched.framing,
        "hops": [{"url": hop.url, "status": hop.status, "address": hop.address} for hop in fetched.hops],
    }
    if page is not None:
        told |= {"kind": page.kind, "extractor": page.extractor, "textSha256": page.text_sha256}
    if page is not None and not found.withheld:
        told |= {
            "charset": page.charset,
            "charsetSteps": list(page.charset_steps),
            "notes": list(page.notes),
            "title": page.title,
            "publisher": page.publisher,
            "publicationDate": page.publication_date,
            "publicationDateFrom": page.publication_date_from,
        }
    return told


def _told(value: object) -> str:
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "是 yes" if value else "否 no"
    if isinstance(value, dict):
        return " ".join(map(str, value.values()))
    text = "; ".join(map(_told, value)) if isinstance(value, list) else str(value)
    return text or "—"


def _captured_lines(found: "Captured", asked: str, details: bool) -> list[str]:
    from providers.web.page_source import UNTITLED_PDF
    from providers.web.words import ROBOTS, told

    capture, page = found.capture, found.page
    states = {"captured": "已抓取 captured", "rejected": "被拒绝 rejected", "failed": "失败 failed"}
    lines = [f"网页抓取 web capture: {states[capture.state]}"]
    if capture.reason:
        lines.append(f"  原因 reason: {told(capture.reason)}")
    if capture.state != "captured" and asked:
        lines.append(f"  原址 asked: {asked}")
        if capture.reason == "the URL is not absolute" and _HOST.match(asked.strip()):
            lines.append(f"  提示 hint: 请写 write https://{asked.strip()}")
    if capture.state == "captured":
        title = page.title if page and not found.withheld else ""
        untitled = UNTITLED_PDF if page and page.kind == "pdf" else "（无题）"
        lines += [f"  标题 title: {title or untitled}", f"  网址 url: {capture.final_url}"]
        if found.moved:
            statuses = "、".join(map(str, found.moved))
            lines.append(f"  原址 asked: {asked}（{statuses} 跳转 moved）")
        lines += [
            f"  时间 fetched: {capture.fetched_at}",
            f"  内容 content: {capture.content_type or '未声明 not stated'}, {capture.byte_size} 字节 bytes",
            f"  摘要 sha256: {capture.sha256}",
            f"  留存 retention: {_KEPT[capture.retention]}",
            f"  条款候选 clause candidates: {len(capture.candidates)}",
        ]
    for one in capture.candidates:
        lines.append(f"  [{one.start}:{one.end}] {' '.join(one.excerpt.split())[:120]}")
    if details:
        told_of = _provenance(found)
        told_of["robots"] = f"{ROBOTS.get(found.fetched.robots, '')} {found.fetched.robots}".strip()
        lines += [f"  {_LABELS[name]} {name}: {_told(value)}" for name, value in told_of.items()]
    return lines

"""A captured page as a source: what it is, the words that a reader needs, and what it does not prove."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from providers.web.capturing import Captured, cited
from providers.web.extraction.page import Page
from providers.web.passages import opening, passages
from providers.web.quoting import quoted, titled
from providers.web.words import ROBOTS, told
from schemas.canonical import Algorithm, digest_bytes
from schemas.receipt import Source
from schemas.text import legible
from schemas.web import EXCERPT, FULL, METADATA_ONLY, WebCaptureRequest, WebClauseCandidate

NAMED = "请求指名 named in the request"
UNTITLED_PDF = "PDF 文件（无题）"
OFFICIAL_FAMILY = "official_web_page"
FAMILY = "web_page"
_KEPT = {FULL: "全文", EXCERPT: "摘录", METADATA_ONLY: "仅题录"}
AS_SEEN = (
    "网页内容以访问时所见为准，是否现行、是否适用由使用者判断；搜索名次不是证据。"
    " As seen when accessed; whether it is in force or applies is the reader's judgement;"
    " a search rank is no evidence."
)

_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(?: ?; ?charset ?= ?\"?[\w.:-]+\"?)?", re.ASCII | re.IGNORECASE)


@dataclass
class Wanted:
    """One page to capture: who found it, where, and for which queries; a page that is named has none."""

    request: WebCaptureRequest
    queries: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)


def page_source(wanted: Wanted, found: Captured, official: bool, algorithm: Algorithm) -> Source:
    """The captured page as evidence that was observed; the digest is that of its bytes.

    `official` speaks of the host where it was found in the end, not of the one that was asked first.

    Raises InvalidError when its address is no source reference.
    """
    page, fetched = found.page, found.fetched
    stated = page.publication_date if page and not found.withheld else ""
    return Source(
        source_ref=found.capture.final_url,
        source_family=OFFICIAL_FAMILY if official else FAMILY,
        basis="observed",
        finding=_finding(wanted, found),
        limitation=_limitation(found, official),
        publication_date=stated or None,
        accessed_at=fetched.fetched_at,
        content_digest=digest_bytes(fetched.body, algorithm),
    )


def _finding(wanted: Wanted, found: Captured) -> str:
    page, capture = found.page, found.capture
    size = f"{_kind(capture.content_type)}，{capture.byte_size} 字节，SHA-256 {capture.sha256}"
    said = [f"{size}。", f"得自：{_reached(wanted, found)}。"]
    if page is not None and not found.withheld:
        publisher = f"，页面所载来源：{quoted(page.publisher, 100)}" if page.publisher else ""
        said.insert(0, f"{_titled(page)}{publisher}。")
        if capture.retention != METADATA_ONLY:
            said += _quotations(page, wanted.queries)
    return " ".join(said)


def _titled(page: Page) -> str:
    if page.kind == "pdf" and not page.title:
        return UNTITLED_PDF
    return f"网页{titled(page.title.strip() or '（无题）', 200)}"


def _reached(wanted: Wanted, found: Captured) -> str:
    """Who found the page; of one that moved, the address that was asked for too."""
    if found.moved:
        asked = legible(found.fetched.hops[0].url, 400)
        ways = (
            f"请求指名的 {asked}" if way == NAMED else f"{legible(way, 300)}的 {asked}"
            for way in wanted.found
        )
        return f"{legible('；'.join(dict.fromkeys(ways)), 800)}，经跳转 redirected"
    return legible("；".join(dict.fromkeys(wanted.found)), 600)


def _quotations(page: Page, terms: Sequence[str]) -> list[str]:
    """The words that a reader needs, or that there are none and why."""
    chosen = passages(page, terms) if terms else opening(page)
    place = f"摘录位置按 {page.extractor} 所得正文计（正文 SHA-256 {page.text_sha256}）。"
    if chosen:
        unchosen = [] if terms else ["以下摘录未按检索词挑选 not chosen by a term。"]
        return [*unchosen, *map(_quoted, chosen), place]
    count = len(page.candidates)
    if count:
        clauses = "1 clause, which" if count == 1 else f"{count} clauses, none"
        holds = "does not hold" if count == 1 else "holds"
        return [
            f"页内有条款 {count} 条，均未含检索词，未摘录。 {clauses} {holds} a search term; none is quoted."
        ]
    return ["页内没有条款，也没有一行含检索词，未摘录。 No clause, and no line holds a search term."]


def _kind(content_type: str) -> str:
    """The content type as it was stated; quoted where it is more than a type and a charset."""
    if not content_type:
        return "未声明类型"
    return content_type if _MEDIA_TYPE.fullmatch(content_type) else quoted(content_type, 256)


def _quoted(one: WebClauseCandidate) -> str:
    return f"摘录（{cited(one)}）：{quoted(one.excerpt, 300)}。"


def _limitation(found: Captured, official: bool) -> str:
    page, capture, fetched = found.page, found.capture, found.fetched
    robots = ROBOTS.get(fetched.robots, fetched.robots)
    kept = f"留存：{_KEPT[capture.retention]}"
    checked = f"地址已核对：{'是' if fetched.pinned else '否，经代理'}"
    said = [
        AS_SEEN,
        f"官方站点：{'是' if official else '否'}；{kept}；robots：{robots}；{checked}",
        f"official: {'yes' if official else 'no'}; retention: {capture.retention};",
        f"robots.txt: {fetched.robots}; pinned: {'yes' if fetched.pinned else 'no, through a proxy'}.",
    ]
    if capture.reason:
        said.append(f"{told(capture.reason)}.")
    if fetched.framing == "close":
        said.append(
            "正文的结尾只由连接关闭得知。 The end of the page is known only by the end of the connection."
        )
    if page is not None and page.publication_date and not found.withheld:
        where = legible(page.publication_date_from, 60)
        said.append(f"发布日期为页面自述（{where}） publication date stated by the page ({where}).")
    said += [f"{told(note)}." for note in (page.notes if page and not found.withheld else ())]
    return legible(" ".join(said), 2048)

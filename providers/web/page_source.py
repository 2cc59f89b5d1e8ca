"""A captured page as a source: what it is, the words that a reader needs, and what it does not prove."""

from dataclasses import dataclass, field

from providers.web.capturing import Captured, cited
from providers.web.passages import passages
from schemas.canonical import Algorithm, digest_bytes
from schemas.receipt import Source
from schemas.text import legible
from schemas.web import METADATA_ONLY, WebCaptureRequest, WebClauseCandidate

OFFICIAL_FAMILY = "official_web_page"
FAMILY = "web_page"
AS_SEEN = (
    "网页内容以访问时所见为准，是否现行、是否适用由使用者判断；搜索名次不是证据。"
    " As seen when accessed; whether it is in force or applies is the reader's judgement;"
    " a search rank is no evidence."
)


@dataclass
class Wanted:
    """One page to capture: who found it, where, and for which queries."""

    request: WebCaptureRequest
    queries: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)


def page_source(wanted: Wanted, found: Captured, official: bool, algorithm: Algorithm) -> Source:
    """The captured page as evidence that was observed; the digest is that of its bytes.

    `official` speaks of the host where it was found in the end, not of the one that was asked first.

    Raises InvalidError when its address is no source reference.
    """
    page, fetched = found.page, found.fetched
    stated = page.publication_date if page else ""
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
    size = f"{capture.content_type or '未声明类型'}，{capture.byte_size} 字节，SHA-256 {capture.sha256}"
    reached = "；".join(dict.fromkeys(wanted.found))
    said = [f"{size}。", f"得自：{legible(reached, 600)}。"]
    if page is not None and not found.withheld:
        title = legible(page.title, 200) or "（无题）"
        publisher = f"，页面所载来源：{legible(page.publisher, 100)}" if page.publisher else ""
        said.insert(0, f"网页《{title}》{publisher}。")
        if capture.retention != METADATA_ONLY:
            said += [_quoted(one) for one in passages(page, wanted.queries)]
            said.append(f"摘录位置按 {page.extractor} 所得正文计（正文 SHA-256 {page.text_sha256}）。")
    return " ".join(said)


def _quoted(one: WebClauseCandidate) -> str:
    return f"摘录（{cited(one)}）：“{legible(one.excerpt, 300)}”。"


def _limitation(found: Captured, official: bool) -> str:
    page, capture, fetched = found.page, found.capture, found.fetched
    said = [
        AS_SEEN,
        f"official: {'yes' if official else 'no'}; retention: {capture.retention};",
        f"robots.txt: {fetched.robots}; pinned: {'yes' if fetched.pinned else 'no, through a proxy'}.",
    ]
    if capture.reason:
        said.append(f"{capture.reason}.")
    if fetched.framing == "close":
        said.append("The end of the page is known only by the end of the connection.")
    if page is not None and page.publication_date:
        said.append(f"publication date stated by the page ({legible(page.publication_date_from, 60)}).")
    said += [f"{note}." for note in (page.notes if page else ())]
    return legible(" ".join(said), 2048)

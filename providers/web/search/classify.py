"""One classifier for all services: what status, headers and body of an answer mean (web-apis.md)."""

from http import HTTPStatus
from urllib.parse import urlsplit

from providers.web.search.adapter import Adapter, Judgement, Received, at, text_at
from providers.web.search.retry_after import retry_after
from schemas.text import legible

_KEY = frozenset((401, 403))
_PAYMENT = frozenset((402, 432, 433))
_MESSAGES = ("message", "msg", "error.message", "error.detail", "detail.error", "detail", "error")


def trouble(adapter: Adapter, received: Received) -> Judgement | None:
    """Why an answer holds no hits to read; None when it should hold them."""
    own = adapter.judge(received) if adapter.judge else None
    if own is not None:
        return own
    if received.status == HTTPStatus.OK:
        return _unreadable(received)
    return by_status(received.status, received)


def by_status(status: int, received: Received) -> Judgement:
    """The common table for an answer that is not 200."""
    why = with_message(f"it answered {status}", received)
    wait = retry_after(received)
    if status == 429 or (status == 503 and wait is not None):
        return Judgement("rate_limited", why, wait)
    if status in _PAYMENT:
        return Judgement("unavailable", f"{why}; the plan or balance is used up", wait, account=True)
    if status in _KEY:
        return Judgement("unavailable", f"{why}; access is refused", wait, account=True)
    if 300 <= status < 400:
        return Judgement("error", f"it answered {status}{_elsewhere(received)}; a redirect is not followed")
    if 500 <= status < 600:
        return Judgement("unavailable", why, wait)
    return Judgement("error", why)


def with_message(why: str, received: Received) -> str:
    """`why` with what the service itself says, as far as it says it in one of the usual places."""
    message = text_at(received.told, *_MESSAGES)
    code = at(received.told, "error.code") or at(received.told, "code")
    told = [str(code)] if isinstance(code, str | int) and not isinstance(code, bool) else []
    told += [message] if message else []
    return f"{why}: {legible(' '.join(told), 300)}" if told else why


def _elsewhere(received: Received) -> str:
    # Only where to: the path and query of the new place may repeat what was asked.
    try:
        parts = urlsplit(received.headers.get("location", ""))
        host = parts.hostname
    except ValueError:
        return ""
    return f" and points to {legible(f'{parts.scheme}://{host}', 200)}" if host else ""


def _unreadable(received: Received) -> Judgement | None:
    kind = received.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return Judgement("error", f"it answered 200 with {legible(kind, 80) or 'no content type'}, not JSON")
    coding = received.headers.get("content-encoding", "identity").strip().lower()
    if coding != "identity":
        return Judgement("error", f"it answered in the coding {legible(coding, 80)}, which was not asked for")
    if not isinstance(received.told, dict):
        return Judgement("error", "it answered 200 with a body that is no JSON object")
    return None

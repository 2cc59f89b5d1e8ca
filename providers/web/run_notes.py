"""What one run of the web connector says beside its sources: states, refusals, hits that were left."""

from providers.limitations import limited
from providers.moved import moved
from providers.web.minimise import Verdict
from providers.web.quoting import quoted
from providers.web.search.service import Searched
from providers.web.words import STATES, told, told_findings
from schemas.text import legible
from schemas.web import EMPTY, OK, WebSearchHit


class RunNotes:
    """What a receipt says beside its sources."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._moved: list[str] = []
        self._states: list[str] = []
        self._failed = 0
        self._unread = 0
        self.hidden = 0
        """Addresses that our own rules refuse; they are counted and not shown."""

    def note(self, text: str) -> None:
        """One limitation, in a reader's words."""
        self._notes.append(text)

    def refused(self, verdict: Verdict) -> None:
        """A query that our own rules keep back; it is not repeated, since it may hold what must not leave."""
        self._states.append("rejected")
        place = f"第 {len(self._states)} 个检索词"
        self.note(f"{place}没有发送：{told(verdict.reason)}。 Search term not sent.")

    def warned(self, query: str, verdict: Verdict) -> None:
        """What the detectors saw in a query that was sent all the same."""
        if verdict.findings:
            seen = ", ".join(map(str, verdict.findings))
            words = f"{told_findings(verdict.findings)} {seen}"
            self.note(
                f"检索{quoted(query, 200)}照设置发送，其中有{legible(words, 500)}。 Sent with a warning."
            )

    def late(self, query: str) -> None:
        """A query for which no time was left."""
        self._states.append("not asked")
        self.note(f"检索{quoted(query, 200)}没有发送：时间已到。 Not searched: no time was left.")

    def searched(self, query: str, searched: Searched) -> None:
        """What one search came to."""
        result = searched.result
        self._states.append(result.state)
        asked = f"检索{quoted(query, 200)}"
        if result.state == EMPTY:
            self.note(
                f"{asked}没有结果。 {result.provider} found nothing. {_words(result.reason, 400)}".strip()
            )
        elif result.state != OK:
            unsent = "" if result.sent_query else " 未发出 not sent."
            why = f"{_state(result.state)}，{_words(result.reason, 600)}"
            self.note(f"{asked}没有完成：{why}。 Not searched.{unsent}")
        elif result.reason:
            self.note(f"{asked}：{_words(result.reason, 700)}。")

    def left(self, query: str, hits: list[WebSearchHit]) -> None:
        """Hits that were not captured: where they are, and nothing of what they say."""
        self._unread += len(hits)
        if hits:
            listed = " ".join(f"{hit.rank}. {legible(hit.url, 160)}" for hit in hits)
            self.note(
                f"检索{quoted(query, 100)}另有 {len(hits)} 条结果未抓取，不作证据。"
                f" Hits not captured: {listed}"
            )

    def uncaptured(self, url: str, state: str, reason: str) -> None:
        """A page that gave no source, and why."""
        self._failed += 1
        self.note(f"{legible(url, 240)} 没有抓取：{_state(state)}，{_words(reason, 400)}。 Not captured.")

    def moved(self, asked: str, found: str) -> None:
        """A page that the request names and that lies elsewhere; said before what is only of interest."""
        self._moved.append(moved(asked, found))

    def status(self, delivered: bool) -> str:
        """`no_evidence`: every search was answered and nothing was left unread; else the run failed."""
        if delivered:
            return "succeeded"
        answered = bool(self._states) and all(state in (OK, EMPTY) for state in self._states)
        return "no_evidence" if answered and not (self._failed or self._unread or self.hidden) else "failed"

    def summary(self, title: str, where: str, count: int) -> str:
        """How many searches ended in which states, and how many pages there are."""
        states = "、".join(map(_state, dict.fromkeys(self._states))) or "未检索"
        searches = _counted(len(self._states), "search", "searches")
        return (
            f"经 {title}（{legible(where, 200)}）检索 {len(self._states)} 项（{states}），"
            f"抓取网页 {count} 个。 {searches}, {_counted(count, 'page', 'pages')} captured."
        )

    def limitations(self) -> tuple[str, ...]:
        """Every note, in as many limitations as a receipt holds."""
        if not self.hidden:
            return limited([*self._moved, *self._notes])
        said = "个网址为本方规则所拒，没有抓取，也不列出。 Addresses that our own rules refuse; not shown."
        return limited([f"{self.hidden} {said}", *self._moved, *self._notes])


def _words(reason: str, most: int) -> str:
    return legible(told(legible(reason, most)), most + 200)


def _state(state: str) -> str:
    return f"{STATES[state]} {state}"


def _counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"

"""`connector:standards-service`: the same look-ups, asked of a standards service over HTTP.

What `outgoing` shows is byte for byte what is sent. What comes back is bounded in size and time and must be
of the service's own form; the revision of its library stands in the receipt. No redirect is followed, no
proxy is asked, no credential is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from providers.base import Clock, Outgoing, standing
from providers.exchange import Address, Answer, UnansweredError, exchange
from providers.standards.library import LONGEST_FIELD, StandardRecord
from providers.standards.stating import finding, left_out, matched, said, shortfalls
from schemas.canonical import Algorithm, algorithm_of, digest, is_digest
from schemas.dates import instant
from schemas.errors import EvidenceError, InvalidError, ProviderError
from schemas.outside import parse
from schemas.plan import Plan
from schemas.provider import ProviderRow
from schemas.receipt import Receipt, Source
from schemas.text import legible, refused_character, shown

if TYPE_CHECKING:  # the matcher is imported when a plan is executed
    from providers.standards.ranking import Candidate

PROVIDER_ID = "connector:standards-service"
FAMILY = "standards_service"
LONGEST_KEYWORD = 200
LARGEST_ANSWER = 4 * 1024 * 1024
READINESS_SECONDS = 5.0
SEARCH_SECONDS = 20.0
_FIELDS = ("code", "title", "status", "relation_text", "implement_date", "match_score")

LIMITATION = (
    "本条为规范检索服务（{url}，规范库修订 {revision}）的陈述，"
    "现行与否由使用者判断；匹配度只表示文字与编号的相近程度。"
    " The service states this; whether the standard is in force is the reader's judgement."
)

UNSURE = "编号与名称是否相符未能核对"

Answered = list[tuple[str, list[tuple[StandardRecord, int]]]]
"""Each query with the standards that the service has for it and their scores."""


class StandardsService:
    """A standards service as a connector: nothing of a plan is sent before the caller may see it."""

    provider_id = PROVIDER_ID
    provider_kind = "connector"

    def __init__(
        self,
        url: str,
        clock: Clock,
        readiness_seconds: float = READINESS_SECONDS,
        search_seconds: float = SEARCH_SECONDS,
    ) -> None:
        self._address = Address.of(url, "--standards-service")
        self._clock = clock
        self._readiness_seconds = readiness_seconds
        self._search_seconds = search_seconds

    def readiness(self) -> ProviderRow:
        """Ready when /readyz says so and names the library in force; nothing of a plan is sent."""
        try:
            answer = self._exchange(self._looking(), self._readiness_seconds)
            _library_of(parse(answer.body, "the readiness of the service"))
        except EvidenceError as error:
            return standing(self.provider_id, self.provider_kind, error.message)
        return standing(self.provider_id, self.provider_kind, None)

    def outgoing(self, plan: Plan) -> Sequence[Outgoing]:
        """The readiness request, and the search with every query of the plan."""
        asked, _ = _queries(plan)
        messages = [Outgoing(self._address.url("/readyz"), self._looking().decode())]
        if asked:
            messages.append(Outgoing(self._address.url("/v1/search"), self._asking(asked).decode()))
        return messages

    def execute(self, plan: Plan) -> Receipt:
        """One batch; each candidate becomes a source, as with `method:local-standards`.

        Raises InvalidError without search terms, since the objective is not sent, and ProviderError when
        the service does not answer in time, in bounds and in form.
        """
        asked, too_long = _queries(plan)
        if not asked and not too_long:
            message = "the request has no search_terms; its objective is never sent outside"
            raise InvalidError(message, subject="search_terms", hint="say --search-term for each citation")
        if not asked:
            message = f"no query has at most {LONGEST_KEYWORD} characters, which is what the service takes"
            raise ProviderError(message, subject=self.provider_id)
        answer = self._exchange(self._asking(asked), self._search_seconds)
        accessed_at = instant(self._clock())
        revision = answer.headers.get("library-revision", "")
        if not is_digest(revision):
            raise ProviderError("the service does not say which library answered", subject=self.provider_id)
        answered = _results(parse(answer.body, "the answer of the service"), asked)
        found, limitations = _judged(answered)
        algorithm = algorithm_of(plan.plan_id or "blake3:")
        sources, unusable = [], []
        for record, told in found.items():
            try:
                sources.append(self._source(record, told, revision, accessed_at, algorithm))
            except InvalidError as error:
                unusable.append(f"{legible(record.code, 200)}: {error.message}")
        limitations += [
            f"查询“{legible(query, 260)}”超过 {LONGEST_KEYWORD} 字，没有查询。 Too long; not looked up."
            for query in too_long
        ]
        if unusable:
            limitations.append(left_out(unusable))
        return Receipt(
            plan_id=plan.plan_id or "",
            request_id=plan.request.request_id or "",
            provider_id=self.provider_id,
            provider_kind=self.provider_kind,
            status="succeeded" if sources else "no_evidence",
            sources=tuple(sources),
            summary=self._summary(revision, len(asked), len(sources)),
            limitations=tuple(limitations),
            completed_at=instant(self._clock()),
        )

    def _summary(self, revision: str, asked: int, answered: int) -> str:
        where = f"{legible(self._address.url(), 300)}（规范库修订 {revision}）"
        return (
            f"向规范检索服务 {where}查询 {asked} 项，"
            f"得到候选规范 {answered} 条。 Queries: {asked}; candidate standards: {answered}."
        )

    def _source(
        self,
        record: StandardRecord,
        told: Iterable[str],
        revision: str,
        accessed_at: str,
        algorithm: Algorithm,
    ) -> Source:
        stated = {name: getattr(record, name) for name in _FIELDS[:-1]}
        return Source(
            source_ref=f"urn:cn-standard:{quote(record.code, safe='')}",
            source_family=FAMILY,
            basis="stated",
            finding=finding(record, told, revision),
            limitation=LIMITATION.format(url=legible(self._address.url(), 300), revision=revision),
            accessed_at=accessed_at,
            content_digest=digest(stated, algorithm),
        )

    def _looking(self) -> bytes:
        return self._message("GET", "/readyz", b"")

    def _asking(self, keywords: Sequence[str]) -> bytes:
        return self._message("POST", "/v1/search", orjson.dumps({"keywords": list(keywords)}))

    def _message(self, method: str, path: str, body: bytes) -> bytes:
        head = [
            f"{method} {self._address.path}{path} HTTP/1.1",
            f"Host: {self._address.authority}",
            "Accept: application/json",
            "Connection: close",
        ]
        if body:
            head += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*head, "", ""]).encode("ascii") + body

    def _exchange(self, message: bytes, seconds: float) -> Answer:
        where = legible(self._address.url(), 300)
        try:
            answer = exchange(self._address, message, seconds, LARGEST_ANSWER)
        except UnansweredError as error:
            raise ProviderError(
                f"the standards service at {where} cannot be asked: {error}", subject=self.provider_id
            ) from error
        if answer.status != 200:
            raise ProviderError(
                f"the standards service at {where} answered {answer.status}: {_refusal(answer.body)}",
                subject=self.provider_id,
            )
        return answer


def _refusal(body: bytes) -> str:
    """What an error of the service says, as far as it says it in the service's form."""
    with suppress(EvidenceError):
        told = parse(body, "the error of the service")
        if isinstance(told, dict) and isinstance(told.get("message"), str):
            return legible(told["message"], 300)
    return f"{len(body)} bytes that say no reason"


def _library_of(told: object) -> str:
    library = told.get("library") if isinstance(told, dict) else None
    revision = library.get("revision") if isinstance(library, dict) else None
    if not isinstance(told, dict) or told.get("status") != "ready" or not is_digest(str(revision)):
        raise ProviderError("the service does not say that it is ready with a library", subject=PROVIDER_ID)
    return str(revision)


def _queries(plan: Plan) -> tuple[list[str], list[str]]:
    """The queries of a plan, and those that are longer than the service takes."""
    queries = dict.fromkeys(plan.request.search_terms or ())
    asked = [query for query in queries if len(query) <= LONGEST_KEYWORD]
    return asked, [query for query in queries if len(query) > LONGEST_KEYWORD]


def _judged(answered: Answered) -> tuple[dict[StandardRecord, list[str]], list[str]]:
    """Each standard with what is said of the queries that found it, and what a reader must know besides.

    The service tells one score; how number and name fit is worked out here, and only where that gives the
    same score is it believed.
    """
    from providers.standards.rescoring import rescored

    found: dict[StandardRecord, list[str]] = {}
    limitations = []
    for query, results in answered:
        sure: list[Candidate] = []
        for record, score in results:
            match = rescored(query, record)
            if match is not None and match.score == score:
                sure.append(match)
                told = matched(query, match)
            else:
                told = said(query, score, UNSURE)
            found.setdefault(record, []).append(told)
        if len(sure) == len(results):
            limitations += shortfalls(query, sure)
        else:
            limitations.append(
                f"查询“{legible(query, 260)}”的匹配度与本程序所算不同，编号与名称是否相符请自行核对。"
                " The service scores otherwise than this program; compare code and title."
            )
    return found, limitations


def _results(told: object, asked: Sequence[str]) -> Answered:
    """The queries, and the standards that the service has for each."""
    results = told.get("results") if isinstance(told, dict) and len(told) == 1 else None
    if not isinstance(results, list) or len(results) != len(asked):
        raise _malformed(f"results must be a list of {len(asked)}")
    answered: Answered = []
    for place, (query, result) in enumerate(zip(asked, results, strict=True)):
        where = f"results[{place}]"
        if not isinstance(result, dict) or set(result) != {"query", "candidates"} or result["query"] != query:
            raise _malformed(f"{where} must answer the query {shown(query)}")
        candidates = result["candidates"]
        if not isinstance(candidates, list) or len(candidates) > 3:
            raise _malformed(f"{where}.candidates must be a list of at most 3")
        places = enumerate(candidates)
        answered.append((query, [_candidate(one, f"{where}.candidates[{at}]") for at, one in places]))
    records = {record for _, found in answered for record, _ in found}
    if len({record.code for record in records}) != len(records):
        raise _malformed("one code has two contents")
    return answered


def _candidate(told: Any, where: str) -> tuple[StandardRecord, int]:
    if not isinstance(told, dict) or set(told) != set(_FIELDS):
        raise _malformed(f"{where} must have the fields {', '.join(_FIELDS)}")
    texts = [told[name] for name in _FIELDS[:-1]]
    for name, text in zip(_FIELDS, texts, strict=False):
        if not isinstance(text, str) or len(text) > LONGEST_FIELD or refused_character(text):
            raise _malformed(f"{where}.{name} must be a text of at most {LONGEST_FIELD} characters")
    score = told["match_score"]
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise _malformed(f"{where}.match_score must be a number from 0 to 1")
    if not texts[0]:
        raise _malformed(f"{where}.code is empty")
    code, title, status, relation, day = texts
    return StandardRecord(code, "", title, status, relation, day), round(score * 10_000)


def _malformed(why: str) -> ProviderError:
    return ProviderError(f"the answer of the service has another form: {why}", subject=PROVIDER_ID)

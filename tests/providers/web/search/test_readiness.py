"""Readiness without a paid query: what is looked at, what it means, and what is remembered."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from providers.web.search.adapter import Options
from providers.web.search.credentials import from_environment
from providers.web.search.service import AGAIN_SECONDS, Readiness, SearchService
from providers.web.search.services import SERVICES
from schemas.web import WebSearchRequest
from tests.providers.web.search.faking import Behaviour, Fake, faking, raw, says, silent
from tests.providers.web.search.formats import CONFIG, FORMATS, KEY, QUERY, service, well
from tests.world import Clock

NOBODY = "http://127.0.0.1:1"
READY = Readiness(installed=True, enabled=True, ready=True)
NOTHING = {"engines": [], "version": "1"}


@pytest.fixture
def fake() -> Iterator[Fake]:
    with faking() as made:
        well(made)
        made.does["/search"] = says(400, {"error": "No query"})
        yield made


@pytest.mark.parametrize("name", FORMATS)
def test_a_service_that_is_well_is_ready_and_no_query_was_sent(name: str, fake: Fake) -> None:
    asked = service(name, fake.url)
    assert asked.readiness() == READY
    assert not any(b"q=" in sent or sent.startswith(b"POST") for sent in fake.received)
    shown = [probe.content.replace("[credential]", KEY).encode() for probe in asked.probes()]
    assert fake.received == shown
    assert len(shown) == {"searxng": 3, "tavily": 1}.get(name, 0)


@pytest.mark.parametrize("name", FORMATS)
def test_a_service_that_is_not_there_is_not_ready(name: str) -> None:
    found = service(name, NOBODY).readiness()
    assert (found.installed, found.enabled, found.ready) == (True, True, False)
    assert "cannot be reached" in found.reason


@pytest.mark.parametrize("url", ["http://a..b:1", "https://a..b:1", f"http://{'a' * 64}.example:1"])
def test_a_host_that_is_no_name_is_not_ready(url: str) -> None:
    asked = service("searxng", url)
    assert "is no host name" in asked.readiness().reason
    assert asked.search(WebSearchRequest(query="a")).result.state == "unavailable"


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "searxng"])
def test_without_a_key_a_service_is_not_enabled_and_says_what_to_set(name: str, fake: Fake) -> None:
    asked = service(name, fake.url, key=from_environment(name, {}))
    found = asked.readiness()
    variable = f"EXTERNAL_EVIDENCE_{name.upper()}_KEY"
    assert found == Readiness(
        installed=True, enabled=False, ready=False, reason=f"no key: set {variable} or {variable}_COMMAND"
    )
    result = asked.search(WebSearchRequest(query=QUERY)).result
    assert (result.state, result.sent_query) == ("unavailable", "")
    assert variable in result.reason
    assert fake.received == []


@pytest.mark.parametrize(
    ("path", "does", "says_why"),
    [
        ("/healthz", says(200, b"<html>", "text/html"), "no SearXNG that is well"),
        ("/healthz", says(503, b"OK", "text/plain"), "/healthz answered 503"),
        ("/healthz", silent, "no answer in time"),
        ("/healthz", raw(b"x\r\n\r\n"), "cannot be reached"),
        ("/config", says(429, b"Too Many Requests", "text/html"), "limiter"),
        ("/config", says(404, b"", "text/html"), "/config answered 404"),
        ("/config", says(200, {"engines": 7}), "without a list of engines"),
        ("/config", says(200, NOTHING), "the category general has no enabled engine"),
        ("/config", says(200, {"engines": [7, {"name": "a", "enabled": True}]}), "category general"),
        ("/search", says(403, b"", "text/html"), "json is not among its search.formats"),
        ("/search", says(429, b"", "text/html"), "limiter"),
    ],
)
def test_a_searxng_that_is_not_well_says_why(path: str, does: Behaviour, says_why: str, fake: Fake) -> None:
    fake.does[path] = does
    found = service("searxng", fake.url, seconds=0.3 if does is silent else 20.0).readiness()
    assert not found.ready
    assert found.reason.startswith(f"SearXNG at {fake.url}: ")
    assert says_why in found.reason


WANTED = [
    (Options(engines=("notices",)), ""),
    (Options(categories=("general",)), ""),
    (Options(engines=("nosuch", "notices")), "the engine nosuch is not enabled"),
    (Options(engines=("off",)), "the engine off is not enabled"),
    (Options(categories=("nosuch",)), "the category nosuch has no enabled engine"),
    (Options(categories=("general", "unused")), "the category unused has no enabled engine"),
]


@pytest.mark.parametrize(("options", "says_why"), WANTED)
def test_the_engines_and_categories_that_are_wanted_must_be_enabled(
    options: Options, says_why: str, fake: Fake
) -> None:
    found = service("searxng", fake.url, options=options).readiness()
    assert (found.ready, says_why in found.reason) == (not says_why, True)


@pytest.mark.parametrize(("options", "says_why"), WANTED)
@pytest.mark.parametrize("hits", [0, 1])
def test_an_answer_of_other_engines_is_not_believed(
    options: Options, says_why: str, hits: int, fake: Fake
) -> None:
    form = FORMATS["searxng"]
    fake.does["/search"] = says(200, form.body(*[form.hit] * hits))
    result = service("searxng", fake.url, options=options).search(WebSearchRequest(query=QUERY)).result
    assert result.state == ("unavailable" if says_why else "ok" if hits else "empty")
    assert says_why in result.reason


@pytest.mark.parametrize(
    "does", [says(429, b"", "text/html"), silent, says(200, NOTHING)], ids=["limiter", "silence", "nothing"]
)
def test_emptiness_that_cannot_be_checked_is_unavailable(does: Behaviour, fake: Fake) -> None:
    fake.does["/search"] = says(200, FORMATS["searxng"].body())
    fake.does["/config"] = does
    result = service("searxng", fake.url, seconds=0.3).search(WebSearchRequest(query=QUERY)).result
    assert result.state == "unavailable"
    assert "believe" in result.reason


def test_the_emptiness_of_searx_1_says_what_it_does_not_prove(fake: Fake) -> None:
    fake.does["/search"] = says(200, FORMATS["searxng"].body())
    fake.does["/config"] = says(200, {**CONFIG, "version": "1.1.0"})
    result = service("searxng", fake.url).search(WebSearchRequest(query=QUERY)).result
    assert (result.state, result.reason) == ("empty", "searx 1 does not tell which engines it has suspended")


def usage(
    key: tuple[Any, Any] = (1, None), plan: tuple[Any, Any] = (1, 9), paygo: tuple[Any, Any] = (0, None)
) -> Behaviour:
    account = {"plan_usage": plan[0], "plan_limit": plan[1], "paygo_usage": paygo[0], "paygo_limit": paygo[1]}
    return says(200, {"key": {"usage": key[0], "limit": key[1]}, "account": account})


USAGES = {
    "something left": (usage(), ""),
    "key used up": (usage(key=(9, 9)), "the limit of the key is used up"),
    "no limit of the plan": (usage(plan=(9, None)), ""),
    "plan used up": (usage(plan=(9, 9)), "the plan is used up"),
    "pays as it goes": (usage(plan=(9, 9), paygo=(1, None)), ""),
    "pays with a limit": (usage(plan=(9, 9), paygo=(1, 2)), ""),
    "has paid up to the limit": (usage(plan=(9, 9), paygo=(2, 2)), "the plan is used up"),
    "no numbers": (usage(plan=(None, "9")), ""),
    "401": (says(401, {"detail": {"error": "Unauthorized"}}), "the key is not accepted: Unauthorized"),
    "403": (says(403, {}), "the key is not accepted"),
    "429": (says(429, {}), ""),
    "500": (says(500, {}), "/usage answered 500"),
    "odd account": (says(200, {"account": 7}), "without an account"),
    "HTML": (says(200, b"<html>", "text/html"), "without an account"),
}


@pytest.mark.parametrize("usage_of", USAGES)
def test_the_usage_of_tavily_tells_whether_a_query_would_be_taken(usage_of: str, fake: Fake) -> None:
    fake.does["/usage"], says_why = USAGES[usage_of]
    found = service("tavily", fake.url).readiness()
    assert (found.ready, says_why in found.reason) == (not says_why, True)


def test_tavily_without_an_account_is_only_reached(fake: Fake) -> None:
    assert service("tavily", fake.url, options=Options(keyless=True)).readiness() == READY
    assert fake.received == []


def after(fake: Fake, name: str, does: Behaviour) -> tuple[SearchService, Clock]:
    """A service that was asked once, and its clock."""
    fake.does[FORMATS[name].path] = does
    clock = Clock()
    environment = {f"EXTERNAL_EVIDENCE_{name.upper()}_KEY": KEY}
    asked = SearchService(SERVICES[name], clock, base_url=fake.url, key=from_environment(name, environment))
    asked.search(WebSearchRequest(query=QUERY))
    return asked, clock


SPENT = {"X_RateLimit_Limit": "1, 9", "X_RateLimit_Remaining": "1, 0", "X_RateLimit_Reset": "1, 500"}


@pytest.mark.parametrize(
    ("name", "does", "seconds", "says_why"),
    [
        ("bocha", says(403, {"code": "403"}), AGAIN_SECONDS, "the balance is used up"),
        ("zhipu", says(401, {"error": {"code": "1000"}}), AGAIN_SECONDS, "the key is not accepted"),
        ("brave", says(429, {}, Retry_After="30"), 30, "429"),
        ("brave", says(200, FORMATS["brave"].body(), **SPENT), 500, "the quota of the month is used up"),
    ],
)
def test_a_refusal_is_remembered_for_as_long_as_it_holds(
    name: str, does: Behaviour, seconds: int, says_why: str, fake: Fake
) -> None:
    asked, clock = after(fake, name, does)
    found = asked.readiness()
    assert (found.enabled, found.ready) == (True, False)
    assert says_why in found.reason
    clock.now += timedelta(seconds=seconds)
    assert asked.readiness() == READY


@pytest.mark.parametrize("status", [429, 500, 200])
def test_what_may_be_over_already_is_not_remembered(status: int, fake: Fake) -> None:
    asked, _ = after(fake, "bocha", says(status, {}))
    assert asked.readiness() == READY

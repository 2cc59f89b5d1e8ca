"""The OpenAPI document: valid, true in its examples, and held to by the real service."""

from typing import Any

import jsonschema
import orjson
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from providers.standards.service import openapi
from tests.providers.standards.service.running import JSON, Service, asking

DOCUMENT: dict[str, Any] = orjson.loads(openapi.document())
CHECKS = (
    not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance,
    negative_data_rejection, positive_data_acceptance, unsupported_method,
)  # fmt: skip

stranger = schemathesis.openapi.from_dict(DOCUMENT)


def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    return jsonschema.Draft202012Validator(schema)


@stranger.parametrize()
@settings(suppress_health_check=list(HealthCheck))
def test_a_stranger_with_the_document_finds_nothing(case: Any, starter_service: Service) -> None:
    host, port = starter_service.address
    case.call_and_validate(base_url=f"http://{host}:{port}", checks=CHECKS)


def test_the_service_serves_the_document(starter_service: Service) -> None:
    assert starter_service.call("GET", "/openapi.json").json == DOCUMENT


def test_the_examples_of_the_document_are_what_the_service_answers(starter_service: Service) -> None:
    post = DOCUMENT["paths"]["/v1/search"]["post"]
    request = post["requestBody"]["content"]["application/json"]["examples"]["batch"]["value"]
    response = post["responses"]["200"]["content"]["application/json"]["examples"]["batch"]["value"]
    validator("SearchRequest").validate(request)
    validator("SearchResponse").validate(response)
    assert starter_service.post(orjson.dumps(request)).status == 200
    queries = [result["query"] for result in response["results"]]
    answered = starter_service.search(*queries).json["results"]
    for told, result in zip(response["results"], answered, strict=True):
        assert result["candidates"][: len(told["candidates"])] == [
            {**one, "status": found["status"], "relation_text": found["relation_text"],
             "implement_date": found["implement_date"]}
            for one, found in zip(told["candidates"], result["candidates"], strict=False)
        ]  # fmt: skip


def test_every_answer_is_of_the_form_that_the_document_states(starter_service: Service) -> None:
    validator("Ready").validate(starter_service.call("GET", "/readyz").json)
    validator("Health").validate(starter_service.call("GET", "/healthz").json)
    validator("SearchResponse").validate(starter_service.search("GB 50330", "验收规程", "无").json)
    validator("Error").validate(starter_service.post(b"{}").json)


@given(st.lists(st.text(max_size=200), min_size=1, max_size=100))
def test_every_batch_within_the_limits_is_answered_in_order(
    starter_service: Service, keywords: list[str]
) -> None:
    response = starter_service.search(*keywords)
    assert response.status == 200
    assert [result["query"] for result in response.json["results"]] == keywords


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10) | st.just("keywords"), inner)
    ),
)


@given(st.binary(max_size=500) | VALUES.map(lambda value: __import__("json").dumps(value).encode()))
def test_whatever_bytes_are_sent_the_service_stays_up(starter_service: Service, body: bytes) -> None:
    response = starter_service.post(body)
    assert response.status in (200, 400, 422)
    validator("SearchResponse" if response.status == 200 else "Error").validate(response.json)


@given(st.binary(max_size=300))
def test_whatever_is_no_http_does_not_hurt(starter_service: Service, noise: bytes) -> None:
    answer = starter_service.raw(noise)
    assert not answer or answer.startswith(b"HTTP/1.1 4")


@given(st.text(max_size=40), st.sampled_from(["POST", "GET"]))
def test_whatever_is_declared_the_answer_is_clear(
    starter_service: Service, declared: str, method: str
) -> None:
    value = declared.encode("utf-8").decode("latin-1")
    if any(character in value for character in "\r\n\x00"):
        value = "text/plain"
    try:
        response = starter_service.call(method, "/v1/search", asking(["GB 50330"]), {"Content-Type": value})
    except ValueError:  # the client itself refuses to send that header
        return
    assert response.status in (200, 400, 405, 415)
    assert JSON["Content-Type"] == response.headers["content-type"]

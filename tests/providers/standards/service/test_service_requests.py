"""What the service does with requests that nobody should send: a clear 4xx in one shape, never a 5xx."""

import gzip
import json

import pytest

from tests.providers.standards.service.running import JSON, Response, Service, asking

LONGEST = 200


def refusal(response: Response) -> tuple[int, str]:
    """Status and code of a refusal, after a look at its shape."""
    assert response.headers["content-type"] == "application/json"
    error = response.json
    assert list(error) == ["code", "message", "hint", "retryable"]
    assert error["message"]
    assert isinstance(error["retryable"], bool)
    return response.status, error["code"]


BODIES: dict[str, tuple[bytes, tuple[int, str]]] = {
    "nothing": (b"", (400, "malformed_body")),
    "no JSON": (b"keywords=GB+50330", (400, "malformed_body")),
    "half": (b'{"keywords": ["GB', (400, "malformed_body")),
    "two documents": (b'{"keywords":["a"]}{"keywords":["b"]}', (400, "malformed_body")),
    "NaN": (b'{"keywords": [NaN]}', (400, "malformed_body")),
    "a key twice": (b'{"keywords":["a"],"keywords":["b"]}', (400, "malformed_body")),
    "a key twice, escaped": (b'{"keywords":["a"],"k\\u0065ywords":["b"]}', (400, "malformed_body")),
    "a key twice, empty": (b'{"keywords":[],"keywords":["b"]}', (400, "malformed_body")),
    "deep": (b"[" * 100_000, (400, "malformed_body")),
    "deep and closed": (b'{"keywords":' + b"[" * 5000 + b"]" * 5000 + b"}", (400, "malformed_body")),
    "GB18030": ('{"keywords":["建筑边坡"]}'.encode("gb18030"), (400, "malformed_body")),
    "UTF-16": ('{"keywords":["建筑边坡"]}'.encode("utf-16"), (400, "malformed_body")),
    "a raw surrogate": (b'{"keywords":["\xed\xa0\x80"]}', (400, "malformed_body")),
    "overlong UTF-8": (b'{"keywords":["\xc0\xaf"]}', (400, "malformed_body")),
    "a huge number": (b'{"keywords":[' + b"9" * 10_000 + b"]}", (400, "malformed_body")),
    "a raw control": (b'{"keywords":["a\nb"]}', (400, "malformed_body")),
    "null": (b"null", (422, "invalid")),
    "a list": (b'["GB 50330"]', (422, "invalid")),
    "a text": (b'"GB 50330"', (422, "invalid")),
    "no keywords": (b"{}", (422, "invalid")),
    "another field": (b'{"queries":["GB 50330"]}', (422, "invalid")),
    "one field more": (b'{"keywords":["GB 50330"],"limit":3}', (422, "invalid")),
    "a text for the list": (b'{"keywords":"GB 50330"}', (422, "invalid")),
    "null for the list": (b'{"keywords":null}', (422, "invalid")),
    "an object for the list": (b'{"keywords":{"0":"GB 50330"}}', (422, "invalid")),
    "an empty list": (b'{"keywords":[]}', (422, "invalid")),
    "101 keywords": (asking(["GB 50330"] * 101), (422, "invalid")),
    "a number": (b'{"keywords":["GB 50330",50330]}', (422, "invalid")),
    "a boolean": (b'{"keywords":[true]}', (422, "invalid")),
    "null in the list": (b'{"keywords":[null]}', (422, "invalid")),
    "a list in the list": (b'{"keywords":[["GB 50330"]]}', (422, "invalid")),
    "an object in the list": (b'{"keywords":[{"a":1}]}', (422, "invalid")),
    "201 characters": (asking(["规" * 201]), (422, "invalid")),
    "201 characters beyond U+FFFF": (asking(["𠀀" * 201]), (422, "invalid")),
    "a huge keyword": (asking(["规" * 100_000]), (422, "invalid")),
    "a leading surrogate": (b'{"keywords":["\\ud800"]}', (422, "invalid")),
    "a trailing surrogate": (b'{"keywords":["a\\udfffb"]}', (422, "invalid")),
    "surrogates the wrong way round": (b'{"keywords":["\\udc00\\ud800"]}', (422, "invalid")),
    "a surrogate in a name": (b'{"\\ud800":["a"],"keywords":["b"]}', (422, "invalid")),
    "a body too large": (b" " * 600_000, (413, "body_too_large")),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_no_request_is_refused(starter_service: Service, name: str) -> None:
    body, expected = BODIES[name]
    assert refusal(starter_service.post(body)) == expected


@pytest.mark.parametrize(
    "declared",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application",
     "application/jsonp", "application/json; charset=gb18030", "application/json; charset=utf-16", "*/*",
     "é"],
)  # fmt: skip
def test_another_content_type_is_refused(starter_service: Service, declared: str) -> None:
    headers = {"Content-Type": declared} if declared else {"X-None": ""}
    response = starter_service.post(asking(["GB 50330"]), headers)
    assert refusal(response) == (415, "unsupported_media_type")
    assert response.json["hint"] == "send Content-Type: application/json"


@pytest.mark.parametrize(
    "declared", ["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/json ;"]
)
def test_json_may_be_declared_in_every_way(starter_service: Service, declared: str) -> None:
    assert starter_service.post(asking(["GB 50330"]), {"Content-Type": declared}).status == 200


def test_a_packed_body_is_refused(starter_service: Service) -> None:
    packed = gzip.compress(asking(["GB 50330"]))
    response = starter_service.post(packed, {**JSON, "Content-Encoding": "gzip"})
    assert refusal(response) == (415, "unsupported_media_type")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_another_method_is_refused_and_told_which_is_allowed(starter_service: Service, method: str) -> None:
    response = starter_service.call(method, "/v1/search")
    assert refusal(response) == (405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


def test_a_method_that_http_does_not_know_is_refused(starter_service: Service) -> None:
    assert refusal(starter_service.call("NONSENSE", "/v1/search")) == (400, "malformed_request")


def test_the_head_of_a_request_is_bounded(starter_service: Service) -> None:
    for part in (b"GET /" + b"a" * 90_000, b"GET / HTTP/1.1\r\nA: " + b"a" * 90_000):
        assert starter_service.raw(part).startswith(b"HTTP/1.1 400")
    many = b"".join(b"A%d: b\r\n" % number for number in range(20_000))
    answer = starter_service.raw(b"GET / HTTP/1.1\r\n" + many)
    # Most often the reset overtakes the answer.
    assert not answer or answer.startswith(b"HTTP/1.1 400")
    assert starter_service.search("GB 50330").status == 200


@pytest.mark.parametrize("path", ["/", "/v1/search/", "/v1", "/V1/search", "/v1/search%00", "/%ff", "/docs"])
def test_there_is_nothing_at_another_path(starter_service: Service, path: str) -> None:
    response = starter_service.call("POST", path, asking(["GB 50330"]), JSON)
    assert refusal(response) == (404, "no_such_path")


@pytest.mark.parametrize(
    "sent",
    [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n",
     b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
     b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
     b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"],
)  # fmt: skip
def test_what_is_no_http_ends_the_connection_and_nothing_else(starter_service: Service, sent: bytes) -> None:
    answer = starter_service.raw(sent)
    assert not answer or answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 404"))
    assert starter_service.search("GB 50330").status == 200


def test_a_body_in_chunks_is_read_and_bounded(starter_service: Service) -> None:
    def chunked(*chunks: bytes) -> bytes:
        head = b"POST /v1/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
        return head + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"

    whole = asking(["GB 50330"])
    assert starter_service.raw(chunked(whole[:7], whole[7:])).startswith(b"HTTP/1.1 200")
    assert starter_service.raw(chunked(*[b" " * 65_536] * 20)).startswith(b"HTTP/1.1 413")


def test_keywords_come_back_as_they_were_written(starter_service: Service) -> None:
    keywords = [
        "", " ", "\u3000", "，。", "\x00", "a\tb\r\nc", "\u202egb", "\ufeffGB 50330", "é",
        "e\u0301",
        "𠀀" * LONGEST, "规" * LONGEST, '"\\/', "\u2028", "</script>", "GB 50330 " * 20,
        "\U0010ffff", "\ufffe",
    ]  # fmt: skip
    for ascii_only in (False, True):
        body = json.dumps({"keywords": keywords}, ensure_ascii=ascii_only).encode()
        response = starter_service.post(body)
        assert response.status == 200
        assert [result["query"] for result in response.json["results"]] == keywords
        assert [result["candidates"] for result in response.json["results"][:5]] == [[]] * 5


def test_a_hundred_keywords_are_answered_and_a_bom_is_forgiven(starter_service: Service) -> None:
    response = starter_service.post(b"\xef\xbb\xbf" + asking([f"GB {number}" for number in range(100)]))
    assert len(response.json["results"]) == 100


def test_health_and_readiness_answer(starter_service: Service) -> None:
    health = starter_service.call("GET", "/healthz")
    ready = starter_service.call("GET", "/readyz")
    assert (health.status, health.json) == (200, {"status": "ok"})
    revision = starter_service.search("GB 50330").headers["library-revision"]
    assert ready.json["library"] == {"name": "starter", "standards": 439, "revision": revision}
    assert (ready.status, ready.json["status"], ready.json["refused"]) == (200, "ready", None)


def test_the_service_listens_on_this_machine_only(starter_service: Service) -> None:
    assert starter_service.address[0] == "127.0.0.1"
    assert not any(event["event"] == "open_to_others" for event in starter_service.events)

"""What the service is, for programs: an OpenAPI 3.1 document."""

from importlib import metadata
from typing import Any

import orjson

from providers.standards.service.asking import LARGEST_BODY, LONGEST_KEYWORD, MOST_KEYWORDS

SEARCH, HEALTH, READY, DOCUMENT = "/v1/search", "/healthz", "/readyz", "/openapi.json"

_SLOPES = "GB 50330-2013 建筑边坡工程技术规范"
_FOUND = {
    "code": "GB 50330-2013",
    "title": "建筑边坡工程技术规范",
    "status": "现行",
    "relation_text": "替代 GB 50330-2002",
    "implement_date": "2014-06-01",
    "match_score": 1.0,
}
_TEXT: dict[str, Any] = {"type": "string"}


def document() -> bytes:
    """The document as JSON."""
    return orjson.dumps(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "Local standards matcher 本地规范检索服务",
                "version": metadata.version("external-evidence"),
                "summary": "Looks citations of Chinese standards up in a local library; "
                "whether a standard is in force stays with the caller.",
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "paths": {
                SEARCH: {"post": _search()},
                HEALTH: {"get": _look("health", "Whether the process answers 存活检查", "Health", {})},
                READY: {
                    "get": _look("readiness", "The library in force 就绪检查与规范库修订", "Ready", _ready())
                },
                DOCUMENT: {"get": _look("document", "This document 本文档", "Document", {})},
            },
            "components": {"schemas": _schemas(), "responses": _refusals()},
        }
    )


def _search() -> dict[str, Any]:
    return {
        "operationId": "search",
        "summary": f"Look up 1 to {MOST_KEYWORDS} citations by code, title or both 批量检索规范",
        "requestBody": {
            "required": True,
            "description": f"JSON in UTF-8, at most {LARGEST_BODY} bytes.",
            "content": {
                "application/json": {
                    "schema": _ref("SearchRequest"),
                    "examples": {
                        "batch": {
                            "summary": "A code with its title, a title, a code without a year",
                            "value": {"keywords": [_SLOPES, "混凝土结构设计规范", "GB 50330"]},
                        }
                    },
                }
            },
        },
        "responses": {
            "200": {
                "description": "One result for each keyword, in the order of the request.",
                "headers": {
                    "Library-Revision": {
                        "description": "The digest of the library that answered the whole batch.",
                        "schema": _TEXT,
                    },
                    "Request-Id": {
                        "description": "The name of this request in the query log.",
                        "schema": _TEXT,
                    },
                },
                "content": {
                    "application/json": {
                        "schema": _ref("SearchResponse"),
                        "examples": {
                            "batch": {
                                "summary": "One keyword found, one not",
                                "value": {
                                    "results": [
                                        {"query": _SLOPES, "candidates": [_FOUND]},
                                        {"query": "本地规范库中不存在的规范", "candidates": []},
                                    ]
                                },
                            }
                        },
                    }
                },
            },
            **{str(status): {"$ref": f"#/components/responses/{name}"} for status, name, _ in _REFUSALS},
        },
    }


_REFUSALS = (
    (400, "Malformed", "The body is no JSON in UTF-8, or has a key twice."),
    (405, "Method", "The path does not know this method."),
    (408, "Slow", "The body did not arrive in time."),
    (413, "TooLarge", "The body is larger than any allowed request."),
    (415, "MediaType", "The body is not declared as application/json."),
    (422, "Invalid", "The body is JSON of another shape; the message names the place."),
    (503, "Unlogged", "The query log cannot be written, and nothing is answered without it. Try again."),
)


def _refusals() -> dict[str, Any]:
    content = {"application/json": {"schema": _ref("Error")}}
    return {name: {"description": text, "content": content} for _, name, text in _REFUSALS}


def _look(operation: str, summary: str, schema: str, more: dict[str, Any]) -> dict[str, Any]:
    answer = {"description": summary, "content": {"application/json": {"schema": _ref(schema), **more}}}
    refused = {"$ref": "#/components/responses/Method"}
    return {"operationId": operation, "summary": summary, "responses": {"200": answer, "405": refused}}


def _ready() -> dict[str, Any]:
    library = {"name": "standards.csv", "standards": 439, "revision": f"blake3:{'0' * 64}"}
    ready = {
        "status": "ready",
        "library": library,
        "loaded_at": "2026-03-04T05:06:07.000000Z",
        "refused": None,
    }
    return {"example": ready}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schemas() -> dict[str, Any]:
    keyword = {**_TEXT, "maxLength": LONGEST_KEYWORD}
    score = {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "How near text and number are, four decimals; no probability of being right.",
    }
    fields = ("code", "title", "status", "relation_text", "implement_date")
    moment = {**_TEXT, "format": "date-time"}
    return {
        "SearchRequest": _object(keywords=_list(keyword, 1, MOST_KEYWORDS)),
        "SearchResponse": _object(results=_list(_ref("Result"), 1, MOST_KEYWORDS)),
        "Result": _object(query=_TEXT, candidates=_list(_ref("Candidate"), 0, 3)),
        "Candidate": _object(**dict.fromkeys(fields, _TEXT), match_score=score),
        "Error": _object(
            code=_TEXT, message=_TEXT, hint={"type": ["string", "null"]}, retryable={"type": "boolean"}
        ),
        "Health": _object(status={"const": "ok"}),
        "Ready": _object(
            status={"const": "ready"},
            library=_object(name=_TEXT, standards={"type": "integer", "minimum": 1}, revision=_TEXT),
            loaded_at=moment,
            refused={
                "anyOf": [{"type": "null"}, _object(seen_at=moment, message=_TEXT)],
                "description": "The library file that did not take the place of the one in force, and why.",
            },
        ),
        "Document": {"type": "object"},
    }


def _list(items: dict[str, Any], fewest: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": fewest, "maxItems": most}

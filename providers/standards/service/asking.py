"""Read a request body: `{"keywords": [...]}` and nothing else (matcher design, section 4.1)."""

from typing import Any

import orjson

from providers.standards.service.refusals import MalformedError
from schemas.errors import InvalidError
from schemas.outside import parse
from schemas.text import shown

MOST_KEYWORDS = 100
LONGEST_KEYWORD = 200
LARGEST_BODY = 512 * 1024
"""A hundred keywords of 200 characters, each written as two \\u escapes, need 242 KB."""

_HINT = f'send {{"keywords": ["GB 50330-2013", …]}} with 1 to {MOST_KEYWORDS} texts'


def read_keywords(body: bytes) -> list[str]:
    """The keywords that `body` asks for, as they were written.

    Raises MalformedError for what is no JSON, InvalidError for another shape, both with a hint.
    """
    quickly = _quickly(body)
    if quickly is not None:
        return quickly
    value = _carefully(body)
    if not isinstance(value, dict):
        raise InvalidError(f"the body must be an object, found {shown(value)}", subject="body", hint=_HINT)
    if "keywords" not in value:
        raise InvalidError("the body has no keywords", subject="keywords", hint=_HINT)
    if len(value) > 1:
        stranger = next(name for name in value if name != "keywords")
        raise InvalidError(
            f"the body has a field {shown(stranger)} that is not known", subject="body", hint=_HINT
        )
    return _checked(value["keywords"])


def _quickly(body: bytes) -> list[str] | None:
    """The keywords of a body that is sure to be right; None where a closer look is needed.

    orjson refuses a lone surrogate, and does not tell a repeated key: but then the text has more quotes
    than the value has strings. An escaped quote would spoil the count, so it asks for the closer look.
    """
    if b"\\" in body and b'\\"' in body:  # the first alone is a quick no for most
        return None
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    keywords: Any = value.get("keywords") if isinstance(value, dict) and len(value) == 1 else None
    if not isinstance(keywords, list) or not 1 <= len(keywords) <= MOST_KEYWORDS:
        return None
    if set(map(type, keywords)) != {str} or max(map(len, keywords)) > LONGEST_KEYWORD:
        return None
    return keywords if body.count(b'"') == 2 * (1 + len(keywords)) else None


def _carefully(body: bytes) -> object:
    try:
        return parse(body, "the body")
    except InvalidError as error:
        hint = "send one JSON object in UTF-8, no key twice in it"
        raise MalformedError(error.message, subject="body", hint=hint) from error


def _checked(keywords: object) -> list[str]:
    if not isinstance(keywords, list):
        found = shown(keywords)
        raise InvalidError(f"keywords must be an array, found {found}", subject="keywords", hint=_HINT)
    if not 1 <= len(keywords) <= MOST_KEYWORDS:
        hint = f"split a longer list into requests of {MOST_KEYWORDS}" if keywords else _HINT
        raise InvalidError(
            f"keywords has {len(keywords)} items; 1 to {MOST_KEYWORDS} are answered",
            subject="keywords",
            hint=hint,
        )
    for place, keyword in enumerate(keywords):
        if not isinstance(keyword, str):
            raise InvalidError(
                f"keywords[{place}] must be a text, found {shown(keyword)}", subject="keywords", hint=_HINT
            )
        if len(keyword) > LONGEST_KEYWORD:
            raise InvalidError(
                f"keywords[{place}] has {len(keyword)} characters; at most {LONGEST_KEYWORD} are looked up",
                subject="keywords",
                hint="one keyword is one citation: its code, its title, or both",
            )
        if not keyword.isascii():
            _check_surrogates(place, keyword)
    return keywords


def _check_surrogates(place: int, keyword: str) -> None:
    try:
        keyword.encode()
    except UnicodeEncodeError as error:
        raise InvalidError(
            f"keywords[{place}] holds a lone surrogate at position {error.start}, which is no character",
            subject="keywords",
            hint="write characters beyond U+FFFF as a pair of \\u escapes, or as UTF-8",
        ) from error

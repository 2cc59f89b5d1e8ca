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
    value = _quickly(body)
    if value is None:
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


def _quickly(body: bytes) -> Any:
    """The value of a body that is sure to have no key twice; None where a closer look is needed.

    orjson does not tell a repeated key, but then there are more strings in the text than in the value.
    """
    if b"\\" in body:
        return None
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    keywords = value.get("keywords") if isinstance(value, dict) else None
    if not isinstance(keywords, list) or len(value) != 1 or body.count(b'"') != 2 * (1 + len(keywords)):
        return None
    return value


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

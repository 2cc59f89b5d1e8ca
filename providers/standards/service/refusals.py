"""What the service refuses, in the one shape of all errors."""

import orjson

from schemas.errors import EvidenceError, InvalidError


class MalformedError(InvalidError):
    """The body is no JSON that every reader understands alike."""

    code = "malformed_body"
    http_status = 400


class TooLargeError(InvalidError):
    """The body is larger than any allowed request."""

    code = "body_too_large"
    http_status = 413


class MediaTypeError(InvalidError):
    """The body is not declared as plain JSON in UTF-8."""

    code = "unsupported_media_type"
    http_status = 415


class SlowBodyError(EvidenceError):
    """The body did not arrive in time."""

    code = "body_too_slow"
    http_status = 408
    retryable = True


class NoSuchPathError(EvidenceError):
    """There is nothing at this path."""

    code = "no_such_path"
    http_status = 404


class MethodError(EvidenceError):
    """The path does not know this method."""

    code = "method_not_allowed"
    http_status = 405


class FaultError(EvidenceError):
    """The service itself failed."""

    code = "internal_fault"
    http_status = 500


def error_body(error: EvidenceError) -> bytes:
    """The error as JSON: code, message, hint, retryable."""
    message = error.message.encode("utf-8", "backslashreplace").decode()
    return orjson.dumps(
        {"code": error.code, "message": message, "hint": error.hint, "retryable": error.retryable}
    )

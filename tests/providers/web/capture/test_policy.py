"""A policy cannot say nonsense, and what it says wrong is told by field, bound and value."""

import pytest

from providers.web.capture.policy import FetchPolicy
from schemas.errors import UsageError


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("seconds", 0, "seconds must be from 0.01 to 600, found 0"),
        ("seconds", 601.0, "seconds must be from 0.01 to 600, found 601"),
        ("seconds", 10**400, "seconds must be from 0.01 to 600, found 10000000000000000000"),
        ("seconds", float("nan"), "seconds must be from 0.01 to 600, found nan"),
        ("seconds", True, "seconds must be a number of seconds, found a boolean"),
        ("seconds", "20", "seconds must be a number of seconds, found '20'"),
        ("wire_cap", 0, "wire_cap must be from 1 to 67108864, found 0"),
        ("wire_cap", 1.5, "wire_cap must be a whole number, found a number"),
        ("decoded_cap", 1 << 30, "decoded_cap must be from 1 to 67108864, found 1073741824"),
        ("decoded_cap", True, "decoded_cap must be a whole number, found a boolean"),
        ("header_cap", 63, "header_cap must be from 64 to 1048576, found 63"),
        ("max_redirects", -1, "max_redirects must be from 0 to 20, found -1"),
        ("allow_ports", (0,), "allow_ports must be from 1 to 65535, found 0"),
        ("allow_networks", ("10.0.0.1/8",), "allow_networks must be CIDR blocks"),
        ("allow_networks", ("localhost",), "allow_networks must be CIDR blocks"),
        ("user_agent", "", "user_agent must begin with a product token"),
        ("user_agent", "a\r\nX: y", "user_agent must begin with a product token"),
        ("user_agent", "a" * 257, "user_agent must begin with a product token"),
        ("proxy", "socks5://h:1", "proxy must be http://HOST:PORT; the URL is neither http nor https"),
        ("proxy", "https://h:1", "proxy must be http://HOST:PORT, found 'https://h:1'"),
        ("proxy", "http://h:1/path", "proxy must be http://HOST:PORT, found 'http://h:1/path'"),
        ("proxy", "http://u:p@h:1", "proxy must be http://HOST:PORT; the URL names a user"),
    ],
)
def test_a_value_out_of_bounds_is_refused_by_name(field: str, value: object, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        FetchPolicy(**{field: value})  # type: ignore[arg-type]  # wrong on purpose
    assert raised.value.message.startswith(message)
    assert raised.value.subject == field


def test_the_product_token_is_what_the_user_agent_begins_with() -> None:
    assert FetchPolicy().product_token == "external-evidence"  # noqa: S105  # a name, no secret
    assert FetchPolicy(user_agent="Reader_x/1.0 (a)").product_token == "Reader_x"  # noqa: S105

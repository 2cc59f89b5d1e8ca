"""A file of settings: every key, every bound, and errors that name the key."""

import pytest

from providers.web.search.adapter import Options
from providers.web.settings import Settings, read
from schemas.errors import EvidenceError, InvalidError, UsageError

WHOLE = """
detectors = "warn"
official_domains = ["std.example"]
[search]
service = "zhipu"
url = "https://search.example/v1"
engines = ["search_std"]
categories = ["general"]
keyless = false
hits = 20
prefer_official = false
[capture]
pages = 5
seconds = 7
spacing = 0.5
at_once = 2
patience = 10
allow_networks = ["10.0.0.0/8"]
allow_ports = [8080]
proxy = "http://127.0.0.1:3128"
robots = false
user_agent = "tester"
wire_cap = 1000
[[rule]]
domain = "law.example"
retention = "full"
reason = "publishes laws"
"""


def test_every_key_is_read() -> None:
    found = read(("\ufeff" + WHOLE).encode(), "web.toml")
    assert (found.service, found.url, found.hits, found.prefer_official) == (
        "zhipu", "https://search.example/v1", 20, False,
    )  # fmt: skip
    assert found.options == Options(("search_std",), ("general",), keyless=False)
    assert (found.detectors, found.official_domains) == ("warn", ("std.example",))
    assert (found.captures, found.spacing, found.at_once, found.patience) == (5, 0.5, 2, 10)
    policy = found.policy
    assert (policy.seconds, policy.allow_networks, policy.allow_ports) == (7, ("10.0.0.0/8",), (8080,))
    assert (policy.proxy, policy.robots, policy.user_agent) == ("http://127.0.0.1:3128", False, "tester")
    assert [(rule.domain, rule.retention) for rule in found.rules] == [("law.example", "full")]
    assert (found.configured, found.adapter.name) == (True, "zhipu")


def test_an_empty_file_is_what_is_usual() -> None:
    assert read(b"", "web.toml") == Settings()
    assert not Settings().configured
    assert Settings(url="http://127.0.0.1:8888").configured


def test_a_policy_is_changed_only_where_something_is_given() -> None:
    usual = Settings()
    assert usual.with_policy(seconds=None, allow_ports=()) is usual
    changed = usual.with_policy(seconds=3.0, robots=False, allow_ports=(81,))
    assert (changed.policy.seconds, changed.policy.robots, changed.policy.allow_ports) == (3.0, False, (81,))
    with pytest.raises(UsageError, match="seconds must be from"):
        usual.with_policy(seconds=float("nan"))


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("[search", InvalidError, "web.toml is not TOML: "),
        ("a = " + "[" * 100_000, InvalidError, "web.toml is not TOML: "),
        ("hits = " + "9" * 5000, InvalidError, "web.toml is not TOML: "),
        ("search = 1", InvalidError, "web.toml: [search] must be a table"),
        ("rule = 1", InvalidError, "rule must be [[rule]] tables"),
        ("key = 'sk-0123456789abcdef'", InvalidError, "web.toml has an unknown key 'key'"),
        (
            "[search]\nkey = 'sk-0123456789abcdef'",
            InvalidError,
            "web.toml: [search] has an unknown key 'key'",
        ),
        ("[capture]\nallow_port = [1]", InvalidError, "web.toml: [capture] has an unknown key 'allow_port'"),
        ("detectors = 1", InvalidError, "detectors must be a text, found a number"),
        ("detectors = 'off'", InvalidError, "web.toml: detectors must be refuse or warn, found 'off'"),
        ("official_domains = 'x'", InvalidError, "official_domains must be a list of texts"),
        ("[search]\nservice = 'google'", InvalidError, "web.toml: [search] service must be one of searxng"),
        ("[search]\nhits = 0", InvalidError, "web.toml: [search] hits must be from 1 to 50, found 0"),
        (
            "[search]\nhits = true",
            InvalidError,
            "web.toml: [search] hits must be a whole number, found a boolean",
        ),
        ("[search]\nengines = [1]", InvalidError, "web.toml: [search] engines must be a list of texts"),
        ("[search]\nkeyless = 1", InvalidError, "web.toml: [search] keyless must be a true or false"),
        ("[capture]\npages = 9", InvalidError, "web.toml: [capture] pages must be from 0 to 8, found 9"),
        (
            "[capture]\nspacing = inf",
            InvalidError,
            "web.toml: [capture] spacing must be from 0 to 600, found inf",
        ),
        (
            "[capture]\npatience = nan",
            InvalidError,
            "web.toml: [capture] patience must be from 0 to 600, found nan",
        ),
        ("[capture]\nat_once = 0", InvalidError, "web.toml: [capture] at_once must be from 1 to 16, found 0"),
        ("[capture]\nat_once = 1.5", InvalidError, "web.toml: [capture] at_once must be a whole number"),
        (
            "[capture]\nallow_ports = 80",
            InvalidError,
            "web.toml: [capture] allow_ports must be a list of ports",
        ),
        (
            "[capture]\nallow_ports = ['80']",
            InvalidError,
            "web.toml: [capture] allow_ports must be a whole number",
        ),
        (
            "[capture]\nallow_networks = ['10.0.0.1/8']",
            InvalidError,
            "web.toml: [capture] allow_networks must be CIDR blocks",
        ),
        ("[capture]\nrobots = 'no'", InvalidError, "web.toml: [capture] robots must be a true or false"),
        ("[capture]\nseconds = 1979-05-27", InvalidError, "web.toml: [capture] seconds must be a number"),
        (
            "[capture]\nproxy = 'socks5://x'",
            InvalidError,
            "web.toml: [capture] proxy must be http://HOST:PORT",
        ),
        ("[capture]\nwire_cap = 0", InvalidError, "web.toml: [capture] wire_cap must be from 1"),
        ("[capture]\nca_file = 'none.pem'", InvalidError, "web.toml: [capture] ca_file must be a file of"),
        (
            "[search]\nurl = 'ftp://x'",
            InvalidError,
            "web.toml: [search] url: the address of searxng 'ftp://x'",
        ),
        (
            "[search]\nservice = 'bocha'\nurl = 'http://a.cn'",
            InvalidError,
            "must be https: a key would be sent",
        ),
        (
            "[search]\nservice = 'brave'\nkeyless = true",
            InvalidError,
            "[search] brave cannot be asked without",
        ),
        ("official_domains = ['com.cn']", InvalidError, "web.toml: official_domains: under 'com.cn' anybody"),
        ("[[rule]]\ndomain = '*'\nretention = 'full'", InvalidError, "web.toml: [[rule]] 1 needs a domain"),
    ],
)
def test_a_wrong_file_is_refused_by_name(text: str, error: type[EvidenceError], told: str) -> None:
    with pytest.raises(error) as caught:
        read(text.encode(), "web.toml")
    assert told in caught.value.message
    assert "sk-0123456789abcdef" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[search]\ndetectors = 'warn'", "此键应写在所有 [表] 之前 this key stands before every [table]"),
        ("[capture]\nofficial_domains = []", "此键应写在所有 [表] 之前 this key stands before every [table]"),
        ("url = 'http://127.0.0.1:8888'", "此键属于 [search] this key belongs to [search]"),
        ("[search]\npages = 1", "此键属于 [capture] this key belongs to [capture]"),
        ("[capture]\npage = 1", "是否想写 pages？ did you mean pages?"),
        ("detector = 'warn'", "是否想写 detectors？ did you mean detectors?"),
        ("zzz = 1", "可用的键 known keys: detectors, official_domains, search, capture, rule"),
    ],
)
def test_an_unknown_key_is_told_what_may_be_meant(text: str, hint: str) -> None:
    with pytest.raises(InvalidError) as caught:
        read(text.encode(), "web.toml")
    assert caught.value.hint == hint


def test_what_is_no_utf_8_is_no_toml() -> None:
    with pytest.raises(InvalidError, match=r"web\.toml is not TOML"):
        read("a = '规范'".encode("gbk"), "web.toml")

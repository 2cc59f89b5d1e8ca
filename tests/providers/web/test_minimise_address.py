"""A URL that is to be captured: the rules of a query, on what a server would read."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.exclusions import Exclusions
from providers.web.minimise import Policy
from providers.web.minimise_address import check_address

HELD = Exclusions(["金茂大厦", "acme"])
NONE = Exclusions()


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/金茂大厦",
        f"https://example.com/{quote('金茂大厦')}",
        f"https://example.com/{quote('金茂大厦', encoding='gbk')}",
        f"https://example.com/{quote(quote('金茂大厦'))}",
        f"https://example.com/{quote(quote('金茂大厦', encoding='gbk'))}",
        f"https://example.com/?q={quote('金茂　大廈')}",
        f"https://example.com/?q={quote('金茂大廈', encoding='big5')}",
        "https://example.com/?q=%u91D1%u8302%u5927%u53a6",
        "https://example.com/?q=%25u91D1%25u8302%25u5927%25u53a6",
        "https://www.ACME.example.com/",
        "https://example.com/%61%63%6d%65",
        "https://example.com/?q=a%2Ec-m%20e",
        "https://xn--" + "金茂大厦".encode("punycode").decode("ascii") + ".example.com/",
    ],
)
def test_an_excluded_term_is_found_in_whatever_form(url: str) -> None:
    verdict = check_address(url, HELD)
    assert verdict.state == "rejected"
    assert verdict.reason in ("url contains an excluded term", "url contains an excluded term after folding")
    assert verdict.sent_query == ""
    assert check_address(url, NONE).sent_query == url


@pytest.mark.parametrize(
    "url",
    ["https://a.cn/%0d%0aHost:%20b", "https://a.cn/\x00", "https://a.cn/%E2%80%AE", "https://a.cn/%2500"],
)
def test_hidden_characters_are_refused_in_escapes_too(url: str) -> None:
    reason = check_address(url, NONE).reason
    if "%0d" in url:  # tab, LF and CR are ordinary in a text; the fetcher refuses them in a URL
        assert reason == ""
    else:
        assert reason.startswith("url holds a control, bidirectional or hidden character")


def test_what_should_not_leave_is_refused_or_told() -> None:
    url = "https://a.cn/?tel=%31%33%38%30%30%31%33%38%30%30%30&mail=a%40b.cn"
    refused = check_address(url, NONE)
    assert [one.kind for one in refused.findings] == ["mobile_number", "email"]
    assert refused.state == "rejected"
    warned = check_address(url, NONE, "warn")
    assert (warned.state, warned.sent_query, warned.findings) == ("ok", url, refused.findings)


@pytest.mark.parametrize(
    "url", ["https://a@b.cn/", "https://user:hunter2@b.cn", "HTTP://13800138000@b.cn/?x"]
)
@pytest.mark.parametrize("policy", ["refuse", "warn"])
def test_a_user_in_a_url_is_called_one_and_no_e_mail(url: str, policy: Policy) -> None:
    assert check_address(url, NONE, policy).reason == "url names a user"
    assert check_address("https://b.cn/?mail=a@b.cn", NONE).reason.startswith("url holds what should not")


@pytest.mark.parametrize(
    "url",
    [
        "https://openstd.samr.gov.cn/bzgk/gb/newGbInfo?hcno=B6D2B1D8F6DFF2D6E0F9F6C9A9C2E6C3",
        "https://www.nmpa.gov.cn/xxgk/fgwj/flxzhfg/20210319202057136.html",
        "https://www.gov.cn/zhengce/content/2021-03/18/content_5593739.htm",
        "http://127.0.0.1:8080/page",
        "https://example.com/?q=site:gov.cn&x=!!g",
        "https://example.com/a%20b%zz%",
    ],
)
def test_an_ordinary_address_passes_as_it_is(url: str) -> None:
    assert check_address(f" {url}\n", HELD).sent_query == url


def test_bounds() -> None:
    assert check_address(" ", NONE).reason == "url is empty"
    assert check_address("https://a.cn/\ud800", NONE).reason == "url is not valid Unicode"
    assert check_address("a" * 8193, NONE).reason == "url is longer than 8192 code points"
    assert check_address("%41" * 2730, NONE).state == "ok"


@given(st.text(), st.lists(st.text(max_size=3), max_size=3))
def test_no_text_breaks_the_check(url: str, terms: list[str]) -> None:
    verdict = check_address(url, Exclusions(terms))
    assert (verdict.state == "ok") == (verdict.reason == "")

"""Official is a matter of whole labels and of a documented list."""

import csv

import pytest

from providers.web.search.official import LIST, OfficialDomains
from schemas.errors import InvalidError

STANDARD = OfficialDomains.standard()


@pytest.mark.parametrize(
    "url",
    [
        "https://www.gov.cn/zhengce/", "http://gov.cn", "https://std.samr.gov.cn/gb/search?q=a",
        "https://openstd.samr.gov.cn/bzgk/gb/", "https://www.mohurd.gov.cn/a", "https://www.nmpa.gov.cn/",
        "https://www.cmde.org.cn/", "https://MOHURD.GOV.CN./a", "https://mohurd.gov.cn:8443/a",
        "https://wenshu.court.gov.cn/", "https://flk.npc.gov.cn/", "https://www.beijing.gov.cn/",
        "http://c.gb688.cn/bzgk/gb/showGb", "https://www.iso.org/standard/1", "https://webstore.iec.ch/",
        "https://eur-lex.europa.eu/", "https://www.accessdata.fda.gov/",
    ],
)  # fmt: skip
def test_pages_of_official_bodies_are_official(url: str) -> None:
    assert STANDARD.holds(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://gov.cn.evil.com/", "https://evilgov.cn/", "https://evil-gov.cn/", "https://mohurd.gov.cn@evil.com/",
        "https://evil.com/gov.cn", "https://evil.com/?a=gov.cn", "https://evil.com#.gov.cn", "https://govcn/",
        "https://a@mohurd.gov.cn/", "https://mohurd.gov.cn%2eevil.com/",
        "https://evil.com\\.gov.cn/", "https://gov.cn\\@evil.com", "https://mohurd.gоv.cn/", "https://mohurd.gov.cn../",
        "https://.gov.cn/", "https://[::1]/", "https://[gov.cn]/", "https://cn/", "", "gov.cn", "https:///gov.cn",
        "https://gb688.cn/", "https://notcmde.org.cn/", "https://org.cn/", f"https://{'a' * 64}.gov.cn/",
        f"https://{'é' * 64}.gov.cn/", "https://a_b.gov.cn/",
    ],
)  # fmt: skip
def test_what_only_looks_like_one_is_not(url: str) -> None:
    assert not STANDARD.holds(url)


def test_the_reason_is_that_of_the_longest_domain() -> None:
    assert (STANDARD.reason("https://std.samr.gov.cn/") or "").startswith("全国标准信息公共服务平台")
    assert (STANDARD.reason("https://a.gov.cn/") or "").startswith("中华人民共和国各级国家机关")
    assert STANDARD.reason("https://a.cn/") is None


def test_every_committed_domain_is_one_and_has_its_reason() -> None:
    with LIST.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len({row["domain"] for row in rows}) == len(rows) >= 15
    assert all(row["reason"] for row in rows)
    OfficialDomains.standard(row["domain"] for row in rows)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("example.org", "https://a.example.org/"), ("Example.ORG.", "https://example.org"),
        ("标准.中国", "https://a.xn--q8q655c.xn--fiqs8s/"), ("标准.中国", "https://标准.中国/a"),
    ],
)  # fmt: skip
def test_a_user_adds_domains(name: str, url: str) -> None:
    more = OfficialDomains.standard([name])
    assert not STANDARD.holds(url)
    assert more.holds(url)
    assert more.reason(url) == "named by the user"
    assert more.holds("https://gov.cn/")


@pytest.mark.parametrize(
    "name", ["", "cn", "a b.cn", "*.cn", "https://a.cn", "a.cn/b", "127.0.0.1", "a..cn", "é" * 64]
)
def test_what_is_no_domain_is_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="is no domain"):
        OfficialDomains.standard([name])


@pytest.mark.parametrize("name", ["com.cn", "ORG.CN", "net.cn.", "github.io"])
def test_an_end_under_which_anybody_registers_is_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="anybody registers"):
        OfficialDomains.standard([name])

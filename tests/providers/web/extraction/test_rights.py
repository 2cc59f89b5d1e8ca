"""What may be kept of a page: rules by host and path, and what each leaves."""

import pytest

from providers.web.extraction import rights
from providers.web.extraction.page import Page, extract
from providers.web.extraction.rights import Rule
from schemas.errors import InvalidError
from schemas.web import WebClauseCandidate


@pytest.mark.parametrize(
    ("host", "path", "kept"),
    [
        ("flk.npc.gov.cn", "/detail2.html", "full"),
        ("FLK.NPC.GOV.CN.", "/", "full"),
        ("www.gov.cn", "/gongbao/2024/1.htm", "full"),
        ("www.gov.cn", "/yaowen/1.htm", "excerpt"),
        ("openstd.samr.gov.cn", "/bzgk/gb/", "metadata_only"),
        ("hbba.sacinfo.org.cn", "/", "metadata_only"),
        ("evilsacinfo.org.cn", "/", "excerpt"),
        ("flk.npc.gov.cn.example.com", "/", "excerpt"),
        ("example.com", "/", "excerpt"),
        ("", "/", "excerpt"),
    ],
)
def test_the_built_in_rules_decide_by_whole_labels(host: str, path: str, kept: str) -> None:
    assert rights.retention(host, "html", path=path) == kept


def test_what_is_no_text_leaves_metadata_only() -> None:
    assert rights.retention("flk.npc.gov.cn", "other") == "metadata_only"


def test_own_rules_come_first_and_the_longest_domain_and_path_decide() -> None:
    own = rights.read(
        b"""
        [[rule]]
        domain = "npc.gov.cn"
        retention = "excerpt"
        [[rule]]
        domain = ".Example.com"
        retention = "full"
        [[rule]]
        domain = "example.com"
        path = "/news/"
        retention = "metadata_only"
        reason = "own word"
        """,
        "mine",
    )
    assert own[2] == Rule("example.com", "metadata_only", "own word", "/news/")
    assert rights.retention("flk.npc.gov.cn", "html", own) == "excerpt"
    assert rights.retention("a.example.com", "html", own) == "full"
    assert rights.retention("a.example.com", "html", own, path="/news/1") == "metadata_only"
    assert rights.retention("xzfg.moj.gov.cn", "html", own) == "full"
    twice = (Rule("a.cn", "full", ""), Rule("a.cn", "metadata_only", ""))
    assert rights.retention("a.cn", "pdf", twice) == "metadata_only"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff", "not TOML"),
        (b"[[rule", "not TOML"),
        (b"rules = []", "nothing but"),
        (b"rule = 'x'", "nothing but"),
        (b"rule = ['x']", "rule 1 is not a table"),
        (b"[[rule]]\ndomain = 1", "rule 1 is not a table of strings"),
        (b"[[rule]]\nhost = 'a'", "unknown key 'host'"),
        (b"[[rule]]\nretention = 'full'", "needs a domain"),
        (b"[[rule]]\ndomain = '*.cn'\nretention = 'full'", "without a wildcard"),
        (b"[[rule]]\ndomain = 'a.cn'\nretention = 'all'", "needs a retention"),
    ],
)
def test_a_file_of_rules_that_is_wrong_is_refused_by_name(content: bytes, words: str) -> None:
    with pytest.raises(InvalidError, match="mine") as refused:
        rights.read(content, "mine")
    assert words in refused.value.message


def test_every_built_in_rule_gives_its_reason() -> None:
    assert all(rule.reason for rule in rights.built_in())


def test_a_retention_leaves_the_text_short_excerpts_or_nothing() -> None:
    page = extract(f"第一条 {'甲' * 300}\n第二条 乙。".encode(), "text/plain")
    assert rights.retained(page, "full") == (page.text, page.candidates)
    assert rights.retained(page, "metadata_only") == ("", ())
    text, (first, second) = rights.retained(page, "excerpt")
    assert text == ""
    assert second == WebClauseCandidate(clause_no="第二条", excerpt="第二条 乙。", start=305, end=311)
    assert (first.start, first.end, len(first.excerpt)) == (0, 200, 200)
    assert page.text[first.start : first.end] == first.excerpt
    assert rights.retained(Page(kind="other"), "excerpt") == ("", ())

"""A node as a source: every text fits its field, and offsets are those of what is quoted."""

import hashlib
import re

import pytest

from providers.regulations.node_source import QUOTED, Cited, node_source
from schemas.receipt import Source
from schemas.regulations import RegulationEvidence
from tests.providers.regulations.law import edition

REVISION = f"kbr1-{'a' * 32}"
STATUS = ("现行有效", "2031-07-01")


def made(
    excerpt: str,
    *,
    digest: str = "ab" * 32,
    start: int = 0,
    disclosure: str = "full",
    reason: str = "",
    length: int = 0,
    **facts: object,
) -> Source:
    told = edition(**facts)  # type: ignore[arg-type]  # each test names real fields
    node = f"{told.edition_id}#art1"
    evidence = RegulationEvidence(
        corpus_revision=REVISION,
        edition_id=told.edition_id,
        node_id=node,
        clause_no="第一条",
        excerpt=excerpt,
        start=start,
        end=start + len(excerpt),
        node_sha256=digest,
        disclosure=disclosure,
        withheld_reason=reason,
        hash_verified=True,
    )
    cited = Cited(REVISION, node, found=["查询“甲”（number）", "查询“甲”（number）"], length=length)
    return node_source(cited, evidence, told, ("第一章 总则",), STATUS, "2031-07-01T00:00:00Z")


@pytest.mark.parametrize("letter", ["法", "𠮷", "a", "\n"])
def test_the_longest_of_everything_fits_and_the_quote_is_the_slice(letter: str) -> None:
    long = "名" * 3000
    text = letter * 9000
    source = made(text, start=7, length=9007, title=long, label=long, doc_no=long, source=long)
    found = re.search(r"\[(\d+):(\d+)\]（节选，全文 9007 个码点）：……“(.*?)”……", source.finding, re.DOTALL)
    assert found is not None
    assert (int(found[1]), int(found[2])) == (7, 7 + QUOTED)
    assert found[3] == text[:QUOTED]


def test_a_short_text_is_quoted_whole() -> None:
    source = made("为了让灯塔长明，制定本条例。")
    assert "节点文本（不含条、项序号）[0:14]：“为了让灯塔长明，制定本条例。”。" in source.finding
    assert "节选" not in source.finding
    assert source.finding.count("查询“甲”") == 1
    assert (source.source_ref, source.basis) == (
        f"urn:kbreg:{REVISION}:lighthouse-rules@2031-03-04#art1",
        "stated",
    )
    assert source.content_digest == f"sha256:{'ab' * 32}"


def test_a_part_of_a_text_is_told_to_be_one() -> None:
    """A quotation that stops without a word reads like the whole provision."""
    beginning = made("甲乙", length=5).finding
    assert "[0:2]（节选，全文 5 个码点）：“甲乙”……。" in beginning
    ending = made("丙丁", start=3, length=5).finding
    assert "[3:5]（节选，全文 5 个码点）：……“丙丁”。" in ending
    assert "[3:5]（节选）：……“丙丁”……。" in made("丙丁", start=3).finding


def test_a_heading_without_a_text_is_not_said_to_be_withheld() -> None:
    source = made("", digest=hashlib.sha256(b"").hexdigest())
    assert "该节点没有自己的文字" in source.finding
    assert "不披露" not in source.finding


def test_what_is_not_disclosed_gives_the_reason_that_is_stated_or_none() -> None:
    withheld = made("", disclosure="withheld", reason="版权。")
    assert "不披露正文（原因：版权）。" in withheld.finding
    assert "总则" not in withheld.finding
    listed = made("", disclosure="metadata_only")
    assert "不披露正文。" in listed.finding
    assert "原因" not in listed.finding
    for source in (withheld, listed):
        assert "states number and hash of this clause and not its text" in (source.limitation or "")
    assert "The corpus states the text of this edition" in (made("甲").limitation or "")
    assert "。。" not in withheld.finding + listed.finding
    assert "2031-07-01（北京时间）的效力状态：现行有效" in listed.finding
    assert "2031-07-01（北京时间）推算" in (listed.limitation or "")
    assert "（第一章 总则）" in listed.finding


def test_an_edition_without_label_number_source_or_date() -> None:
    source = made("甲", label="", doc_no="", source="", promulgated_on=None)
    assert source.finding.startswith("《灯塔维护条例》。第一条（第一章 总则）。")
    assert source.publication_date is None
    assert "来源：未载 unknown" in (source.limitation or "")

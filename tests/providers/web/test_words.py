"""Reasons in both languages: every reason that we give has its Chinese gist, and the English stays whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.findings import Finding
from providers.web.words import KINDS, told, told_findings
from tests.providers.web.capture.test_fault_table import GROUPS


@pytest.mark.parametrize(
    ("reason", "gist"),
    [
        ("query contains an excluded term", "含有排除词"),
        ("url contains an excluded term after folding", "折叠后含有排除词"),
        ("query is longer than 256 code points", "超过 256 字"),
        (
            "query holds a control, bidirectional or hidden character, U+202E at position 1",
            "第 1 字是控制、双向或隐藏字符 U+202E",
        ),
        (
            "query holds what should not leave: mobile_number at 9-22, email at 30-36",
            "含有疑似手机号（第 9–22 字）、疑似邮箱（第 30–36 字）",
        ),
        ("the host is 10.1.2.3, which is not public: Private-Use", "10.1.2.3 不是公网地址"),
        ("robots.txt was not read: status 503", "读不到 robots.txt（对方答复 503）"),
        ("robots.txt was not read: something new", "读不到 robots.txt（something new）"),
        ("the certificate is not accepted: self-signed certificate", "证书不被接受"),
        ("not over within 20 seconds", "20 秒内没有完成"),
        ("SearXNG: it answered 503; ask again in 7 seconds", "答复 503；请 7 秒后再问"),
        (
            "SearXNG at http://a:1: it cannot be reached: http://a:1 refused the connection: is it running?",
            "SearXNG（http://a:1）拒绝连接，请确认它已启动",
        ),
        ("no key: set EXTERNAL_EVIDENCE_BOCHA_KEY or EXTERNAL_EVIDENCE_BOCHA_KEY_COMMAND",
         "没有密钥：请设 EXTERNAL_EVIDENCE_BOCHA_KEY"),
        ("Baidu: the query is 80 long as this service counts, and it takes at most 72",
         "按该服务的算法长 80，它至多收 72"),
    ],
)  # fmt: skip
def test_a_reason_has_its_gist_in_chinese_first(reason: str, gist: str) -> None:
    assert told(reason) == f"{gist} {reason}"


@pytest.mark.parametrize(
    "reason", sorted({case.reason for cases in GROUPS.values() for case in cases} - {""})
)
def test_every_reason_of_a_capture_has_a_gist(reason: str) -> None:
    gist = told(reason).removesuffix(reason)
    assert gist.endswith(" ")
    assert any("\u4e00" <= sign <= "\u9fff" for sign in gist)


def test_what_has_no_gist_or_has_one_already_stays() -> None:
    for reason in (
        "",
        "something new",
        "正文几乎为空，可能需要脚本 almost no text; the page may need scripts",
    ):
        assert told(reason) == reason


def test_every_kind_of_finding_has_a_name() -> None:
    for kind, name in KINDS.items():
        assert told_findings([Finding(kind, 1, 3)]) == f"{name}（第 1–3 字）"
    assert told_findings([Finding("new_kind", 1, 3)]) == "new_kind（第 1–3 字）"


@given(st.text())
def test_whatever_a_server_writes_stands_whole_at_the_end(reason: str) -> None:
    assert told(reason).endswith(reason)
    assert told(f"SearXNG: it answered 500: {reason}").endswith(f"SearXNG: it answered 500: {reason}")

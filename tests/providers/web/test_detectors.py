"""Detectors: what must be seen in every usual writing, and what looks alike and must not be."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.web.detectors import detect, detect_in_address
from providers.web.minimise import check_query

WIDE = str.maketrans("0123456789X", "０１２３４５６７８９Ｘ")
CREDIT = "0123456789ABCDEFGHJKLMNPQRTUWXY"


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in detect(text)]


def resident(region: str, born: date, order: int) -> str:
    """A resident id by GB 11643, whose numbers satisfy sum(a_i * 2^(i-1)) = 1 (mod 11)."""
    body = f"{region}{born:%Y%m%d}{order:03d}"
    rest = sum(int(digit) * pow(2, 17 - place, 11) for place, digit in enumerate(body)) % 11
    check = (1 - rest) % 11
    return f"{body}{'X' if check == 10 else check}"


def credit(body: str) -> str:
    """A social credit code by GB 32100: 31 less the weighted sum, modulo 31."""
    total = sum(CREDIT.index(sign) * pow(3, place, 31) for place, sign in enumerate(body))
    return body + CREDIT[(31 - total % 31) % 31]


def luhn(body: str) -> str:
    """`body` with the digit that makes its Luhn sum a multiple of ten."""
    doubled = [int(digit) * (2 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(body))]
    return body + str(-sum(sum(map(int, str(value))) for value in doubled) % 10)


RESIDENT = resident("110105", date(1949, 12, 31), 2)
CARD = luhn("622202100112233")
COMPANY = credit("91110000600037341")


def test_the_published_examples_have_the_check_signs_of_the_standards() -> None:
    assert RESIDENT == "11010519491231002X"
    assert CARD[:6] == "622202"
    assert len(COMPANY) == 18
    assert luhn("7992739871") == "79927398713"


@pytest.mark.parametrize(
    "written",
    [
        RESIDENT,
        RESIDENT.lower(),
        RESIDENT.translate(WIDE),
        f"身份证号：{RESIDENT}，规范",
        f"ID{RESIDENT}号",
        "110105 19491231 002X",
        "110105-1949-1231-002X",
        "110105 19491231 002 X",
        "1 1 0 1 0 5 1 9 4 9 1 2 3 1 0 0 2 X",
        "1101\u200b0519\u200b491231002X",
        "１１０１０５　１９４９１２３１　００２Ｘ",
        "110105491231002",
        "110105 491231 002",
    ],
)
def test_a_resident_id_is_seen(written: str) -> None:
    assert kinds(written) == ["resident_id"]


@pytest.mark.parametrize(
    "written",
    [
        "110105194912310021",  # check digit
        resident("110105", date(1949, 12, 31), 2).replace("11", "99", 1),  # no such province
        "11010519491331002X",  # no such month
        resident("110105", date(1749, 1, 1), 2),  # nobody is that old
        f"{RESIDENT}7",
        f"7{RESIDENT}",
        "110105491331002",
        "110105 4912 310 02",
    ],
)
def test_what_breaks_a_rule_is_no_resident_id(written: str) -> None:
    assert "resident_id" not in kinds(written)


@given(st.dates(date(1900, 1, 1), date(2026, 12, 31)), st.integers(0, 999), st.integers(0, 17), st.data())
def test_one_wrong_digit_is_never_a_resident_id(
    born: date, order: int, place: int, data: st.DataObject
) -> None:
    number = resident("310101", born, order)
    assert kinds(number) == ["resident_id"]
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != number[place]]))
    assert "resident_id" not in kinds(number[:place] + other + number[place + 1 :])


@pytest.mark.parametrize(
    "written",
    [
        "13800138000",
        "１３８００１３８０００",
        "138 0013 8000",
        "138-0013-8000",
        "138.0013.8000",
        "138—0013—8000",
        "1 3 8 0 0 1 3 8 0 0 0",
        "+86 13800138000",
        "+8613800138000",
        "86-138-0013-8000",
        "008613800138000",
        "电话13800138000，张工",
        "一三八〇〇一三八〇〇〇",
        "138\u200b0013\u200b8000",
        "19912345678",
    ],
)
def test_a_mobile_number_is_seen(written: str) -> None:
    assert kinds(written) == ["mobile_number"]


@pytest.mark.parametrize(
    "written",
    ["12345678901", "1380013800", "138001380001", "10086", "010-62345678", "138 00 138000", "20153460001"],
)
def test_another_number_is_no_mobile_number(written: str) -> None:
    assert kinds(written) == []


@pytest.mark.parametrize(
    "written",
    [COMPANY, COMPANY.lower(), f"统一社会信用代码{COMPANY}", f"{COMPANY[:4]} {COMPANY[4:8]} {COMPANY[8:]}"],
)
def test_a_social_credit_code_is_seen(written: str) -> None:
    assert kinds(written) == ["social_credit_code"]


@given(st.integers(0, 17), st.sampled_from(CREDIT), st.text(CREDIT, min_size=9, max_size=9))
def test_one_wrong_sign_is_never_a_social_credit_code(place: int, other: str, body: str) -> None:
    code = credit(f"91310000{body}")
    assert "social_credit_code" in kinds(code) or code.isdigit()
    if code[place] != other:
        assert "social_credit_code" not in kinds(code[:place] + other + code[place + 1 :])


@pytest.mark.parametrize(
    "written",
    [
        CARD,
        f"{CARD[:4]} {CARD[4:8]} {CARD[8:12]} {CARD[12:]}",
        f"{CARD[:4]}-{CARD[4:8]}-{CARD[8:12]}-{CARD[12:]}",
        CARD.translate(WIDE),
        luhn("622848040256489001"),
        luhn("411111111111111"),
        luhn("555555555555444"),
        luhn("37828224631000"),
        "3782 822463 10005",
        luhn("955880020010000000"),
    ],
)
def test_a_bank_card_is_seen(written: str) -> None:
    assert kinds(written) == ["bank_card"]


@pytest.mark.parametrize("body", ["692345678901", "123456789012345", "201503460001234", "622202"])
def test_a_number_of_another_kind_is_no_bank_card(body: str) -> None:
    assert kinds(luhn(body)) == []


def test_a_card_with_a_wrong_digit_is_none() -> None:
    wrong = CARD[:-1] + str((int(CARD[-1]) + 1) % 10)
    assert kinds(wrong) == []
    assert kinds("4" * 16) == []


@pytest.mark.parametrize(
    "written",
    [
        "zhang.wei@example.com",
        "ZHANG＠EXAMPLE．COM",
        "张三@例子.公司",
        "zhang [at] example [dot] com",
        "zhang(at)example.com.cn",
        "a+b@mail.example.com",
    ],
)
def test_an_e_mail_address_is_seen(written: str) -> None:
    assert kinds(f"问 {written} 规范") == ["email"]


@pytest.mark.parametrize(
    "written", ["@gov.cn", "a@b", "3 @ 5.2", "meet at noon.", "φ8@200", "HRB400 φ10@150.5"]
)
def test_another_at_is_no_e_mail_address(written: str) -> None:
    assert kinds(written) == []


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("jenkins.corp", "internal_host"),
        ("git.corp.example.com", "internal_host"),
        ("nas.local", "internal_host"),
        ("db.prod.internal", "internal_host"),
        ("wiki.intranet.example.cn", "internal_host"),
        ("router.home.arpa", "internal_host"),
        ("kube.svc.cluster.local", "internal_host"),
        ("http://wiki/page", "internal_host"),
        ("localhost:8080", "internal_host"),
        ("\\\\fileserver\\share$", "internal_host"),
        ("10.12.0.7", "private_address"),
        ("１９２．１６８．１．１", "private_address"),
        ("192.168.1.1:8080", "private_address"),
        ("172.31.255.1", "private_address"),
        ("100.64.0.1", "private_address"),
        ("169.254.169.254", "private_address"),
        ("127.0.0.1", "private_address"),
        ("fe80::1", "private_address"),
        ("fd12:3456::7", "private_address"),
        ("::ffff:10.0.0.1", "private_address"),
        ("::1", "private_address"),
    ],
)
def test_inner_names_and_addresses_are_seen(written: str, kind: str) -> None:
    assert kinds(f"查 {written} 日志") == [kind]


@pytest.mark.parametrize(
    "written",
    [
        "openstd.samr.gov.cn",
        "https://std.samr.gov.cn/gb/search",
        "8.8.8.8",
        "172.32.0.1",
        "第 10.1.2.3 条",
        "GB 9706.1-2020 10.1.2.3",
        "10.1.2.3 款",
        "section 10.1.2.3",
        "10.1.2",
        "10.1.2.300",
        "12:30:45",
        "local 标准",
        "internal",
        "CECS 21:2000",
        "ISO/IEC 80601-2-12:2020",
    ],
)
def test_public_names_and_clauses_are_not_taken_for_inner_ones(written: str) -> None:
    assert kinds(written) == []


# Put together here, so that no scanner of sources takes them for keys of somebody's.
@pytest.mark.parametrize(
    "written",
    [
        "sk-" + "proj-a1B2c3D4e5F6g7H8",
        "sk" + "_live_" + "4eC39HqLyjWDarjtT1",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a",
        "github" + "_pat_" + "11ABCDEFG0abcdefghij",
        "glpat" + "-abcdefghij0123456789",
        "xoxb" + "-123456789012-abcdef",
        "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
        "LTAI" + "5tAbCdEfGhIjKl",
        "AKID" + "z8krbsJ5yKBZQpn74WFkmLPx3",
        "bce-v3" + "/ALTAK-abc123def456/0123",
        "0123456789abcdef" * 2 + ".AbCdEfGh12345678",
        "tvly" + "-dev-abcdef0123456789",
        "hf" + "_abcdefghijklmnopqrstuvwxyz",
        "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.abc",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "password: hunter2hunter2",
        "密码：abc123456",
        "API_KEY=abcdef0123",
        "Bearer abcdef0123456789",
        "d41d8cd98f00b204e9800998ecf8427e",
        "123e4567-e89b-12d3-a456-426614174000",
        "wJalrXUtnFEMI7K7MDENGbPxRfiCYEXAMPLEKEY3",
    ],
)
def test_a_key_is_seen(written: str) -> None:
    found = detect(f"查 {written} 用法")
    assert [finding.kind for finding in found] == ["api_key"]
    assert all(written not in str(finding) for finding in found)


@pytest.mark.parametrize(
    "written",
    [
        "task-force-recommendations-on-sterilization",
        "risk-management-of-medical-devices-2019",
        "internationalization of standards",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "12345678901234567890123456789012",
        "SearchRegulationsAndResolveEvidence",
        "ANSI/AAMI/IEC60601-1:2005/A2:2021",
        "password policy requirements",
        "密码法",
        "商用密码应用安全性评估",
        "token bucket",
    ],
)
def test_ordinary_words_are_no_keys(written: str) -> None:
    assert kinds(written) == []


@pytest.mark.parametrize(
    "written",
    [
        "GB 50330-2013",
        "GB 175-2007 2023 修订",
        "GB175—2007 2023",
        "GB 150 2011 2024",
        "国务院令第739号",
        "国办发〔2013〕214号",
        "建市[2013]214号",
        "国械注准20153460001",
        "粤械注准20192200123号",
        "YY 0505-2012、YY 0709-2009",
        "2013-10-01 至 2014-06-01",
        "20131001 20140601",
        "第7.2.1条 第3款",
        "2013 2014 2015 2016 年",
        "ISBN 978-7-112-15896-3",
        "TSG 21-2016/XG1-2020",
        "C30 混凝土 HRB400 6@150",
    ],
)
def test_what_reviewers_search_for_is_not_taken_for_a_secret(written: str) -> None:
    assert detect(written) == []


def test_a_code_beside_a_number_hides_nothing() -> None:
    for written, kind in (
        (f"GB 50330-2013 {RESIDENT}", "resident_id"),
        ("GB 50330-2013 13800138000", "mobile_number"),
        (f"JGJ 18-2012，{CARD}", "bank_card"),
        ("SJ13800138000", "mobile_number"),
        ("GB 138-0013-8000", "mobile_number"),
    ):
        assert kinds(written) == [kind]


def test_findings_stand_in_order_with_their_places_in_the_original() -> None:
    text = f"\u200b张工\u200b １３８ 0013 8000，{RESIDENT}，a@b.cn"
    found = detect(text)
    assert [finding.kind for finding in found] == ["mobile_number", "resident_id", "email"]
    assert [text[finding.start : finding.end] for finding in found] == [
        "１３８ 0013 8000",
        RESIDENT,
        "a@b.cn",
    ]
    assert str(found[2]) == f"email at {len(text) - 6}-{len(text)}"


def test_an_address_is_judged_without_its_host_and_random_names() -> None:
    page = "https://openstd.samr.gov.cn/bzgk/gb/newGbInfo?hcno=B6D2B1D8F6DFF2D6E0F9F6C9A9C2E6C3"
    assert detect_in_address(page) == []
    assert detect_in_address("http://127.0.0.1:8080/a") == []
    assert detect_in_address("https://www.nmpa.gov.cn/xxgk/fgwj/20210319202057136.html") == []
    assert [one.kind for one in detect_in_address("https://a.cn/?tel=13800138000")] == ["mobile_number"]


@given(st.text())
def test_no_text_breaks_a_detector(text: str) -> None:
    for finding in (*detect(text), *detect_in_address(text)):
        assert 0 <= finding.start < finding.end <= len(text)


@pytest.mark.parametrize(
    "piece", ["1 ", "a@", "a.", "::", "GB ", "1-", "\u0301", "sk-", "x" * 50, "[at]", "１ "]
)
def test_long_hostile_text_is_judged_in_the_end(piece: str) -> None:
    for finding in detect(piece * 4000):
        assert finding.end <= len(piece) * 4000


def test_a_refusal_names_kind_and_place_and_not_the_secret() -> None:
    from providers.web.exclusions import Exclusions

    verdict = check_query(f"查 {RESIDENT}", Exclusions())
    assert verdict.reason == "query holds what should not leave: resident_id at 2-20"
    assert RESIDENT not in str(verdict.to_wire())

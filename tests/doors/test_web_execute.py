"""`execute` with the web: what will leave and what will not, and a page that moved from plan to readback."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evidence.doors.preview import show_outgoing
from tests.doors.command import QUESTION, Done
from tests.providers.web.asking import finding, healthy, queries
from tests.providers.web.capture.peer import Peer, page, running
from tests.providers.web.search.faking import Fake, faking

Quick = Callable[..., Done]
PREFER = ("--prefer", "connector:web-search")
HTML = "Content-Type: text/html; charset=utf-8"
LAW = "<title>边坡办法</title><p>第一条 边坡支护。</p><p>第二条 其他。</p>".encode()
ADMIT = ("admit", "receipt.json", "--decision", "admit", "--reason", "可查", "--admit-source")


@pytest.fixture(scope="module")
def serving() -> Iterator[tuple[Fake, Peer]]:
    with faking() as fake, running() as site:
        site.answer("/law", page(LAW, 200, HTML))
        site.answer("/old", page(b"", 301, "Location: /law"))
        site.answer("/robots.txt", page(b"", 404))
        yield healthy(fake, finding({})), site


@pytest.fixture
def web(serving: tuple[Fake, Peer], tmp_path: Path) -> tuple[str, ...]:
    fake, site = serving
    healthy(fake, finding({}))
    text = f'[search]\nurl = "{fake.url}"\n[capture]\nspacing = 0\nallow_ports = [{site.port}]\n'
    (tmp_path / "web.toml").write_text(f'{text}allow_networks = ["127.0.0.0/8"]\n', encoding="utf-8")
    return ("--web", "web.toml")


def planned(quick: Quick, folder: Path, *options: str) -> None:
    done = quick("plan", *QUESTION, *PREFER, *options, cwd=folder)
    assert (done.status, done.err) == (0, b""), done
    (folder / "plan.json").write_bytes(done.out)


def test_the_preview_names_what_will_not_leave_and_why(
    quick: Quick, serving: tuple[Fake, Peer], web: tuple[str, ...], tmp_path: Path
) -> None:
    fake, site = serving
    terms = ("--search-term", "电话 13800138000", "--search-term", "边坡支护", "--search-term", "规范 金絲雀")
    sources = ("urn:x:1", "http://192.168.1.1/", "http://a.cn/?m=a@b.cn", site.url("/law", "127.0.0.1"))
    planned(quick, tmp_path, *web, *terms, *(part for ref in sources for part in ("--source", ref)))
    (tmp_path / "terms.txt").write_text("金丝雀\n", encoding="utf-8")
    site.requests.clear()
    call = ("execute", "plan.json", *web, "--exclusions", "terms.txt")
    text = quick(*call, "--format", "text", cwd=tmp_path)
    out = text.out.decode()
    assert (text.status, text.err) == (1, b"")
    assert out.startswith(
        "未发送任何内容。加 --allow-network 后将发送： Nothing was sent. With --allow-network"
    )
    assert f"\n发往 to {fake.url}/healthz:\nGET /healthz HTTP/1.1" in out
    assert out.endswith(
        "\n不会发送 will not be sent: 第 1 个检索词 search term 1 — 含有疑似手机号（第 3–14 字）"
        " query holds what should not leave: mobile_number at 3-14"
        "\n不会发送 will not be sent: 第 3 个检索词 search term 3 — 折叠后含有排除词"
        " query contains an excluded term after folding"
        "\n不会抓取 will not be fetched: 第 1 个来源 source 1 — 不是网页地址 no web address"
        "\n不会抓取 will not be fetched: http://192.168.1.1/ — 192.168.1.1 不是公网地址"
        " the host is 192.168.1.1, which is not public: Private-Use"
        "\n不会抓取 will not be fetched: 第 3 个来源 source 3 — 含有疑似邮箱（第 15–21 字）"
        " url holds what should not leave: email at 15-21\n"
    )
    assert not any(kept in out for kept in ("13800138000", "金絲雀", "a@b.cn"))
    shown = quick(*call, cwd=tmp_path).answer
    assert shown["network_allowed"] is False
    assert [one["kind"] for one in shown["withheld"]] == ["search", "search", "fetch", "fetch", "fetch"]
    assert (queries(fake), site.requests) == ([], [])


def test_a_plan_with_neither_term_nor_page_is_told_so_before_and_after(
    quick: Quick, serving: tuple[Fake, Peer], web: tuple[str, ...], tmp_path: Path
) -> None:
    planned(quick, tmp_path, *web)
    out = quick("execute", "plan.json", *web, "--format", "text", cwd=tmp_path).out.decode()
    told = "请求既没有检索词，也没有网页地址；目标从不发送。请用 --search-term 或 --source 另作计划。"
    assert f"不会发送 will not be sent: 目标 objective — {told}" in out
    done = quick("execute", "plan.json", "--allow-network", *web, cwd=tmp_path)
    receipt = done.answer["receipt"]
    assert (done.status, receipt["status"], len(receipt["limitations"])) == (1, "failed", 1)
    assert receipt["limitations"][0].startswith(told)
    assert "The request has neither search terms nor sources" in receipt["limitations"][0]
    assert queries(serving[0]) == []


def test_a_page_that_moved_is_told_from_the_receipt_to_the_readback(
    quick: Quick, serving: tuple[Fake, Peer], web: tuple[str, ...], tmp_path: Path
) -> None:
    site = serving[1]
    old, new, gone = (site.url(path, "127.0.0.1") for path in ("/old", "/law", "/gone"))
    planned(quick, tmp_path, *web, "--source", old, "--source", gone)
    done = quick("execute", "plan.json", "--allow-network", *web, cwd=tmp_path)
    (tmp_path / "receipt.json").write_bytes(done.out)
    receipt = done.answer["receipt"]
    [source] = receipt["sources"]
    assert source["source_ref"] == new
    assert f"得自：请求指名的 {old}，经跳转 redirected。" in source["finding"]
    assert (
        f"{old} 已跳转到 {new}，按后者计为来源。 It moved; the second address is the source."
        in (receipt["limitations"])
    )
    refused = quick(*ADMIT, old, cwd=tmp_path)
    assert (refused.status, refused.error["code"]) == (3, "identity_mismatch")
    assert refused.error["hint"] == f"已跳转，请写 it moved; write --admit-source {new}"
    other = quick(*ADMIT, gone, cwd=tmp_path)
    assert (other.status, other.error["hint"]) == (3, f"its sources: {new}")
    admitted = quick(*ADMIT, new, cwd=tmp_path)
    (tmp_path / "admission.json").write_bytes(admitted.out)
    read = quick("readback", "--execute", "admission.json", "--format", "markdown", cwd=tmp_path)
    document: Any = read.out.decode()
    assert f"- 请求而未返回 Requested, not returned:\n  - `{gone}`\n" in document
    assert "- 返回而未请求 Returned, not requested: 无 none\n" in document
    assert f"- 已跳转 Moved: `{old}` → `{new}`\n" in document


def test_a_connector_that_sends_nothing_says_so(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert show_outgoing((), (), "text") == 1
    assert (
        "这个连接器只读本机内容，什么也不发送；但凡连接器都要写明 --allow-network 才执行。"
        in capfdbinary.readouterr().out.decode()
    )

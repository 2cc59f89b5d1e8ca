"""A real search server whose hits lie on a site of our own: pages of three charsets, and three that fail."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.providers.web.capture.peer import Peer, page
from tests.providers.web.capture.peer import running as serving
from tests.providers.web.relay import Relay, relaying
from tests.searx.running import TREES, Server, Tree, running

SECONDS = 3.0
"""The deadline of a page; the slow one takes longer."""
ARTICLES = """<p>第一条 为规范边坡支护工程，制定本规定。</p>
<p>第二条 边坡支护结构的设计使用年限不应低于被保护建筑的使用年限。</p><p>第三条 {more}</p>"""
PAGES = (
    ("甲市边坡支护技术规定", "gbk.html", "以 GBK 编码", "2024-05-06"),
    ("乙县边坡支护管理办法", "gb18030.html", "以 GB18030 编码", "2024-05-07"),
    ("丙州边坡支护审查要点", "utf8.html", "以 UTF-8 编码", "2024-05-08"),
    ("丁区边坡支护通报", "moved.html", "已移走", "2024-05-09"),
    ("戊镇边坡支护名录", "slow.html", "迟迟不答", "2024-05-10"),
    ("己乡边坡支护公示", "gone.html", "已删除", "2024-05-11"),
)


def html(title: str, more: str, head: str = "") -> str:
    body = ARTICLES.format(more=more)
    return f"<!doctype html><html><head>{head}<title>{title}</title></head><body>{body}</body></html>"


DATED = '<meta name="PubDate" content="2024-05-08">'
BODIES = {
    "/gbk.html": html(PAGES[0][0], "本规定自公布之日起施行。").encode("gbk"),
    "/gb18030.html": html(PAGES[1][0], "由𠮷野、㐂村两地试行。", '<meta charset="gb18030">').encode(
        "gb18030"
    ),
    "/utf8.html": html(PAGES[2][0], "审查意见应当书面作出。", DATED).encode(),
    "/target.html": html(PAGES[3][0], "通报期限为三十日。").encode(),
}
TYPES = {"/gbk.html": "text/html; charset=GBK", "/gb18030.html": "text/html"}


def furnish(site: Peer) -> None:
    """The pages of PAGES as the site answers them."""
    for target, body in BODIES.items():
        site.answer(target, page(body, 200, f"Content-Type: {TYPES.get(target, 'text/html; charset=utf-8')}"))
    site.answer("/moved.html", page(b"", 302, "Location: /target.html"))
    site.answer("/slow.html", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 30.0, b"too late.")


@dataclass
class WebWorld:
    """A search server behind a wire of its own, and the site that its hits lie on."""

    searx: Server
    site: Peer
    log: Path

    def asked(self) -> int:
        """How many questions the search server has put to its upstream."""
        return len(self.searx.upstream.asked)

    def settings(self, folder: Path, relay: Relay, capture: Mapping[str, object] | None = None) -> str:
        """The name of a file of settings in `folder` under which the site may be captured."""
        given = {"pages": 8, "seconds": SECONDS, "spacing": 0.0, "allow_ports": [self.site.port]}
        lines = [f"{name} = {value}" for name, value in {**given, **(capture or {})}.items()]
        networks = 'allow_networks = ["127.0.0.0/8"]'
        text = "\n".join(["[search]", f'url = "{relay.url}"', "[capture]", networks, *lines, ""])
        (folder / "web.toml").write_text(text, encoding="utf-8")
        return "web.toml"


@pytest.fixture(scope="session", params=TREES, ids=lambda tree: tree.name)
def web_world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    tree: Tree = request.param
    folder = tmp_path_factory.mktemp("searx")
    with ExitStack() as stack:
        site = stack.enter_context(serving())
        furnish(site)
        where = site.url("", "127.0.0.1")
        searx = stack.enter_context(running(tree, folder, site=where, found=PAGES))
        yield WebWorld(searx, site, folder / "server.log")


@pytest.fixture
def relay(web_world: WebWorld) -> Iterator[Relay]:
    with relaying(web_world.searx.port) as made:
        yield made

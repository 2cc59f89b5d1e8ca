"""An invented town's regulations: two editions of one, a withheld, a future, an undated one."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from providers.regulations.corpus import Corpus
from providers.regulations.edition import Edition
from providers.regulations.importer import Asset
from providers.regulations.intake import Source
from providers.regulations.search.service import RegulationsSearch
from providers.regulations.search.sqlite_index import SqliteIndex
from providers.regulations.search.vectors import VectorIndex
from schemas.regulations import RegulationHit, RegulationsSearchRequest, RegulationsSearchResult

NOW = datetime(2031, 7, 1, 4, tzinfo=UTC)
LIGHTS_OLD = """路灯管理条例
2001年1月1日镇长令第5号公布
第一章 总则
第一条 路灯由镇里养护。
第二条 拆除路灯应当报镇长批准。
第三条 灯油由住户自备。
第二章 罚则
第四条 打碎灯罩的，处十元罚款。
"""
LIGHTS = """路灯管理条例
2031年3月4日镇长令第7号公布
第一章 总则
第一条 路灯由镇里养护。
第二条 拆除路灯应当报镇长批准。
批准应当在五日内作出。
第三条 灯罩每月擦拭，并遵守下列要求：
（一）先断开电源；
（二）使用棉布；
（三）不得使用砂纸。
第二章 罚则
第四条 打碎灯罩的，处二十元罚款；故意打碎的，加倍。
第四条之一 盗窃灯罩的，移送公安机关。
"""
CARTS = (
    "马车通行办法\n第一条 马车靠右行驶。\n第二条 桥上不得停车，也不得打碎灯罩。\n第三条 "
    + "马车应当慢行，" * 60
    + "遇到行人时停车让行。\n"
)
VAULT = "金库守则\n第一条 钥匙藏在紫色花瓶里。\n"
LISTED = "钟楼规程\n第一条 钟声每日鸣响一次。\n"
COMING = "渡船规定\n第一条 渡船夜间停航。\n"
UNDATED = "水井公约\n第一条 水井加盖防尘。\n"


def _source(regulation: str, key: str, title: str, text: str, **values: Any) -> Source:
    given: dict[str, Any] = {"disclosure": "full", "kind": "条例", "effective_from": key, **values}
    made = Edition(regulation_id=regulation, key=key, title=title, **given)
    return Source(made, (Asset(text.encode(), f"{regulation}/{key}.md"),))


LIGHTS_TITLE = "中华人民共和国路灯管理条例"
SOURCES = (
    _source(
        *("street-lights", "2001-01-01", LIGHTS_TITLE, LIGHTS_OLD),
        doc_no="镇长令第5号",
        label="2001年公布",
        effective_to="2031-06-01",
        claimed_status="已修改",
    ),
    _source(
        *("street-lights", "2031-03-04", LIGHTS_TITLE, LIGHTS),
        doc_no="镇长令第7号",
        label="2031年修订",
        effective_from="2031-06-01",
    ),
    _source(
        *("carts", "2020-02-02", "马车通行办法", CARTS),
        kind="办法",
        doc_no="镇车监督管理局令〔2020〕第12号",
        disclosure="excerpt",
    ),
    _source(*("vault", "2020-02-02", "金库守则", VAULT), disclosure="withheld", withheld_reason="权利人不许"),
    _source("bells", "2020-02-02", "钟楼规程", LISTED, disclosure="metadata_only"),
    _source("ferries", "2031-06-30", "渡船规定", COMING, effective_from="2032-01-01"),
    _source("wells", "2019", "水井公约", UNDATED, effective_from=None),
)


def clock() -> datetime:
    return NOW


def town(folder: Path, sources: Sequence[Source] = SOURCES) -> Corpus:
    corpus = Corpus.open(folder / "corpus.sqlite3", clock, create=True)
    corpus.import_sources(sources)
    corpus.publish("town clerk")
    return corpus


def searching(corpus: Corpus, folder: Path, vectors: VectorIndex | None = None) -> RegulationsSearch:
    return RegulationsSearch(corpus, SqliteIndex(folder / "indexes"), clock, vectors)


class Found:
    """Searches, with what every hit has to keep checked on the way."""

    def __init__(self, search: RegulationsSearch, corpus: Corpus) -> None:
        self.search = search
        self.corpus = corpus

    def result(self, query: str, as_of: str = "", **asked: Any) -> RegulationsSearchResult:
        found = self.search.search(RegulationsSearchRequest(query=query, **asked), as_of)
        for hit in found.hits:
            self._check(found.corpus_revision, hit)
        return found

    def ids(self, query: str, **asked: Any) -> list[str]:
        return [hit.node_id for hit in self.result(query, **asked).hits]

    def _check(self, revision: str, hit: RegulationHit) -> None:
        node = self.corpus.node(revision, hit.node_id)
        assert len(hit.excerpt) <= 200
        assert hit.excerpt == (node.text[hit.excerpt_start : hit.excerpt_end] if hit.excerpt else "")
        assert hit.excerpt_end - hit.excerpt_start == len(hit.excerpt)
        assert hit.node_sha256 == node.sha256
        assert hit.edition_id == node.edition_id
        assert hit.match_kinds
        assert 0 < hit.score <= 1

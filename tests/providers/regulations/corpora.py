"""A corpus of made-up editions on disk, and a clock that stands."""

from datetime import UTC, datetime
from pathlib import Path

from providers.regulations.corpus import Corpus
from providers.regulations.importer import Asset
from providers.regulations.intake import Source
from tests.providers.regulations.law import CHAPTERS, Chapter, Dress, edition

NOW = datetime(2031, 7, 1, tzinfo=UTC)
NODE = "lighthouse-rules@2031-03-04#art2/p1"


def clock() -> datetime:
    return NOW


def source(
    key: str = "2031-03-04", law: tuple[Chapter, ...] = CHAPTERS, data: bytes | None = None, **values: object
) -> Source:
    name = f"lighthouse-rules/{key}.md"
    return Source(edition(key, **values), (Asset(Dress().render(law) if data is None else data, name),))  # type: ignore[arg-type]


OLD = source(
    "2001-01-01",
    data=(
        "灯塔维护条例\n2001年1月1日公布\n"
        "第一条 灯塔归港口管。\n第二条 守塔人每日擦拭灯罩。\n第三条 灯油自备。\n"
    ).encode(),
    effective_from="2001-05-01",
    effective_to="2031-06-01",
    claimed_status="已修改",
)


def opened(folder: Path, *sources: Source, create: bool = True) -> Corpus:
    corpus = Corpus.open(folder / "corpus.sqlite3", clock, create=create)
    if sources:
        corpus.import_sources(sources)
    return corpus

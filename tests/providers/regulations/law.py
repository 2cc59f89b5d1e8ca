"""A made-up law with every structure, and ways in which honest copies of one text differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from providers.regulations import numerals
from providers.regulations.edition import Edition
from providers.regulations.importer import Asset, Imported, import_edition

TITLE = "灯塔维护条例"


@dataclass(frozen=True)
class Clause:
    """A 款 with its 项 and their 目."""

    text: str
    items: tuple[str, ...] = ()
    subitems: tuple[str, ...] = ()  # of the first item


@dataclass(frozen=True)
class Article:
    number: int
    clauses: tuple[Clause, ...]
    inserted: int = 0


@dataclass(frozen=True)
class Chapter:
    title: str
    articles: tuple[Article, ...]


@dataclass(frozen=True)
class Dress:
    """How a copy is written; none of it is part of the law."""

    bold: bool = False
    gap: str = "　"
    indent: str = ""
    marks: str = ""
    eol: str = "\n"
    blank: bool = False
    contents: bool = False
    half_width: bool = False
    spaced_headings: bool = False
    headings: bool = True
    front_matter: bool = False
    header: tuple[str, ...] = ("2031年3月4日灯塔委员会第7号令公布",)
    charset: str = "utf-8"

    def render(self, chapters: Sequence[Chapter], title: str = TITLE, tail: Iterable[str] = ()) -> bytes:
        front = "---\nsidebar: auto\n---\n" if self.front_matter else ""
        lines = [f"# {title}" if self.marks else title, *self.header]
        headings = [self._heading(at, chapter.title) for at, chapter in enumerate(chapters, 1)]
        if self.contents and self.headings:
            lines += ["目　　录", *headings]
        for heading, chapter in zip(headings, chapters, strict=True):
            lines += [self.marks + heading] if self.headings else []
            for article in chapter.articles:
                lines += self._article(article)
        lines += tail
        glue = self.eol * 2 if self.blank else self.eol
        return (front + glue.join(lines) + self.eol).encode(self.charset)

    def _heading(self, number: int, title: str) -> str:
        shown = "　　".join(title) if self.spaced_headings and len(title) == 2 else title
        return f"第{numerals.write(number)}章{self.gap}{shown}"

    def _article(self, article: Article) -> list[str]:
        label = f"第{numerals.write(article.number)}条"
        if article.inserted:
            label += f"之{numerals.write(article.inserted)}"
        first = f"**{label}**{self.gap}" if self.bold else label + self.gap
        lines = []
        for at, clause in enumerate(article.clauses):
            lines.append((first if at == 0 else "") + clause.text)
            for number, item in enumerate(clause.items, 1):
                mark = f"({numerals.write(number)})" if self.half_width else f"（{numerals.write(number)}）"
                lines.append(mark + item)
                if number == 1:
                    lines += [f"{n}.{text}" for n, text in enumerate(clause.subitems, 1)]
        return [self.indent + line for line in lines]


CHAPTERS = (
    Chapter(
        "总则",
        (
            Article(1, (Clause("为了让灯塔长明，制定本条例。"),)),
            Article(
                2,
                (
                    Clause(
                        "灯塔分为下列三种：",
                        ("岸上的灯塔，包括：", "礁上的灯塔；", "船上的灯塔。"),
                        ("石砌的；", "铁制的。"),
                    ),
                    Clause("前款所称灯塔不含玩具。"),
                ),
            ),
        ),
    ),
    Chapter(
        "维护",
        (
            Article(3, (Clause("守塔人每日擦拭灯罩。"), Clause("雾天应当加擦一次。"))),
            Article(3, (Clause("守塔人可以轮换。"),), inserted=1),
            Article(4, (Clause("灯油不足时，应当报告：", ("当地港口；", "灯塔委员会。")),)),
        ),
    ),
    Chapter("附则", (Article(5, (Clause("本条例自2031年6月1日起施行。"),)),)),
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """What a test says of an edition; the rest is filled in."""

    regulation_id: str = "lighthouse-rules"
    key: str = "2031-03-04"
    values: dict[str, object] = field(default_factory=dict)


def edition(key: str = "2031-03-04", regulation_id: str = "lighthouse-rules", **values: object) -> Edition:
    given: dict[str, object] = {
        "title": TITLE,
        "kind": "行政法规",
        "disclosure": "full",
        "label": "2031年公布",
        "doc_no": "灯塔委员会令第7号",
        "promulgated_on": "2031-03-04",
        "effective_from": "2031-06-01",
    }
    return Edition(regulation_id=regulation_id, key=key, **{**given, **values})  # type: ignore[arg-type]


def imported(data: bytes | str, name: str = "law.md", **values: object) -> Imported:
    asset = Asset(data.encode() if isinstance(data, str) else data, name)
    return import_edition(edition(**values), asset)  # type: ignore[arg-type]


def texts(found: Imported) -> dict[str, str]:
    """Path to text, in document order."""
    return {node.path: found.texts[node.sha256] for node in found.entry.nodes}


def kinds(found: Imported) -> set[str]:
    return {defect.kind for defect in found.defects}


def blocked(found: Imported) -> list[tuple[str, int]]:
    return [(defect.kind, defect.line) for defect in found.defects if defect.blocks]

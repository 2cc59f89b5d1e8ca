from pathlib import Path

from tests.providers.regulations.corpora import OLD, opened, source
from tests.providers.regulations.law import Article, Chapter, Clause


def law(*texts: str) -> tuple[Chapter, ...]:
    articles = tuple(Article(at, (Clause(text),)) for at, text in enumerate(texts, 1))
    return (Chapter("总则", articles),)


OLDER = law("灯塔归港口管理。", "守塔人每日擦拭灯罩一次。", "灯油由守塔人自备。", "雾天敲钟。")
NEWER = law("灯塔归港口管理。", "守塔人应当领取证书。", "守塔人每日擦拭灯罩两次。", "雾天敲钟。")


def test_rows_say_same_amended_renumbered_inserted_and_deleted(tmp_path: Path) -> None:
    first = source("2001-01-01", OLDER, effective_from="2001-01-01", effective_to="2031-06-01")
    with opened(tmp_path, first, source(law=NEWER)) as corpus:
        corpus.publish()
        found = corpus.diff("lighthouse-rules@2001-01-01", "lighthouse-rules@2031-03-04")
        rows = [
            (
                row.kind,
                row.old.clause_no if row.old else "",
                row.new.clause_no if row.new else "",
                row.changed,
            )
            for row in found.rows
        ]
        assert rows == [
            ("same", "第一条", "第一条", False),
            ("inserted", "", "第二条", True),
            ("renumbered", "第二条", "第三条", True),
            ("deleted", "第三条", "", True),
            ("same", "第四条", "第四条", False),
        ]
        assert found.counts() == {"same": 2, "inserted": 1, "renumbered": 1, "deleted": 1}
        back = corpus.diff("lighthouse-rules@2031-03-04", "lighthouse-rules@2001-01-01")
        assert [row.kind for row in back.rows].count("deleted") == 1


def test_a_text_that_changed_under_its_number_is_amended_and_width_changes_nothing(tmp_path: Path) -> None:
    older = law("灯塔（含灯船）归港口管理。", "雾天敲钟，每分钟一次。", "。")
    first = source("2001-01-01", older, effective_from="2001-01-01", effective_to="2031-06-01")
    second = source(law=law("灯塔(含灯船)归港口管理。", "雾天敲钟，每分钟两次。", "无。"))
    with opened(tmp_path, first, second) as corpus:
        corpus.publish()
        rows = corpus.diff("lighthouse-rules@2001-01-01", "lighthouse-rules@2031-03-04").rows
        assert [row.kind for row in rows] == ["same", "amended", "inserted", "deleted"]
        assert 5_000 <= rows[1].score < 10_000


def test_an_edition_against_itself_is_the_same(tmp_path: Path) -> None:
    with opened(tmp_path, OLD) as corpus:
        corpus.publish()
        one = OLD.edition.edition_id
        assert corpus.diff(one, one).counts() == {"same": 3}


def test_articles_that_share_little_are_no_versions_of_each_other(tmp_path: Path) -> None:
    older = law("甲", "雾天敲钟。", "同文。", "同文。", "灯塔由港口管理并且每年刷白一次。")
    first = source("2001-01-01", older, effective_from="2001-01-01", effective_to="2031-06-01")
    second = source(law=law("乙", "船。", "同文。", "同文。", "灯塔。"))
    with opened(tmp_path, first, second) as corpus:
        corpus.publish()
        counts = corpus.diff("lighthouse-rules@2001-01-01", "lighthouse-rules@2031-03-04").counts()
        assert counts == {"same": 2, "inserted": 3, "deleted": 3}

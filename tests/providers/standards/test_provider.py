"""`method:local-standards`: what becomes of a plan, on the starter library and on hostile ones."""

from datetime import timedelta
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.plan import plan
from evidence.lifecycle.receipt import receipt
from providers.standards.library import Library, StandardRecord, loads, record_digest, starter
from providers.standards.provider import LocalStandards
from schemas.canonical import ALGORITHMS, Algorithm
from schemas.errors import NotFoundError
from schemas.plan import Plan
from schemas.receipt import Receipt
from schemas.request import Request
from schemas.text import units
from tests.strategies import texts
from tests.world import START, Clock, request

SLOPES = "GB 50330-2013 建筑边坡工程技术规范"


def provider(library: Library | None = None) -> LocalStandards:
    return LocalStandards(lambda: starter() if library is None else library, Clock())


def asked(
    *terms: str, objective: str = SLOPES, library: Library | None = None, algorithm: Algorithm = "blake3"
) -> tuple[Plan, Receipt]:
    """A plan with these search terms and the provider's receipt for it."""
    one = provider(library)
    question = request(objective).replace(search_terms=terms or None)
    made = plan(question, [one.readiness()], None, algorithm)
    return made, one.execute(made)


def record(code: str, title: str) -> StandardRecord:
    return StandardRecord(code, code, title, "现行", "", "2014-06-01")


@pytest.mark.req("one-protocol")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_starter_library_answers_and_the_receipt_is_bound(algorithm: Algorithm) -> None:
    made, answer = asked(algorithm=algorithm)
    seen = receipt(made, answer)
    assert seen.status == "succeeded"
    first = answer.sources[0]
    assert unquote(first.source_ref) == "urn:cn-standard:GB 50330-2013"
    assert (first.basis, first.source_family) == ("stated", "local_standards_library")
    assert "《建筑边坡工程技术规范》GB 50330-2013" in first.finding
    assert f"查询“{SLOPES}”匹配度 1.0000" in first.finding
    assert first.limitation is not None
    assert "使用者判断" in first.limitation
    held = next(one for one in starter().records if one.code == "GB 50330-2013")
    assert first.content_digest == record_digest(held, algorithm)
    assert first.content_digest.startswith(f"{algorithm}:")


def test_the_revision_of_the_library_is_in_every_part_of_the_receipt() -> None:
    _, answer = asked()
    revision = starter().revision
    assert revision in answer.summary
    assert all(revision in one.finding and revision in str(one.limitation) for one in answer.sources)


def test_nothing_found_is_no_evidence_and_says_for_which_query() -> None:
    made, answer = asked("ΩΩΩΩ", "zzzzqqqq")
    assert receipt(made, answer).status == "no_evidence"
    assert answer.sources == ()
    assert len(answer.limitations) == 2
    assert "查询“ΩΩΩΩ”在规范库中没有候选" in answer.limitations[0]


def test_one_query_without_an_answer_does_not_cost_the_others() -> None:
    _, answer = asked(SLOPES, "zzzzqqqq")
    assert answer.status == "succeeded"
    assert len(answer.limitations) == 1
    assert "zzzzqqqq" in answer.limitations[0]


@pytest.mark.parametrize("terms", [None, ()])
def test_without_search_terms_the_objective_is_looked_up(terms: tuple[str, ...] | None) -> None:
    one = provider()
    question = request(SLOPES).replace(search_terms=terms)
    answer = one.execute(plan(question, [one.readiness()]))
    assert "查询 1 项" in answer.summary
    assert f"查询“{SLOPES}”" in answer.sources[0].finding


def test_a_term_that_stands_twice_is_looked_up_once() -> None:
    _, answer = asked(SLOPES, SLOPES)
    assert "查询 1 项" in answer.summary
    assert answer.sources[0].finding.count(SLOPES) == 1
    assert answer.sources == asked(SLOPES)[1].sources


def test_a_standard_that_several_queries_found_is_one_source_that_names_them_all() -> None:
    _, answer = asked(SLOPES, "GB 50330-2013")
    refs = [one.source_ref for one in answer.sources]
    assert len(refs) == len(set(refs))
    assert answer.sources[0].finding.count("匹配度") == 2
    assert "Queries: 2;" in answer.summary


def test_each_source_was_accessed_before_the_receipt_was_completed() -> None:
    _, answer = asked()
    assert {one.accessed_at for one in answer.sources} == {"2026-03-04T05:06:08.000000Z"}
    assert answer.completed_at == "2026-03-04T05:06:09.000000Z"
    assert timedelta(seconds=1) + START == Clock()()


def test_readiness_is_probed_live() -> None:
    def gone() -> Library:
        raise NotFoundError("there is no library at 'x\x07'")

    def none() -> Library:
        return Library("empty", ())

    assert provider().readiness().ready
    reason = LocalStandards(gone, Clock()).readiness().unavailable_reason
    assert reason == "the standards library does not load: there is no library at 'x\ufffd'"
    empty = LocalStandards(none, Clock()).readiness()
    assert (empty.ready, empty.unavailable_reason) == (False, "the standards library empty is empty")
    assert (empty.declared, empty.installed, empty.enabled) == (True, True, True)


@given(st.text(st.characters(), min_size=1, max_size=700))
def test_a_library_of_any_name_can_be_used(name: str) -> None:
    made, answer = asked(library=Library(name, (record("GB 50330-2013", "建筑边坡工程技术规范"),)))
    assert receipt(made, answer).status == "succeeded"
    reason = LocalStandards(lambda: Library(name, ()), Clock()).readiness().unavailable_reason
    assert reason is not None
    assert units(reason) <= 512


def test_a_finding_stays_within_its_bound_on_the_largest_library_and_queries() -> None:
    title = "𠀀" * 2000
    huge = StandardRecord("GB 50330-2013", "", title, "状" * 4000, "替" * 4000, "日" * 4000)
    library = Library("库" * 300, (huge,))
    terms = [f"GB 50330-2013 {'坡' * 200}{number}".ljust(256, "填") for number in range(8)]
    assert {units(term) for term in terms} == {256}
    made, answer = asked(*terms, library=library)
    assert receipt(made, answer).status == "succeeded"
    (one,) = answer.sources
    assert one.finding.count("匹配度") == 8
    assert 3000 < units(one.finding) <= 4096
    assert "…" in one.finding


def test_a_standard_that_cannot_be_a_source_becomes_a_limitation() -> None:
    title = "建筑边坡工程技术规范"
    library = Library("odd", (record(f"Q/{'码' * 300}", title), record("GB 50330-2013", title)))
    made, answer = asked(title, library=library)
    assert receipt(made, answer).status == "succeeded"
    assert [unquote(one.source_ref) for one in answer.sources] == ["urn:cn-standard:GB 50330-2013"]
    (said,) = answer.limitations
    assert "1 条候选规范不能作为来源" in said
    assert "source.source_ref is" in said


def test_a_long_objective_is_shown_cut_and_looked_up_whole() -> None:
    _, answer = asked(objective=f"{'填' * 4000} GB 50330-2013")
    assert answer.status == "succeeded"
    assert all(units(one.finding) <= 4096 for one in answer.sources)
    assert "…”匹配度" in answer.sources[0].finding


@given(st.lists(texts(256), min_size=1, max_size=8))
def test_any_search_terms_give_a_receipt_that_binds(terms: list[str]) -> None:
    made, answer = asked(*terms)
    assert receipt(made, answer).status in ("succeeded", "no_evidence")
    assert len(answer.sources) <= 3 * len(terms)


def test_a_library_without_dates_and_relations_says_so() -> None:
    header = "csres_code,csres_normalized_code,csres_title,status,relation_text,implement_date\n"
    library = loads(f"{header}GB 1-2020,,标准化工作导则,,,\n".encode(), "bare")
    _, answer = asked("GB 1-2020", library=library)
    finding = answer.sources[0].finding
    assert finding.count("库中未载") == 3


def test_the_request_keeps_its_own_words() -> None:
    question = Request.read({**request().to_wire(), "search_terms": [SLOPES]})
    assert plan(question, [provider().readiness()]).request.search_terms == (SLOPES,)


@pytest.mark.parametrize(
    ("query", "said", "fit"),
    [
        ("GB 50330-2013 建筑边坡工程技术规范", None, "编号一致，名称一致"),
        ("建筑边坡工程技术规范", None, "（名称一致）"),
        ("GB 50330-2018", "所写的编号不在规范库中", "（编号一致，年号不同）"),
        ("GB 50330", "未写年号", "（编号一致，引用未写年号）"),
        ("钢筋焊接及验收规程 JGJ 18-2003", "所写的编号不在规范库中", "编号一致，年号不同，名称一致"),
        ("《砌体结构设计规范》GB 50330-2013", "名称不符", "编号一致，名称不符"),
    ],
)
def test_a_citation_that_is_not_plainly_in_the_library_is_a_limitation(
    query: str, said: str | None, fit: str
) -> None:
    _, answer = asked(query)
    assert fit in answer.sources[0].finding
    about = [one for one in answer.limitations if query in one]
    assert about == [] if said is None else said in about[0]


def test_a_code_in_full_width_is_named_as_anybody_types_it() -> None:
    wide = Library("wide", (StandardRecord("ＧＢ　５０３３０－２０１３", "", "建筑边坡", "现行", "", ""),))
    _, answer = asked("GB 50330-2013", library=wide)
    assert answer.sources[0].source_ref == "urn:cn-standard:GB%2050330-2013"

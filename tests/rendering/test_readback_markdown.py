"""A readback and a dossier as Markdown say everything and let nobody's text become markup (section 9)."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.readback import held_of, readback
from evidence.rendering import readback_markdown
from evidence.rendering.labels import REASONS
from evidence.sinks import dossier_markdown
from evidence.sinks.dossier_rows import Contents, Damage
from schemas.admission import Admission
from schemas.readback import Held, Readback, WriteBlocker
from schemas.request import Request
from tests.rendering.markdown_reading import skeleton, texts, tokens, types
from tests.sinks.builders import LATER, NOW, REFS, life, source
from tests.sinks.strategies import decisions, lives, refs
from tests.sinks.strategies import texts as any_text

TEMPLATE = {
    *(
        f"{part}_{end}"
        for part in ("heading", "bullet_list", "list_item", "paragraph")
        for end in ("open", "close")
    ),
    "text",
    "code_inline",
}
FREE = {
    "objective", "user_activity", "decision", "evidence_kinds", "constraints", "search_terms", "summary",
    "limitations", "finding", "source_family", "limitation", "reason",
}  # fmt: skip


class Tame:
    """The same artifact with harmless texts and references in place of everybody's."""

    def __init__(self) -> None:
        self.refs: dict[str, str] = {}

    def ref(self, ref: str) -> str:
        head = "https://e.x/" if ref.startswith("http") else "urn:x:"
        return self.refs.setdefault(ref, f"{head}{len(self.refs)}")

    def wire(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self.wire(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.wire(item, key) for item in value]
        if isinstance(value, str) and key.endswith(("source_ref", "source_refs")):
            return self.ref(value)
        free = isinstance(value, str) and key in FREE and value not in REASONS
        return "x" if free else value


@st.composite
def readbacks(draw: st.DrawFn) -> Readback:
    """Any readback."""
    a_life = draw(lives())
    decision = draw(st.none() | decisions(a_life.receipt))
    if decision is None:
        return readback(a_life.plan, a_life.receipt, None, [])
    bare = readback(a_life.plan, a_life.receipt, decision, [])
    assert bare.parent_admission is not None
    admission = (
        a_life.admit(*decision.admitted_source_refs) if decision.admitted_source_refs else a_life.reject()
    )
    rows = [held_of(admission, one) for one in admission.downstream_projection.sources if draw(st.booleans())]
    blockers = draw(
        st.lists(
            st.builds(
                WriteBlocker, source_ref=st.none() | refs(), code=st.just("conflict"), reason=any_text(1024)
            )
        )
    )
    return readback(a_life.plan, a_life.receipt, None, rows, blockers, stated=admission)


def free_texts(value: Any, key: str = "") -> list[str]:
    if isinstance(value, dict):
        return [text for name, item in value.items() for text in free_texts(item, name)]
    if isinstance(value, list):
        return [text for item in value for text in free_texts(item, key)]
    return (
        [value]
        if isinstance(value, str) and (key in FREE or key.endswith(("source_ref", "source_refs")))
        else []
    )


@given(readbacks())
def test_no_text_of_others_changes_the_structure_of_a_readback(result: Readback) -> None:
    document = readback_markdown.render(result)
    tame = Readback.read(Tame().wire(result.to_wire()))
    assert skeleton(document) == skeleton(readback_markdown.render(tame))
    assert types(document) <= TEMPLATE
    assert document.splitlines() == document.split("\n")[:-1]
    read = texts(document)
    for text in free_texts(result.to_wire()):
        shown = REASONS.get(text, re.sub("[\u2028\u2029]", lambda m: f"\\u{ord(m[0]):x}", text))
        assert any(entry.endswith(shown) for entry in read), text


@given(st.data())
def test_no_text_of_others_changes_the_structure_of_a_dossier(data: st.DataObject) -> None:
    a_life = data.draw(lives())
    admission = a_life.admit(
        *(one.source_ref for one in a_life.receipt.sources), reason=data.draw(any_text(2048))
    )
    entries = [
        (number, held_of(admission, one, NOW).replace(withdrawn=data.draw(st.none() | any_text(128))))
        for number, one in enumerate(a_life.receipt.sources, 1)
    ]
    damaged = [Damage(data.draw(any_text(1024)), None, data.draw(st.none() | refs()))]
    question = a_life.plan.request
    document = dossier_markdown.render(
        question, Contents(entries, {admission.admission_id or "": admission}, damaged)
    )
    tame = Tame()
    calm = Contents(
        [
            (number, Held.read({**tame.wire(held.to_wire()), "withdrawn": held.withdrawn and "x"}))
            for number, held in entries
        ],
        {admission.admission_id or "": Admission.read(tame.wire(admission.to_wire()))},
        [Damage("x", None, one.source_ref and tame.ref(one.source_ref)) for one in damaged],
    )
    assert skeleton(document) == skeleton(
        dossier_markdown.render(Request.read(tame.wire(question.to_wire())), calm)
    )
    assert types(document) <= TEMPLATE | {"link_open", "link_close", "hr"}
    targets = [token.attrs["href"] for token in tokens(document) if token.type == "link_open"]
    assert len(targets) == sum(
        held.withdrawn is None and held.source.source_ref.startswith("http") for _, held in entries
    )
    assert all(re.match(r"https?://[^\s<>]+\Z", str(target)) for target in targets)


@pytest.mark.parametrize(
    ("ref", "target"),
    [
        ("https://e.x/?a=1&copy;=2", "https://e.x/?a=1&copy;=2"),
        ("https://e.x/a_b*c*(d)[e]", "https://e.x/a_b*c*(d)%5Be%5D"),
        ("https://e.x/<a>`b`", "https://e.x/%3Ca%3E%60b%60"),
        ("https://e.x/%E4%B8%AD", "https://e.x/%E4%B8%AD"),
    ],
)
def test_the_link_of_a_citation_leads_to_its_reference(ref: str, target: str) -> None:
    a_life = life([source(ref)])
    admission = a_life.admit(ref)
    contents = Contents([(1, held_of(admission, a_life.receipt.sources[0]))], {}, ())
    document = dossier_markdown.render(a_life.plan.request, contents)
    assert [token.attrs["href"] for token in tokens(document) if token.type == "link_open"] == [target]
    assert ref in texts(document)
    assert "采纳理由 Reason: 已损坏，不可读 damaged, unreadable" in document


def test_a_readback_says_everything_that_the_specification_lists() -> None:
    found = [
        source(
            REFS[0],
            finding="坡度不应大于 1:12",
            limitation="only the 2012 edition",
            publication_date="2012-03",
        ),
        source(REFS[1], basis="inferred"),
        source("urn:x:extra", basis="observed"),
    ]
    a_life = life(
        found,
        source_refs=(REFS[0], REFS[2]),
        constraints=("in force",),
        search_terms=("坡道",),
        receipt_limitations=("one server was down",),
    )
    admission = a_life.admit(REFS[0], REFS[1], reason="现行标准")
    blocker = WriteBlocker(source_ref=REFS[1], code="conflict", reason="another finding is there")
    lost = WriteBlocker(source_ref=None, code="damaged", reason="bytes")
    result = readback(
        a_life.plan, a_life.receipt, None, [held_of(admission, found[0], LATER)], [blocker, lost], admission
    )
    document = readback_markdown.render(result)
    for said in (
        "目标 Objective: 坡道坡度?", "- 约束 Constraints:\n  - in force", "- 检索词 Search terms:\n  - 坡道",
        "提供者 Provider: `method:test`", "回执状态 Receipt status: 成功 succeeded",
        "摘要 Summary: what was found",
        "局限 Limitations:\n  - one server was down", "决定 Disposition: 采纳 admit", "理由 Reason: 现行标准",
        f"采纳编号 Admission id: `{admission.admission_id}`", "下游已核到 Observed downstream: 1 / 2",
        "退休 Retirement: 保留 retained", "admitted_sources_not_yet_projected",
        f"尚未读到 Not yet observed:\n  - `{REFS[1]}`",
        f"引用 Reference: `{REFS[0]}`\n- 已采纳 Admitted: 是 yes\n- 下游已核到 Observed downstream: 是 yes\n",
        "- 发现 Finding: 坡度不应大于 1:12\n- 依据 Basis: 来源陈述 stated",
        f"引用 Reference: `{REFS[1]}`\n- 已采纳 Admitted: 是 yes\n- 下游已核到 Observed downstream: 否 no",
        "引用 Reference: `urn:x:extra`\n- 已采纳 Admitted: 否 no\n- 下游已核到 Observed downstream: 否 no",
        "发布日期 Published: `2012-03`\n- 访问时间 Accessed: `2026-02-28T08:00:00Z`",
        f"内容摘要值 Content digest: `{found[0].content_digest}`", "局限 Limitation: only the 2012 edition",
        f"请求而未返回 Requested, not returned:\n  - `{REFS[2]}`",
        f"返回而未请求 Returned, not requested:\n  - `{REFS[1]}`\n  - `urn:x:extra`",
        f"- `{REFS[1]}`: `conflict` another finding is there",
        "- 引用不可读 unreadable reference: `damaged` bytes",
        "- 原始来源仍可使用 original sources stay available\n",
        "- 证据是否齐全未经核实 completeness is unverified\n",
    ):  # fmt: skip
        assert said in document, said
    assert document.endswith(f"- 计划编号 Plan id: `{a_life.plan.plan_id}`\n")


def test_a_readback_without_decision_or_sources_says_so() -> None:
    a_life = life([])
    document = readback_markdown.render(readback(a_life.plan, a_life.receipt, None, []))
    assert "决定 Disposition: 尚未作出 not made yet" in document
    assert "退休 Retirement: 尚无决定 no decision yet" in document
    assert "## 来源 Sources\n\n无 none" in document
    assert "回执状态 Receipt status: 未找到证据 no_evidence" in document


def test_a_rejected_receipt_may_retire_and_says_why() -> None:
    a_life = life()
    rejected = a_life.reject()
    document = readback_markdown.render(readback(a_life.plan, a_life.receipt, None, [], stated=rejected))
    assert "退休 Retirement: 可以退休 retire_ready\n- 原因 Reason: 采纳方已拒绝 parent_rejected" in document

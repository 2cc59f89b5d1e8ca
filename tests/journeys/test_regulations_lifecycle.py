"""`connector:regulations` from discovery to retirement over a corpus, by the command line."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.doors.command import clean
from tests.doors.forking import Forking
from tests.doors.statutes import (
    BEYOND,
    CANARY,
    LISTED,
    NEW,
    OLD,
    PARTLY,
    SECRET,
    TITLE,
    UNQUOTED,
    publish,
    told,
    write,
)
from tests.journeys.regulations_world import ASK, QUERY, QUESTION, Life

CORPUS = ("--corpus", "corpus.sqlite3")


@pytest.fixture
def life(quick: Forking, tmp_path: Path) -> Life:
    return Life(quick, tmp_path)


def test_readiness_says_what_is_to_be_done(life: Life) -> None:
    found = life("discover")["providers"]
    [row] = [one for one in found if one["provider_id"] == "connector:regulations"]
    assert (row["enabled"], row["ready"]) == (False, False)
    assert "--corpus" in row["unavailable_reason"]
    assert (row := life.row())["ready"] is False
    assert (
        row["unavailable_reason"] == "没有语料库 no corpus at corpus.sqlite3; regulations import … --corpus"
    )
    told(life.quick, life.folder, "import", str(write(life.folder / "法规", OLD, NEW)), *CORPUS)
    assert "no corpus revision is published" in (reason := life.row()["unavailable_reason"])
    assert "regulations publish" in reason
    blocked = life("plan", *ASK, status=1, corpus=True)
    assert (blocked["status"], blocked["blocker"]) == ("blocked", "preferred_provider_not_ready")
    revision = told(life.quick, life.folder, "publish", *CORPUS)["corpusRevision"]
    assert (life.row()["ready"], life.row()["unavailable_reason"]) == (True, None)
    told(life.quick, life.folder, "withdraw", revision, "--reason", "试", *CORPUS)
    assert "no corpus revision is published" in life.row()["unavailable_reason"]


@pytest.mark.parametrize(
    "harm",
    ["UPDATE entries SET data = CAST(replace(data, '2024', '2025') AS BLOB)", "DELETE FROM entries"],
)
def test_a_damaged_manifest_is_not_ready_and_is_not_run(life: Life, harm: str) -> None:
    publish(life.quick, life.folder, OLD, NEW)
    life.keep("plan", "plan", *ASK, corpus=True)
    with closing(sqlite3.connect(life.folder / life.corpus)) as db:
        db.execute(harm)
        db.commit()
    row = life.row()
    assert row["ready"] is False
    assert row["unavailable_reason"].startswith("语料库损坏，请换上完好的副本 the corpus is damaged: ")
    assert "an undamaged copy" in row["unavailable_reason"]
    done = life.quick("execute", "plan.json", "--allow-network", *CORPUS, cwd=life.folder)
    assert (done.status, done.error["code"]) == (4, "provider_not_ready")
    assert life.calls() == []
    assert clean(life.folder, call=life.quick)["receipts"] == 0


def test_what_is_no_corpus_is_told(life: Life) -> None:
    (life.folder / life.corpus).write_bytes(b"something else, and longer than a header" * 99)
    assert "damaged" in life.row()["unavailable_reason"]
    (life.folder / life.corpus).unlink()
    (life.folder / life.corpus).mkdir()
    assert "no corpus at" in life.row()["unavailable_reason"]


@pytest.mark.parametrize("digest", ["blake3", "sha256"])
def test_a_question_goes_through_the_corpus_to_retirement(life: Life, digest: str) -> None:
    revision = publish(life.quick, life.folder, OLD, NEW)
    plan = life.keep("plan", "plan", *ASK, "--digest", digest, corpus=True)
    assert plan["plan_id"].startswith(digest)
    shown = life("execute", "plan.json", status=1, corpus=True)
    assert shown == {"network_allowed": False, "outgoing": []}
    assert life.calls() == []
    receipt = life.keep("receipt", "execute", "plan.json", "--allow-network", corpus=True)["receipt"]
    assert receipt["status"] == "succeeded"
    sources = receipt["sources"]
    assert all(source["basis"] == "stated" for source in sources)
    assert all(source["source_family"] == "regulation" for source in sources)
    named = {source["source_ref"].removeprefix(f"urn:kbreg:{revision}:"): source for source in sources}
    one = named[f"{NEW}#art3"]
    evidence = told(life.quick, life.folder, "resolve", f"{NEW}#art3", *CORPUS)
    assert one["content_digest"] == f"sha256:{evidence['nodeSha256']}"
    assert one["content_digest"] == f"sha256:{hashlib.sha256(evidence['excerpt'].encode()).hexdigest()}"
    for words in ("第三条（第二章 检验）", "每三年检验一次", f"《{TITLE}》（2024年修订", "现行有效", QUERY):
        assert words in one["finding"]
    assert one["publication_date"] == "2024-06-20"
    for words in (NEW, "虚构公报 2024 年第 7 期", "推算", "全文 full"):
        assert words in one["limitation"]
    assert "已修改" in named[f"{OLD}#art3"]["finding"]
    report = life.finish()
    assert [report[name] for name in ("plans", "receipts", "admissions", "retired")] == [1, 1, 1, 1]
    searched, *resolved = life.calls()
    asked = hashlib.sha256(QUERY.encode()).hexdigest()
    assert searched == (
        "regulations.search",
        {"revision": revision, "count": 3, "state": "ok", "querySha256": asked},
    )
    assert resolved == [("regulations.evidence", {"revision": revision, "count": 1, "state": "ok"})] * 3
    calls = {(row["action"], row["state"]): row["calls"] for row in report["provider_calls"]}
    assert calls == {("regulations.search", "ok"): 1, ("regulations.evidence", "ok"): 3}


def test_current_only_leaves_out_what_is_not_in_force(life: Life) -> None:
    publish(life.quick, life.folder, OLD, NEW)
    receipt = life.receipt(*ASK, "--constraint", "current_only")
    assert receipt["sources"]
    assert not any(f"{OLD}#" in source["source_ref"] for source in receipt["sources"])


def test_no_more_is_shown_than_an_edition_discloses(life: Life) -> None:
    revision = publish(life.quick, life.folder, SECRET, PARTLY, LISTED)
    refs = [f"urn:kbreg:{revision}:{one}#art1" for one in (SECRET, PARTLY, LISTED)]
    refs.append(f"urn:kbreg:{revision}:{SECRET}#ch1")
    named = [part for ref in refs for part in ("--source", ref)]
    terms = ("--search-term", "港口起重机操作指南第二条", "--search-term", "航标灯名录编制办法")
    receipt = life.receipt(*QUESTION, *named, *terms)
    found = {source["source_ref"]: source for source in receipt["sources"]}
    assert set(refs) <= set(found)
    assert f"urn:kbreg:{revision}:{SECRET}#art2" in found
    assert "不披露正文（原因：来源权利限制）" in found[refs[0]]["finding"]
    assert "披露级别：不披露 withheld" in found[refs[0]]["limitation"]
    assert "不披露正文（原因：仅登记目录）" in found[refs[2]]["finding"]
    assert "仅元数据 metadata_only" in found[refs[2]]["limitation"]
    assert "[0:200]（节选" in found[refs[1]]["finding"]
    assert "摘录 excerpt" in found[refs[1]]["limitation"]
    life.finish()
    for form in ("json", "text", "markdown"):
        done = life.quick("readback", "admission.json", "--format", form, cwd=life.folder)
        (life.folder / f"readback.{form}").write_bytes(done.out)
    kept = life.kept()
    assert any("dossiers" in path.parts for path in kept)
    for path, content in kept.items():
        for words in (CANARY, BEYOND, UNQUOTED):
            for coded in (words.encode(), words.encode("unicode-escape"), words.encode("utf-16-le")):
                assert coded not in content, (path, words)


def test_a_long_node_is_quoted_in_part_and_its_offsets_say_so(life: Life) -> None:
    path = write(life.folder / "法规", NEW)
    long = "坡" * 1700
    lines = f"# {TITLE}\n\n第一条　{long}。\n"
    (path.parent / "2024.md").write_text(lines, encoding="utf-8")
    told(life.quick, life.folder, "import", str(path), *CORPUS)
    revision = told(life.quick, life.folder, "publish", *CORPUS)["corpusRevision"]
    receipt = life.receipt(*QUESTION, "--source", f"urn:kbreg:{revision}:{NEW}#art1")
    [source] = receipt["sources"]
    assert f"[0:1000]（节选，全文 1701 个码点）：“{'坡' * 1000}”……" in source["finding"]
    assert source["content_digest"] == f"sha256:{hashlib.sha256(f'{long}。'.encode()).hexdigest()}"


def test_named_nodes_are_resolved_in_the_revision_that_they_are_pinned_to(life: Life) -> None:
    first = publish(life.quick, life.folder, OLD)
    path = write(life.folder / "法规", OLD, NEW, accept=[f"changed:{OLD}"])
    text = (path.parent / "2019.md").read_text(encoding="utf-8")
    (path.parent / "2019.md").write_text(text.replace("每五年", "每六年"), encoding="utf-8")
    told(life.quick, life.folder, "import", str(path), *CORPUS)
    second = told(life.quick, life.folder, "publish", *CORPUS)["corpusRevision"]
    refs = (
        f"urn:kbreg:{first}:{OLD}#art3",
        f"urn:kbreg:{second}:{OLD}#art3",
        f"urn:kbreg:{second}:{OLD}#art99",
        f"urn:kbreg:kbr1-{'0' * 32}:{OLD}#art3",
        "urn:kbreg:nothing",
        "urn:isbn:9787112",
        "https://www.example.org/page",
    )
    asked = [part for ref in refs for part in ("--source", ref)]
    receipt = life.receipt(*QUESTION, *asked)
    findings = {source["source_ref"]: source["finding"] for source in receipt["sources"]}
    assert set(findings) == {*refs[:2]}
    assert "每五年检验一次" in findings[refs[0]]
    assert "每六年检验一次" in findings[refs[1]]
    assert "请求指名 named in the request" in findings[refs[0]]
    limits = "\n".join(receipt["limitations"])
    assert f"{refs[2]} 不能作为来源" in limits
    assert f"{refs[3]} 不能作为来源" in limits
    assert "unknown corpus revision" in limits
    for ref in refs[4:]:
        assert f"{ref} 不是语料节点，没有解析" in limits
    # The texts of the first one are taken away; its ids stay, and say so.
    told(life.quick, life.folder, "withdraw", first, "--reason", "权利人要求", *CORPUS)
    receipt = life.receipt(*QUESTION, "--source", refs[0], "--constraint", "再查", status=1)
    assert (receipt["status"], receipt["sources"]) == ("failed", [])
    assert "该语料修订已撤回（原因：权利人要求） the revision was withdrawn" in receipt["limitations"][1]
    assert "hash" not in receipt["limitations"][0]
    clean(life.folder, call=life.quick)


def test_a_text_that_was_changed_is_no_source(life: Life) -> None:
    revision = publish(life.quick, life.folder, NEW)
    with closing(sqlite3.connect(life.folder / life.corpus)) as db:
        db.execute("UPDATE texts SET text = replace(text, '三年', '九年')")
        db.commit()
    receipt = life.receipt(*QUESTION, "--source", f"urn:kbreg:{revision}:{NEW}#art3", status=1)
    assert (receipt["status"], receipt["sources"]) == ("failed", [])
    assert "hashVerified is false: hash mismatch" in receipt["limitations"][0]
    assert not any("九年".encode() in content for content in life.kept().values())


def test_without_an_index_a_search_failed_and_did_not_find_nothing(life: Life) -> None:
    publish(life.quick, life.folder, OLD, NEW)
    none = life.receipt(*QUESTION, "--search-term", "氢燃料电池汽车", status=1)
    assert none["status"] == "no_evidence"
    assert "在语料库中没有命中（empty）" in none["limitations"][0]
    for file in (life.folder / "corpus.sqlite3.index").iterdir():
        file.unlink()
    lost = life.receipt(*QUESTION, "--search-term", "氢燃料", status=1)
    assert lost["status"] == "failed"
    assert any("没有完成（unavailable）" in one for one in lost["limitations"])
    # What a number names is found all the same, and what is missing is told.
    half = life.receipt(*QUESTION, "--search-term", "氢燃料", "--search-term", f"{TITLE}第三条")
    assert half["status"] == "succeeded"
    assert any("没有完成" in one for one in half["limitations"])


def test_a_request_that_names_nothing_fails_and_says_so(life: Life) -> None:
    publish(life.quick, life.folder, NEW)
    receipt = life.receipt(*QUESTION, status=1)
    assert receipt["status"] == "failed"
    assert "neither search_terms nor source_refs" in receipt["limitations"][0]


def test_without_a_ledger_nothing_is_asked_and_the_receipt_says_why(life: Life) -> None:
    revision = publish(life.quick, life.folder, NEW)
    for asked in (ASK, (*QUESTION, "--source", f"urn:kbreg:{revision}:{NEW}#art3")):
        life.keep("plan", "plan", *asked, "--no-ledger", corpus=True)
        assert life("execute", "plan.json", "--no-ledger", status=1, corpus=True)["outgoing"] == []
        run = ("execute", "plan.json", "--no-ledger", "--allow-network")
        receipt = life(*run, status=1, corpus=True)["receipt"]
        assert (receipt["status"], receipt["sources"]) == ("failed", [])
        assert "made without its audit in a ledger" in receipt["limitations"][0]
        assert "no --no-ledger" in receipt["limitations"][0]
    assert not (life.folder / ".external-evidence").exists()

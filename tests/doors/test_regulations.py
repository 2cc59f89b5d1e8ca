"""`regulations …`: what each command answers, as JSON and to a reader, and its exit status."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from schemas.regulations import RegulationEvidence, RegulationsSearchResult
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

CORPUS = ("--corpus", "corpus.sqlite3")
ALL = (OLD, NEW, SECRET, PARTLY, LISTED)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, quick: Forking) -> tuple[Path, str]:
    """A folder with a corpus of all editions, and its revision; tests only read it."""
    folder = tmp_path_factory.mktemp("语料")
    return folder, publish(quick, folder, *ALL)


def text(quick: Forking, folder: Path, *arguments: str, status: int = 0) -> str:
    done = quick("regulations", *arguments, *CORPUS, "--format", "text", cwd=folder)
    assert (done.status, done.err) == (status, b""), done
    return done.out.decode()


def error(quick: Forking, folder: Path, *arguments: str, corpus: tuple[str, ...] = CORPUS) -> tuple[int, Any]:
    done = quick("regulations", *arguments, *corpus, cwd=folder)
    assert done.out == b""
    return done.status, done.error


def test_import_tells_every_defect_with_file_and_line(tmp_path: Path, quick: Forking) -> None:
    write(tmp_path, OLD, NEW)
    source = (tmp_path / "2024.md").read_text(encoding="utf-8")
    (tmp_path / "2024.md").write_text(
        source.replace("第四条　", "第七条　").replace("（一）锚", "(一)锚"), encoding="utf-8"
    )
    seen = told(quick, tmp_path, "import", "manifest.json", *CORPUS, status=1)
    assert sorted(seen) == ["blocked", "defects", "editions", "nodes"]
    assert (seen["editions"], seen["blocked"]) == ([OLD, NEW], True)
    shape = ["accept", "blocks", "detail", "edition", "file", "kind", "line"]
    assert all(sorted(one) == shape for one in seen["defects"])
    [half] = [one for one in seen["defects"] if one["kind"] == "half-width item"]
    lines = (tmp_path / "2024.md").read_text(encoding="utf-8").splitlines()
    assert (half["file"], lines[half["line"] - 1]) == ("2024.md", "(一)锚杆拉力；")
    blocking = [one for one in seen["defects"] if one["blocks"]]
    assert {one["kind"] for one in blocking} >= {"gap before an article"}
    found = told(quick, tmp_path, "check", *CORPUS, status=1)
    assert (found["publishable"], found["problems"]) == (False, blocking)
    status, refused = error(quick, tmp_path, "publish")
    assert (status, refused["code"]) == (3, "invalid")
    assert "2024.md:" in refused["message"]
    assert "regulations check" in refused["hint"]
    said = text(quick, tmp_path, "import", "manifest.json", status=1)
    assert "阻止发布 blocks" in said
    assert f"不能发布：{len(blocking)} 项 blocked\n" in said
    assert (
        "条号缺漏 gap before an article: 第七条 之前是 after 第3条 [阻止发布 blocks]"
        " 接受名 accept: gap:art7\n" in said
    )
    assert "2024.md:17: 半角项号 half-width item: (一) [提示 note]\n" in said
    assert text(quick, tmp_path, "check", status=1).startswith("不能发布 blocked\n")
    # A reviewer takes the named ones, and nothing stands in the way any more.
    write(tmp_path, NEW, accept=[one["accept"] for one in blocking])
    (tmp_path / "2024.md").write_text("\n".join(lines), encoding="utf-8")
    assert told(quick, tmp_path, "import", "manifest.json", *CORPUS)["blocked"] is False
    assert text(quick, tmp_path, "check").startswith("可以发布 nothing blocks publishing\n")
    assert told(quick, tmp_path, "publish", *CORPUS)["state"] == "published"


def test_many_defects_are_shown_in_part_unless_all_are_asked_for(tmp_path: Path, quick: Forking) -> None:
    write(tmp_path, OLD)
    items = "\n".join(f"({number})项；" for number in "一二三四五六七八九十" * 5)
    lines = f"# {TITLE}\n\n第一条　下列各项：\n{items}\n"
    (tmp_path / "2019.md").write_text(lines, encoding="utf-8")
    few = text(quick, tmp_path, "import", "manifest.json", status=1)
    assert "--all 全部列出 shows all" in few
    assert "--all" not in (everything := text(quick, tmp_path, "import", "manifest.json", "--all", status=1))
    assert len(everything.splitlines()) > len(few.splitlines())


def test_publish_and_revisions_and_their_states(tmp_path: Path, quick: Forking) -> None:
    assert told(quick, tmp_path, "import", str(write(tmp_path / "a", OLD)), *CORPUS)["nodes"] > 10
    assert text(quick, tmp_path, "revisions") == "没有语料修订 no revision\n"
    first = told(quick, tmp_path, "publish", "--actor", "li", *CORPUS)
    assert sorted(first) == ["corpusRevision", "nodes", "state"]
    told(quick, tmp_path, "import", str(write(tmp_path / "b", NEW)), *CORPUS)
    second = told(quick, tmp_path, "publish", "--actor", "wang", *CORPUS)
    rows = told(quick, tmp_path, "revisions", *CORPUS)
    assert list(rows[0]) == [
        *(
            "corpusRevision",
            "state",
            "current",
            "editions",
            "nodes",
            "builtAt",
            "publishedAt",
            "withdrawnAt",
            "actor",
        ),
        "reason",
    ]
    known = {row["corpusRevision"]: row for row in rows}
    assert [known[one["corpusRevision"]]["current"] for one in (first, second)] == [False, True]
    assert known[second["corpusRevision"]]["actor"] == "wang"
    # Back to the first, which is current again as it was.
    assert told(quick, tmp_path, "publish", first["corpusRevision"], *CORPUS) == first
    assert text(quick, tmp_path, "revisions").startswith(f"* {first['corpusRevision']}  已发布 published")
    assert "已发布 published" in text(quick, tmp_path, "publish", second["corpusRevision"])
    assert error(quick, tmp_path, "publish", "kbr1-" + "0" * 32)[0] == 4


def test_search_answers_with_the_contracts_own_object(kept: tuple[Path, str], quick: Forking) -> None:
    folder, revision = kept
    seen = told(quick, folder, "search", "边坡支护 检验", "--limit", "2", *CORPUS)
    result = RegulationsSearchResult.read(seen)
    assert result.to_wire() == seen
    assert (seen["corpusRevision"], seen["state"], len(seen["hits"])) == (revision, "ok", 2)
    hit = result.hits[0]
    assert hit.excerpt
    assert (hit.title, hit.disclosure) == (TITLE, "full")
    assert hit.excerpt_end - hit.excerpt_start == len(hit.excerpt)
    assert hit.node_id in text(quick, folder, "search", "边坡支护 检验", "--limit", "2")


@pytest.mark.parametrize(
    ("query", "options", "first"),
    [
        ("边坡支护管理办法第三条", (), f"{NEW}#art3"),
        ("边坡支护管理办法旧版第三条", (), f"{OLD}#art3"),
        ("滨海市人民政府令第12号", (), f"{OLD}#note1"),
        ("加固", ("--current-only",), f"{NEW}#art5"),
        ("边坡支护管理办法第三条第二款第（三）项", (), f"{NEW}#art3/p2/i3"),
        ("加固", ("--doc-no", "滨海市人民政府令第12号"), f"{OLD}#art4"),
        ("检验", ("--clause-no", "3", "--kind", "地方政府规章", "--current-only"), f"{NEW}#art3"),
        ("港口起重机操作指南第二条", (), f"{SECRET}#art2"),
    ],
)
def test_search_understands_names_numbers_and_times(
    kept: tuple[Path, str], quick: Forking, query: str, options: tuple[str, ...], first: str
) -> None:
    assert told(quick, kept[0], "search", query, *options, *CORPUS)["hits"][0]["nodeId"] == first


def test_nothing_found_and_nothing_published_are_two_things(tmp_path: Path, quick: Forking) -> None:
    write(tmp_path, OLD)
    told(quick, tmp_path, "import", "manifest.json", *CORPUS)
    none = told(quick, tmp_path, "search", "检验", *CORPUS, status=1)
    assert (none["state"], none["hits"]) == ("unavailable", [])
    assert "原因 reason" in text(quick, tmp_path, "search", "检验", status=1)
    told(quick, tmp_path, "publish", *CORPUS)
    assert told(quick, tmp_path, "search", "氢燃料", *CORPUS, status=1)["state"] == "empty"
    for file in (tmp_path / "corpus.sqlite3.index").iterdir():
        file.unlink()
    lost = told(quick, tmp_path, "search", "检验", *CORPUS, status=1)
    assert lost["state"] == "unavailable"
    told(quick, tmp_path, "publish", *CORPUS)  # the same again only builds the index anew
    assert told(quick, tmp_path, "search", "检验", *CORPUS)["state"] == "ok"


def test_resolve_is_evidence_that_anybody_can_hash(kept: tuple[Path, str], quick: Forking) -> None:
    folder, revision = kept
    node = f"{NEW}#art3/p2/i3"
    seen = told(quick, folder, "resolve", node, *CORPUS)
    assert RegulationEvidence.read(seen).to_wire() == seen
    assert (seen["clauseNo"], seen["hashVerified"]) == ("第三条第二款第（三）项", True)
    assert seen["nodeSha256"] == hashlib.sha256(seen["excerpt"].encode()).hexdigest()
    source = (folder / "法规" / "2024.md").read_bytes()
    assert seen["sourceAssetSha256"] == hashlib.sha256(source).hexdigest()
    assert told(quick, folder, "resolve", f"urn:kbreg:{revision}:{node}", *CORPUS) == seen
    assert told(quick, folder, "resolve", node, "--revision", revision, *CORPUS) == seen
    part = told(quick, folder, "resolve", node, "--start", "2", "--end", "4", *CORPUS)
    assert (part["excerpt"], part["start"], part["end"]) == ("水位", 2, 4)
    assert part["nodeSha256"] == seen["nodeSha256"]
    said = text(quick, folder, "resolve", node)
    assert "（已核验 verified）" in said
    assert "节点文本（不含条、项序号） node text, without its number [0:" in said
    assert said.endswith("地下水位。\n")


def test_the_manifest_is_what_the_id_is_the_hash_of(kept: tuple[Path, str], quick: Forking) -> None:
    folder, revision = kept
    done = quick("regulations", "manifest", *CORPUS, cwd=folder)
    assert (done.status, done.err) == (0, b"")
    assert f"kbr1-{hashlib.sha256(done.out).hexdigest()[:32]}" == revision
    held = {
        node["nodeId"]: node["nodeSha256"]
        for one in json.loads(done.out)["editions"]
        for node in one["nodes"]
    }
    seen = told(quick, folder, "resolve", f"{OLD}#art4", *CORPUS)
    assert held[seen["nodeId"]] == seen["nodeSha256"]


def test_diff_pairs_articles_whatever_their_numbers(kept: tuple[Path, str], quick: Forking) -> None:
    folder, _ = kept
    seen = told(quick, folder, "diff", OLD, NEW, *CORPUS)
    assert list(seen) == ["old", "new", "counts", "rows"]
    assert seen["counts"] == {"same": 1, "amended": 2, "inserted": 1, "renumbered": 2}
    pairs = {
        (row.get("old", {}).get("clauseNo"), row.get("new", {}).get("clauseNo")): row for row in seen["rows"]
    }
    assert pairs["第四条", "第五条"]["kind"] == "renumbered"
    assert pairs["第四条", "第五条"]["changed"] is False
    assert pairs[None, "第四条"]["new"]["excerpt"] == "高度超过十五米的边坡应当装设自动监测装置。"
    said = text(quick, folder, "diff", OLD, NEW)
    assert "第四条 → 第五条  条号变动 renumbered（相似 likeness 1.00）\n" in said
    assert "第一条 → 第一条" not in said
    assert "第一条 → 第一条  相同 same" in text(quick, folder, "diff", OLD, NEW, "--all")
    assert "删除 deleted" in text(quick, folder, "diff", NEW, OLD)


def test_nothing_shows_more_than_an_edition_discloses(kept: tuple[Path, str], quick: Forking) -> None:
    folder, _ = kept
    calls = [
        ("search", CANARY), ("search", UNQUOTED), ("search", "护舷"), ("search", "航标灯"),
        ("resolve", f"{SECRET}#art1"), ("resolve", f"{PARTLY}#art1"), ("resolve", f"{LISTED}#art1"),
        ("diff", SECRET, NEW), ("diff", PARTLY, NEW), ("diff", LISTED, PARTLY), ("manifest",),
    ]  # fmt: skip
    for call in calls:
        for form in ((), ("--format", "text")) if call[0] == "diff" else ((),):
            done = quick("regulations", *call, *form, *CORPUS, cwd=folder)
            assert done.status in (0, 1), done
            # The query itself is nobody's text.
            answer = done.out.decode().replace("search " + call[-1], "")
            assert not any(words in answer for words in (UNQUOTED, CANARY, BEYOND)), call
    withheld = told(quick, folder, "resolve", f"{SECRET}#art1", *CORPUS)
    assert (withheld["disclosure"], withheld["withheldReason"]) == ("withheld", "来源权利限制")
    assert withheld["hashVerified"] is True
    assert "excerpt" not in withheld
    cut = told(quick, folder, "resolve", f"{PARTLY}#art1", *CORPUS)
    assert (cut["disclosure"], cut["end"], len(cut["excerpt"])) == ("excerpt", 200, 200)
    said = text(quick, folder, "diff", PARTLY, SECRET)
    assert "（余文不披露 the rest is not disclosed）" in said
    assert "（不披露 not disclosed: withheld）" in said
    shown = text(quick, folder, "search", "航标灯名录编制办法第一条")
    assert "（正文不披露 not disclosed: metadata_only：仅登记目录）" in shown


def test_withdrawing_takes_the_text_and_its_index_away(tmp_path: Path, quick: Forking) -> None:
    revision = publish(quick, tmp_path, OLD, NEW)
    told(quick, tmp_path, "remove", NEW, "--reason", "权利人要求", *CORPUS)
    later = told(quick, tmp_path, "publish", *CORPUS)["corpusRevision"]
    assert text(quick, tmp_path, "withdraw", revision[:12], "--reason", "权利人要求") == (
        f"已撤回 withdrawn: {revision}\n  {OLD} 仍在 is still in: {later}，草稿 drafts\n"
    )
    words = "自动监测装置"
    gone = [path for path in tmp_path.glob("corpus.sqlite3*/*") if revision in path.name]
    assert gone == []
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "法规"]
    assert not any(words.encode() in path.read_bytes() for path in kept)
    seen = told(quick, tmp_path, "resolve", f"urn:kbreg:{revision}:{NEW}#art4", *CORPUS, status=1)
    assert (seen["hashVerified"], seen["disclosure"]) == (False, "withheld")
    assert "（未核验：该语料修订已撤回 not verified: withdrawn）撤回原因 reason：权利人要求\n" in text(
        quick, tmp_path, "resolve", f"urn:kbreg:{revision}:{NEW}#art4", status=1
    )
    assert "撤回原因 reason: 权利人要求\n" in text(quick, tmp_path, "revisions")
    assert told(quick, tmp_path, "resolve", f"{OLD}#art4", *CORPUS)["corpusRevision"] == later
    status, refused = error(quick, tmp_path, "withdraw", revision, "--reason", "再次")
    assert (status, refused["code"]) == (3, "out_of_order")
    assert error(quick, tmp_path, "diff", OLD, NEW, "--revision", revision)[0] == 4
    assert told(quick, tmp_path, "search", "检验", "--revision", revision, *CORPUS, status=1)["state"] == (
        "unavailable"
    )
    rows = told(quick, tmp_path, "revisions", *CORPUS)
    assert {row["corpusRevision"]: row["state"] for row in rows} == {
        revision: "withdrawn",
        later: "published",
    }
    done = told(quick, tmp_path, "withdraw", later, "--reason", "清空", *CORPUS)
    assert done == {
        "corpusRevision": later, "state": "withdrawn", "reason": "清空",
        "alsoHeldBy": [{"edition": OLD, "revisions": [], "draft": True}],
    }  # fmt: skip
    status, refused = error(quick, tmp_path, "publish")
    assert (status, refused["code"]) == (3, "out_of_order")
    assert "已撤回，不能再发布" in refused["message"]
    assert "改正并重新导入" in refused["hint"]
    assert "import a corrected manifest" in refused["hint"]


def test_an_edition_that_is_removed_leaves_a_tombstone(tmp_path: Path, quick: Forking) -> None:
    publish(quick, tmp_path, OLD, NEW)
    assert told(quick, tmp_path, "remove", OLD, "--reason", "误收", *CORPUS) == {
        "edition": OLD, "state": "removed", "reason": "误收",
    }  # fmt: skip
    told(quick, tmp_path, "publish", *CORPUS)
    content = quick("regulations", "manifest", *CORPUS, cwd=tmp_path).out
    assert json.loads(content)["tombstones"] == [{"editionId": OLD, "reason": "误收"}]
    assert error(quick, tmp_path, "remove", OLD, "--reason", "再次")[0] == 4
    assert "已移出草稿" in text(quick, tmp_path, "remove", NEW, "--reason", "误收")
    assert error(quick, tmp_path, "publish")[0] == 3


@pytest.mark.parametrize("query", ["", "　", "？！"])
def test_a_query_of_nothing_is_a_wrong_call(kept: tuple[Path, str], quick: Forking, query: str) -> None:
    folder, _ = kept
    status, refused = error(quick, folder, "search", query)
    assert (status, refused["subject"]) == (2, "QUERY")
    assert told(quick, folder, "search", query, "--clause-no", "第一条", *CORPUS)["hits"]


def test_a_node_says_which_document_it_is_of_and_whether_that_is_in_force(
    kept: tuple[Path, str], quick: Forking
) -> None:
    folder, _ = kept
    said = text(quick, folder, "resolve", f"{OLD}#art3")
    assert f"  《{TITLE}》（" in said
    assert "  效力 legal status: 已修改（今日 today）" in said
    assert "正文不披露" not in said
    listed = text(quick, folder, "resolve", f"{LISTED}#art1")
    assert "正文不披露 not disclosed: metadata_only" in listed


def test_editions_in_force_on_one_day_are_told_when_they_are_taken_in(tmp_path: Path, quick: Forking) -> None:
    path = write(tmp_path, OLD, NEW)
    wire = json.loads(path.read_text(encoding="utf-8"))
    for row in wire["editions"]:
        row.pop("repealed", None)
    path.write_text(json.dumps(wire), encoding="utf-8")
    seen = told(quick, tmp_path, "import", path.name, *CORPUS, status=1)
    [one] = [one for one in seen["defects"] if one["blocks"]]
    assert (one["kind"], one["edition"]) == ("intervals overlap", OLD)
    assert "请给旧版写失效日 repealed" in one["detail"]


def test_notes_are_one_line_a_kind_and_check_shows_them_again(tmp_path: Path, quick: Forking) -> None:
    write(tmp_path, NEW)
    source = (tmp_path / "2024.md").read_text(encoding="utf-8")
    items = "\n".join(f"({one})项；" for one in "一二三四五")
    source = source.replace(f"# {TITLE}", f"# {TITLE}草案") + f"第九十条　下列各项：\n{items}\n"
    (tmp_path / "2024.md").write_text(source, encoding="utf-8")
    accept = [
        one["accept"]
        for one in told(quick, tmp_path, "import", "manifest.json", *CORPUS, status=1)["defects"]
    ]
    write(tmp_path, NEW, accept=[one for one in accept if one])
    (tmp_path / "2024.md").write_text(source, encoding="utf-8")
    taken = text(quick, tmp_path, "import", "manifest.json").splitlines()
    checked = text(quick, tmp_path, "check").splitlines()
    assert taken[1:] == checked[1:]
    assert checked[0] == "可以发布 nothing blocks publishing"
    assert "名称与清单不同 title differs" in checked[1]
    [half] = [line for line in checked if "半角项号" in line]
    assert half.startswith("  5 × 半角项号 half-width item [提示 note]: ")
    assert half.endswith("，… --all 全部列出 shows all")
    assert len(text(quick, tmp_path, "check", "--all").splitlines()) >= len(checked) + 4


def test_a_comparison_says_in_which_order_and_of_what_it_is(kept: tuple[Path, str], quick: Forking) -> None:
    folder, _ = kept
    notes = [
        ((NEW, OLD), "  注意 note: 次序颠倒，前者较新 in reverse order: the first is the newer one"),
        ((OLD, OLD), "  注意 note: 这是同一版本 this is one edition"),
        ((OLD, LISTED), "  注意 note: 这是两件法规 these are two regulations"),
    ]
    for editions, note in notes:
        assert text(quick, folder, "diff", *editions).splitlines()[1] == note
    assert "注意 note" not in text(quick, folder, "diff", OLD, NEW)


def test_no_likeness_is_told_of_texts_that_are_not(kept: tuple[Path, str], quick: Forking) -> None:
    folder, _ = kept
    assert "相似 likeness" not in text(quick, folder, "diff", LISTED, LISTED, "--all")
    rows = told(quick, folder, "diff", LISTED, LISTED, *CORPUS)["rows"]
    assert rows
    assert not any("score" in row for row in rows)


def test_articles_that_only_look_otherwise_are_told_to(tmp_path: Path, quick: Forking) -> None:
    write(tmp_path, OLD, NEW)
    for name, third in (("2019.md", "第三条　甲（乙）。"), ("2024.md", "第三条　甲(乙)。")):
        (tmp_path / name).write_text(
            f"# {TITLE}\n\n第一条　丙。\n第二条　丁戊己庚辛。\n{third}\n", encoding="utf-8"
        )
    (tmp_path / "2024.md").write_text(
        f"# {TITLE}\n\n第一条　壬。\n第二条　丙。\n第三条　甲(乙)。\n第四条　丁戊己庚壬。\n", encoding="utf-8"
    )
    told(quick, tmp_path, "import", "manifest.json", *CORPUS)
    told(quick, tmp_path, "publish", *CORPUS)
    said = text(quick, tmp_path, "diff", OLD, NEW, "--all")
    assert "（条号变动的有 1 条文字也变 renumbered and amended: 1）" in said.splitlines()[0]
    assert "相同 same（相似 likeness 1.00）（仅全半角、空白或编号不同 only width" in said

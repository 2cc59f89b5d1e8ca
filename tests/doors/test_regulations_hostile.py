"""`regulations …` under bad input, bad places, other writers, kills, and readers that leave."""

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from tests.doors.command import Done, around, run, script, start
from tests.doors.forking import Forking
from tests.doors.statutes import NEW, OLD, TITLE, publish, told, write
from tests.doors.test_hostile_places import PLAIN, readonly

CORPUS = ("--corpus", "corpus.sqlite3")
ZERO = "kbr1-" + "0" * 32
NODE = f"{NEW}#art3"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, quick: Forking) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("kept")
    revision = publish(quick, folder, OLD, NEW)
    (folder / "no.json").write_text('{"a":1}', encoding="utf-8")
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "2020.md").write_bytes(b"\xff\xfe\xff")
    (folder / "text.md").write_text(f"# {TITLE}\n", encoding="utf-8")
    return folder, revision


@pytest.mark.parametrize(
    ("arguments", "status", "code", "words"),
    [
        (("import",), 2, "usage", "MANIFEST|FILE"),
        (("import", "nothing.json"), 4, "not_found", "nothing.json"),
        (("import", "."), 4, "not_found", "no file"),
        (("import", "no.json"), 3, "invalid", "no list of editions"),
        (("import", "broken.json"), 3, "invalid", "not JSON"),
        (("import", "2020.md"), 3, "invalid", "neither UTF-8 nor GB18030"),
        (("import", "text.md"), 3, "invalid", "no edition key"),
        (("resolve", NODE, "--start", "-1"), 3, "invalid", "no offset"),
        (("resolve", NODE, "--start", "5", "--end", "2"), 3, "invalid", "no slice"),
        (("resolve", NODE, "--end", "4000"), 3, "invalid", "no slice"),
        (("resolve", NODE, "--start", "x"), 2, "usage", "not a valid integer"),
        (("resolve", ""), 3, "invalid", "a node id is needed"),
        (("resolve", "urn:kbreg:"), 3, "invalid", "a node id is needed"),
        (("resolve", NEW), 4, "not_found", NEW),
        (("resolve", f"{NEW}#art3/p9"), 4, "not_found", "art3/p9"),
        (("resolve", "ÅÉ \u202e"), 2, "usage", "control character"),
        (("resolve", NODE, "--revision", ZERO), 4, "not_found", "unknown corpus revision"),
        (("resolve", f"urn:kbreg:{ZERO}:{NODE}"), 4, "not_found", "unknown corpus revision"),
        (("resolve", f"urn:kbreg:{ZERO}:{NODE}", "--revision", "kbr1-1"), 2, "usage", "another"),
        (("search",), 2, "usage", "QUERY"),
        (("search", "检验", "--revision", ZERO), 4, "not_found", "unknown corpus revision"),
        (("search", "检验", "--limit", "0"), 2, "usage", "--limit"),
        (("search", "检验", "--limit", "51"), 2, "usage", "--limit"),
        (("search", "检验", "--clause-no", "12.3"), 3, "invalid_regulations_request", "clauseNo"),
        (("diff", NEW), 2, "usage", "EDITION"),
        (("diff", NEW, "nothing"), 4, "not_found", "nothing"),
        (("diff", OLD, NEW, "--revision", ZERO), 4, "not_found", "unknown corpus revision"),
        (("publish", ZERO), 4, "not_found", "unknown corpus revision"),
        (("publish", "--actor", "有 空格"), 2, "usage", "--actor"),
        (("withdraw", ZERO, "--reason", "x"), 4, "not_found", "unknown corpus revision"),
        (("withdraw", ZERO), 2, "usage", "--reason"),
        (("remove", "nothing", "--reason", "x"), 4, "not_found", "no draft"),
        (("remove", NEW, "--reason", " "), 3, "invalid", "needs its reason"),
        (("manifest", ZERO), 4, "not_found", "unknown corpus revision"),
        (("check", "--corpus", "none.sqlite3"), 4, "not_found", "no corpus at none.sqlite3"),
        (("search", "检验", "--corpus", "text.md"), 5, "integrity", "text.md"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(
    kept: tuple[Path, str], quick: Forking, arguments: tuple[str, ...], status: int, code: str, words: str
) -> None:
    corpus = () if "--corpus" in arguments else CORPUS
    done = quick("regulations", *arguments, *corpus, cwd=kept[0])
    assert (done.status, done.out, done.error["code"]) == (status, b"", code)
    assert words in done.error["message"] + str(done.error["hint"])


def test_bytes_that_are_no_text_are_refused_and_shown_escaped(kept: tuple[Path, str]) -> None:
    folder, revision = kept
    wrong = b"k\xff"
    calls: list[tuple[bytes | str, ...]] = [
        ("resolve", wrong), ("search", "检验", "--revision", wrong), ("diff", wrong, NEW), ("publish", wrong),
        ("withdraw", wrong, "--reason", "x"), ("withdraw", revision, "--reason", wrong),
        ("remove", NEW, "--reason", wrong), ("manifest", wrong),
    ]  # fmt: skip
    for call in calls:
        done = run("regulations", *call, *CORPUS, cwd=folder)
        assert (done.status, done.out, done.error["code"]) == (2, b"", "usage"), call
        assert "lone surrogate" in done.error["message"]
    done = run("regulations", "search", wrong, *CORPUS, cwd=folder)
    assert (done.status, done.answer["state"]) == (1, "empty")


def test_no_wrong_call_has_changed_anything(kept: tuple[Path, str], quick: Forking) -> None:
    folder, revision = kept
    rows = told(quick, folder, "revisions", *CORPUS)
    assert [(row["corpusRevision"], row["current"]) for row in rows] == [(revision, True)]
    assert told(quick, folder, "check", *CORPUS) == {"publishable": True, "problems": [], "notes": []}


def test_no_corpus_is_named(tmp_path: Path, quick: Forking) -> None:
    for command in ("check", "publish", "revisions", "manifest"):
        done = quick("regulations", command, cwd=tmp_path)
        assert (done.status, done.error["code"]) == (2, "usage")
        assert "EXTERNAL_EVIDENCE_CORPUS" in done.error["message"]


def test_the_corpus_may_be_named_in_the_environment(kept: tuple[Path, str], quick: Forking) -> None:
    environment = {"EXTERNAL_EVIDENCE_CORPUS": "corpus.sqlite3"}
    done = quick("regulations", "check", cwd=kept[0], environment=environment)
    assert (done.status, done.answer["publishable"]) == (0, True)


def test_an_import_that_fails_leaves_no_corpus(tmp_path: Path, quick: Forking) -> None:
    path = write(tmp_path, OLD, NEW)
    (tmp_path / "2024.md").unlink()
    done = quick("regulations", "import", path.name, *CORPUS, cwd=tmp_path)
    assert (done.status, done.error["code"]) == (4, "not_found")
    assert not (tmp_path / "corpus.sqlite3").exists()
    done = quick("regulations", "import", path.name, "--corpus", "no/where.sqlite3", cwd=tmp_path)
    assert done.status == 4
    write(tmp_path, OLD, NEW)
    done = quick("regulations", "import", path.name, "--corpus", "no/where.sqlite3", cwd=tmp_path)
    assert (done.status, done.error["code"]) == (75, "storage")


@pytest.mark.parametrize(
    ("charset", "note"), [("utf-8-sig", ""), ("gb18030", "charset"), ("utf-8", "")], ids=lambda one: one
)
def test_the_charset_of_a_source_changes_no_node(
    tmp_path: Path, quick: Forking, charset: str, note: str
) -> None:
    write(tmp_path, NEW, charset=charset)
    seen = told(quick, tmp_path, "import", "manifest.json", *CORPUS)
    assert ("charset" in {one["kind"] for one in seen["defects"]}) == bool(note)
    told(quick, tmp_path, "publish", *CORPUS)
    resolved = told(quick, tmp_path, "resolve", NODE, *CORPUS)
    assert resolved["nodeSha256"] == "899b325aa5fc5364b434401c007e5e01d90919021924badd014ab99991482fe8"


@pytest.mark.parametrize("name", ["语 料?#%41&=.db", "e\u0301.db", "-x.db", "𠮷㐂.db"])
def test_odd_names_of_files_and_folders(tmp_path: Path, quick: Forking, name: str) -> None:
    folder = tmp_path / "目 录?#%20&"
    folder.mkdir()
    publish(quick, folder, NEW, corpus=f"./{name}")
    assert told(quick, folder, "search", "检验", f"--corpus=./{name}")["state"] == "ok"
    assert (folder / name).is_file()


def test_a_name_that_is_no_utf8(kept: tuple[Path, str], tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/k\xff.db"
    shutil.copy(kept[0] / "corpus.sqlite3", os.fsdecode(name))
    for call in (("publish",), ("search", "检验")):
        assert run("regulations", *call, "--corpus", name, cwd=tmp_path).status == 0
    gone = run("regulations", "check", "--corpus", name + b"x", cwd=tmp_path)
    assert (gone.status, gone.error["code"]) == (4, "not_found")


def test_a_corpus_that_cannot_be_written_is_told(kept: tuple[Path, str], tmp_path: Path) -> None:
    for path in kept[0].glob("corpus.sqlite3*"):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, tmp_path / path.name)
    sources = str(kept[0] / "法规" / "manifest.json")
    with readonly(tmp_path, tmp_path / "corpus.sqlite3"):
        for call in (("publish",), ("import", sources), ("remove", NEW, "--reason", "x")):
            done = run(
                "regulations", *call, "--corpus", str(tmp_path / "corpus.sqlite3"), cwd=tmp_path, prefix=PLAIN
            )
            assert (done.status, done.error["code"]) == (75, "storage"), call
            assert done.error["retryable"] is True


def test_publishers_at_once_agree(tmp_path: Path, quick: Forking) -> None:
    write(tmp_path, OLD, NEW)
    told(quick, tmp_path, "import", "manifest.json", *CORPUS)
    done: list[Done] = []
    work = [
        threading.Thread(target=lambda: done.append(run("regulations", "publish", *CORPUS, cwd=tmp_path)))
        for _ in range(3)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert [one.status for one in done] == [0, 0, 0], done
    assert len({one.answer["corpusRevision"] for one in done}) == 1
    [row] = told(quick, tmp_path, "revisions", *CORPUS)
    assert row["current"] is True
    assert told(quick, tmp_path, "search", "检验", *CORPUS)["state"] == "ok"
    assert [path.suffix for path in (tmp_path / "corpus.sqlite3.index").iterdir()] == [".fts2"]


def test_a_publish_that_is_killed_is_done_or_not_begun(tmp_path: Path, quick: Forking) -> None:
    """Killed at moments spread over its whole run; the next publish puts everything right."""
    write(tmp_path, OLD, NEW)
    told(quick, tmp_path, "import", "manifest.json", *CORPUS)
    for moment in range(5):
        process = start("regulations", "publish", *CORPUS, cwd=tmp_path)
        try:
            process.communicate(timeout=0.1 + 0.08 * moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        rows = told(quick, tmp_path, "revisions", *CORPUS)
        assert [row["state"] for row in rows] in ([], ["published"])
        search = quick("regulations", "search", "检验", *CORPUS, cwd=tmp_path)
        state = search.answer["state"]
        assert (search.status, state) in ((0, "ok"), (1, "unavailable"))
    told(quick, tmp_path, "publish", *CORPUS)
    assert told(quick, tmp_path, "search", "检验", *CORPUS)["state"] == "ok"
    assert told(quick, tmp_path, "resolve", NODE, *CORPUS)["hashVerified"] is True


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory, quick: Forking) -> Path:
    """A corpus whose comparison is larger than a pipe holds."""
    folder = tmp_path_factory.mktemp("large")
    path = write(folder, OLD, NEW)
    for name, word in (("2019.md", "护坡"), ("2024.md", "挡墙")):
        lines = "\n\n".join(f"第{number}条　{word}{number}应当逐日巡查。" * 3 for number in range(1, 220))
        (folder / name).write_text(f"# {TITLE}\n\n{lines}\n", encoding="utf-8")
    told(quick, folder, "import", path.name, *CORPUS)
    told(quick, folder, "publish", *CORPUS)
    return folder


@pytest.mark.parametrize("call", [("diff", OLD, NEW), ("manifest",)])
def test_a_reader_that_leaves_ends_a_large_answer_quietly(large: Path, call: tuple[str, ...]) -> None:
    whole = run("regulations", *call, *CORPUS, cwd=large)
    assert whole.status == 0
    assert len(whole.out) > 100_000
    command = [script(), "regulations", *call, *CORPUS]
    buffered = {name: value for name, value in around().items() if name != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=large, env=buffered, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(100)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


def test_a_corpus_on_read_only_media_is_read(kept: tuple[Path, str], tmp_path: Path) -> None:
    for path in kept[0].glob("corpus.sqlite3*"):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, tmp_path / path.name)
    corpus = ("--corpus", str(tmp_path / "corpus.sqlite3"))
    with readonly(tmp_path, tmp_path / "corpus.sqlite3"):
        for call in (("search", "检验"), ("resolve", NODE), ("revisions",), ("manifest",), ("check",)):
            assert run("regulations", *call, *corpus, cwd=tmp_path, prefix=PLAIN).status == 0, call

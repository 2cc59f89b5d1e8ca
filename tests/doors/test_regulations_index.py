"""`--index`: the search index in PostgreSQL, on the command line and in the lifecycle."""

import json
from pathlib import Path

from tests.doors.forking import Forking
from tests.doors.statutes import NEW, OLD, publish, told, write
from tests.postgres import PASSWORD

CORPUS = ("--corpus", "corpus.sqlite3")


def test_two_machines_search_one_index_and_a_withdrawal_takes_it_away(
    tmp_path: Path, quick: Forking, database: str
) -> None:
    write(tmp_path, OLD, NEW)
    index = ("--index", database)
    told(quick, tmp_path, "import", "manifest.json", *CORPUS)
    revision = told(quick, tmp_path, "publish", *CORPUS, *index)["corpusRevision"]
    assert not (tmp_path / "corpus.sqlite3.index").exists()
    other = tmp_path / "other"
    other.mkdir()
    assert publish(quick, other, OLD, NEW) == revision
    beside = told(quick, other, "search", "检验记录", *CORPUS)
    environment = {"EXTERNAL_EVIDENCE_CORPUS_INDEX": database}
    done = quick("regulations", "search", "检验记录", *CORPUS, cwd=tmp_path, environment=environment)
    assert json.loads(done.out) == beside
    told(quick, tmp_path, "withdraw", revision, "--reason", "权利", *CORPUS, *index)
    gone = told(quick, other, "search", "检验记录", *CORPUS, *index, status=1)
    assert (gone["state"], gone["hits"]) == ("unavailable", [])


def test_a_server_that_is_down_is_named_without_the_password(tmp_path: Path, quick: Forking) -> None:
    revision = publish(quick, tmp_path, OLD, NEW)
    index = ("--index", "postgresql://owner:geheim@127.0.0.1:1/x")
    found = told(quick, tmp_path, "search", "检验记录", *CORPUS, *index, status=1)
    assert found["state"] == "unavailable"
    assert "postgresql://owner@127.0.0.1:1/x 连不上 cannot be reached" in found["degradedReasons"][0]
    done = quick("regulations", "publish", revision, *CORPUS, *index, cwd=tmp_path)
    assert (done.status, done.error["retryable"]) == (75, True)
    ask = ("withdraw", revision, "--reason", "权利")
    for _ in range(2):
        done = quick("regulations", *ask, *CORPUS, *index, cwd=tmp_path)
        assert (done.status, done.error["retryable"]) == (75, True)
        assert "本地已撤回；服务器上的索引未去掉，请再撤回一次" in done.error["message"]
    assert told(quick, tmp_path, "revisions", *CORPUS)[0]["state"] == "withdrawn"
    assert told(quick, tmp_path, *ask, *CORPUS)["state"] == "withdrawn"  # that beside the corpus was left
    again = quick("regulations", *ask, *CORPUS, cwd=tmp_path)
    assert (again.status, again.error["rule"]) == (3, "withdrawn")
    wrong = quick("regulations", "search", "检验记录", *CORPUS, "--index", "geheim", cwd=tmp_path)
    assert wrong.status == 2
    assert all(secret not in f"{done} {found} {wrong}" for secret in ("geheim@", PASSWORD))


def test_a_server_that_lets_nobody_in_is_no_matter_of_trying_again(
    tmp_path: Path, quick: Forking, database: str
) -> None:
    revision = publish(quick, tmp_path, OLD, NEW)
    index = ("--index", f"{database.partition('?')[0]}_none")
    done = quick("regulations", "publish", revision, *CORPUS, *index, cwd=tmp_path)
    assert (done.status, done.error["retryable"]) == (4, False)
    assert "重试无用" in done.error["hint"]
    found = told(quick, tmp_path, "search", "检验记录", *CORPUS, *index, status=1)
    assert found["state"] == "unavailable"

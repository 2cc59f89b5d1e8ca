"""Help, version, schemas, doctor, demo and the search: what stands beside the lifecycle."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from evidence.doors.commands import cli
from providers.regulations.corpus import Corpus
from schemas.published import names, schema_bytes
from tests.doors.command import clean, run
from tests.doors.forking import Forking

COLUMNS = "csres_code,csres_normalized_code,csres_title,status,relation_text,implement_date"


def every_command(group: click.Group, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The words of every command, groups among them."""
    context = click.Context(group)
    found = [before]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        words = (*before, name)
        found += every_command(command, words) if isinstance(command, click.Group) else [words]
    return found


def command_of(words: tuple[str, ...]) -> click.Command:
    command: click.Command = cli
    for word in words:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None
        command = found
    return command


@pytest.mark.parametrize("words", every_command(cli), ids=" ".join)
def test_help_names_every_option_and_every_command(
    tmp_path: Path, quick: Forking, words: tuple[str, ...]
) -> None:
    done = quick(*words, "--help", cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    assert quick(*words, "-h", cwd=tmp_path) == done
    text = done.out.decode()
    command = command_of(words)
    told = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    options = [option for one in told for option in one.opts]
    assert all(option in text for option in (*options, "--help"))
    if isinstance(command, click.Group):
        assert all(name in text for name in command.list_commands(click.Context(command)))
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_that_of_the_distribution(tmp_path: Path) -> None:
    done = run("--version", cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    assert done.out.decode().split() == ["external-evidence", version("external-evidence")]


def test_a_schema_is_shown_byte_for_byte_under_both_its_names(tmp_path: Path, quick: Forking) -> None:
    listed = quick("schema", "list", cwd=tmp_path).answer["schemas"]
    assert listed == list(names())
    assert quick("schema", "list", "--format", "text", cwd=tmp_path).out.decode().split() == listed
    for name in listed:
        assert quick("schema", "show", name, cwd=tmp_path).out == schema_bytes(name)
    same = quick("schema", "show", "loopx_external_evidence_plan_v0", cwd=tmp_path).out
    assert same == schema_bytes("plan")
    for name in ("plam", "../v0/plan", "", "/etc/passwd", "plan\n"):
        done = quick("schema", "show", name, cwd=tmp_path)
        assert (done.status, done.error["code"], done.out) == (4, "not_found", b"")


def test_doctor_looks_and_changes_nothing(tmp_path: Path, quick: Forking) -> None:
    done = quick("doctor", cwd=tmp_path)
    assert (done.status, done.answer["ok"], done.err) == (0, True, b"")
    seen = {check["name"]: check["state"] for check in done.answer["checks"]}
    assert {"python", "package schemas", "package evidence", "schemas", "library", "ledger"} <= set(seen)
    assert {"web settings", "exclusions", "corpus", "extra pdf", "extra server", "extra xlsx"} <= set(seen)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    wrong = quick("doctor", "--library", "bad.csv", cwd=tmp_path)
    assert (wrong.status, wrong.answer["ok"], wrong.err) == (1, False, b"")
    assert quick("doctor", "--ledger", "n" * 300, cwd=tmp_path).status == 1
    text = quick("doctor", "--library", "bad.csv", "--format", "text", cwd=tmp_path)
    assert (text.status, b"wrong  library" in text.out) == (1, True)


def test_doctor_tells_of_settings_terms_and_corpus_and_shows_no_term(tmp_path: Path, quick: Forking) -> None:
    (tmp_path / "terms.txt").write_text("金丝雀计划\n甲乙丙\n", encoding="utf-8")
    (tmp_path / "web.toml").write_text('[search]\nurl = "http://127.0.0.1:8888"\n', encoding="utf-8")
    (tmp_path / "bad.toml").write_text("[capture]\npages = 99\n", encoding="utf-8")
    options = ("--exclusions", "terms.txt", "--corpus", "none.sqlite3")
    done = quick("doctor", *options, "--web", "web.toml", cwd=tmp_path)
    told = {check["name"]: (check["state"], check["seen"]) for check in done.answer["checks"]}
    assert told["web settings"] == ("ok", "web.toml is valid; searxng at http://127.0.0.1:8888")
    assert told["exclusions"] == ("ok", "2 terms must not leave")
    assert (done.status, told["corpus"][0]) == (1, "wrong")
    assert "金丝雀" not in done.out.decode()
    done = quick("doctor", "--web", "bad.toml", "--exclusions", "none.txt", cwd=tmp_path)
    told = {check["name"]: (check["state"], check["seen"]) for check in done.answer["checks"]}
    assert told["web settings"] == ("wrong", "bad.toml: [capture] pages must be from 0 to 8, found 99")
    assert told["exclusions"][0] == "wrong"
    none = quick("doctor", cwd=tmp_path).answer["checks"]
    told = {check["name"]: (check["state"], check["seen"]) for check in none}
    assert told["web settings"] == ("ok", "no file of settings; no search service is set")
    assert told["exclusions"] == ("ok", "none are set")
    assert told["extra pdf"] == ("ok", "reading PDF: installed")


def test_doctor_opens_the_corpus_that_is_named_and_tells_an_address_that_is_none(
    tmp_path: Path, quick: Forking
) -> None:
    Corpus.open(tmp_path / "laws.sqlite3", lambda: datetime(2026, 3, 4, tzinfo=UTC), create=True).close()
    options = ("--corpus", "laws.sqlite3", "--search-url", "http://user:hunter2@h")
    done = quick("doctor", *options, cwd=tmp_path)
    told = {check["name"]: (check["state"], check["seen"]) for check in done.answer["checks"]}
    assert told["corpus"] == ("ok", "laws.sqlite3: revision none published yet")
    assert told["web settings"][0] == "wrong"
    assert "hunter2" not in done.out.decode()


def test_the_demo_keeps_a_ledger_that_replays_and_a_dossier(tmp_path: Path) -> None:
    done = run("demo", "--keep", "kept", cwd=tmp_path)
    assert (done.status, done.answer["clean"], done.err) == (0, True, b"")
    said = [step["step"] for step in done.answer["steps"]]
    assert said == ["discover", "plan", "execute", "admit", "retire", "readback", "retire", "replay"]
    report = clean(tmp_path, "--ledger", "kept/ledger.sqlite3")
    assert report["head"] == done.answer["steps"][-1]["head"]
    [document] = (tmp_path / "kept" / "dossiers").glob("*.md")
    assert "《建筑边坡工程技术规范》" in document.read_text(encoding="utf-8")
    again = run("demo", "--keep", "kept", cwd=tmp_path)
    assert (again.status, again.error["code"]) == (2, "usage")
    (tmp_path / "empty").mkdir()
    assert run("demo", "--keep", "empty", "--format", "text", cwd=tmp_path).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "kept"]


def test_the_demo_leaves_nothing_unless_it_is_asked_to(tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    place = {"TMPDIR": str(tmp_path / "temporary")}
    done = run("demo", "--format", "text", cwd=tmp_path, environment=place)
    assert (done.status, done.err) == (0, b"")
    assert "retire_ready" in done.out.decode()
    assert list(tmp_path.rglob("*")) == [tmp_path / "temporary"]


def test_a_search_answers_every_query_in_order(tmp_path: Path, quick: Forking) -> None:
    queries = ("GB 50330-2013 建筑边坡工程技术规范", "没有这样的东西", "GB 50330")
    done = quick("standards", "search", *queries, cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    first, second, third = done.answer["results"]
    assert [result["query"] for result in done.answer["results"]] == list(queries)
    assert (first["candidates"][0]["code"], first["candidates"][0]["match_score"]) == ("GB 50330-2013", 1.0)
    assert second["candidates"] == []
    assert {found["code"] for found in third["candidates"]} >= {"GB 50330-2013", "GB 50330-2002"}
    text = quick("standards", "search", *queries, "--format", "text", cwd=tmp_path).out.decode()
    assert "1.0000  GB 50330-2013  《建筑边坡工程技术规范》  现行" in text
    assert "无候选" in text
    assert quick("standards", "search", queries[1], cwd=tmp_path).status == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_library_of_ones_own_is_read_in_both_encodings(
    tmp_path: Path, quick: Forking, encoding: str
) -> None:
    rows = f"{COLUMNS}\nGB 99999-2020,GB 99999-2020,试验规范,现行,,2020-01-01\n"
    (tmp_path / "自己的.csv").write_text(rows, encoding=encoding)
    done = quick("standards", "search", "GB 99999-2020", "--library", "自己的.csv", cwd=tmp_path)
    assert done.answer["results"][0]["candidates"][0]["title"] == "试验规范"
    named = {"EXTERNAL_EVIDENCE_LIBRARY": "自己的.csv"}
    assert run("standards", "search", "GB 99999-2020", cwd=tmp_path, environment=named).out == done.out


def test_what_is_wrong_with_a_library_is_told_by_line(tmp_path: Path, quick: Forking) -> None:
    rows = f"{COLUMNS}\nGB 1-2000,,甲,现行,,\n,,乙,现行,,\nGB 1-2000,,丙,现行,,\n"
    (tmp_path / "l.csv").write_text(rows, encoding="utf-8")
    done = quick("standards", "search", "甲", "--library", "l.csv", cwd=tmp_path)
    assert (done.status, done.out) == (3, b"")
    told = done.error["problems"]
    assert [problem.partition(":")[0] for problem in told] == ["line 3", "line 4"]
    discovered = quick("discover", "--library", "l.csv", cwd=tmp_path)
    assert (discovered.status, discovered.answer["status"]) == (0, "inventory_only")
    assert "line 3" in discovered.answer["providers"][0]["unavailable_reason"]
    assert quick("standards", "search", "甲", "--library", "none.csv", cwd=tmp_path).status == 4


@pytest.mark.parametrize(
    "edit", ["UPDATE records SET raw = x'00' WHERE seq = 2", "DELETE FROM records WHERE seq = 3"]
)
def test_a_replay_that_finds_something_exits_with_1_and_names_it(
    lived: Path, tmp_path: Path, quick: Forking, edit: str
) -> None:
    copy = tmp_path / "ledger.sqlite3"
    copy.write_bytes((lived / ".external-evidence" / "ledger.sqlite3").read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(edit)
        connection.commit()
    done = quick("audit", "replay", "--ledger", str(copy), cwd=tmp_path)
    assert (done.status, done.answer["verdict"], done.err) == (1, "TAMPERED", b"")
    assert done.answer["first_finding"]["seq"] in (2, 4)  # what follows a gap is what is seen
    text = quick("audit", "replay", "--ledger", str(copy), "--format", "text", cwd=tmp_path)
    assert (text.status, text.err) == (1, b"")
    with pytest.raises(json.JSONDecodeError):
        json.loads(text.out)

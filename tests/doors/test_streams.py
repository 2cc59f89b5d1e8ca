"""The contract of the streams: one result on stdout, one error on stderr, the status of the error."""

import json
import os
import pty
import subprocess
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from schemas import errors
from tests.doors.command import PATIENCE_SECONDS, QUESTION, SLOPES, around, script
from tests.doors.command import run as plain_run
from tests.doors.forking import Forking

run = partial(plain_run, measured=True)  # what no fork can show: streams that are closed or gone
ALONE = ("plan", *QUESTION, *SLOPES, "--no-ledger")
READS = [
    ("discover",),
    ALONE,
    ("execute", "plan.json", "--no-ledger"),
    ("receipt", "plan.json", "receipt.json"),
    ("admit", "receipt.json", "--decision", "admit", "--reason", "对得上", "--all-sources"),
    ("readback", "admission.json"),
    ("retire", "admission.json", "--no-ledger"),
    ("audit", "replay"),
    ("standards", "search", "GB 50330-2013"),
    ("doctor",),
    ("demo",),
]


def on_terminal(*arguments: str, cwd: Path, **environment: str) -> tuple[int, bytes]:
    """Run the command with a terminal as its three streams; its status, and what the terminal showed."""
    ours, theirs = pty.openpty()
    command = [script(), *arguments]
    process = subprocess.Popen(
        command, cwd=cwd, env=around(environment, measured=True), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # EIO: how Linux tells that nobody has the other end any more
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    status = process.wait(PATIENCE_SECONDS)
    assert b"Traceback" not in shown, shown.decode(errors="replace")
    return status, shown


@pytest.mark.parametrize("arguments", READS, ids=lambda arguments: arguments[0])
def test_a_piped_answer_is_one_json_document_and_nothing_else(
    lived: Path, quick: Forking, arguments: tuple[str, ...]
) -> None:
    done = quick(*arguments, cwd=lived)
    assert done.status in (0, 1)
    assert done.err == b""
    assert isinstance(done.answer, dict)
    assert done.out.endswith(b"}\n")
    assert b"\x1b" not in done.out
    text = quick(*arguments, "--format", "text", cwd=lived)
    assert (text.status, text.err) == (done.status, b"")
    assert b"\x1b" not in text.out
    assert text.out.decode().strip()
    with pytest.raises(json.JSONDecodeError):
        json.loads(text.out)


def test_an_error_is_json_or_text_as_the_answer_would_be(lived: Path, quick: Forking) -> None:
    missing = ("execute", "none.json")
    told = quick(*missing, cwd=lived)
    assert (told.status, told.out, told.error["code"]) == (4, b"", "not_found")
    assert quick(*missing, "--format", "json", cwd=lived) == told
    assert quick(*missing, "--format=json", cwd=lived) == told
    plain = quick(*missing, "--format", "text", cwd=lived)
    assert (plain.status, plain.out) == (4, b"")
    assert plain.err.startswith(b"error: plan: there is no file 'none.json'\n")
    assert quick("execute", "--", "none.json", "--format", "text", cwd=lived).error["code"] == "usage"
    assert quick(*missing, "--format", "yaml", cwd=lived).error["code"] == "usage"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("execute",), errors.UsageError),
        (("plan", *QUESTION, "--search-term", "\x07"), errors.InvalidError),
        (("admit", "receipt.json", "--decision", "reject", "--reason", "other"), errors.OrderError),
        (("retire", "0000"), errors.NotFoundError),
        (("execute", "plan.json", "--library", "none.csv"), errors.NotReadyError),
        (("audit", "show", "plan_00", "--ledger", "plan.json"), errors.IntegrityError),
    ],
)
def test_the_exit_status_is_the_errors_own(
    lived: Path, quick: Forking, arguments: tuple[str, ...], kind: type[errors.EvidenceError]
) -> None:
    done = quick(*arguments, cwd=lived)
    assert (done.status, done.out) == (kind.exit_status, b"")
    assert (done.error["code"], done.error["retryable"]) == (kind.code, kind.retryable)


def test_readback_renders_markdown_wherever_it_goes(lived: Path, quick: Forking) -> None:
    done = quick("readback", "admission.json", "--format", "markdown", cwd=lived)
    assert (done.status, done.err) == (0, b"")
    text = done.out.decode()
    plan_id = json.loads((lived / "plan.json").read_bytes())["plan_id"]
    for said in ("施工方案引用的规范是否现行", "objective", "《建筑边坡工程技术规范》", "GB%2050330-2013"):
        assert said.lower() in text.lower(), said
    assert plan_id in text.rstrip().splitlines()[-1]
    wrong = quick("readback", "none.json", "--format", "markdown", cwd=lived)
    assert (wrong.status, wrong.err.split(b":")[0]) == (4, b"error")


def test_a_terminal_gets_text_with_chinese_labels(lived: Path) -> None:
    status, shown = on_terminal(*ALONE, cwd=lived)
    text = shown.decode()
    assert status == 0
    assert "施工方案引用的规范是否现行" in text
    assert not text.lstrip().startswith("{")
    status, shown = on_terminal("execute", "none.json", cwd=lived)
    assert (status, shown.split(b":")[0]) == (4, b"error")


@pytest.mark.parametrize("chosen", ["text", "json", "markdown"])
@pytest.mark.parametrize("encoding", ["gbk", "ascii", "latin-1"])
def test_a_terminal_that_lacks_signs_gets_escapes(lived: Path, encoding: str, chosen: str) -> None:
    status, shown = on_terminal(
        "readback", "admission.json", "--format", chosen, cwd=lived, PYTHONIOENCODING=encoding
    )
    assert status == 0
    text = shown.decode(encoding)
    if chosen == "json":
        assert json.loads(text)["request"]["user_activity"] == "审查施工方案"
    elif encoding == "gbk":
        assert "施工方案引用的规范是否现行" in text
    else:
        assert "\\u65bd" in text


LOCALES: list[dict[str, str]] = [
    {"PYTHONIOENCODING": "gbk"},
    {"PYTHONIOENCODING": "ascii:strict"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: " ".join(locale.values()))
def test_piped_output_is_utf8_under_every_locale(lived: Path, locale: dict[str, str]) -> None:
    for arguments in (("readback", "admission.json"), ("readback", "admission.json", "--format", "text")):
        assert "建筑边坡" in run(*arguments, cwd=lived, environment=locale).out.decode()
    helped = run("standards", "--help", cwd=lived, environment=locale)
    assert (helped.status, helped.err) == (0, b"")
    wrong = run("execute", "没有.json", cwd=lived, environment=locale)
    assert (wrong.status, wrong.error["code"]) == (4, "not_found")


def closing(descriptors: str) -> tuple[str, ...]:
    """A prefix that closes or redirects streams of the command, in the shell's own words."""
    return ("sh", "-c", f'exec "$@" {descriptors}', "sh")


@pytest.mark.parametrize(
    "way", [">&-", ">/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full", "2>&- >/dev/full"]
)
def test_an_answer_that_cannot_be_written_is_no_success(lived: Path, way: str) -> None:
    for arguments in (ALONE, (*ALONE, "--format", "text"), ("schema", "list")):
        done = run(*arguments, cwd=lived, prefix=closing(way))
        assert done.status == 75
        assert "2>" in way or done.err


@pytest.mark.parametrize("way", ["2>&-", "<&- 2>&-", "<&-"])
def test_streams_that_are_not_needed_may_be_closed(lived: Path, way: str) -> None:
    done = run(*ALONE, cwd=lived, prefix=closing(way))
    assert (done.status, done.err) == (0, b"")
    assert done.answer["status"] == "ready"
    wrong = run("execute", "none.json", cwd=lived, prefix=closing(way))
    assert wrong.status == 4


def test_an_artifact_cannot_come_from_a_closed_stdin(lived: Path) -> None:
    done = run("execute", "-", cwd=lived, prefix=closing("<&-"))
    assert (done.status, done.error["code"]) == (2, "usage")


@pytest.mark.parametrize(
    "arguments", [ALONE, ("demo", "--format", "text"), ("--help",), ("plan", "--help"), ("schema", "list")]
)
def test_a_reader_that_went_away_is_told_by_the_status(lived: Path, arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        done = run(*arguments, cwd=lived, stdout=nobody)
    assert (done.status, done.err) == (141, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_in_the_middle_is_told_by_the_status(lived: Path, unbuffered: str) -> None:
    many = "\n".join(f"GB {number}-2000" for number in range(20_000))
    for arguments in (
        ("standards", "search", *many.split("\n")[:4_000]),
        ("standards", "match", "--input", "many.txt", "--format", "jsonl"),
    ):
        (lived / "many.txt").write_text(many, encoding="utf-8")
        with subprocess.Popen(
            [script(), *arguments],
            cwd=lived,
            env=around({"PYTHONUNBUFFERED": unbuffered} if unbuffered else {}, measured=True),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert len(process.stdout.read(10)) == 10
            process.stdout.close()
            assert process.wait(PATIENCE_SECONDS) == 141

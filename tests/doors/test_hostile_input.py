"""Bytes and words from outside that mean harm or nothing: refused by name, and nothing is half-done."""

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.command import QUESTION, SLOPES, Done, clean, run
from tests.doors.forking import Forking

ADMIT = ("--decision", "admit", "--reason", "对得上", "--all-sources")
MOST = 8 * 1024 * 1024
X = "X"  # where the hostile name goes

# Every place that takes an artifact, and the good artifact that belongs there.
PLACES = {
    "plan --request": (("plan", "--request", X), "request.json"),
    "plan --providers": (("plan", *QUESTION, "--providers", X), "rows.json"),
    "plan --connector-registry": (("plan", *QUESTION, "--connector-registry", X), "registry.json"),
    "execute PLAN": (("execute", X), "plan.json"),
    "receipt PLAN": (("receipt", X, "receipt.json"), "plan.json"),
    "receipt RECEIPT": (("receipt", "plan.json", X), "receipt.json"),
    "admit PLAN": (("admit", X, "receipt.json", *ADMIT), "plan.json"),
    "admit RECEIPT": (("admit", X, *ADMIT), "receipt.json"),
    "readback PLAN": (("readback", X, "receipt.json", "admission.json", "--execute"), "plan.json"),
    "readback RECEIPT": (("readback", "plan.json", X, "admission.json", "--execute"), "receipt.json"),
    "readback ADMISSION": (("readback", X, "--execute"), "admission.json"),
    "retire ADMISSION": (("retire", X), "admission.json"),
}
NOT_JSON = {
    "empty": b"",
    "blank": b" \n\t",
    "not JSON": b"plan",
    "cut off": b'{"schema_version": "loopx',
    "two values": b"{} {}",
    "duplicate keys": b'{"plan_id": "a", "plan_id": "b"}',
    "NaN": b'{"plan_id": NaN}',
    "infinity": b"[1e999]",
    "long integer": b"[" + b"9" * 5000 + b"]",
    "65 deep": b"[" * 65 + b"]" * 65,
    "100,000 deep": b"[" * 100_000,
    "8 MiB and 1": b" " * (MOST - 1) + b"[]",
    "not UTF-8": b'{"plan_id": "\xff"}',
    "GBK": '{"objective": "规范"}'.encode("gbk"),
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "two BOMs": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "NUL": b"\0",
    "NUL in a text": b'{"plan_id": "\0"}',
    "lone surrogate": rb'{"plan_id": "\ud800"}',
    "lone surrogate key": rb'{"\udc00": 1}',
    "control in a text": rb'{"schema_version": "\u001b[2J"}',
    "a number": b"1",
    "null": b"null",
    "empty object": b"{}",
    "SQLite": b"SQLite format 3\0" + bytes(84),
}
REQUEST = {
    "objective": "o",
    "user_activity": "u",
    "decision": "d",
    "evidence_kinds": ["standard_status"],
    "search_terms": ["GB 50330-2013"],
}


@pytest.fixture(scope="module")
def around_it(lived: Path) -> Iterator[Path]:
    """The recorded life, with the other files a command reads; its ledger must be clean at the end."""
    row = json.loads((lived / "plan.json").read_bytes())["provider_candidates"][0]
    other = {**row, "provider_id": "method:elsewhere"}
    (lived / "request.json").write_text(json.dumps(REQUEST), encoding="utf-8")
    (lived / "rows.json").write_text(json.dumps([other]), encoding="utf-8")
    registry = {"schema_version": "connector_registry_v1", "connectors": []}
    (lived / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    before = clean(lived)["records"]
    yield lived
    assert clean(lived)["records"] == before


def put(place: str, name: str, quick: Forking, cwd: Path, stdin: bytes = b"") -> Done:
    """Run the command of `place` with `name` where its artifact goes."""
    return quick(*(name if word == X else word for word in PLACES[place][0]), cwd=cwd, stdin=stdin)


def refuse(done: Done, *statuses: int) -> dict[str, Any]:
    """The error, after a look that the command printed nothing and exited with one of `statuses`."""
    assert done.out == b""
    assert done.status in statuses, done
    assert "\x1b" not in done.error["message"]
    return done.error


@pytest.mark.parametrize("place", PLACES)
def test_bytes_that_are_no_artifact_are_refused_by_name(
    around_it: Path, quick: Forking, place: str, tmp_path: Path
) -> None:
    # One reader serves every place: the whole list goes to three of them, a random part to the others.
    whole = place in ("plan --request", "plan --providers", "execute PLAN")
    contents = list(NOT_JSON.values())
    for content in contents if whole else random.Random(place).sample(contents, 6):
        (tmp_path / "x.json").write_bytes(content)
        error = refuse(put(place, str(tmp_path / "x.json"), quick, around_it), 3)
        assert error["code"] == "invalid", content
    assert refuse(put(place, "-", quick, around_it, content), 3)["code"] == "invalid"


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_readable_file_is_told_as_such(
    around_it: Path, quick: Forking, place: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for name in (tmp_path / "none.json", tmp_path / "file" / "below", loop, tmp_path / ("n" * 300)):
        assert refuse(put(place, str(name), quick, around_it), 4)["code"] == "not_found"
    assert refuse(put(place, str(tmp_path), quick, around_it), 2)["code"] == "usage"


@pytest.mark.parametrize("place", PLACES)
def test_one_byte_order_mark_and_padding_change_nothing(
    around_it: Path, quick: Forking, place: str, tmp_path: Path
) -> None:
    good = (around_it / PLACES[place][1]).read_bytes()
    (tmp_path / "x.json").write_bytes(b"\xef\xbb\xbf" + b" " * (MOST - len(good) - 3) + good)
    if place in (
        "plan --request",
        "plan --providers",
        "plan --connector-registry",
        "execute PLAN",
        "retire ADMISSION",
    ):
        done = put(place, str(tmp_path / "x.json"), quick, tmp_path)  # no ledger there, nothing recorded
        assert done.status == (0 if place.startswith("plan ") else 4), done
        return
    assert put(place, str(tmp_path / "x.json"), quick, around_it).status == 0


@pytest.mark.parametrize("place", [place for place in PLACES if not place.startswith("plan ")])
def test_an_artifact_of_another_kind_is_refused(around_it: Path, quick: Forking, place: str) -> None:
    kinds = ("plan.json", "receipt.json", "admission.json", "readback.json", "request.json", "rows.json")
    for other in kinds:
        if other != PLACES[place][1]:
            refuse(put(place, other, quick, around_it), 2, 3)


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every text that is not empty."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from leaves(inner, (*path, key))
    elif isinstance(value, str) and value:
        yield path


def chosen(value: Any, dice: random.Random) -> list[tuple[str | int, ...]]:
    """Some of the leaves; that each one counts is shown where no process has to be started for it."""
    return dice.sample(list(leaves(value)), 7)


def changed(value: Any, path: tuple[str | int, ...], dice: random.Random) -> bytes:
    """`value` with one character of one text changed."""
    copy = json.loads(json.dumps(value))
    place = copy
    for key in path[:-1]:
        place = place[key]
    text = place[path[-1]]
    spot = dice.randrange(len(text))
    place[path[-1]] = text[:spot] + ("0" if text[spot] != "0" else "1") + text[spot + 1 :]
    return json.dumps(copy).encode()


@pytest.mark.parametrize("place", ["execute PLAN", "receipt PLAN", "admit PLAN", "readback PLAN"])
def test_a_plan_with_one_changed_character_fails_closed(around_it: Path, quick: Forking, place: str) -> None:
    dice = random.Random(place)
    plan = json.loads((around_it / "plan.json").read_bytes())
    for path in chosen(plan, dice):
        refuse(put(place, "-", quick, around_it, changed(plan, path, dice)), 3)


@pytest.mark.parametrize("place", ["readback ADMISSION", "retire ADMISSION"])
def test_an_admission_with_one_changed_character_fails_closed(
    around_it: Path, quick: Forking, place: str
) -> None:
    dice = random.Random(place)
    admission = json.loads((around_it / "admission.json").read_bytes())
    for path in chosen(admission, dice):
        refuse(put(place, "-", quick, around_it, changed(admission, path, dice)), 3, 4)


@pytest.mark.parametrize("place", ["admit RECEIPT", "readback RECEIPT"])
def test_a_receipt_with_one_changed_character_is_another_receipt(
    around_it: Path, quick: Forking, place: str
) -> None:
    dice = random.Random(place)
    receipt = json.loads((around_it / "receipt.json").read_bytes())["receipt"]
    for path in chosen(receipt, dice):
        refuse(put(place, "-", quick, around_it, changed(receipt, path, dice)), 3, 4)


ODD_NAMES = [
    *("a b", "#1", "what?", "100%41", "规范.json", "-x", "--", "a\nb", "\x1b[31m", "it's", 'quo"te'),
    *("$HOME", "*", "\\", "a\u202eb", "blake3:abcd", "file:x", os.fsdecode(b"\xff\xfe"), "~", "é", "e\u0301"),
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_odd_names_of_files_are_names_like_others(
    lived: Path, quick: Forking, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes((lived / "admission.json").read_bytes())
    place = tmp_path / f"{name}.d" / name
    word = ("--downstream-source", "urn:a:b")
    done = quick("retire", "--no-ledger", *word, "--", name, cwd=tmp_path)
    assert (done.status, done.answer["status"]) == (1, "retained")
    made = quick("plan", *QUESTION, f"--ledger={place}", cwd=tmp_path)
    assert (made.status, made.err) == (0, b"")
    assert place.is_file()
    assert clean(tmp_path, f"--ledger={place}", call=quick)["plans"] == 1
    told = quick("retire", "--no-ledger", "--", f"{name}.none", cwd=tmp_path)
    assert refuse(told, 4)["code"] == "not_found"


@pytest.mark.parametrize("chosen", ["json", "text"])
def test_arguments_that_are_no_text_are_refused_or_only_names(tmp_path: Path, chosen: str) -> None:
    said = ["--format", chosen]
    question = [*QUESTION, "--no-ledger", *said]
    for arguments, status in (
        (["plan", *question, "--search-term", b"\xff"], 3),
        (["plan", *question, "--actor", b"\xff"], 2),
        (["execute", *said, b"\xff"], 4),
        (["plan", b"--\xff"], 2),
        ([b"\xff"], 2),
        (["standards", "search", b"\xff\xfe", *said], 1),
    ):
        done = run(*arguments, cwd=tmp_path)
        assert done.status == status, done
        done.err.decode()
        done.out.decode()


HOSTILE = [
    *("\x1b[31m", "a\x7fb", "\u202etxt", "\u2066", "\ud800", "\u0085", "\x0b"),
    *(" ", "\u3000\ufeff", "x" * 4097, "x" * 120_000, "规" * 4097, "𠀀" * 2049),
]


@pytest.mark.parametrize(
    "option",
    ["--objective", "--user-activity", "--decision", "--evidence-kind", "--constraint", "--search-term"],
)
def test_words_that_a_field_cannot_hold_are_refused_by_its_name(
    tmp_path: Path, quick: Forking, option: str
) -> None:
    for value in HOSTILE:
        done = quick("plan", *QUESTION, option, value, cwd=tmp_path)
        field = option.removeprefix("--").replace("-", "_")
        assert field in refuse(done, 3)["subject"], value
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "value",
    ["blake3:" + "0" * 64, "0" * 64, "-", "--help", "-h", "--format", "NaN", "null", "{}", "[]", "'; --"],
)
def test_a_value_that_looks_like_something_else_is_only_text(
    tmp_path: Path, quick: Forking, value: str
) -> None:
    done = quick("plan", *QUESTION, f"--search-term={value}", f"--constraint={value}", cwd=tmp_path)
    assert (done.status, done.err) == (0, b"")
    assert done.answer["request"]["search_terms"] == [value]
    ran = quick("execute", done.answer["plan_id"], cwd=tmp_path)
    assert (ran.status, ran.answer["status"]) == (1, "no_evidence")


def test_more_of_something_than_a_request_holds_is_refused(tmp_path: Path, quick: Forking) -> None:
    for option, count in (
        ("--search-term", 9),
        ("--constraint", 17),
        ("--evidence-kind", 9),
        ("--source", 9),
    ):
        many = [word for number in range(count) for word in (option, f"urn:x:{number}")]
        refuse(quick("plan", *QUESTION, *many, cwd=tmp_path), 3)
    for source in ("file:///etc/passwd", "C:\\x", "http://u:p@h/", "javascript:1", "http://h:99999/", "x"):
        assert (
            "source_refs" in refuse(quick("plan", *QUESTION, "--source", source, cwd=tmp_path), 3)["subject"]
        )


def test_one_bad_row_of_an_inventory_is_told_and_the_rest_stands(
    around_it: Path, quick: Forking, tmp_path: Path
) -> None:
    [row] = json.loads((around_it / "rows.json").read_bytes())
    (tmp_path / "rows.json").write_text(json.dumps([{**row, "ready": "\x1b[31m"}, row]), encoding="utf-8")
    done = quick("discover", "--providers", "rows.json", "--no-builtin", cwd=tmp_path)
    assert (done.status, done.answer["ready_provider_ids"]) == (0, ["method:elsewhere"])
    assert done.err.startswith(b"warning: ")
    assert b"\x1b" not in done.err
    made = quick("plan", *QUESTION, *SLOPES, "--providers", "rows.json", "--no-builtin", cwd=tmp_path)
    ran = quick("execute", made.answer["plan_id"], "--providers", "rows.json", cwd=tmp_path)
    assert (ran.status, json.loads(ran.err.splitlines()[-1])["code"]) == (4, "not_found")

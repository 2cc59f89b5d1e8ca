"""`external-evidence rpc`: a line in, a line out, in order, whatever the line is."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evidence.doors.rpc import answer_line
from evidence.lifecycle.wire import call
from tests.doors.command import PATIENCE_SECONDS, run, start

MOST = 8 * 1024 * 1024
PARSE, INVALID, UNKNOWN, PARAMS, REFUSED = -32700, -32600, -32601, -32602, -32000
DISCOVER = "external_evidence.discover"
EMPTY: dict[str, list[object]] = {"providers": []}


def line(**fields: Any) -> bytes:
    """A good request with these fields changed; one that is Ellipsis is left out."""
    message = {"jsonrpc": "2.0", "id": 1, "method": DISCOVER, "params": EMPTY, **fields}
    return json.dumps({name: value for name, value in message.items() if value is not ...}).encode()


def serve(*lines: bytes, cwd: Path) -> list[Any]:
    """The answers to these lines, each one line of UTF-8 JSON."""
    done = run("rpc", cwd=cwd, stdin=b"\n".join([*lines, b""]), measured=True)
    assert (done.status, done.err) == (0, b"")
    assert done.out.endswith(b"\n") or not done.out
    return [json.loads(answer) for answer in done.out.splitlines()]


BAD_LINES: list[tuple[bytes, int]] = [
    (b"plan", PARSE),
    (b'{"jsonrpc": "2.0"', PARSE),
    (b'{"jsonrpc": "2.0", "id": 1, "id": 2}', PARSE),
    (b'{"id": NaN}', PARSE),
    (b"\0", PARSE),
    (b'{"id": "\0"}', PARSE),
    (b'{"id": "\xff"}', PARSE),
    (b"\xff\xfe{\0}\0", PARSE),
    (b"[" * 65 + b"]" * 65, PARSE),
    (b"[" * 100_000, PARSE),
    (b"{}{}", PARSE),
    (b"9" * 5000, PARSE),
    (b"x" * (MOST + 1), PARSE),
    (b"x" * (3 * MOST), PARSE),
    (b"[]", INVALID),
    (b"1", INVALID),
    (b"null", INVALID),
    (b'"plan"', INVALID),
    (b"{}", INVALID),
]


def test_a_bad_line_is_answered_and_the_next_one_is_read(tmp_path: Path) -> None:
    lines = [part for number, (bad, _) in enumerate(BAD_LINES) for part in (bad, line(id=number))]
    answers = serve(*lines, cwd=tmp_path)
    assert len(answers) == len(lines)
    for number, (_, code) in enumerate(BAD_LINES):
        refused, good = answers[2 * number : 2 * number + 2]
        assert (refused["id"], refused["error"]["code"]) == (None, code), BAD_LINES[number][0][:40]
        assert set(refused) == {"jsonrpc", "id", "error"}
        assert (good["id"], good["result"]["status"]) == (number, "empty")


BAD_REQUESTS: list[tuple[bytes, object, int]] = [
    (line(method="external_evidence.promote"), 1, UNKNOWN),
    (line(method="discover"), 1, UNKNOWN),
    (line(method="external_evidence."), 1, UNKNOWN),
    (line(method="rpc.discover"), 1, UNKNOWN),
    (line(method="\ud800"), 1, UNKNOWN),
    (line(method=7), 1, INVALID),
    (line(method=...), 1, INVALID),
    (line(jsonrpc="1.0"), 1, INVALID),
    (line(jsonrpc=2.0), 1, INVALID),
    (line(jsonrpc=...), 1, INVALID),
    (line(params=[]), 1, PARAMS),
    (line(params=None), 1, PARAMS),
    (line(params=...), 1, PARAMS),
    (line(params="x"), 1, PARAMS),
    (line(params={"providers": [], "x": 1}), 1, PARAMS),
    (line(params={"providers": None}), 1, PARAMS),
    (line(params={"providers": [{"provider_id": "\ud800"}]}), 1, PARAMS),
    (line(params={"providers\udc00": []}), 1, PARAMS),
    (line(id=1.5), None, INVALID),
    (line(id=True), None, INVALID),
    (line(id={}), None, INVALID),
    (line(id=[1]), None, INVALID),
    (line(id=2**53), None, INVALID),
    (line(id="\ud800"), None, INVALID),
    (line(id="\x1b"), None, INVALID),
]


def test_a_bad_request_is_refused_under_its_id_where_it_has_one(tmp_path: Path) -> None:
    answers = serve(*(request for request, _, _ in BAD_REQUESTS), cwd=tmp_path)
    told = [(answer["id"], answer["error"]["code"]) for answer in answers]
    assert told == [(identity, code) for _, identity, code in BAD_REQUESTS]
    for answer in answers:
        assert answer["error"]["message"] == answer["error"]["data"]["message"]
        assert list(answer["error"]["data"])[:4] == ["code", "message", "hint", "retryable"]


@pytest.mark.parametrize("identity", ["甲", "", 0, -1, 2**53 - 1, -(2**53) + 1, None, "x" * 100_000])
def test_an_answer_carries_the_id_of_its_request(tmp_path: Path, identity: object) -> None:
    [answer] = serve(line(id=identity), cwd=tmp_path)
    assert (answer["id"], answer["result"]["status"]) == (identity, "empty")


def test_a_notification_is_never_answered(tmp_path: Path) -> None:
    silent = [line(id=...), line(id=..., params=...), line(id=..., method="external_evidence.promote")]
    batch = b"[" + b",".join(silent) + b"]"
    blank = [b"", b"   ", b"\r"]
    answers = serve(*silent, *blank, batch, line(id="end"), cwd=tmp_path)
    assert [answer["id"] for answer in answers] == ["end"]


def test_a_batch_is_answered_by_a_batch_in_order(tmp_path: Path) -> None:
    batch = b"[" + b",".join([line(id=3), b"1", line(id=...), line(id=2, params=...), line(id="甲")]) + b"]"
    [answers] = serve(batch, cwd=tmp_path)
    assert [answer["id"] for answer in answers] == [3, None, 2, "甲"]
    assert ["result" in answer for answer in answers] == [True, False, False, True]


def test_a_batch_is_answered_piece_by_piece() -> None:
    batch = b"[" + b"0," * 100_000 + line() + b"]"
    pieces = answer_line(batch, "blake3")
    first = next(pieces)
    assert first.startswith(b"[{")
    assert len(first) < 500
    small = b"".join(answer_line(b"[0," + line(id=...) + b"," + line(id=7) + b"]", "blake3"))
    assert small.count(b"\n") == 1
    assert [answer["id"] for answer in json.loads(small)] == [None, 7]


def test_a_line_of_exactly_the_largest_size_and_one_with_a_bom_are_read(tmp_path: Path) -> None:
    good = line()
    longest = good + b" " * (MOST - len(good))
    answers = serve(longest, b"\xef\xbb\xbf" + good, good + b"\r", cwd=tmp_path)
    assert [answer.get("result", answer)["status"] for answer in answers] == ["empty"] * 3


def test_a_refusal_carries_our_code_and_the_field(tmp_path: Path) -> None:
    row = {
        "provider_id": "method:x",
        "provider_kind": "method",
        "protocol": "external_evidence_research_v0",
        "declared": True,
        "installed": True,
        "enabled": True,
        "ready": True,
        "unavailable_reason": None,
    }
    request = {"objective": "o", "user_activity": "u", "decision": "d", "evidence_kinds": ["k"]}
    plan = call("plan", {"request": request, "providers": [row]})
    forged = json.loads(json.dumps(plan).replace('"o"', '"p"'))
    receipt = {"schema_version": "loopx_external_evidence_receipt_v0"}
    answers = serve(
        line(method="external_evidence.receipt", params={"plan": forged, "receipt": receipt}),
        line(
            method="external_evidence.plan",
            params={"request": {**request, "objective": " "}, "providers": []},
        ),
        line(method="external_evidence.plan", params={"request": request, "providers": [row]}),
        cwd=tmp_path,
    )
    assert answers[0]["error"]["data"]["code"] in ("invalid", "identity_mismatch")
    assert answers[1]["error"]["data"]["subject"].endswith("objective")
    assert answers[2]["result"] == plan


def test_nothing_is_recorded(tmp_path: Path) -> None:
    serve(line(), cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_each_line_is_answered_before_the_next_is_sent(tmp_path: Path) -> None:
    process = start("rpc", cwd=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(3):
        process.stdin.write(line(id=number) + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == number
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_last_line_without_its_end_is_answered_too(tmp_path: Path) -> None:
    done = run("rpc", cwd=tmp_path, stdin=line(id=1) + b"\n" + line(id=2))
    assert [json.loads(answer)["id"] for answer in done.out.splitlines()] == [1, 2]
    cut = run("rpc", cwd=tmp_path, stdin=line(id=1) + b"\n" + line(id=2)[:-5])
    assert [json.loads(answer)["id"] for answer in cut.out.splitlines()] == [1, None]
    assert (done.status, cut.status, cut.err) == (0, 0, b"")


def test_a_reader_that_goes_away_ends_the_server(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        done = run("rpc", cwd=tmp_path, stdin=(line() + b"\n") * 3, stdout=nobody)
    assert (done.status, done.err) == (141, b"")


@pytest.mark.parametrize(("way", "status"), [(">&-", 2), ("<&-", 2), (">/dev/full", 75)])
def test_a_server_without_its_streams_says_so(tmp_path: Path, way: str, status: int) -> None:
    prefix = ("sh", "-c", f'exec "$@" {way}', "sh")
    done = run("rpc", cwd=tmp_path, stdin=line() + b"\n", prefix=prefix)
    assert (done.status, done.error["retryable"]) == (status, status == 75)


@pytest.mark.parametrize(("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_a_signal_ends_the_server(tmp_path: Path, by: signal.Signals, status: int) -> None:
    process = start("rpc", cwd=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.send_signal(by)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (status, b"")
    assert b"Traceback" not in err
    assert (json.loads(err)["code"] == "interrupted") if status == 130 else not err


def test_many_clients_may_each_have_a_server(tmp_path: Path) -> None:
    running: list[subprocess.Popen[bytes]] = [start("rpc", cwd=tmp_path) for _ in range(3)]
    ended = [process.communicate(line(id=n) + b"\n", PATIENCE_SECONDS) for n, process in enumerate(running)]
    assert [json.loads(out)["id"] for out, _ in ended] == [0, 1, 2]

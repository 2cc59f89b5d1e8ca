"""How an artifact can be named: a file, stdin, an id, a unique prefix; and where the ledger is."""

import json
import shutil
from itertools import count
from pathlib import Path

import pytest

from evidence.lifecycle.wire import call
from tests.doors.command import QUESTION, SLOPES, run
from tests.doors.forking import Forking

ADMIT = ("--decision", "admit", "--reason", "对得上", "--all-sources")


@pytest.fixture(scope="module")
def ids(lived: Path) -> dict[str, str]:
    """Every id of the recorded life that a command takes."""
    receipt = json.loads((lived / "receipt.json").read_bytes())
    admission = json.loads((lived / "admission.json").read_bytes())
    return {
        "plan": receipt["plan_id"],
        "receipt": admission["receipt_digest"],
        "observation": receipt["receipt_observation_id"],
        "admission": admission["admission_id"],
    }


def bare(identity: str, length: int = 64) -> str:
    return identity.partition(":")[2][:length]


@pytest.mark.parametrize("length", [4, 7, 64])
@pytest.mark.parametrize("algorithm", ["", "blake3:"])
def test_an_id_or_a_prefix_of_it_names_the_recorded_artifact(
    lived: Path, quick: Forking, ids: dict[str, str], length: int, algorithm: str
) -> None:
    short = {name: f"{algorithm}{bare(identity, length)}" for name, identity in ids.items()}
    decided = (lived / "admission.json").read_bytes()
    for receipt in (short["receipt"], short["observation"]):
        for artifacts in ((receipt,), (short["plan"], receipt)):
            assert quick("admit", *artifacts, *ADMIT, cwd=lived).out == decided
        assert (
            quick("receipt", short["plan"], receipt, cwd=lived).out == (lived / "receipt.json").read_bytes()
        )
    read = quick("readback", short["plan"], short["observation"], short["admission"], cwd=lived)
    assert read.out == quick("readback", short["admission"], cwd=lived).out
    assert read.out == (lived / "readback.json").read_bytes()


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("0123456789abcdef", 4, "not_found"),
        ("sha256:0123456789abcdef", 4, "not_found"),
        ("abc", 4, "not_found"),  # too short for a prefix, so a file that is not there
        ("blake3:abc", 4, "not_found"),
        ("md5:abcdef", 4, "not_found"),
        ("ABCDEF01", 4, "not_found"),
        ("a" * 5000, 4, "not_found"),
        ("g" * 5000, 4, "not_found"),
        ("%", 4, "not_found"),
        ("____", 4, "not_found"),
        ("", 2, "usage"),
        (".", 2, "usage"),
    ],
)
@pytest.mark.parametrize("verb", [("execute",), ("retire",), ("readback",), ("admit", *ADMIT)])
def test_a_name_that_means_nothing_is_not_found(
    lived: Path, quick: Forking, verb: tuple[str, ...], name: str, status: int, code: str
) -> None:
    done = quick(*verb, name, cwd=lived)
    assert (done.status, done.error["code"], done.out) == (status, code, b"")
    assert done.error["hint"] or "the ledger has no" in done.error["message"]


def test_an_id_of_another_kind_is_not_found(lived: Path, quick: Forking, ids: dict[str, str]) -> None:
    assert quick("retire", ids["plan"], cwd=lived).error["code"] == "not_found"
    assert quick("execute", ids["admission"], cwd=lived).error["code"] == "not_found"
    assert quick("admit", ids["plan"], *ADMIT, cwd=lived).error["code"] == "not_found"


def test_an_id_needs_a_ledger_to_look_in(lived: Path, quick: Forking, ids: dict[str, str]) -> None:
    for verb in ("execute", "retire"):
        done = quick(verb, ids["plan"], "--no-ledger", cwd=lived)
        assert (done.status, done.error["code"]) == (4, "not_found")
    assert quick("admit", ids["receipt"], *ADMIT, "--no-ledger", cwd=lived).status == 2
    assert quick("readback", ids["admission"], "--no-ledger", cwd=lived).status == 2


def test_a_prefix_of_several_ids_names_the_candidates(tmp_path: Path, quick: Forking) -> None:
    rows = quick("discover", cwd=tmp_path).answer["providers"]
    request = {"objective": "o", "user_activity": "u", "decision": "d", "evidence_kinds": ["k"]}
    seen: dict[str, str] = {}
    asked_for: dict[str, object] = {}
    twins: tuple[str, ...] = ()
    for number in count():
        asked = {**request, "constraints": [f"n{number}"]}
        plan = str(call("plan", {"request": asked, "providers": rows})["plan_id"])
        asked_for[plan] = asked
        twins = (seen.setdefault(bare(plan, 4), plan), plan)
        if twins[0] != plan:
            break
    for twin in twins:
        (tmp_path / "r.json").write_text(json.dumps(asked_for[twin]), encoding="utf-8")
        assert quick("plan", "--request", "r.json", cwd=tmp_path).answer["plan_id"] == twin
    done = quick("execute", bare(twins[0], 4), cwd=tmp_path)
    assert (done.status, done.error["code"]) == (4, "ambiguous")
    assert all(twin in (done.error["hint"] or "") for twin in twins)
    common = next(length for length in range(4, 65) if len({bare(twin, length) for twin in twins}) == 2)
    assert quick("execute", bare(twins[1], common), cwd=tmp_path).answer["plan_id"] == twins[1]


def test_a_file_comes_before_an_id_of_the_same_name(lived: Path, quick: Forking, ids: dict[str, str]) -> None:
    name = bare(ids["admission"], 8)
    (lived / name).write_bytes(b"{}")
    try:
        assert quick("retire", name, cwd=lived).error["code"] == "invalid"
    finally:
        (lived / name).unlink()


def test_the_ledger_is_the_option_then_the_environment_then_the_default(tmp_path: Path) -> None:
    ask = ("plan", *QUESTION, *SLOPES)
    named = {
        "EXTERNAL_EVIDENCE_LEDGER": "named/by environment.sqlite3",
        "EXTERNAL_EVIDENCE_ACTOR": "reviewer",
    }
    assert run(*ask, "--ledger", "option.sqlite3", cwd=tmp_path, environment=named).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["option.sqlite3"]
    assert run(*ask, cwd=tmp_path, environment=named).status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["named", "option.sqlite3"]
    assert run(*ask, cwd=tmp_path, environment={"EXTERNAL_EVIDENCE_LEDGER": ""}).status == 0
    assert (tmp_path / ".external-evidence" / "ledger.sqlite3").is_file()
    content = (tmp_path / "named" / "by environment.sqlite3").read_bytes()
    assert b'"actor":"reviewer"' in content


def test_only_plan_makes_a_ledger(tmp_path: Path, lived: Path, quick: Forking) -> None:
    for name in ("plan.json", "receipt.json", "admission.json"):
        shutil.copy(lived / name, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for arguments in (
        ("execute", "plan.json"),
        ("receipt", "plan.json", "receipt.json"),
        ("admit", "plan.json", "receipt.json", *ADMIT),
        ("readback", "admission.json"),
        ("retire", "admission.json"),
    ):
        done = quick(*arguments, cwd=tmp_path)
        assert (done.status, done.error["code"]) == (4, "not_found"), arguments
        assert "there is no ledger" in done.error["message"]
    for word in ("replay", "verify"):
        told = quick("audit", word, cwd=tmp_path)
        assert (told.status, told.answer["verdict"]) == (2, "CANNOT-VERIFY")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan",),
        ("plan", "--no-ledger"),
        ("plan", "--request", "r.json", "--objective", "o"),
        ("plan", "--request", "r.json", "--search-term", "x"),
        ("plan", *QUESTION, "--ledger", "l", "--no-ledger"),
        ("plan", "--request", "-", "--providers", "-"),
        ("discover", "--providers", "-", "--connector-registry", "-"),
        ("execute", "-", "--providers", "-"),
        ("plan", *QUESTION, "--digest", "md5"),
        ("plan", *QUESTION, "--actor", "张三"),
        ("plan", *QUESTION, "--nonsense"),
        ("plan", *QUESTION, "surplus"),
        ("plan", "--objective"),
        ("execute",),
        ("execute", "plan.json", "--timeout", "0"),
        ("execute", "plan.json", "--timeout", "soon"),
        ("receipt", "-", "-"),
        ("admit", "receipt.json"),
        ("admit", "receipt.json", "--decision", "admit", "--reason", "r"),
        ("admit", "receipt.json", "--decision", "maybe", "--reason", "r"),
        ("admit", "receipt.json", "--decision", "reject", "--reason", "r", "--all-sources"),
        ("admit", "receipt.json", *ADMIT, "--admit-source", "urn:a:b"),
        ("admit", "a", "b", "c", *ADMIT),
        ("admit", "receipt.json", *ADMIT, "--no-ledger"),
        ("admit", "-", "-", *ADMIT),
        ("readback", "a", "b"),
        ("readback", "-", "-", "-"),
        ("readback", "admission.json", "--format", "html"),
        ("retire", "admission.json", "--downstream-source", "urn:a:b"),
        ("retire", "a", "b"),
        ("audit",),
        ("audit", "repair"),
        ("standards", "search"),
        ("schema", "show"),
        ("rpc", "--digest", "md5"),
        ("frobnicate",),
        ("--nonsense",),
        (),
    ],
)
def test_a_wrong_call_is_told_as_one(lived: Path, quick: Forking, arguments: tuple[str, ...]) -> None:
    done = quick(*arguments, cwd=lived)
    assert (done.status, done.error["code"], done.out) == (2, "usage", b"")
    assert "\n" not in done.error["message"]

"""Identities: frozen, the same however an artifact is dressed, the same on every platform (section 2)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.lifecycle.discover import discover
from evidence.lifecycle.retire import retire
from evidence.lifecycle.wire import call
from schemas.canonical import algorithm_of
from schemas.outside import parse
from schemas.request import Request
from tests.lifecycle.golden import SMALL_PROVIDERS, SMALL_REQUEST, all_ids
from tests.strategies import Life, algorithms, dressed, lives, plans, provider_lists
from tests.unmeasured import unmeasured

ROOT = Path(__file__).resolve().parents[2]
FROZEN: dict[str, dict[str, str]] = {
    "blake3 small": {
        "request_id": "blake3:2b10dbc35311cc9b3cf12edd3beeb0089c0bd0e81da00b09d0e4104ba4134a68",
        "plan_id": "blake3:640ccf695c4fc8829817ae871850d8d294a9775604a3786d7da8052f91b0e5b0",
        "receipt_digest": "blake3:48eb1d2ceb4da0cf2802dfbe81e409c737f9f5cc20be2e27dfc2d616ce496eba",
        "receipt_observation_id": "blake3:ed323539dc70db82b690ed97f5dfe4714911400b72d4b3a43d195a18d3b232b3",
        "admission_id": "blake3:18533bdae5b0de31377efdf1d9b81572612ea0ac789363718b5d6bb4d7f76c1e",
    },
    "blake3 full": {
        "request_id": "blake3:1dd173339ec86c902c698c15d512fc8507cd4dcc4cc67efca3bb59d66892ab47",
        "plan_id": "blake3:108a4c3c5caf45f9c0df84e8d7affb988fe92e1c90150f53fcb98282ec5ddc7b",
        "receipt_digest": "blake3:183c8eaf4afcfde160435af651ba02ab43bc59ef60f97e2ec170205f21265357",
        "receipt_observation_id": "blake3:2ea992f7547bf9cb2110cba77338d61c2a172149d5431c6237335b6dc82634b2",
        "admission_id": "blake3:c9eb41e6c05fa50107eb448a534a009d511fbd434893d763370c391a975b41cf",
    },
    "sha256 small": {
        "request_id": "sha256:df915f6d8cc0f54d6ab20b378836b5ce7bb6b3a7529b867ffb32d56f65f1cc08",
        "plan_id": "sha256:c1fd6631ffc2ac94fdbffd99c4d7b28af82f9a235a802e7b0dceb7bccc98139e",
        "receipt_digest": "sha256:9207dbbc5fd24468167bb25c45b7b4415c280d2cb8b4e1838dd60dd315403ce0",
        "receipt_observation_id": "sha256:88f22582d99e431b05cc7402f73f873111f89fd50f065ce97e1741e0b0bcf0bd",
        "admission_id": "sha256:9167effdd892e2dd3b026ee3a2f7d325b1904c666eae1bc32ef9bb4d375fb8a5",
    },
    "sha256 full": {
        "request_id": "sha256:204c9def036c7686e4e8fa75a337fa4867724ed5e91b83f26c6daf34c28e1419",
        "plan_id": "sha256:d0232aefcae7a894583991a7e6b4696b669029f0970d7f9515f5d6b4fc09856c",
        "receipt_digest": "sha256:0e68cff574a480dd72e71b2d382a46aada6152083d4c2891f6bda71a9381554e",
        "receipt_observation_id": "sha256:d4d88181baedaec0ddf834ea1065582276f2574a35576ce933bb3a6c088e5e11",
        "admission_id": "sha256:2b528cb6f33df285daecd32d150c43d2653823bda1cb09fff2e7181cb7d4fead",
    },
}


def test_the_worked_example_of_the_specification() -> None:
    request_id = "sha256:df915f6d8cc0f54d6ab20b378836b5ce7bb6b3a7529b867ffb32d56f65f1cc08"
    plan_id = "sha256:c1fd6631ffc2ac94fdbffd99c4d7b28af82f9a235a802e7b0dceb7bccc98139e"
    request = Request.read(SMALL_REQUEST)
    assert request.canonical().decode() == (
        '{"constraints":[],"decision":"d","evidence_kinds":["k"],"objective":"坡道坡度?",'
        '"schema_version":"loopx_external_evidence_request_v0","user_activity":"u"}'
    )
    assert request.identity("sha256") == request_id
    made = call("plan", {"request": SMALL_REQUEST, "providers": SMALL_PROVIDERS}, "sha256")
    assert made["plan_id"] == plan_id


def test_the_ids_of_two_written_lives_are_frozen() -> None:
    assert all_ids() == FROZEN


SAY = "import json; from tests.lifecycle.golden import all_ids; print(json.dumps(all_ids()))"


@pytest.mark.parametrize(
    "setting",
    [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONHASHSEED": "4294967295", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Shanghai"},
        {"PYTHONHASHSEED": "random", "LC_ALL": "zh_CN.GB18030", "LANG": "zh_CN.GBK", "TZ": "America/Caracas"},
        {"PYTHONOPTIMIZE": "2", "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "gbk"},
    ],
    ids=lambda setting: setting["LC_ALL"],
)
def test_identities_depend_on_no_locale_hash_seed_or_zone(setting: dict[str, str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SAY], cwd=ROOT, env=unmeasured(**setting), check=True, capture_output=True
    )
    assert json.loads(ended.stdout) == FROZEN


@given(st.data())
def test_every_verb_gives_the_same_result_however_its_parameters_are_dressed(data: st.DataObject) -> None:
    life = data.draw(lives())
    bare = life.wire()
    worn = data.draw(dressed(bare))
    assert isinstance(worn, dict)
    assert call("admit", worn) == call("admit", bare) == life.admission.to_wire()
    del bare["decision"], worn["decision"]
    assert call("receipt", worn) == call("receipt", bare)
    admission = {"admission": life.admission.to_wire()}
    assert call("retire", data.draw(dressed(admission))) == retire(life.admission).to_wire()


@given(st.data())
def test_a_plan_is_the_same_however_it_was_asked_for(data: st.DataObject) -> None:
    algorithm = data.draw(algorithms)
    made = data.draw(plans(algorithm))
    selected = made.selected_provider
    asked: dict[str, object] = {
        "request": made.request.replace(request_id=None).to_wire(),
        "providers": [row.to_wire() for row in made.provider_candidates],
        "preferred_provider_id": selected and selected.provider_id,
    }
    assert call("plan", data.draw(dressed(asked)), algorithm) == made.to_wire()


@given(provider_lists(), st.data())
def test_a_discovery_is_the_same_however_the_rows_are_dressed(
    rows: tuple[object, ...], data: st.DataObject
) -> None:
    wire = {"providers": [row.to_wire() for row in rows]}  # type: ignore[attr-defined]
    assert call("discover", data.draw(dressed(wire))) == discover(rows).to_wire()  # type: ignore[arg-type]


@given(lives())
def test_what_is_written_reads_back_as_the_same_bytes(life: Life) -> None:
    for artifact in (life.plan, life.receipt, life.decision, life.admission):
        stated = parse(artifact.canonical())
        assert type(artifact).read(stated) == artifact
        assert type(artifact).read(json.loads(json.dumps(stated))).canonical() == artifact.canonical()


@given(lives())
def test_all_identities_of_a_life_use_one_algorithm(life: Life) -> None:
    assert life.plan.plan_id is not None
    algorithm = algorithm_of(life.plan.plan_id)
    texts = json.dumps([life.plan.to_wire(), life.receipt.to_wire(), life.admission.to_wire()])
    other = "sha256" if algorithm == "blake3" else "blake3"
    assert f'"{algorithm}:' in texts
    assert f'"{other}:' not in texts


@given(lives())
def test_the_algorithm_of_new_ids_does_not_change_the_old_ones(life: Life) -> None:
    assert call("admit", life.wire(), "sha256") == call("admit", life.wire(), "blake3")

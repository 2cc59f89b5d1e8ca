"""What the host reads of installed distributions and of its own file, without importing anything."""

import json
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evidence.discovery import decide, load, published, trusted_provider
from evidence.plugins import Slot
from providers.regulations_contract import RegistrationError
from schemas.errors import InvalidError
from tests.host.installing import TRUSTED, UNMARKED, Installation
from tests.host.world import Kept, empty


def stated(**changes: Any) -> bytes:
    kbreg = {name: value for name, value in {**TRUSTED, **changes}.items() if value is not Ellipsis}
    return json.dumps({"trusted_providers": {"kbreg": kbreg}}).encode()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages on this process's own path."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def lay(site: Path, name: str, module: str, source: str = "", **how: Any) -> str:
    return Installation(site, Path(sys.executable)).lay(name, module, source, site=site, **how)


def refused(trusted: bytes, slot: Slot | None = None) -> str:
    with pytest.raises(RegistrationError) as caught:
        load(trusted_provider(trusted), empty(Kept(), slot).registry("kbreg"))
    return caught.value.message


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "host file is empty"),
        (b"[]", "host_file must be an object"),
        (b"{}", "trusted_providers is required"),
        (b'{"trusted_providers":{"rdm":{}}}', "unknown key 'rdm'"),
        (stated(distribution=" "), "distribution must not be empty"),
        (stated(distribution=...), "distribution is required"),
        (stated(entry_point="no colon"), "entry_point must be module:attribute"),
        (stated(entry_point="a.b:c [extra]"), "entry_point must be module:attribute"),
        (stated(record_sha256="0"), "record_sha256 must be 64"),
        (stated(anything=1), "unknown key 'anything'"),
    ],
    ids=str,
)
def test_a_host_file_that_trusts_nobody_in_particular_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(InvalidError, match=said):
        trusted_provider(raw)


def test_a_host_file_names_one_distribution_and_maybe_its_files() -> None:
    assert trusted_provider(stated()).record_sha256 is None
    assert trusted_provider(stated(record_sha256="a" * 64)).record_sha256 == "a" * 64


@pytest.mark.parametrize("name", ["kbreg-official", "KBReg.Official", "kbreg__official"])
def test_names_of_distributions_are_compared_as_packaging_does(site: Path, name: str) -> None:
    lay(site, "kbreg-official", "kbreg_official", stated=f"Name: {name}\nVersion: 2.0\n")
    claim = decide(trusted_provider(stated(distribution="Kbreg_Official")))
    assert (claim.name, claim.to_wire()["version"]) == ("kbreg-official", "2.0")


def test_a_folder_that_stands_in_the_path_twice_shows_a_distribution_once(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = lay(site, "kbreg-official", "kbreg_official")
    monkeypatch.syspath_prepend(str(site / ".." / "site"))
    assert [one.to_wire() for one in published()] == [
        {
            "distribution": "kbreg-official",
            "version": "1.0",
            "entry_point": "kbreg_official:provider",
            "place": str(site),
            "record_sha256": digest,
        }
    ]


def test_only_the_exact_name_in_the_exact_group_counts(site: Path) -> None:
    entries = (
        "[external_evidence.providers]\nKBREG = a:b\nkbreg2 = a:b\n"
        "[external_evidence.other]\nkbreg = a:b\n[console_scripts]\nkbreg = a:b\n"
    )
    lay(site, "other", "other_module", entry=entries)
    assert published([str(site)]) == []


def test_a_distribution_without_a_list_of_its_files_is_shown_and_not_loaded(site: Path) -> None:
    lay(site, "kbreg-official", "kbreg_official", "raise SystemExit('imported')")
    (site / "kbreg_official-1.0.dist-info" / "RECORD").unlink()
    assert [one.record_sha256() for one in published()] == [None]
    assert "has the SHA-256 None" in refused(stated(record_sha256="0" * 64))
    assert "is no file of kbreg-official 1.0" in refused(stated())
    assert "kbreg_official" not in sys.modules


def test_a_record_that_lists_itself_elsewhere_is_none(site: Path) -> None:
    lay(site, "kbreg-official", "kbreg_official")
    record = site / "kbreg_official-1.0.dist-info" / "RECORD"
    record.write_text("elsewhere/RECORD,,\n", encoding="utf-8")
    assert [one.record_sha256() for one in published()] == [None]


@pytest.mark.parametrize(
    ("url", "loaded"),
    [
        ("{site}/../source", True),
        ("{site}/../elsewhere", False),
        (None, False),
        ("not json", False),
        ("archive", False),
    ],
)
def test_an_editable_installation_is_loaded_from_its_own_source_only(
    site: Path, monkeypatch: pytest.MonkeyPatch, url: str | None, loaded: bool
) -> None:
    source = site.parent / "source"
    source.mkdir()
    monkeypatch.syspath_prepend(str(source))
    module = f"kbreg_editable_{abs(hash(url))}"
    (source / f"{module}.py").write_text(UNMARKED, encoding="utf-8")
    lay(site, "kbreg-official", module)
    (site / f"{module}.py").unlink()
    info = site / "kbreg_official-1.0.dist-info"
    if url is not None:
        place = url.format(site=site) if "/" in url else str(source)
        document = {"url": Path(place).resolve().as_uri(), "dir_info": {"editable": url != "archive"}}
        text = "{" if url == "not json" else json.dumps(document)
        (info / "direct_url.json").write_text(text, encoding="utf-8")
    slot = Slot()
    trusted = stated(entry_point=f"{module}:provider")
    if loaded:
        load(trusted_provider(trusted), empty(Kept(), slot).registry("kbreg"))
    else:
        assert "is no file of" in refused(trusted, slot)
    assert (slot.provider is not None) == loaded
    assert (module in sys.modules) == loaded
    sys.modules.pop(module, None)


def test_a_module_in_a_namespace_is_judged_by_its_own_file(site: Path) -> None:
    lay(site, "kbreg-official", "kbreg_space.official", UNMARKED)
    slot = Slot()
    trusted = stated(entry_point="kbreg_space.official:provider")
    assert load(trusted_provider(trusted), empty(Kept(), slot).registry("kbreg")).name == "kbreg-official"
    assert slot.provider is not None
    for module in ("kbreg_space.official", "kbreg_space"):
        sys.modules.pop(module)


def test_a_namespace_alone_is_no_module_of_anybody(site: Path) -> None:
    entry = "[external_evidence.providers]\nkbreg = kbreg_empty:provider\n"
    lay(site, "kbreg-official", "kbreg_empty.inner", entry=entry)
    assert "only a namespace" in refused(stated(entry_point="kbreg_empty:provider"))


def test_a_module_that_is_there_and_does_not_say_from_where_is_refused(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(site, "kbreg-official", "kbreg_official")
    stranger = ModuleType("kbreg_official")
    monkeypatch.setitem(sys.modules, "kbreg_official", stranger)
    assert "has no module kbreg_official: ValueError" in refused(stated())


def test_a_module_that_is_there_from_elsewhere_is_refused(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(site, "kbreg-official", "kbreg_official")
    stranger = ModuleType("kbreg_official")
    stranger.__spec__ = ModuleSpec("kbreg_official", None, origin=str(tmp_path / "kbreg_official.py"))
    monkeypatch.setitem(sys.modules, "kbreg_official", stranger)
    assert "would come from" in refused(stated())


def test_a_module_that_is_not_there_is_refused(site: Path) -> None:
    lay(site, "kbreg-official", "kbreg_gone")
    (site / "kbreg_gone.py").unlink()
    assert "has no module kbreg_gone" in refused(stated(entry_point="kbreg_gone:provider"))


def test_a_module_that_does_not_import_is_told(site: Path) -> None:
    lay(site, "kbreg-official", "kbreg_broken", "raise ValueError('broken')")
    message = refused(stated(entry_point="kbreg_broken:provider"))
    assert message == f"kbreg-official 1.0 in {site} cannot be imported: ValueError: broken"


def test_nothing_is_imported_for_the_registry_of_another_plugin(site: Path) -> None:
    lay(site, "kbreg-official", "kbreg_official", "raise SystemExit('imported')")
    with pytest.raises(RegistrationError, match="only the plugin kbreg"):
        load(trusted_provider(stated()), empty(Kept(), Slot()).registry("rdm"))


def decision(site: Path, **changes: Any) -> str:
    with pytest.raises(RegistrationError) as caught:
        decide(trusted_provider(stated(**changes)), [str(site)])
    return caught.value.message


def test_a_decision_names_everybody_who_publishes_the_name(site: Path) -> None:
    assert decision(site) == (
        "no installed distribution publishes kbreg; kbreg-official is trusted; nothing was imported"
    )
    lay(site, "impostor-kit", "impostor_kit")
    assert decision(site) == (
        f"kbreg is published by impostor-kit 1.0 in {site}, but kbreg-official is trusted; "
        "nothing was imported"
    )
    lay(site, "kbreg-official", "kbreg_official")
    assert decision(site) == (
        f"kbreg is published 2 times: impostor-kit 1.0 in {site}, kbreg-official 1.0 in {site}; "
        "kbreg-official is trusted; nothing was imported"
    )


def test_a_distribution_without_metadata_is_named_as_one(site: Path) -> None:
    lay(site, "nameless", "impostor_kit", stated=None)
    assert "published by a distribution without a name" in decision(site)


def test_another_entry_point_of_the_trusted_distribution_is_refused(site: Path) -> None:
    lay(site, "kbreg-official", "impostor_kit")
    assert "as 'impostor_kit:provider', but kbreg_official:provider is trusted" in decision(site)


def test_a_pin_is_of_every_file_that_the_record_lists(site: Path) -> None:
    pin = {"record_sha256": lay(site, "kbreg-official", "kbreg_official")}
    assert decide(trusted_provider(stated(**pin)), [str(site)]).name == "kbreg-official"
    assert "has the SHA-256" in decision(site, record_sha256="0" * 64)
    module = site / "kbreg_official.py"
    for change in (lambda: module.write_text("changed", encoding="utf-8"), module.unlink):
        change()
        assert "kbreg_official.py of kbreg-official 1.0" in decision(site, **pin)

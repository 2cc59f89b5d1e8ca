"""Real distributions in a real environment: the trusted one is loaded, an impostor is never imported."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.audit.lives import replayed
from tests.host.installing import (
    CONSUMER,
    MARK,
    PROVIDER,
    TRUSTED,
    UNMARKED,
    Installation,
    environment,
)

IMPOSTOR = f"{MARK}\nprovider = object()\n"


@pytest.fixture(scope="module")
def _environment(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return environment(tmp_path_factory.mktemp("environment") / "venv")


@pytest.fixture
def installed(_environment: Installation) -> Iterator[Installation]:
    yield _environment
    _environment.remove()


def official(installed: Installation) -> str:
    return installed.lay("kbreg-official", "kbreg_official", PROVIDER)


@pytest.mark.req("ext20-01", "ext20-13")
def test_f8_the_trusted_provider_serves_another_plugin_through_the_capability(
    installed: Installation, tmp_path: Path
) -> None:
    official(installed)
    ran = installed.run(tmp_path / "run")
    assert ran.status == 0
    assert (ran.told["loaded"], ran.told["refused"]) == ("kbreg-official", None)
    assert ran.told["answer"] == {"status": "succeeded", "state": "empty", "revision": "kbr1-test"}
    assert ran.imported == ["kbreg_official"]
    report = replayed(ran.ledger)
    assert report.findings == []
    assert dict(report.calls) == {("plugin:rdm", "regulations.search", "empty"): 1}


@pytest.mark.req("ext20-13")
def test_a11_an_impostor_beside_the_trusted_provider_is_refused_before_any_import(
    installed: Installation, tmp_path: Path
) -> None:
    official(installed)
    installed.lay("impostor-kit", "impostor_kit", IMPOSTOR)
    ran = installed.run(tmp_path / "run")
    refused = ran.told["refused"]
    assert refused["code"] == "registration_refused"
    assert "kbreg-official 1.0" in refused["message"]
    assert "impostor-kit 1.0" in refused["message"]
    assert ran.imported == []
    assert [one["distribution"] for one in ran.told["published"]] in (
        ["kbreg-official", "impostor-kit"],
        ["impostor-kit", "kbreg-official"],
    )


@pytest.mark.req("ext20-13")
def test_a11_an_impostor_alone_is_refused_before_any_import_and_both_are_named(
    installed: Installation, tmp_path: Path
) -> None:
    installed.lay("impostor-kit", "impostor_kit", IMPOSTOR)
    ran = installed.run(tmp_path / "run")
    assert "impostor-kit 1.0" in ran.told["refused"]["message"]
    assert "kbreg-official is trusted" in ran.told["refused"]["message"]
    assert ran.imported == []
    assert ran.status == 4


@pytest.mark.req("ext20-14")
def test_f7_a_consumers_command_does_not_succeed_without_a_provider(
    installed: Installation, tmp_path: Path
) -> None:
    ran = installed.run(tmp_path / "run")
    assert "no installed distribution publishes kbreg" in ran.told["refused"]["message"]
    assert ran.told["answer"]["code"] == "regulations_unavailable"
    assert ran.status == 4
    assert replayed(ran.ledger).calls == {}


def with_the_same_name(installed: Installation, other: Path) -> None:
    """A second distribution that calls itself as the trusted one does, in another folder on the path."""
    official(installed)
    installed.lay("kbreg-official", "other_module", IMPOSTOR, site=other)


def with_the_same_module(installed: Installation, other: Path) -> None:
    """A distribution without any entry point whose module lies before the trusted one's."""
    official(installed)
    installed.lay("innocent", "kbreg_official", IMPOSTOR, entry=None, site=other)


def with_another_entry(installed: Installation, _: Path) -> None:
    """The trusted distribution, with another module behind its entry point."""
    installed.lay("kbreg-official", "impostor_kit", IMPOSTOR)


def without_a_name(installed: Installation, _: Path) -> None:
    """A distribution that does not say what it is called."""
    installed.lay("nameless", "impostor_kit", IMPOSTOR, stated=None)


def with_two_entries(installed: Installation, _: Path) -> None:
    """The trusted distribution, publishing the name twice."""
    entries = (
        "[external_evidence.providers]\nkbreg = kbreg_official:provider\nkbreg = impostor_kit:provider\n"
    )
    installed.lay("kbreg-official", "kbreg_official", IMPOSTOR, entry=entries)


def without_its_module(installed: Installation, _: Path) -> None:
    """The trusted distribution, whose module is gone."""
    official(installed)
    (installed.site / "kbreg_official.py").unlink()


@pytest.mark.parametrize(
    ("lay", "said"),
    [
        (with_the_same_name, "kbreg is published 2 times"),
        (with_the_same_module, "the module kbreg_official would come from"),
        (with_another_entry, "as 'impostor_kit:provider', but kbreg_official:provider is trusted"),
        (without_a_name, "a distribution without a name"),
        (with_two_entries, "kbreg is published 2 times"),
        (without_its_module, "has no module kbreg_official"),
    ],
)
def test_a11_whatever_else_pretends_is_refused_before_any_import(
    installed: Installation, tmp_path: Path, lay: Any, said: str
) -> None:
    other = tmp_path / "first on the path"
    other.mkdir()
    first = installed.site / "a_first.pth"
    first.write_text(f"import sys; sys.path.insert(0, {str(other)!r})\n", encoding="utf-8")
    installed.laid.append(first)
    lay(installed, other)
    ran = installed.run(tmp_path / "run")
    assert said in ran.told["refused"]["message"]
    assert ran.told["refused"]["message"].endswith("nothing was imported")
    assert (ran.imported, ran.status) == ([], 4)


def test_a_pinned_distribution_is_loaded_only_as_its_record_lists_it(
    installed: Installation, tmp_path: Path
) -> None:
    pinned = {**TRUSTED, "record_sha256": official(installed)}
    assert installed.run(tmp_path / "good", pinned).told["loaded"] == "kbreg-official"
    ran = installed.run(tmp_path / "other", {**pinned, "record_sha256": "0" * 64})
    assert "the RECORD of kbreg-official 1.0" in ran.told["refused"]["message"]
    module = installed.site / "kbreg_official.py"
    module.write_text(f"{PROVIDER}\n# changed\n", encoding="utf-8")
    changed = installed.run(tmp_path / "changed", pinned)
    module.unlink()
    gone = installed.run(tmp_path / "gone", pinned)
    for ran in (changed, gone):
        assert "is not the file that its RECORD lists" in ran.told["refused"]["message"]
        assert ran.imported == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module", "cannot be imported: ModuleNotFoundError"),
        ("raise ValueError('broken')", "cannot be imported: ValueError: broken"),
        ("", "cannot be imported: AttributeError"),
        ("provider = None", "no provider"),
        ("provider = object()", "has no method"),
    ],
)
def test_a_trusted_provider_that_is_broken_is_refused(
    installed: Installation, tmp_path: Path, source: str, said: str
) -> None:
    installed.lay("kbreg-official", "kbreg_official", source)
    ran = installed.run(tmp_path / "run")
    assert said in ran.told["refused"]["message"]
    assert ran.status == 4


@pytest.mark.req("ext20-01")
def test_f3_provider_and_consumer_import_only_the_public_contract() -> None:
    for source in (UNMARKED, CONSUMER):
        imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)]
        froms = [node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
        assert (imports, set(froms)) == ([], {"providers.regulations_contract"})

"""The public surface is the one that is checked in, and grows only with its version (host.md F6)."""

import providers.regulations_contract as contract
from tests.host.surface import FILE, body, digest, faults


def test_f6_the_surface_is_the_one_that_is_checked_in() -> None:
    stated = FILE.read_text(encoding="utf-8")
    assert faults(stated, contract.SURFACE_VERSION, body()) == []


def test_f6_a_name_more_without_a_version_more_fails() -> None:
    stated = FILE.read_text(encoding="utf-8")
    head, _, kept = stated.partition("\n\n")
    version, more = contract.SURFACE_VERSION, f"{kept}MORE = 1\n"
    low = f"{version} is not this surface: raise SURFACE_VERSION and add a line"
    assert faults(stated, version, more) == ["the surface is not the one that is checked in", low]
    assert faults(f"{head}\n\n{more}", version, more) == [low]
    assert faults(f"{head}\n99.0.0 {digest(more)}\n\n{more}", "99.0.0", more) == []
    assert faults(f"{head}\n{version} {digest(more)}\n\n{more}", version, more) == [
        "the versions do not go up"
    ]


def test_every_name_of_the_contract_is_told() -> None:
    told = {line.split("(")[0].split(" ")[0] for line in body().splitlines() if not line.startswith(" ")}
    assert told == set(contract.__all__)

"""The public contract as text: `python -m tests.host.surface` prints what surface.txt has to hold."""

import hashlib
import inspect
import sys
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Protocol

import providers.regulations_contract as contract
from schemas.ext20 import camel

FILE = Path(__file__).with_name("surface.txt")


def body() -> str:
    """Names and signatures, one a line."""
    return "".join(f"{line}\n" for name in sorted(contract.__all__) for line in _lines(name))


def faults(stated: str, version: str, now: str) -> list[str]:
    """What is wrong between the checked-in text and the surface `now`, which says it is `version`."""
    head, _, kept = stated.partition("\n\n")
    history = [line.split() for line in head.splitlines()]
    versions = [_ordered(one) for one, _ in history]
    said = [] if kept == now else ["the surface is not the one that is checked in"]
    if versions != sorted(set(versions)):
        said.append("the versions do not go up")
    if history[-1] != [version, digest(now)]:
        said.append(f"{version} is not this surface: raise SURFACE_VERSION and add a line")
    return said


def digest(text: str) -> str:
    """What stands beside a version."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _lines(name: str) -> list[str]:
    thing = getattr(contract, name)
    if name == "SURFACE_VERSION":
        return [name]
    if not isinstance(thing, type):
        return [f"{name} = {thing!r}"]
    bases = ", ".join(base.__name__ for base in thing.__bases__)
    if is_dataclass(thing):
        return [f"{name}({bases})", *(_field(spec) for spec in fields(thing))]
    if Protocol in thing.__bases__:
        methods = [one for one in vars(thing) if not one.startswith("_")]
        return [f"{name}({bases})", *(f"    {one}{_signature(getattr(thing, one))}" for one in methods)]
    return [f"{name}({bases}) {thing.code} {thing.exit_status} {thing.http_status}"]  # type: ignore[attr-defined]


def _field(spec: Any) -> str:
    default = "" if spec.default is MISSING else f" = {spec.default!r}"
    written = " always" if spec.metadata else ""
    return f"    {spec.name}: {_type(spec.type)}{default} -> {camel(spec.name)}{written}"


def _signature(method: Any) -> str:
    signature = inspect.signature(method)
    given = ", ".join(
        name if name == "self" else f"{name}: {_type(parameter.annotation)}"
        for name, parameter in signature.parameters.items()
    )
    return f"({given}) -> {_type(signature.return_annotation)}"


def _type(kind: Any) -> str:
    text = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__origin__") else str(kind)
    return (
        text.replace("schemas.regulations.", "")
        .replace("schemas.web.", "")
        .replace(f"{contract.__name__}.", "")
    )


if __name__ == "__main__":
    sys.stdout.write(body())

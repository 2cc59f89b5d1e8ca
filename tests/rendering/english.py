"""Every English rule and sentence that an audit can say, as the source of the project has them."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HOLE = "{}"
# What an audit calls when it reads a log, and what it was given to compare the log with.
READING = (
    *(
        "forms",
        "sqlite_file",
        "sqlite_torn",
        "sqlite_cut",
        "sqlite_foreign",
        "sqlite_readonly",
        "bundle",
        "tiles_log",
    ),
    *(
        "policy",
        "note",
        "checkpoint",
        "proof",
        "witness",
        "anchor",
        "converted",
        "keyring",
        "signature_check",
    ),
)
_BREAKS = ("Break", "RuleBreak")
_TELLING = ("holds", "doubt", "note", "hint")  # the arguments that are shown to a reader
_SAYING = re.compile(r"[a-z]{2,} |^[a-z]+$| [a-z]{2,}")  # words, no code and no name


class Module(NamedTuple):
    """One file: its tree, and every constant text that a name stands for anywhere in it."""

    tree: ast.Module
    named: dict[str, list[ast.expr]]


@cache
def module(path: Path) -> Module:
    """The module in that file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for name, value in _bound(target, node.value):
                    named.setdefault(name, []).append(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            place = ROOT / f"{node.module.replace('.', '/')}.py"
            for alias in node.names if place.exists() else ():
                if alias.name.isupper():
                    named.setdefault(alias.asname or alias.name, []).extend(
                        module(place).named.get(alias.name, [])
                    )
    return Module(tree, named)


def sources(*parts: str) -> Iterator[Module]:
    """The modules of the packages or files so called."""
    for part in parts:
        place = ROOT / part
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if path.name != "standalone.py" and "rendering" not in path.parts:
                yield module(path)


def texts(node: ast.expr, where: Module, within: frozenset[str] = frozenset()) -> set[str]:
    """Each text that the expression can be, `{}` for what the source does not tell."""
    match node:
        case ast.Constant(value=str(text)):
            found = {text}
        case ast.JoinedStr(values=parts):
            found = {"".join(one) for one in product(*(_part(part, where, within) for part in parts))}
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = (texts(side, where, within) for side in (left, right))
            found = {a + b for a, b in product(*sides)}
        case ast.IfExp(body=yes, orelse=no):
            found = texts(yes, where, within) | texts(no, where, within)
        case ast.Name(id=name) if name in where.named and name not in within:
            found = set().union(*(texts(one, where, within | {name}) for one in where.named[name]))
        case ast.Subscript(value=ast.Name(id=name)) if name in where.named:
            tables = [one for one in where.named[name] if isinstance(one, ast.Dict)]
            found = set().union(*(texts(value, where) for table in tables for value in table.values))
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            found = {re.sub(r"\{\w+\}", HOLE, one) for one in texts(inner, where)}
        case _:
            found = {HOLE}
    return found


def calls(where: Module, *names: str) -> Iterator[ast.Call]:
    """Every call of a function or class of one of those names."""
    for node in ast.walk(where.tree):
        if isinstance(node, ast.Call) and _called(node) in names:
            yield node


def rules() -> set[str]:
    """Every rule that a finding can name."""
    found: set[str] = set()
    for where in sources("ledger", "evidence"):
        for call in calls(where, *_BREAKS):
            if len(call.args) > 2:
                found |= set(_rule(call.args[2], where))
    return found


def order_rules() -> set[str]:
    """The rules of the order of a life, which OrderError names."""
    found: set[str] = set()
    for where in sources("evidence/lifecycle"):
        for call in calls(where, "_refusal"):
            found |= texts(call.args[0], where)
        for call in calls(where, "OrderError"):
            stated = next(one.value for one in call.keywords if one.arg == "rule")
            found |= texts(stated, where)
    return found - {HOLE}


def sentences() -> set[str]:
    """Every sentence that an audit's text may show, `{}` where it holds a value."""
    found: set[str] = set()
    for where in sources("ledger", "evidence"):
        for call in calls(where, *_BREAKS):
            found |= set().union(*(texts(shown, where) for shown in call.args[3:]))
    reading = [f"ledger/{name}.py" for name in READING]
    telling = [f"evidence/{name}.py" for name in ("audit", "verify", "replayed")]
    for where in sources(*reading, *telling, "evidence/replay"):
        found |= _told(where)
    for where in sources("evidence/lifecycle/life.py"):
        found |= set().union(*(texts(call.args[2], where) for call in calls(where, "_refusal")))
    for where in sources(*(f"evidence/doctor{part}.py" for part in ("", "_files", "_kept"))):
        found |= set(_facts(where))
    return {one for one in found if _SAYING.search(one)}


def _facts(where: Module) -> Iterator[str]:
    """What the doctor's causes and notes rest on."""
    for call in calls(where, "_cause", "_note", "Seen"):
        for fact in call.args[1:]:
            for one in fact.elts if isinstance(fact, ast.Tuple) else (fact,):
                yield from texts(one, where)


def written() -> set[str]:
    """Every text of the source that is more than one word, whatever it is for."""
    found: set[str] = set()
    for where in sources("ledger", "evidence"):
        for node in ast.walk(where.tree):
            if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
                found |= texts(node, where)
    return {re.sub(r"\{\w+\}", HOLE, one) for one in found if len(re.findall("[A-Za-z]{2}", one)) > 0}


def _told(where: Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(where.tree):
        if isinstance(node, ast.Call):
            found |= _said_in(node, where)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "self.torn":
            found |= texts(node.value, where)
        elif isinstance(node, ast.FunctionDef) and node.name[0] != "_" and _gives_text(node):
            found |= {one for one in _given_back(node, where) if " " in one and "\n" not in one}
    return found


def _said_in(call: ast.Call, where: Module) -> set[str]:
    found: set[str] = set()
    name = _called(call)
    if call.args and name != "UsageError" and (name.endswith("Error") or name in ("_wrong", "append")):
        found |= texts(call.args[0], where)
    if name == "_broken":
        found |= texts(call.args[1], where)
    for keyword in call.keywords if name != "UsageError" else ():
        if keyword.arg in _TELLING:
            found |= texts(keyword.value, where)
    return found


def _gives_text(function: ast.FunctionDef) -> bool:
    return function.returns is not None and "str" in ast.unparse(function.returns)


def _given_back(function: ast.FunctionDef, where: Module) -> Iterable[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield from texts(node.value, where)


def _rule(node: ast.expr, where: Module) -> Iterator[str]:
    match node:
        case ast.Attribute(attr="rule"):
            yield from order_rules()
        case ast.Attribute(attr="code"):
            yield from ("invalid", "identity_mismatch")  # what reading and verifying an artifact raise
        case ast.Name(id=name):
            yield from (texts(node, where) | set(_given(name, where))) - {HOLE}
        case _:
            yield from texts(node, where)


def _given(parameter: str, where: Module) -> Iterator[str]:
    """What the functions with that parameter are called with."""
    for node in ast.walk(where.tree):
        if isinstance(node, ast.FunctionDef):
            names = [one.arg for one in node.args.args]
            for call in calls(where, node.name) if parameter in names else ():
                yield from texts(call.args[names.index(parameter)], where)


def _part(node: ast.expr, where: Module, within: frozenset[str]) -> set[str]:
    if isinstance(node, ast.FormattedValue):
        found = {HOLE}
        if isinstance(node.value, ast.Name | ast.IfExp):
            found = texts(node.value, where, within)
        elif isinstance(node.value, ast.Call):
            own = [one for one in where.tree.body if isinstance(one, ast.FunctionDef)]
            made = [one for one in own if one.name == _called(node.value)]
            found = {text for one in made for text in _given_back(one, where)} or {HOLE}
        return found if all(" " in one or not one for one in found) else {HOLE}
    return texts(node, where, within)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _bound(one, other)

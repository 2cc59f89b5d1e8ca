"""What an audit says in English, a rule, a reason, a note or a fact, said in Chinese for who reads that."""

import re

from evidence.rendering.chinese_rules import RULES
from evidence.rendering.chinese_words import NUMBERS, SAID

_HOLE = re.compile(r"\{(\w+)\}")


def chinese(text: str) -> str | None:
    """The Chinese of an English sentence of an audit, with its values; None where it is of somebody else.

    What stands in a sentence is said in Chinese too, where there is any.
    """
    found = RULES.get(text) or SAID.get(text)
    if found is not None:
        return found
    return next((told for english in SAID if (told := _filled(english, text)) is not None), None)


def both(text: str) -> str:
    """The Chinese before the English, or what there is."""
    told = chinese(text)
    return text if told is None else f"{told} {text}"


def with_english(text: str) -> str:
    """The Chinese, and the English in brackets after it; or what there is."""
    told = chinese(text)
    return text if told is None else f"{told}（{text}）"


def _filled(english: str, text: str) -> str | None:
    first, *rest = _HOLE.split(english)
    # Most are told apart by how they begin and end: only the others are worth a pattern.
    if not rest or not text.startswith(first) or not text.endswith(rest[-1]):
        return None
    values = _values(english, text)
    told = {name: chinese(value) for name, value in values.items()}
    if not values or any(name.startswith("said") and told[name] is None for name in values):
        return None
    return SAID[english].format(**{name: told[name] or value for name, value in values.items()})


def _values(english: str, text: str) -> dict[str, str]:
    parts = _HOLE.split(english)
    names = parts[1::2]
    pattern = re.escape(parts[0])
    for name, after in zip(names, parts[2::2], strict=True):
        pattern += (r"(-?\d+)" if name in NUMBERS else "(.+?)") + re.escape(after)
    found = re.fullmatch(pattern, text, re.DOTALL)
    return {} if found is None else dict(zip(names, found.groups(), strict=True))

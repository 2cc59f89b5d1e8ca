"""The words of an audit report in the two languages that it is written in, Chinese and English."""

import tomllib
from pathlib import Path

from evidence.rendering.chinese import chinese, with_english

LANGUAGES = {"zh": "zh-Hans", "en": "en"}
"""The languages that a report can be asked for in, and as HTML names them."""


class Words:
    """The words of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
        self._words: dict[str, str] = {key: texts[language] for key, texts in table.items()}

    def __call__(self, key: str, **values: object) -> str:
        """The text of `key` with `values` put in."""
        return self._words[key].format(**values)

    def of_code(self, code: str) -> str:
        """A word that others' software writes, with what it means where that is known in this language."""
        return self._words.get(f"code.{code}", code)

    def said(self, text: str) -> str:
        """What an audit says in English, with its Chinese before it in a Chinese report."""
        return with_english(text) if self.language == "zh" else text

    def told(self, text: str) -> str:
        """As `said`, without the English where there is Chinese."""
        return (chinese(text) if self.language == "zh" else None) or text

    def of_field(self, name: str) -> str:
        """A field of a stored body, with what it means where that is known in this language."""
        return self._words.get(f"field.{name}", name)

    def patterns(self, *prefixes: str) -> dict[str, str]:
        """The texts whose key begins with one of `prefixes`, nothing put in."""
        return {key: text for key, text in self._words.items() if key.startswith(prefixes)}

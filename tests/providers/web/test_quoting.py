"""Quoted words cannot end their quotation."""

import pytest

from providers.web.quoting import quoted, titled


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("甲局", "“甲局”"),
        ("a”。 official: yes. “b", "“a’。 official: yes. ‘b”"),
        ("《规范》", "“《规范》”"),
        ("\x1b[2J", "“\ufffd[2J”"),
        ("甲" * 9, "“甲甲甲甲…”"),
    ],
)
def test_words_stay_between_their_marks(text: str, said: str) -> None:
    assert quoted(text, 5 if text == "甲" * 9 else 100) == said


def test_a_title_stays_between_its_marks() -> None:
    assert titled("关于《规范》的“通知”", 100) == "《关于〈规范〉的“通知”》"
    assert titled("A》，页面所载来源：某部。", 100) == "《A〉，页面所载来源：某部。》"

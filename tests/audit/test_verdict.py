"""The one word: what each fact alone makes of it, and which of two facts weighs more."""

from pathlib import Path

import pytest

from evidence.verdict import Facts, Verdict, judge, no_ledger
from ledger.places import place

WHOLE = Facts(records=3)
ANCHORED = Facts(records=3, anchored=True)


@pytest.mark.parametrize(
    ("facts", "word", "code"),
    [
        (ANCHORED, "VERIFIED", 0),
        (WHOLE, "UNANCHORED", 3),
        (Facts(), "CANNOT-VERIFY", 2),
        (Facts(anchored=True), "VERIFIED", 0),  # a checkpoint of no records pins an empty ledger
        (ANCHORED._replace(doubted=True), "CANNOT-VERIFY", 2),
        (ANCHORED._replace(torn=True), "TORN", 4),
        (ANCHORED._replace(torn=True, doubted=True), "TORN", 4),
        (ANCHORED._replace(rule_broken=True), "RULE-BROKEN", 1),
        (ANCHORED._replace(rule_broken=True, torn=True), "RULE-BROKEN", 1),
        (ANCHORED._replace(forked=True, rule_broken=True), "FORKED", 1),
        (ANCHORED._replace(tampered=True, forked=True, doubted=True, torn=True), "TAMPERED", 1),
    ],
)
def test_the_worst_that_is_known_is_the_word(facts: Facts, word: str, code: int) -> None:
    verdict = judge(facts)
    assert (str(verdict), verdict.exit_code) == (word, code)


def test_every_word_has_one_of_the_five_codes() -> None:
    assert sorted({verdict.exit_code for verdict in Verdict}) == [0, 1, 2, 3, 4]


def test_a_place_that_holds_no_ledger_is_called_what_it_is() -> None:
    database = place("postgresql://auditor@db.example/ledger")
    for where, field, rule in (
        (Path("l.sqlite3"), "file", "the file is a ledger"),
        (database, "database", "the database holds a ledger"),
    ):
        assert no_ledger(where, "it has other tables") == (0, field, rule, "a ledger", "it has other tables")

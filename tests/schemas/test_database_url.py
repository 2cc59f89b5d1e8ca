"""A postgresql:// URL is read as libpq reads it or not at all, and a password in it is never shown."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.places import place
from ledger.postgres_url import PostgresUrl
from providers.regulations.search.postgres_place import Place
from schemas.database_url import DatabaseUrl, is_meant_as_url
from schemas.errors import EvidenceError, UsageError

PASSWORD = "geheim"  # noqa: S105 - to be looked for


@pytest.mark.parametrize(
    ("url", "conninfo", "shown"),
    [
        ("postgresql://u@h/d", None, "postgresql://u@h/d"),
        (" PostgreSQL://u:p@h:5/d?sslmode=require ", "postgresql://u:p@h:5/d?sslmode=require", None),
        ("postgres://u:p:q@[::1]:5432,h/d", "postgresql://u:p:q@[::1]:5432,h/d", None),
        ("postgresql:///d?host=/tmp", None, "postgresql:///d"),
        ("postgresql://@%2Ftmp", None, "postgresql://@%2Ftmp/"),
        ("postgresql://u:@h/d#a.b/c", "postgresql://u:@h/d", "postgresql://u@h/d"),
    ],
)
def test_a_url_keeps_every_part_for_libpq(url: str, conninfo: str | None, shown: str | None) -> None:
    found = DatabaseUrl.read(url)
    assert found is not None
    assert found.conninfo == (conninfo or url)
    if shown is not None:
        assert found.shown == shown


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://owner:geheim?x@h/d",
        "postgresql://owner:geheim/x@h/d",
        "postgresql://owner:geheim#x@h/d",
        "postgresql://owner:geheim@x@h/d",
        "postgresql://owner:geheim%@h/d",
        "postgresql://owner:geheim x@h/d",
        "postgresql://owner:geheim",
        "postgresql:/owner:geheim@h/d",
        "postgresql//owner:geheim@h/d",
        "postgresql:owner:geheim@h/d",
        " mysql://owner:geheim@h/d",
        "POSTGRESQLS://owner:geheim@h/d",
        "a file://owner:geheim@h/d",
        "postgresql://owner:geheim@h/d\0",
    ],
)
def test_what_is_meant_as_a_url_is_one_or_a_usage_error_and_never_a_path(text: str) -> None:
    for read in (place, PostgresUrl.of, Place.of):
        with pytest.raises(UsageError) as caught:
            read(text)
        assert PASSWORD not in repr((caught.value, caught.value.hint, caught.value.subject))


def test_a_path_stays_a_path() -> None:
    for text in ("ledger.sqlite3", "postgresql/ledger", "C:/x", "a@b:c", ""):
        assert not is_meant_as_url(text)


ODD = st.text(st.sampled_from("a:/?#@%&=, .[]\t\0\\4é"), max_size=6)


@given(
    st.sampled_from(["postgresql", "postgres", "POSTGRES", " PostgreSQL", "mysql", "x+y", ""]),
    st.sampled_from(["://", ":///", ":// "]),
    st.sampled_from(["owner", "", "o%40"]),
    ODD,
    ODD,
    st.text(st.sampled_from("h:/?#@%5,.d[]"), max_size=8),
)
@example("postgresql", "://", "owner", "", "?x", "127.0.0.1:1/d")
@example("POSTGRESQL", "://", "owner", "", "", "127.0.0.1:1/d")
def test_nothing_that_stands_between_the_slashes_and_the_at_is_shown_but_the_user(
    scheme: str, slashes: str, user: str, before: str, after: str, rest: str
) -> None:
    text = f"{scheme}{slashes}{user}:{before}{PASSWORD}{after}@{rest}"
    for read in (place, Place.of):
        try:
            shown = str(getattr(found := read(text), "shown", found))
        except EvidenceError as error:
            shown = repr((error, error.hint, error.subject, error.__cause__))
        else:
            assert re.match("postgresql://", shown)
        assert PASSWORD not in shown

"""Source references (lifecycle.md H3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import InvalidError
from schemas.record import Record, field
from schemas.rules import SourceRef
from tests.strategies import PADDING, source_refs
from tests.world import refusal

REFUSED_SCHEMES = (
    "file", "filesystem", "localfile", "jar", "smb", "cifs", "nfs", "afp", "unix", "data", "javascript",
    "vbscript",
    "about", "blob", "chrome", "chrome-extension", "moz-extension", "view-source", "content", "res",
)  # fmt: skip
FILE_SCHEMES = ("git+file", "vscode-file", "file+ssh", "x.file", "file.x", "a-file-b", "svn+file+ssh")


class Cited(Record):
    """One reference."""

    ref: str = field(SourceRef())


def complaint(ref: str) -> str:
    with pytest.raises(InvalidError) as caught:
        Cited.read({"ref": ref})
    assert caught.value.subject == "cited.ref"
    return caught.value.message


@pytest.mark.parametrize(
    "ref",
    [
        "https://example.org",
        "http://example.org:80/a?b=c#d",
        "https://example.org:/",
        "https://example.org:65535/",
        "https://[2001:db8::1]:443/x",
        "https://中文.example/规范?年=2012",
        "https://example.org/a@b:c",
        "https://example.org/?next=file:///etc",
        "https://example.org/%20",
        "doi://10.1000/182",
        "ftp://user:pw@host/x",
        "s3://bucket/key",
        "git+https://example.org/x.git",
        "profile://x",
        "ab://x",
        "a1+b.c-d://x",
        "urn:cn-standard:GB%2050763-2012",
        "urn:ISBN:9787",
        "urn:a:b",
        f"urn:{'a' * 32}:x",
        "urn:x:file:///y",
        "urn:filed:x",
        "urn:uuid:𠀀",
        f"https://{'a' * 2040}",
    ],
)
def test_a_direct_reference_is_kept_as_written(ref: str) -> None:
    assert Cited.read({"ref": ref}).ref == ref


@given(source_refs())
def test_any_reference_of_the_strategies_is_kept_as_written(ref: str) -> None:
    assert Cited.read({"ref": f"\u3000{ref}\n"}).ref == ref


@pytest.mark.req("receipt-refusals")
@pytest.mark.parametrize("scheme", REFUSED_SCHEMES)
def test_h3_a_scheme_that_names_a_place_inside_a_machine_is_refused(scheme: str) -> None:
    assert f"has the scheme '{scheme}', which is no outside provenance" in complaint(f"{scheme}://x/y")


@pytest.mark.req("receipt-refusals")
@pytest.mark.parametrize("scheme", FILE_SCHEMES)
def test_h3_any_scheme_with_a_file_part_is_refused(scheme: str) -> None:
    assert "which is no outside provenance" in complaint(f"{scheme}://x/y")


@pytest.mark.req("receipt-refusals")
@pytest.mark.parametrize("ref", ["urn:file:x", "urn:FILE:x", "urn:File:///etc/passwd"])
def test_h3_a_urn_of_a_file_is_refused(ref: str) -> None:
    assert "must not name a file" in complaint(ref)


@pytest.mark.req("receipt-refusals")
@pytest.mark.parametrize(
    "ref", ["/etc/passwd", "C:\\x", "\\\\host\\share", "./a", "a.pdf", "~/x", "file:x", "c://x"]
)
def test_h3_a_path_is_refused(ref: str) -> None:
    complaint(ref)


@pytest.mark.parametrize("blank", [*(one for one in PADDING if one not in "\v\f"), "\\"])
def test_h3_white_space_or_a_backslash_inside_is_refused(blank: str) -> None:
    assert "must not hold white space or a backslash" in complaint(f"https://example.org/a{blank}b")


@pytest.mark.parametrize("control", ["\x00", "\v", "\f", "\x1c", "\x85", "\u202e", "\u2066"])
def test_h3_a_control_character_inside_is_refused(control: str) -> None:
    complaint(f"https://example.org/a{control}b")


@pytest.mark.parametrize(
    "ref",
    ["urn:x:", "urn::x", "urn:-a:x", "urn:a_b:x", f"urn:{'a' * 33}:x", "urn:x", "URN:x:y", "urn:é:x",
     "mailto:a@b",
     "HTTPS://example.org", "Https://example.org", "https:/example.org", "https//example.org", "example.org", "a://x",
     "1a://x", "a_b://x", "http://", "doi://", "://x", "//example.org"],
)  # fmt: skip
def test_h3_what_is_neither_urn_nor_scheme_is_refused(ref: str) -> None:
    assert "must be urn:NID:NSS or scheme://…" in complaint(ref)


@pytest.mark.parametrize(
    "ref", ["http:///x", "https://?x", "https://#x", "http://:80/", "https://[]/", "https://[::1/"]
)
def test_h3_a_web_reference_names_a_host(ref: str) -> None:
    assert "must name a host" in complaint(ref)


@pytest.mark.parametrize("ref", ["https://u@h/", "https://u:p@h/", "http://@h", "https://a@b@c/"])
def test_h3_a_web_reference_carries_no_user(ref: str) -> None:
    assert "must not carry a user name or password" in complaint(ref)


@pytest.mark.parametrize("port", ["65536", "99999999999", "x", "-1", "80x", "8:0", "٣"])
def test_h3_a_port_is_a_number_up_to_65535(port: str) -> None:
    assert "has no valid port" in complaint(f"https://example.org:{port}/")
    assert "has no valid port" in complaint(f"https://[::1]:{port}/")


def test_h3_text_after_a_bracketed_host_is_no_port() -> None:
    assert "has no valid port" in complaint("https://[::1]x/")


def test_a_reference_holds_2048_units_and_no_more() -> None:
    assert complaint("https://" + "a" * 2041).endswith(
        "is 2049 UTF-16 code units long; at most 2048 are allowed"
    )
    assert "2050 UTF-16" in complaint("https://" + "𠀀" * 1021)


@pytest.mark.parametrize(
    ("first", "second"),
    [("https://e.x/a", "https://e.x/a/"), ("https://e.x/a", "https://e.x/A"), ("https://e.x/a", "https://e.x/%61"),
     ("https://e.x", "https://e.x:443"), ("urn:x:a", "urn:X:a"), ("https://e.x/é", "https://e.x/e\u0301")],
)  # fmt: skip
def test_near_references_are_different_ones(first: str, second: str) -> None:
    assert Cited(ref=first) != Cited(ref=second)


@given(
    st.text(st.characters(), max_size=12),
    st.sampled_from(("", "https://", "urn:", "urn:x:", "http://h:", "a+")),
)
def test_any_text_is_either_kept_trimmed_or_refused(text: str, head: str) -> None:
    error = refusal(lambda: Cited.read({"ref": head + text}))
    if error is not None:
        assert (type(error), error.subject) == (InvalidError, "cited.ref")
    else:
        kept = Cited.read({"ref": head + text}).ref
        assert kept == (head + text).strip(PADDING)
        assert not set(kept) & {*PADDING, "\\"}

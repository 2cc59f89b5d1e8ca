"""Signed notes and keys as C2SP signed-note has them; Go's own published note is a golden one."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import keys
from ledger.keys import Signer, generate, load, store
from ledger.note import COSIGNATURE, ED25519, MOST_NOTE_BYTES, Note, Signature, VerifierKey, is_name
from schemas.errors import (
    ConflictError,
    IntegrityError,
    InvalidError,
    NotFoundError,
    StorageError,
    UsageError,
)
from tests.ledger.signing import cosigner, secret, signer

# The example of Go's package golang.org/x/mod/sumdb/note.
NEUMANN = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
NEUMANN_TEXT = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
)
NEUMANN_SIGNATURE = (
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
)
NEUMANN_LINE = f"— PeterNeumann {NEUMANN_SIGNATURE}\n"
NEUMANN_NOTE = f"{NEUMANN_TEXT}\n{NEUMANN_LINE}".encode()


def test_the_published_note_of_go_verifies_and_is_written_as_it_was() -> None:
    note = Note.read(NEUMANN_NOTE)
    key = VerifierKey.read(NEUMANN)
    assert (note.text, bytes(note), str(key)) == (NEUMANN_TEXT, NEUMANN_NOTE, NEUMANN)
    assert note.verified([key]) == {key: None}


def test_several_keys_sign_one_text_and_unknown_ones_are_ignored() -> None:
    one, two, other = signer("a.example"), signer("b.example"), signer("c.example")
    witness = cosigner("w.example")
    text = "a text\n\nwith an empty line\n"
    note = Note(text).signed(one.sign(text), two.sign(text), witness.sign(text, 1_700_000_000))
    again = Note.read(bytes(note))
    assert again == note
    assert again.verified([two.verifier]) == {two.verifier: None}
    assert again.verified([other.verifier, witness.verifier]) == {witness.verifier: 1_700_000_000}
    assert again.verified([]) == {}
    assert note.signed(one.sign(text)).signatures[-1] == one.sign(text)
    assert len(note.signed(one.sign(text)).signatures) == 3


def test_a_name_or_an_id_alone_is_not_a_key() -> None:
    known = signer("a.example")
    text = "text\n"
    line = known.sign(text)
    strangers = [Signature("b.example", line.id, bytes(64)), Signature(line.name, b"\0\0\0\0", bytes(64))]
    assert Note(text).signed(*strangers, line).verified([known.verifier]) == {known.verifier: None}


@given(st.data())
def test_a_changed_text_or_signature_of_a_known_key_is_refused(data: st.DataObject) -> None:
    for key, time in ((signer("a.example"), None), (cosigner("w.example"), 5)):
        text = "one\ntwo\n"
        line = key.sign(text, time)
        content = bytearray(line.content)
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        for wrong in (Note(text, (line._replace(content=bytes(content)),)), Note("one\ntwO\n", (line,))):
            with pytest.raises(IntegrityError, match="does not hold"):
                wrong.verified([key.verifier])


def test_a_public_key_that_is_no_point_verifies_nothing() -> None:
    key = VerifierKey("a.example", ED25519, bytes([255]) * 32)
    with pytest.raises(IntegrityError, match="does not hold"):
        Note("text\n", (Signature("a.example", key.id, bytes(10)),)).verified([key])


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"", "no signature after an empty line"),
        (b"text\n", "no signature after an empty line"),
        (NEUMANN_NOTE[:-1], "no signature after an empty line"),
        (b"text\n\n" + b"\xff\n", "not UTF-8"),
        (b"te\rxt\n\n" + NEUMANN_LINE.encode(), "control character"),
        (b"te\txt\n\n" + NEUMANN_LINE.encode(), "control character"),
        (b"text\n\n\n", "no signature after an empty line"),
        (b"text\n\n\n\n", "no signature after an empty line"),
        (b"text\n\nline\n", "a line that is no signature"),
        (b"text\n\n- name AAAAAAA=\n", "a line that is no signature"),
        ("text\n\n— na+me AAAAAAA=\n".encode(), "a line that is no signature"),
        ("text\n\n—  AAAAAAA=\n".encode(), "a line that is no signature"),
        ("text\n\n— name AAAA*\n".encode(), "is not base64"),
        ("text\n\n— name AAAAAAB=\n".encode(), "in its one form"),
        ("text\n\n— name AAAAAA==\n".encode(), "without content"),
        ("text\n\n— name \n".encode(), "without content"),
        ("text\n\n— name ünï\n".encode(), "is not base64"),
        (b"text\n\n" + NEUMANN_LINE.encode() * 101, "101 signatures"),
        (b"a" * (MOST_NOTE_BYTES + 1), "at most"),
    ],
)
def test_what_is_no_note_is_refused(raw: bytes, complaint: str) -> None:
    with pytest.raises(InvalidError, match=complaint):
        Note.read(raw)


@given(st.binary(max_size=80), st.integers(0, len(NEUMANN_NOTE)))
def test_no_bytes_bring_the_reader_down(found: bytes, at: int) -> None:
    for raw in (found, NEUMANN_NOTE[:at] + found + NEUMANN_NOTE[at:]):
        try:
            note = Note.read(raw)
        except InvalidError:
            continue
        assert bytes(note) == raw


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no verifier key"),
        ("a.example", "no verifier key"),
        ("+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "no verifier key"),
        ("a b+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "no verifier key"),
        (NEUMANN[:-4], "no verifier key"),
        (NEUMANN + "*", "not base64"),
        (NEUMANN.replace("+c7", "+c8"), "has the id c74f20a3"),
        (NEUMANN.replace("+c7", "+C7"), "has the id c74f20a3"),
        (NEUMANN.replace("+AR", "+Ah"), "kind 2"),
    ],
)
def test_what_is_no_verifier_key_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidError, match=complaint):
        VerifierKey.read(text)


def test_a_key_of_the_other_kind_is_refused_where_one_kind_is_wanted() -> None:
    with pytest.raises(InvalidError, match="kind 4"):
        VerifierKey.read(str(cosigner("w.example").verifier), ED25519)
    assert VerifierKey.read(str(cosigner("w.example").verifier), COSIGNATURE).name == "w.example"


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\u00a0b", "a\u2003b", "a\x1fb", "a\nb"])
def test_a_key_has_a_name_without_space_or_plus(name: str) -> None:
    assert not is_name(name)
    with pytest.raises(InvalidError):
        generate(name)


def test_a_key_file_is_its_owners_and_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "log.key"
    text = generate("tests.example/log")
    store(path, text)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load(path).verifier == Signer.read(text).verifier
    with pytest.raises(ConflictError):
        store(path, secret())
    assert path.read_text() == f"{text}\n"


def test_a_key_file_that_others_may_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path / "k", secret())
    (tmp_path / "k").chmod(0o640)
    with pytest.raises(UsageError) as caught:
        load(tmp_path / "k")
    assert caught.value.hint == f"chmod 600 {tmp_path / 'k'}"
    monkeypatch.setattr(keys, "POSIX", False)
    assert load(tmp_path / "k").verifier == signer().verifier


def test_a_key_file_that_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    for missing in (tmp_path / "none", Path(__file__) / "none"):
        with pytest.raises(NotFoundError):
            load(missing)
    with pytest.raises(StorageError):
        load(tmp_path)
    (tmp_path / "k").write_bytes(b"\xff")
    (tmp_path / "k").chmod(0o600)
    with pytest.raises(InvalidError, match="is no private key"):
        load(tmp_path / "k")
    for content, cause in (("\ufeff" + secret(), "byte order mark"), (secret().encode("utf-16"), "UTF-16")):
        (tmp_path / "k").write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InvalidError, match=f"is no private key .* \\(the file .*{cause}"):
            load(tmp_path / "k")
    (tmp_path / "k").write_bytes(secret().encode() + b"\r\n")
    assert load(tmp_path / "k").verifier.name == load(tmp_path / "k").verifier.name != ""
    with pytest.raises(StorageError):
        store(Path(__file__) / "k", secret())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no private key"),
        (NEUMANN, "no private key"),
        (secret().removeprefix("PRIVATE+"), "no private key"),
        (secret()[:-4], "no private key"),
        (secret()[:-2] + "*=", "no private key"),
        ("PRIVATE+KEY+a b+00000000+" + secret().rpartition("+")[2], "no private key"),
        ("PRIVATE+KEY+a+00000000+" + secret().rpartition("+")[2], "the private key's id"),
    ],
)
def test_what_is_no_private_key_is_refused_without_showing_it(text: str, complaint: str) -> None:
    with pytest.raises(InvalidError, match=complaint) as caught:
        Signer.read(text)
    assert secret().rpartition("+")[2] not in repr(caught.value)


def test_only_a_cosignature_states_a_time() -> None:
    with pytest.raises(UsageError, match="states no time"):
        signer().sign("text\n", 1)
    with pytest.raises(UsageError, match="needs a time"):
        cosigner("w").sign("text\n")


def test_without_the_extra_signing_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from ledger.keys import generate\n"
        "from schemas.errors import NotReadyError\n"
        "try: generate('a')\n"
        "except NotReadyError as error: print(error.hint)"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ended.stdout == "pip install '.[sign]' in a checkout of the project\n"

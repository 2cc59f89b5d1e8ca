"""The auditor's trust root (C2SP tlog-policy)."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.checkpoint import Checkpoint
from ledger.note import Note, UntrustedError
from ledger.policy import Policy
from schemas.errors import IntegrityError, InvalidError
from tests.ledger.signing import ORIGIN, cosigner, signer
from tests.ledger.test_tree import TREES

LOG = signer()
WITNESSES = {name: cosigner(f"{name.lower()}.example") for name in ("X1", "X2", "X3", "Y1", "Y2")}
KEYS = {name: str(one.verifier) for name, one in WITNESSES.items()}
LINES = f"log {LOG.verifier}\n" + "".join(f"witness {name} {key}\n" for name, key in KEYS.items())
GROUPS = "group X 2 X1 X2 X3\ngroup Y any Y1 Y2\ngroup both all X Y\nquorum both\n"


def cosigned(*names: str, size: int = 7) -> bytes:
    """A checkpoint with the log's signature and these witnesses'."""
    note = Checkpoint(ORIGIN, size, TREES[size].root()).signed(LOG)
    return bytes(note.signed(*(WITNESSES[name].sign(note.text, 1000 + len(name)) for name in names)))


def policy(text: str) -> Policy:
    return Policy.read(text.encode())


def test_a_policy_without_witnesses_asks_for_the_log_alone() -> None:
    trusted = policy(
        f"# mine\n\n \tlog\t {LOG.verifier}  https://x.example/ \n  # more\nquorum none\n"
    ).verify(cosigned("X1"))
    assert trusted == (Checkpoint(ORIGIN, 7, TREES[7].root()), (LOG.verifier,), {})


@pytest.mark.parametrize(
    ("names", "enough"),
    [
        ((), False),
        (("X1", "X2"), False),
        (("X1", "Y1"), False),
        (("X1", "X3", "Y2"), True),
        (("X1", "X2", "X3", "Y1", "Y2"), True),
    ],
)
def test_a_quorum_of_groups_is_counted(names: tuple[str, ...], enough: bool) -> None:
    rule = policy(LINES + GROUPS)
    if enough:
        assert rule.verify(cosigned(*names)).witnesses == dict.fromkeys(names, 1002)
    else:
        with pytest.raises(UntrustedError) as caught:
            rule.verify(cosigned(*names))
        assert (caught.value.code, caught.value.subject) == ("untrusted", "both")


def test_a_quorum_may_be_one_witness() -> None:
    rule = policy(f"{LINES}quorum X2\n")
    assert rule.verify(cosigned("X2", "Y1")).witnesses == {"X2": 1002, "Y1": 1002}
    with pytest.raises(UntrustedError):
        rule.verify(cosigned("X1"))


def test_a_checkpoint_that_no_listed_log_signed_is_not_trusted() -> None:
    other = signer("tests.example/other")
    for text in ("quorum none\n", f"log {other.verifier}\nquorum none\n"):
        with pytest.raises(UntrustedError):
            policy(text).verify(cosigned())
    foreign = Checkpoint(ORIGIN, 7, TREES[7].root()).signed(other)
    with pytest.raises(UntrustedError):
        policy(f"log {other.verifier}\nquorum none\n").verify(bytes(foreign))


def test_a_signature_of_a_known_key_that_does_not_hold_is_no_matter_of_trust() -> None:
    note = Note.read(cosigned("X1"))
    wrong = note._replace(text=note.text.replace("\n7\n", "\n8\n"))
    with pytest.raises(IntegrityError):
        policy(f"{LINES}quorum none\n").verify(bytes(wrong))


def test_names_are_octets() -> None:
    text = f"log {LOG.verifier}\nwitness \u212a {KEYS['X1']}\nwitness K {KEYS['X2']}\n".encode()
    text += b"witness \xff " + KEYS["X3"].encode() + b"\nquorum \xff\n"
    assert list(Policy.read(text).verify(cosigned("X3")).witnesses.values()) == [1002]
    assert len(Policy.read(text).witnesses) == 3


def test_the_name_of_a_key_is_well_formed_text() -> None:
    line = b"log \xff" + str(LOG.verifier).encode() + b"\nquorum none\n"
    with pytest.raises(InvalidError, match=r"policy line 1: .*no verifier key"):
        Policy.read(line)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "policy: the file is empty"),
        ("quorum none", "policy: the last line is not ended"),
        (LINES, "no line states the quorum"),
        ("quorum none\nquorum none\n", "line 2: a second quorum"),
        ("quorum some\n", "no line before this one defines 'some'"),
        (f"quorum X1\nwitness X1 {KEYS['X1']}\n", "no line before this one defines 'X1'"),
        ("quorum\n", "not understood"),
        ("quorum none x\n", "not understood"),
        ("logs x\n", "not understood"),
        ("log\n", "not understood"),
        (f"log {LOG.verifier} url more\n", "not understood"),
        (f"witness X1 {KEYS['X1']} url more\n", "not understood"),
        ("log x\n", "no verifier key"),
        (f"log {KEYS['X1']}\n", "kind 4"),
        (f"witness X {LOG.verifier}\n", "kind 1"),
        (f"log {LOG.verifier}\nlog {LOG.verifier}\n", "line 2: a second log"),
        (f"witness A {KEYS['X1']}\nwitness B {KEYS['X1']}\n", "line 2: a second witness"),
        (f"witness A {KEYS['X1']}\nwitness A {KEYS['X2']}\n", "the name 'A' is taken"),
        (f"witness none {KEYS['X1']}\n", "the name 'none' is taken"),
        (f"{LINES}group X1 1 X2\n", "the name 'X1' is taken"),
        (f"{LINES}group G 1\n", "not understood"),
        (f"{LINES}group G 0 X1\n", "no threshold"),
        (f"{LINES}group G 2 X1\n", "no threshold"),
        (f"{LINES}group G +1 X1\n", "no threshold"),
        (f"{LINES}group G some X1\n", "no threshold"),
        (f"{LINES}group G any X1 X1\n", "is a member already"),
        (f"{LINES}group G any X1\ngroup H any X1\n", "is a member already"),
        (f"{LINES}group G any none\n", "no line before this one defines 'none'"),
        (f"{LINES}group G any G\n", "no line before this one defines 'G'"),
        ("quorum none\r\n", "line 1: a control character (the file has CRLF line ends; save it with LF)"),
        ("\ufeffquorum none\n", "the file begins with a byte order mark (BOM); save it as UTF-8 without one"),
        ("# \x7f\nquorum none\n", "line 1: a control character"),
        ("quorum\vnone\n", "a control character"),
    ],
)
def test_a_policy_that_breaks_a_rule_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(InvalidError, match=r"^policy( line [1-9][0-9]*)?: ") as caught:
        policy(text)
    assert complaint in caught.value.message


@given(st.binary(max_size=120))
def test_no_bytes_bring_the_reader_down(found: bytes) -> None:
    for raw in (found, LINES.encode() + found + b"\nquorum none\n"):
        with suppress(InvalidError):
            Policy.read(raw)

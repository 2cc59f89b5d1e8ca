"""Notes, policies and keys as the one-file verifier reads them, beside the project (C2SP)."""

import pytest

from ledger import standalone
from ledger.checkpoint import Checkpoint
from ledger.keys import Signer
from ledger.note import COSIGNATURE, VerifierKey
from ledger.policy import Policy
from tests.ledger.beside import allowed, passes
from tests.ledger.signing import ORIGIN, cosigner, signer

NOTE = Checkpoint(ORIGIN, 3, bytes(32)).signed(signer())


LINE = bytes(NOTE).splitlines(keepends=True)[-1]
CHANGES: list[tuple[bytes, bytes]] = [
    (b"\n3\n", b"\n3\n"),
    (b"\n3\n", b"\n03\n"),
    (b"\n3\n", b"\n-3\n"),
    (b"\n3\n", b"\n9223372036854775808\n"),
    (b"\n3\n", b"\n3\nmore\n"),
    (b"AAAA=", b"AA=="),
    (b"A" * 43 + b"=", b"AAAA"),
    (b"AAA=", b"AAB="),
    ("—".encode(), b"-"),
    (b"\n\n", b"\n"),
    (b"\n\n", b"\t\n\n"),
    (b"tests", b"te+ts"),
    (b"tests", b"\xff"),
    (b"tests", b"\n" * (1 << 20)),
    (b"tests.example", b"https://x"),
    (LINE, b""),
    (LINE, LINE * 100),
    (LINE, LINE * 101),
    (LINE, LINE[:-1]),
    (LINE, LINE + b"x\n"),
    (LINE, LINE[: LINE.rindex(b" ")] + b" AAAA\n"),
]


def test_notes_are_read_as_the_project_reads_them() -> None:
    for old, new in CHANGES:
        raw = bytes(NOTE).replace(old, new)
        assert passes(standalone.Checkpoint.read, raw) == allowed(Checkpoint.of, raw), (old, new)


def vkey(one: Signer) -> str:
    return str(one.verifier)


W1, W2, W3 = (cosigner(f"w{number}.example/w") for number in (1, 2, 3))
LOG = f"log {vkey(signer())}\n"
WITNESSES = "".join(f"witness w{place} {vkey(one)}\n" for place, one in enumerate((W1, W2, W3), 1))


@pytest.mark.parametrize(
    "text",
    [
        "quorum none\n",
        f"# x\n\n \t{LOG}quorum none\n",
        f"{LOG}quorum none",
        f"{LOG}quorum w1\n",
        f"{LOG}{WITNESSES}quorum w1\n",
        f"{LOG}{WITNESSES}group g any w1 w2\nquorum g\n",
        f"{LOG}{WITNESSES}group g all w1 w2\ngroup h 1 g w3\nquorum h https://x\n",
        f"{LOG}{WITNESSES}group g 2 w1 w2 w3\nquorum g\n",
        f"{LOG}{WITNESSES}group g 4 w1 w2 w3\nquorum g\n",
        f"{LOG}{WITNESSES}group g 0 w1\nquorum g\n",
        f"{LOG}{WITNESSES}group g x w1\nquorum g\n",
        f"{LOG}{WITNESSES}group g any w1 w1\nquorum g\n",
        f"{LOG}{WITNESSES}group w1 any w2\nquorum w1\n",
        f"{LOG}{WITNESSES}group g any w1\ngroup h any w1\nquorum g\n",
        f"{LOG}{WITNESSES}group g any\nquorum g\n",
        f"{LOG}{WITNESSES}group g any x\nquorum g\n",
        f"{LOG}{WITNESSES}group none any w1\nquorum none\n",
        f"{LOG}quorum none\nquorum none\n",
        f"{LOG}{LOG}quorum none\n",
        f"{LOG}",
        "log x\nquorum none\n",
        f"log {vkey(W1)}\nquorum none\n",
        f"witness w {vkey(signer())}\nquorum none\n",
        "\x00\nquorum none\n",
        f"{LOG.strip()} https://x\nquorum none\n",
        f"{LOG.strip()} https://x y\nquorum none\n",
        f"witness a {vkey(W1)}\nwitness b {vkey(W1)}\nquorum none\n",
        "what\nquorum none\n",
        "quorum\n",
    ],
)
def test_policies_are_read_and_met_as_the_project_reads_them(text: str) -> None:
    raw = text.encode()
    assert passes(standalone.Policy, raw) == allowed(Policy.read, raw)
    if passes(standalone.Policy, raw):
        read, ours = standalone.Policy(raw), Policy.read(raw)
        for some in ((), (W1,), (W1, W2), (W1, W2, W3), (W3,)):
            note = NOTE.signed(*(one.sign(NOTE.text, 1_700_000_000) for one in some))
            there = standalone.Note.read(bytes(note))
            trusted = allowed(ours.verify, bytes(note))
            assert read.accepts(there, read.of(ORIGIN)) == trusted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "a+b",
        "a+00000000+AAAA",
        vkey(W1),
        vkey(signer()),
        vkey(signer()).replace("+", "+0", 1),
        " " + vkey(signer()),
    ],
)
def test_keys_are_read_as_the_project_reads_them(text: str) -> None:
    for kind in (1, COSIGNATURE):
        assert passes(standalone.Key.read, text, kind) == allowed(VerifierKey.read, text, kind)

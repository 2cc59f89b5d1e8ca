"""How TLS fails: no certificate of another, of yesterday, of nobody; then no request is sent."""

from tests.netns.case import HANGS, OTHER, TEXT, WWW, Answer, Case, forever, page, says, to

NAMES = ("www.c{n}.test",)
LATE = f"robots.txt was not read: not over within {HANGS:g} seconds"
UNREAD = "robots.txt was not read: "
BAD = f"{UNREAD}the certificate is not accepted: "


def refused(name: str, tls: str, reason: str, **more: object) -> Case:
    """TLS does not come about."""
    case: dict[str, object] = {
        "url": "https://www.c{n}.test/?q=canary-query",
        "reached": (WWW,),
        "asked": NAMES,
        **more,
    }
    return Case(name=f"TLS: {name}", state="failed", reason=reason, tls=tls, **case)  # type: ignore[arg-type]


def secure(name: str, state: str, reason: str, answer: Answer, **more: object) -> Case:
    """TLS is good, and the page is answered so."""
    case: dict[str, object] = {
        "url": "https://www.c{n}.test/",
        "reached": (WWW,),
        "asked": NAMES,
        "site": {"www /": answer},
        "final": "https://www.c{n}.test/" if state == "captured" else "",
        **more,
    }
    return Case(name=f"TLS: {name}", state=state, reason=reason, **case)  # type: ignore[arg-type]


TLS = (
    refused(
        "another host's certificate",
        "wrong",
        BAD + "Hostname mismatch, certificate is not valid for 'www.c{n}.test'.",
    ),
    refused(
        "certificate for a whole domain",
        "star",
        BAD + "Hostname mismatch, certificate is not valid for 'www.c{n}.test'.",
    ),
    refused("yesterday's certificate", "expired", BAD + "certificate has expired"),
    refused("tomorrow's certificate", "early", BAD + "certificate is not yet valid"),
    refused("certificate signed by itself", "selfsigned", BAD + "self…"),
    refused("unknown authority", "stranger", BAD + "unable to get local issuer certificate"),
    refused(
        "our authority, which the system does not know",
        "good",
        BAD + "unable to get local issuer certificate",
        trusted=False,
    ),
    refused(
        "address that the certificate lacks",
        "good",
        BAD + "IP address mismatch, certificate is not valid for '93.184.{n}.2'.",
        url="https://93.184.{n}.2/",
        reached=(OTHER,),
        asked=(),
    ),
    refused("version 1.1", "old", UNREAD + "no TLS: …"),
    refused("client's certificate wanted", "asks", UNREAD + "…"),
    refused("no TLS at all", "plain", UNREAD + "no TLS: …"),
    refused("closed in the handshake", "closed", UNREAD + "no TLS: …"),
    refused("silent in the handshake", "silent", LATE, seconds=HANGS, fresh=True),
    refused("drips in the handshake", "drips", LATE, seconds=HANGS),
    secure("good", "captured", "", says(page()), fresh=True),
    secure(
        "address in the certificate",
        "captured",
        "",
        says(page(TEXT)),
        url="https://93.184.{n}.1/",
        asked=(),
        site={},
        final="https://93.184.{n}.1/",
    ),
    secure(
        "cut without a word, no length",
        "failed",
        "the connection broke: …",
        says(b"HTTP/1.1 200 OK\r\n\r\nhalf", "cut"),
    ),
    secure(
        "inside behind TLS",
        "rejected",
        "the host is 169.254.169.254, which is not public: Cloud metadata",
        to("https://169.254.169.254/"),
    ),
    secure(
        "redirect to a host with a bad name",
        "failed",
        BAD + "IP address mismatch, certificate is not valid for '93.184.{n}.2'.",
        to("https://93.184.{n}.2/"),
        url="https://www.c{n}.test/?q=canary-query",
        reached=(WWW, OTHER),
    ),
    secure(
        "drips",
        "failed",
        f"not over within {HANGS:g} seconds",
        forever(b"HTTP/1.1 200 OK\r\n\r\n", 0.1, b"a"),
        seconds=HANGS,
    ),
)

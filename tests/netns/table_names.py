"""What the name service says: rebinding, mixed answers, aliases, floods, lies, silence."""

from tests.netns.case import HANGS, OTHER, WWW, Case, Name, page, says, to

ASKED = ("www.c{n}.test",)
LATE = f"not over within {HANGS:g} seconds"


def closed(name: str, why: str, *addresses: str, **more: object) -> Case:
    """The name has these addresses, and is refused for their sake."""
    return Case(
        name=f"DNS: {name}",
        state="rejected",
        reason=f"the host is {why}",
        names={
            "www": Name(
                a=tuple(one for one in addresses if ":" not in one),
                aaaa=tuple(one for one in addresses if ":" in one),
            )
        },
        asked=ASKED,
        **more,  # type: ignore[arg-type]  # each case names real fields
    )


def unresolved(name: str, reason: str, manner: str, seconds: float = HANGS, **more: object) -> Case:
    """No address comes of it."""
    return Case(
        name=f"DNS: {name}",
        state="failed",
        reason=reason,
        names={"www": Name(a=(WWW,), manner=manner)},
        asked=ASKED,
        seconds=seconds,
        **more,  # type: ignore[arg-type]
    )


def resolved(name: str, said: Name, *reached: str, **more: object) -> Case:
    """Captured all the same."""
    return Case(
        name=f"DNS: {name}",
        state="captured",
        names={"www": said, **more.pop("others", {})},  # type: ignore[dict-item]
        reached=reached,
        asked=ASKED,
        final="http://www.c{n}.test/",
        **more,  # type: ignore[arg-type]
    )


def localhost(name: str) -> Case:
    """A name that everybody takes for our own machine."""
    return Case(
        name=f"DNS: {name}",
        state="rejected",
        reason="the host is 127.0.0.1, which is not public: Loopback",
        url=f"http://{name}/",
        names={name: Name(a=("127.0.0.1",))},
        asked=(name,),
    )


MANY = tuple(f"93.184.{{n}}.{last}" for last in range(3, 250)) * 8

NAME_SERVICE = (
    closed("loopback", "127.0.0.1, which is not public: Loopback", "127.0.0.1"),
    closed("unspecified", "0.0.0.0, which is not public: This host on this network", "0.0.0.0"),  # noqa: S104
    closed("metadata", "169.254.169.254, which is not public: Cloud metadata", "169.254.169.254"),
    closed("WireServer", "168.63.129.16, which is not public: Azure WireServer", "168.63.129.16"),
    closed("private", "192.168.0.1, which is not public: Private-Use", "192.168.0.1"),
    closed("multicast", "224.0.0.1, which is not public: Multicast", "224.0.0.1"),
    closed("IPv6 loopback", "::1, which is not public: Loopback Address", "::1"),
    closed("unique local", "fd00::1, which is not public: Unique-Local", "fd00::1"),
    closed("site local", "fec0::1, which is not public: Site-Local (deprecated)", "fec0::1"),
    closed("IPv6 multicast", "ff02::1, which is not public: Multicast", "ff02::1"),
    closed(
        "NAT64",
        "64:ff9b::a00:1, which is not public: NAT64 with 10.0.0.1 inside, Private-Use",
        "64:ff9b::10.0.0.1",
    ),
    closed(
        "NAT64 of a network's own",
        "64:ff9b:1::7f00:1, which is not public: IPv4-IPv6 Translat. with 127.0.0.1 inside, Loopback",
        "64:ff9b:1::127.0.0.1",
    ),
    closed(
        "6to4",
        "2002:a9fe:a9fe::1, which is not public: 6to4 with 169.254.169.254 inside, Cloud metadata",
        "2002:a9fe:a9fe::1",
    ),
    closed(
        "Teredo",
        "2001:0:808:808::80ff:fffe, which is not public: TEREDO with 127.0.0.1 inside, Loopback",
        "2001:0:808:808::80ff:fffe",
    ),
    closed(
        "ISATAP",
        "2606:2800::5efe:a00:1, which is not public: ISATAP with 10.0.0.1 inside, Private-Use",
        "2606:2800::5efe:a00:1",
    ),
    closed(
        "mapped",
        "::ffff:127.0.0.1, which is not public: IPv4-mapped Address with 127.0.0.1 inside, Loopback",
        "::ffff:127.0.0.1",
    ),
    closed("public and private", "10.1.1.1, which is not public: Private-Use", WWW, "10.1.1.1"),
    closed("private and public", "10.1.1.1, which is not public: Private-Use", "10.1.1.1", WWW),
    closed("public IPv4, private IPv6", "fd00::2, which is not public: Unique-Local", WWW, "fd00::2"),
    closed(
        "public IPv6, private IPv4",
        "172.16.0.1, which is not public: Private-Use",
        "2606:2800:{n}::1",
        "172.16.0.1",
    ),
    closed(
        "one private among two thousand",
        "10.2.2.2, which is not public: Private-Use",
        *MANY,
        "10.2.2.2",
    ),
    Case(
        name="DNS: alias to a name inside",
        state="rejected",
        reason="the host is 169.254.169.254, which is not public: Cloud metadata",
        names={
            "www": Name(alias="metadata.google.internal"),
            "metadata.google.internal": Name(a=("169.254.169.254",)),
        },
        asked=ASKED,
    ),
    Case(
        name="DNS: chain of aliases that ends inside",
        state="rejected",
        reason="the host is 10.3.3.3, which is not public: Private-Use",
        names={
            "www": Name(alias="one.c{n}.test"),
            "one": Name(alias="two.c{n}.test"),
            "two": Name(alias="three.c{n}.test"),
            "three": Name(a=("10.3.3.3",)),
        },
        asked=ASKED,
    ),
    localhost("localhost"),
    localhost("printer.lan"),
    localhost("127.0.0.1.nip.io.test"),
    unresolved("no such name", "the name was not resolved: Name or service not known", "nxdomain"),
    unresolved(
        "name without an address", "the name was not resolved: No address associated with hostname", "nothing"
    ),
    unresolved(
        "server's failure", "the name was not resolved: Temporary failure in name resolution", "servfail"
    ),
    unresolved("refusal", "the name was not resolved: Temporary failure in name resolution", "refused"),
    unresolved("silence", LATE, "silent", fresh=True),
    unresolved("silence about IPv6 alone", LATE, "half"),
    Case(
        name="DNS: aliases in a circle",
        state="failed",
        reason="the name was not resolved: …",
        names={"www": Name(alias="one.c{n}.test"), "one": Name(alias="www.c{n}.test")},
        asked=ASKED,
    ),
    resolved("IPv6 only", Name(aaaa=("2606:2800:{n}::1",)), "2606:2800:{n}::1"),
    resolved("late answers", Name(a=(WWW,), manner="late"), WWW),
    resolved("truncated, then TCP", Name(a=(WWW,), manner="truncated"), WWW),
    resolved("two thousand addresses", Name(a=MANY), "93.184.{n}.3", fresh=True),
    resolved("forged answers before the true one", Name(a=(WWW,), manner="lying"), WWW, fresh=True),
    resolved(
        "alias of a public name",
        Name(alias="other.c{n}.test"),
        OTHER,
    ),
    resolved("rebinding to loopback", Name(a=(WWW,), then=("127.0.0.1",)), WWW),
    resolved("rebinding to metadata", Name(a=(WWW,), then=("169.254.169.254", "fd00:ec2::254")), WWW),
    Case(
        name="DNS: rebinding between two hops",
        state="rejected",
        reason="the host is 127.0.0.1, which is not public: Loopback",
        names={"www": Name(a=(WWW,), then=("127.0.0.1",))},
        site={"/": to("/again"), "/again": says(page())},
        reached=(WWW,),
        asked=ASKED,
    ),
    Case(
        name="DNS: rebinding between two hops, away and back",
        state="rejected",
        reason="the host is ::1, which is not public: Loopback Address",
        names={"www": Name(a=(WWW,), then=("::1",))},
        site={"www /": to("http://other.c{n}.test/"), "other /": to("http://www.c{n}.test/again")},
        reached=(WWW, OTHER),
        asked=("www.c{n}.test", "other.c{n}.test"),
    ),
    Case(
        name="DNS: rubbish",
        state="failed",
        reason="the name was not resolved: Temporary failure in name resolution",
        names={"www": Name(a=(WWW,), manner="garbage")},
        asked=ASKED,
    ),
)

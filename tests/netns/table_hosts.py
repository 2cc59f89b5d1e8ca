"""What a URL alone says: numeric hosts in every writing, Unicode, users, ports, schemes, line breaks."""

from tests.netns.case import OTHER, TEXT, WWW, Case, Name, numeric, page, says

NUMBER = "the host is a number but no canonical dotted quad"
LETTERS = "the host holds characters that are no plain letters or digits"
NO_NAME = "the host is no host name"
CONTROL = "the URL holds a control character"
ESCAPED = "the URL holds an escaped control character"


def refused(name: str, url: str, reason: str) -> Case:
    """Nothing is looked up and nothing connected to."""
    return Case(name=f"URL: {name}", state="rejected", reason=reason, url=url)


def inside(address: str, why: str) -> Case:
    """The address of something inside, written out; somebody answers there."""
    host = f"[{address}]" if ":" in address else address
    return refused(
        address, f"http://{host}/latest/meta-data/", f"the host is {numeric(address)}, which is {why}"
    )


def public(name: str, url: str, address: str, final: str = "", **more: object) -> Case:
    """A public address beside a closed block, so that the blocks are no larger than they should be."""
    return Case(
        name=f"URL: {name}",
        state="captured",
        url=url,
        reached=(address,),
        final=final or url,
        **more,  # type: ignore[arg-type]  # each case names real fields
    )


HOSTS = (
    refused("decimal", "http://2130706433/", NUMBER),
    refused("hexadecimal", "http://0x7f000001/", NUMBER),
    refused("hexadecimal parts", "http://0x7f.0x0.0x0.0x1/", NUMBER),
    refused("octal", "http://0177.0.0.1/", NUMBER),
    refused("octal of metadata", "http://0251.0376.0251.0376/", NUMBER),
    refused("decimal of metadata", "http://2852039166/latest/meta-data/", NUMBER),
    refused("short", "http://127.1/", NUMBER),
    refused("zero", "http://0/", NUMBER),
    refused("overflow", "http://4294967296/", NUMBER),
    refused("leading zeros", "http://010.0.0.1/", NUMBER),
    refused("quad with a root dot", "http://127.0.0.1./", NUMBER),
    refused("ideographic full stops", "http://127。0。0。1/", NUMBER),
    refused("half-width ideographic stops", "http://127｡0｡0｡1/", LETTERS),
    refused("full-width digits", "http://１２７.０.０.１/", LETTERS),
    refused("full-width stop", "http://127．0．0．1/", LETTERS),
    refused("enclosed digits", "http://①②⑦.⓪.⓪.①/", LETTERS),
    refused("superscripts", "http://¹⁶⁹.²⁵⁴.169.254/", LETTERS),
    refused("escaped digits", "http://%31%32%37.0.0.1/", "the host holds an escape"),
    refused("full-width localhost", "http://ｌｏｃａｌｈｏｓｔ/", LETTERS),
    refused("soft hyphen", "http://local\u00adhost.c{n}.test/", LETTERS),
    refused("punycode of ASCII", "http://xn--localhost-.c{n}.test/", NO_NAME),
    refused("slash look-alike", "http://www.c{n}.test⁄.other.c{n}.test/", LETTERS),
    inside("127.0.0.1", "not public: Loopback"),
    inside("127.255.255.254", "not public: Loopback"),
    inside("0.0.0.0", "not public: This host on this network"),  # noqa: S104
    inside("10.0.0.1", "not public: Private-Use"),
    inside("172.31.255.254", "not public: Private-Use"),
    inside("192.168.1.1", "not public: Private-Use"),
    inside("169.254.169.254", "not public: Cloud metadata"),
    inside("100.100.100.200", "not public: Alibaba Cloud metadata"),
    inside("168.63.129.16", "not public: Azure WireServer"),
    inside("100.64.0.1", "not public: Shared Address Space"),
    inside("192.0.0.192", "not public: IETF Protocol Assignments"),
    inside("198.18.0.1", "not public: Benchmarking"),
    inside("255.255.255.255", "not public: Limited Broadcast"),
    inside("::1", "not public: Loopback Address"),
    inside("::", "not public: Unspecified Address"),
    inside("fd00:ec2::254", "not public: Amazon EC2 metadata"),
    inside("fd12:3456::1", "not public: Unique-Local"),
    inside("fe80::1", "not public: Link-Local Unicast"),
    inside(
        "::ffff:169.254.169.254",
        "not public: IPv4-mapped Address with 169.254.169.254 inside, Cloud metadata",
    ),
    refused(
        "mapped in hexadecimal",
        "http://[::ffff:7f00:1]/",
        f"the host is {numeric('::ffff:127.0.0.1')}, "
        "which is not public: IPv4-mapped Address with 127.0.0.1 inside, Loopback",
    ),
    refused(
        "compatible",
        "http://[::127.0.0.1]/",
        "the host is ::7f00:1, which is not public: IPv4-compatible Address (deprecated) "
        "with 127.0.0.1 inside, Loopback",
    ),
    refused(
        "NAT64",
        "http://[64:ff9b::a9fe:a9fe]/",
        "the host is 64:ff9b::a9fe:a9fe, "
        "which is not public: NAT64 with 169.254.169.254 inside, Cloud metadata",
    ),
    refused(
        "6to4",
        "http://[2002:7f00:1::1]/",
        "the host is 2002:7f00:1::1, which is not public: 6to4 with 127.0.0.1 inside, Loopback",
    ),
    refused(
        "Teredo",
        "http://[2001:0:a00:1::80ff:fffe]/",
        "the host is 2001:0:a00:1::80ff:fffe, which is not public: TEREDO with 10.0.0.1 inside, Private-Use",
    ),
    refused("scope id", "http://[fe80::1%25lo]/", "the host address has a scope id"),
    refused("no closed bracket", "http://[::1/", "the URL has no readable host and port"),
    refused("user", "http://www.c{n}.test@10.0.0.1/", "url names a user"),
    refused("user and password", "http://www.c{n}.test:80@127.0.0.1:6379/", "url names a user"),
    refused("backslash", "http://www.c{n}.test\\@10.0.0.1/", "url names a user"),
    refused("port of SSH", "http://www.c{n}.test:22/", "port 22 is not allowed"),
    refused("port of mail", "http://www.c{n}.test:25/", "port 25 is not allowed"),
    refused("port of Redis", "http://www.c{n}.test:6379/", "port 6379 is not allowed"),
    refused("port 8080", "https://www.c{n}.test:8080/", "port 8080 is not allowed"),
    refused("port over 65535", "http://www.c{n}.test:65616/", "the port is not from 1 to 65535"),
    refused(
        "port in full-width digits", "http://www.c{n}.test:８０/", "the URL has no readable host and port"
    ),
    refused("line break", "http://www.c{n}.test/\r\nX-Canary: 1", CONTROL),
    refused("line break in the host", "http://www.c{n}.test\r\nX-Canary: 1/", CONTROL),
    refused("tab in the host", "http://www.\tc{n}.test/", CONTROL),
    refused("escaped line break", "http://www.c{n}.test/%0d%0aX-Canary:%201", ESCAPED),
    refused("escaped line break in the query", "http://www.c{n}.test/?q=%0D%0A%0D%0AGET%20/", ESCAPED),
    refused("gopher", "gopher://127.0.0.1:6379/_INFO", "the URL is neither http nor https"),
    refused("file", "file:///etc/passwd", "the URL is neither http nor https"),
    refused("dict", "dict://10.0.0.1:25/", "the URL is neither http nor https"),
    refused("no authority", "http:10.0.0.1/", "the URL is not absolute"),
    refused("three slashes", "http:///10.0.0.1/", "the URL has no host"),
    public("public quad", "http://93.184.{n}.1/", WWW),
    public("public IPv6", "http://[2606:2800:{n}::1]/", "2606:2800:{n}::1"),
    public("below private 10", "http://9.255.255.255/", "9.255.255.255"),
    public("above loopback", "http://128.0.0.1/", "128.0.0.1"),
    public("above private 172", "http://172.32.0.1/", "172.32.0.1"),
    public("above carrier grade", "http://100.128.0.1/", "100.128.0.1"),
    public(
        "NAT64 with a public address inside",
        "http://[64:ff9b::101:101]/",
        "64:ff9b::101:101",
        "http://[64:ff9b::101:101]/",
    ),
    public("upper case", "HTTP://WWW.C{n}.TEST/", WWW, "http://www.c{n}.test/", asked=("www.c{n}.test",)),
    public("root dot", "http://www.c{n}.test./", WWW, "http://www.c{n}.test/", asked=("www.c{n}.test",)),
    public(
        "fragment",
        "http://www.c{n}.test/#canary-fragment",
        WWW,
        "http://www.c{n}.test/",
        asked=("www.c{n}.test",),
    ),
    public(
        "allowed port",
        "http://www.c{n}.test:8080/",
        WWW,
        options=("--allow-port", "8080"),
        asked=("www.c{n}.test",),
    ),
    public(
        "allowed block",
        "http://other.c{n}.test/",
        OTHER,
        options=("--allow-address", "10.0.0.0/8"),
        asked=("other.c{n}.test",),
    ),
    public(
        "Chinese name",
        "http://页面.c{n}.test/",
        OTHER,
        "http://xn--vs5a3u.c{n}.test/",
        asked=("xn--vs5a3u.c{n}.test",),
        names={"xn--vs5a3u": Name(a=(OTHER,))},
    ),
    public(
        "Chinese name with ideographic stops",
        "http://www。c{n}。test/",
        WWW,
        "http://www.c{n}.test/",
        asked=("www.c{n}.test",),
    ),
    public(
        "Chinese path and query",
        "http://www.c{n}.test/标准?q=页面",
        WWW,
        "http://www.c{n}.test/%E6%A0%87%E5%87%86?q=%E9%A1%B5%E9%9D%A2",
        asked=("www.c{n}.test",),
        site={"/%E6%A0%87%E5%87%86": says(page(TEXT))},
    ),
)

"""Bytes into text by a strict ladder: byte order mark, HTTP, meta, XML declaration, UTF-8, GB18030.

Every step decodes the whole body strictly or fails, and a step that fails is told. Nothing is ever
replaced or left out, so the text is what the bytes say in the charset that is named.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from providers.web.extraction import tokens

# Chinese sites put scripts before their meta; the standard's own 1,024 bytes are a minimum.
_PRESCAN: Final = 8192
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CODECS: Final = {
    label: codec
    for codec, labels in {
        "utf-8": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
        # GB2312 and GBK are what pages say; the bytes hold what only GB18030 has.
        "gb18030": "gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 csgb2312 chinese iso-ir-58 csiso58gb231280 "
        "cp936 ms936 windows-936 euc-cn",
        "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
        "utf-16-le": "utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2 csunicode unicodefeff",
        "utf-16-be": "utf-16be unicodefffe",
        "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j csshiftjis ms932",
        "euc-jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
        "cp949": "euc-kr cseuckr korean ks_c_5601-1987 ksc5601 windows-949",
        "ascii": "us-ascii ascii ansi_x3.4-1968",
        "cp1252": "iso-8859-1 iso8859-1 iso88591 latin1 l1 windows-1252 cp1252 x-cp1252",
    }.items()
    for label in labels.split()
}
# Nearly any bytes are text in it, and servers name it without looking: it proves nothing.
_LOOSE: Final = "cp1252"
_HTTP = re.compile(r";[ \t]*+charset[ \t]*+=[ \t]*+(?:\"([^\"]*)\"|'([^']*)'|([^;\s\"']++))", re.IGNORECASE)
_IN_META = re.compile(r"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+[\"']?([^\"';\t\n\f\r ]++)", re.IGNORECASE)
_XML = re.compile(rb"<\?xml[^>]{0,100}?\sencoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]{0,39})[\"']")
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_SHOWN: Final = 40
# Of GBK text hardly any is well-formed UTF-8; of UTF-8 with one bad byte nearly all is.
_NEARLY_UTF8: Final = 0.9
_ASCII: Final = bytes(range(128))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body as text, or `text` None; `steps` tells every step that was tried and what was noted."""

    text: str | None
    charset: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Step:
    origin: str
    label: str
    codec: str

    @property
    def name(self) -> str:
        return f"{self.origin}:{self.codec}" if self.origin else self.codec


def decode(body: bytes, content_type: str, *, markup: bool = True) -> Decoded:
    """`body` as text by the ladder; with `markup` its meta elements and XML declaration are asked."""
    told: list[str] = []
    loose: list[_Step] = []
    tried: set[str] = set()
    for step in chain(_declared(body, content_type, markup=markup), _assumed(loose)):
        if not step.codec:
            told.append(f"{step.origin}:{step.label} unknown")
        elif step.codec == _LOOSE and step not in loose:
            told.append(f"{step.name} set aside: nearly any bytes fit it")
            loose.append(step)
        elif step.origin or step.codec not in tried:
            text = None if step.codec in tried else _strict(body, step)
            tried.add(step.codec)
            if text is not None:
                return Decoded(text, step.codec, (*told, step.name, *_notes(body, text, step)))
            told.append(f"{step.name} failed")
    return Decoded(None, "", tuple(told))


def _declared(body: bytes, content_type: str, *, markup: bool) -> Iterator[_Step]:
    for mark, codec in _BOMS:
        if body.startswith(mark):
            yield _Step("bom", codec, codec)
    if found := _HTTP.search(content_type):
        yield _labelled("http", next(group for group in found.groups() if group is not None))
    if markup:
        head = body[:_PRESCAN]
        if (label := _meta(head)) is not None:
            # A meta that can be read as ASCII is not UTF-16 (HTML, prescan).
            yield _labelled("meta", "utf-8" if _CODECS.get(label, "").startswith("utf-16") else label)
        if found_xml := _XML.match(head):
            yield _labelled("xml", found_xml[1].decode("ascii"))


def _assumed(loose: list[_Step]) -> Iterator[_Step]:
    yield _Step("", "utf-8", "utf-8")
    yield from loose
    yield _Step("", "gb18030", "gb18030")


def _labelled(origin: str, label: str) -> _Step:
    known = label.strip("\t\n\f\r ").lower()
    printable = "".join(character if character.isprintable() else "?" for character in known[:_SHOWN])
    return _Step(origin, printable, _CODECS.get(known, ""))


def _meta(head: bytes) -> str | None:
    """The charset that the first meta element to name one names, in lower case."""
    for token in tokens.tokens(head.decode("latin-1")):
        if token.kind is tokens.Kind.START and token.name == "meta":
            values = tokens.values(token.text)
            if label := values.get("charset", "").strip("\t\n\f\r "):
                return label.lower()
            if values.get("http-equiv", "").lower() == "content-type" and (
                found := _IN_META.search(values.get("content", ""))
            ):
                return found[1].lower()
    return None


def _strict(body: bytes, step: _Step) -> str | None:
    for mark, codec in _BOMS:
        if codec == step.codec:
            body = body.removeprefix(mark)
    try:
        text = body.decode(step.codec)
    except UnicodeDecodeError:
        return None
    if step.origin:
        return text
    # Nothing declared it, so it has to look like text: UTF-16 without a mark is full of U+0000, and
    # damaged UTF-8 is often well-formed, and meaningless, as GB18030.
    damaged = step.codec == "gb18030" and _nearly_utf8(body)
    return None if "\0" in text or damaged else text


def _nearly_utf8(body: bytes) -> bool:
    high = len(body.translate(None, _ASCII))
    read = body.decode("utf-8", "ignore")  # to measure only; this text goes nowhere
    kept = len(read.encode("utf-8").translate(None, _ASCII))
    return high > 0 and kept >= _NEARLY_UTF8 * high


def _notes(body: bytes, text: str, step: _Step) -> Iterator[str]:
    if private := len(_PRIVATE.findall(text)):
        yield f"noted: {private} private-use characters"
    if replaced := text.count("\ufffd"):
        yield f"noted: {replaced} U+FFFD stood in the source"
    if step.origin and step.codec != "utf-8" and not body.isascii() and _is_utf8(body):
        yield "noted: the bytes are UTF-8 as well"


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True

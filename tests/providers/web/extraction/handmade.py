"""PDF files made by hand, so that a test says every byte of them."""

import zlib

_FONT = b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[4 0 R]>>"
_CHARACTERS = (
    b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/DW 1000/FontDescriptor 5 0 R"
    b"/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>>>"
)
_SHAPE = (
    b"<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0"
    b"/Ascent 800/Descent -200/CapHeight 700/StemV 80>>"
)


def pdf(*pages: list[str], trailer: bytes = b"", extra: tuple[bytes, ...] = ()) -> bytes:
    """A PDF with one page a list, one line of Chinese text an entry."""
    return pdf_of(*map(_content, pages), trailer=trailer, extra=extra)


def pdf_of(*contents: bytes, trailer: bytes = b"", extra: tuple[bytes, ...] = ()) -> bytes:
    """A PDF with one page for each content stream, which is given as an object."""
    kids = b" ".join(b"%d 0 R" % (6 + 2 * page) for page in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(contents), kids),
        _FONT,
        _CHARACTERS,
        _SHAPE,
    ]
    for page, content in enumerate(contents):
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
            b"/Contents %d 0 R>>" % (7 + 2 * page),
            content,
        ]
    return _file([*objects, *extra], trailer)


def stream(data: bytes, keys: bytes = b"") -> bytes:
    """A stream object."""
    return b"<</Length %d%s>>\nstream\n%s\nendstream" % (len(data), keys, data)


def bomb(mebibytes: int) -> bytes:
    """A content stream object of a few hundred kilobytes that unpacks to so many MiB of spaces."""
    packer = zlib.compressobj(9)
    block = b" " * (1 << 20)
    packed = b"".join(packer.compress(block) for _ in range(mebibytes)) + packer.flush()
    return stream(packed, b"/Filter/FlateDecode")


def endless(operators: int) -> bytes:
    """A content stream object with so many operators that draw text."""
    data = b"BT /F1 9 Tf " + b"<4E004E8C> Tj " * operators + b"ET"
    return stream(zlib.compress(data), b"/Filter/FlateDecode")


def _content(lines: list[str]) -> bytes:
    shown = b"".join(b"<%s> Tj T*\n" % line.encode("utf-16-be").hex().encode() for line in lines)
    return stream(b"BT /F1 12 Tf 14 TL 50 800 Td\n" + shown + b"ET")


def _file(objects: list[bytes], trailer: bytes) -> bytes:
    made = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = b"%d" % (len(objects) + 1)
    made += b"trailer\n<</Size " + size + b"/Root 1 0 R" + trailer + b">>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(made)

"""Document numbers folded, so that honest ways to write one meet (regulations.md section 8, E4)."""

import re
import unicodedata
from typing import Final

from providers.regulations import numerals

_OPEN: Final = "〔[(【﹝〖{〈<"
_CLOSE: Final = "〕])】﹞〗}〉>"
_YEAR: Final = re.compile(f"[{re.escape(_OPEN)}]((?:19|20)[0-9]{{2}})年?[{re.escape(_CLOSE)}]")
# From the beginning of a run of digits only: from each of them a long run would be read anew.
_NUMBER: Final = re.compile(f"第?(?<!{numerals.NUMERAL})({numerals.NUMERAL}++)号")
_NAMES: Final = (
    ("中华人民共和国", ""),
    ("国家药品监督管理局", "国家药监局"),
    ("国家市场监督管理总局", "市场监管总局"),
    ("国家市场监管总局", "市场监管总局"),
)


def fold(text: str) -> str:
    """The key of a document number: one bracket form, one digit form, no white space, no 第.

    法释[2020]第25号, 法释（2020）25号 and 法释〔2020〕25号 have one key, so have 主席令第七十八号 and
    主席令第78号. Two documents may share a key: a number is an address, not an identity.
    """
    plain = "".join(unicodedata.normalize("NFKC", text).split())
    for name, short in _NAMES:
        plain = plain.replace(name, short)
    plain = _YEAR.sub(r"〔\1〕", plain)
    return _NUMBER.sub(_digits, plain)


def _digits(match: re.Match[str]) -> str:
    number = numerals.read(match[1])
    return match[0] if number is None else f"{number}号"

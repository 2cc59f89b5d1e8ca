"""Invented Chinese notices as web pages, seeded: the same on every machine, with what each of them says.

Each page has the furniture of a government site (menus, scripts, a foot), articles 第X条 with items
（一）, numbered clauses 3.1.2 and a table. Its charset is stated as such sites state it: GBK under the name
gb2312 in a meta element, GB18030 in the header, UTF-8 in a meta element or nowhere.
"""

import random
from dataclasses import dataclass
from typing import Final

_SUBJECTS: Final = [
    "建设单位",
    "施工单位",
    "监理单位",
    "注册申请人",
    "检验机构",
    "生产企业",
    "审查机构",
    "使用单位",
    "设计单位",
]
_DUTIES: Final = ["应当", "不得", "可以", "必须", "宜", "不应"]
_DEEDS: Final = [
    "编制专项施工方案",
    "提交补充检验报告",
    "保存原始记录",
    "核对引用标准的现行版本",
    "组织专家论证",
    "公布复审结论",
    "申请变更注册",
    "设置临时支护",
    "复验进场钢筋",
    "更新产品技术要求",
    "报送年度自查报告",
    "停止使用已废止的规范",
]
_REASONS: Final = [
    "开挖深度超过规定限值时",
    "产品标准发生修订时",
    "收到补正通知之日起",
    "焊接工艺改变以前",
    "边坡变形达到预警值时",
    "申报资料不一致时",
    "检验周期届满之前",
    "隐蔽工程验收以前",
]
_RARE: Final = "㐂㙍䶮𠮷𫖯"  # in GB18030, not in GBK
_NUMERALS: Final = "一二三四五六七八九十"
_DECLARED: Final = ("gbk", "gb18030", "utf-8", "utf-8 unsaid")


@dataclass(frozen=True)
class Notice:
    """One page as it is served, and every paragraph, item and table cell that it states."""

    path: str
    content_type: str
    body: bytes
    truth: tuple[str, ...]


def notices(count: int, seed: int = 2026) -> list[Notice]:
    """`count` pages of 10 to 60 KB."""
    chance = random.Random(seed)
    return [_notice(place, chance) for place in range(count)]


def _notice(place: int, chance: random.Random) -> Notice:
    declared = _DECLARED[place % len(_DECLARED)]
    codec = declared.split()[0]
    rare = chance.choice(_RARE) if codec == "gb18030" else ""
    truth: list[str] = []
    size, wanted = 0, chance.randint(10, 60) * 1000
    content: list[str] = []
    furniture = _furniture(place, chance)
    while size < wanted - len(furniture.encode(codec)) - 800:
        piece = _article(len(content) + 1, place, rare, truth, chance)
        content.append(piece)
        size += len(piece.encode(codec))
    meta = '<meta charset="gb2312">' if codec == "gbk" else ""
    meta = '<meta charset="utf-8">' if declared == "utf-8" else meta
    html = (
        f"<!DOCTYPE html>\n<html><head>{meta}<title>关于第{place}号事项的公告</title>"
        f'<meta name="PubDate" content="2026-0{place % 9 + 1}-15"></head>\n<body>{furniture}'
        f'<div class="content"><h1>关于第{place}号事项的公告</h1>{"".join(content)}</div>'
        '<div class="footer">主办单位：甲市住房和城乡建设局 网站标识码：3700000000</div></body></html>\n'
    )
    kind = "text/html; charset=GB18030" if codec == "gb18030" else "text/html"
    return Notice(f"/notices/{place}.html", kind, html.encode(codec), tuple(truth))


def _furniture(place: int, chance: random.Random) -> str:
    links = "".join(
        f'<li><a href="/col/{number}.html" title="{chance.choice(_DEEDS)}">{chance.choice(_DEEDS)}</a></li>\n'
        for number in range(40)
    )
    script = "".join(
        f"  window.stat.push({{id: {place * 100 + number}, on: true}});\n" for number in range(30)
    )
    return f'<script>\n{script}</script><ul class="nav">\n{links}</ul>\n'


def _article(number: int, place: int, rare: str, truth: list[str], chance: random.Random) -> str:
    """One article, numbered clause or table; what it says goes to `truth`."""

    def said(mark: str) -> str:
        text = (
            f"{chance.choice(_SUBJECTS)}{rare}在{chance.choice(_REASONS)}{chance.choice(_DUTIES)}"
            f"{chance.choice(_DEEDS)}，并于{number % 28 + 1}日内报第{place}号{mark}登记。"
        )
        truth.append(text)
        return text

    shape = number % 5
    if shape == 3:
        rows = "".join(f"<tr><td>{said(f'表{row}')}</td><td>{said('备注')}</td></tr>\n" for row in range(3))
        return f"<table>\n<tr><th>项目</th><th>要求</th></tr>\n{rows}</table>\n"
    if shape == 4:
        return f"<p>{number // 5 + 3}.{number % 9 + 1}.2　{said('条文')}</p>\n<p>{said('说明')}</p>\n"
    items = [said(f"项{item}") for item in range(chance.randint(2, 6))]
    opening = f"<p>　　第{_numeral(number)}条　{said('总述')}</p>\n"
    if shape == 2:
        return opening + "<ol>\n" + "".join(f"<li>{item}</li>\n" for item in items) + "</ol>\n"
    lines = (f"<p>　　（{_NUMERALS[item]}）{text}</p>\n" for item, text in enumerate(items))
    return opening + "".join(lines)


def _numeral(number: int) -> str:
    tens, ones = divmod(number, 10)
    high = "" if tens == 0 else "十" if tens == 1 else f"{_numeral(tens)}十"
    return high + (_NUMERALS[ones - 1] if ones else "")

"""What each kind of defect is called in Chinese; JSON keeps the English kind, which never changes."""

from typing import Final

KINDS: Final = {
    "accepted name of no problem": "接受的名称没有对应的问题",
    "annex table": "附件中的表格",
    "annex without a label": "附件没有标签",
    "article out of order": "条号次序颠倒",
    "asset changed": "源文件已被改动",
    "charset": "字符集",
    "claimed status differs": "声称的效力与日期不符",
    "clause deeper than four levels": "条款超过四级",
    "clause out of order": "条款号次序颠倒",
    "commencement in the text differs": "正文中的施行日期与清单不同",
    "commencement of no node": "另有施行日的条文不存在",
    "control character": "控制字符",
    "date in doubt": "日期存疑",
    "decimal broken by a space": "小数被空格断开",
    "document number not in the file": "文件中没有该文号",
    "edition dropped": "版本缺失而没有墓碑",
    "edition id names another day than issued": "版本标识的日期与公布日不同",
    "effective before issued": "施行日早于公布日",
    "front matter names another date": "文件头的日期与清单不同",
    "gap before a clause": "条款号缺漏",
    "gap before a heading": "章节缺漏",
    "gap before an article": "条号缺漏",
    "gap before an item": "项号缺漏",
    "gap between editions": "两个版本之间有空档",
    "half-width item": "半角项号",
    "heading without a number": "标题没有编号",
    "HTML left in the text": "正文中残留 HTML",
    "inserted article": "插入的条（之几）",
    "intervals overlap": "两个版本的有效期重叠",
    "invisible character": "不可见字符",
    "invisible line": "不可见的行",
    "item out of order": "项号次序颠倒",
    "label glued to the text": "标签与正文相连",
    "line in no node": "该行不在任何节点",
    "line in two nodes": "该行在两个节点中",
    "markup left in the text": "正文中残留标记",
    "markup line": "只有标记的行",
    "no articles": "没有条",
    "no text": "未识别出正文",
    "number twice": "编号重复",
    "published text changed": "已发布的正文被改动",
    "reference at line start": "行首是引用",
    "repealed before it is effective": "失效日不晚于施行日",
    "spaces inside a heading": "标题中有空格",
    "table of contents": "目录",
    "text lost": "文字遗漏",
    "title differs": "名称与清单不同",
    "U+00A0 indent": "U+00A0 缩进",
    "U+00A0 inside": "正文中有 U+00A0",
    "unbalanced bracket in the header": "题注括号不配对",
    "variant differs": "其他来源的条文不同",
    "variant not read": "其他来源无法读取",
}

MATCHES: Final = {
    "fulltext": "全文匹配 fulltext",
    "heading": "标题相符 heading",
    "number": "编号相符 number",
    "synonym": "换用法律用语 synonym",
    "title": "名称相符 title",
    "vector": "语义相近 vector",
}
"""How a hit was found, as a reader sees it."""


def bilingual(kind: str) -> str:
    """The kind as a reader sees it, Chinese first; one that is not listed here stays as it is."""
    return f"{KINDS[kind]} {kind}" if kind in KINDS else kind

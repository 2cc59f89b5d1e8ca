"""Reasons in both languages: the gist in Chinese before the English, which stays as it is on the wire.

EXT-20 fixes reasons such as `query contains an excluded term` to the byte, so JSON has them alone.
"""

import re
from collections.abc import Mapping, Sequence

Phrases = Sequence[tuple[re.Pattern[str], str]]

KINDS: Mapping[str, str] = {
    "resident_id": "疑似身份证号",
    "social_credit_code": "疑似统一社会信用代码",
    "bank_card": "疑似银行卡号",
    "mobile_number": "疑似手机号",
    "email": "疑似邮箱",
    "internal_host": "疑似内部主机名",
    "private_address": "疑似内部地址",
    "api_key": "疑似密钥",
    "search_operator_bang": "检索运算符 !",
    "search_operator_language": "检索运算符 :语言",
    "search_operator_timeout": "检索运算符 <秒数",
    "search_operator_field": "检索运算符 名称:",
}
STATES: Mapping[str, str] = {
    "ok": "有结果",
    "empty": "无结果",
    "unavailable": "不可用",
    "rate_limited": "被限流",
    "rejected": "被拒绝",
    "error": "出错",
    "failed": "失败",
    "captured": "已抓取",
    "not begun": "未开始",
    "not asked": "未检索",
    "left out": "未收入",
    "no source": "不能作为来源",
}
ROBOTS: Mapping[str, str] = {
    "allowed": "允许",
    "disallowed": "不允许",
    "no robots.txt": "没有该文件",
    "unreachable": "读不到",
    "not asked": "未询问",
}


def _phrases(rows: Sequence[tuple[str, str]]) -> Phrases:
    return [(re.compile(pattern, re.DOTALL), chinese) for pattern, chinese in rows]


_JUDGED = _phrases(
    (
        (r"(?:query|url) contains an excluded term$", "含有排除词"),
        (r"(?:query|url) contains an excluded term after folding$", "折叠后含有排除词"),
        (r"(?:the )?query is empty$", "查询为空"),
        (r"url is empty$", "网址为空"),
        (r"(?:query|url) is longer than (\d+) code points$", "超过 {1} 字"),
        (r"(?:query|url) is not valid Unicode$", "不是有效的 Unicode"),
        (r"(?:the )?(?:query|url) holds a control, .* hidden character, (U\+\w+) at position (\d+)$",
         "第 {2} 字是控制、双向或隐藏字符 {1}"),
        (r"(?:the )?(?:query|url) has no visible character$", "没有可见的字"),
        (r"the query holds a line break, a tab or a lone surrogate$", "含有换行、制表符或无效字符"),
        (r"the query is (\d+) long as this service counts, and it takes at most (\d+)$",
         "按该服务的算法长 {1}，它至多收 {2}"),
        (r"(?:query|url) holds (?:what should not leave|search operators that a service would act on): (.*)$",
         "含有{findings}"),
        (r"url names a user$", "网址中有用户名"),
    )
)  # fmt: skip
_FETCHED = _phrases(
    (
        (r"the host is (\S+), which is not public: (.*)$", "{1} 不是公网地址"),
        (r"the host is an address with a scope id$", "地址带有区域标识"),
        (r"robots\.txt disallows it$", "robots.txt 不允许"),
        (r"robots\.txt was not read: (.*)$", "读不到 robots.txt（{rest}）"),
        (r"the redirects go in a circle$", "跳转成环"),
        (r"more than (\d+) redirects$", "跳转超过 {1} 次"),
        (r"a redirect from https to http$", "从 https 跳转到 http"),
        (r"status \d+ without one address to go to$", "跳转没有唯一的去处"),
        (r"port (\d+) is not allowed$", "端口 {1} 未放行"),
        (r"status (\d+)$", "对方答复 {1}"),
        (r"the certificate is not accepted: ", "证书不被接受"),
        (r"no TLS: ", "TLS 连接失败"),
        (r"no connection: Connection refused$", "对方拒绝连接"),
        (r"no connection: ", "连接不上"),
        (r"the name was not resolved: |the name has no address$", "域名解析不到地址"),
        (r"not over within (\S+) seconds$", "{1} 秒内没有完成"),
        (r"the (?:body|answer) is larger than (\d+) bytes", "超过 {1} 字节"),
        (r"the answer ends before its stated length$", "答复没有收完"),
        (r"the answer ends inside ", "答复没有收完"),
        (r"the connection was closed without an answer$", "对方没有答复就关闭了连接"),
        (r"the connection broke: ", "连接中断"),
        (r"the request was not taken: ", "请求没有发出去"),
        (r"the answer is not HTTP/1\.x$", "答复不是 HTTP"),
        (r"the proxy answered (\d+)$", "代理答复 {1}"),
        (r"(?:bytes follow the gzip data|the gzip data is )", "压缩数据损坏"),
        (r"(?:a chunk |its chunked body |its head |its trailer |the answer|the body comes in )",
         "答复不合 HTTP 的规矩"),
        (r"the redirect's address holds ", "跳转的网址含有不许的字符"),
        (r"(?:the host (?:address |name |holds |is (?:a number|no ))|a label of the host )",
         "主机名或地址写法不对"),
        (r"the host asked to be left alone for (\d+) more seconds$", "对方要求再等 {1} 秒"),
        (r"the URL is not absolute$", "网址不完整"),
        (r"the URL is neither http nor https$", "网址不是 http 或 https"),
        (r"the URL is longer than (\d+) characters$", "网址超过 {1} 字"),
        (r"the URL holds ", "网址含有不许的字符"),
        (r"the URL names a user$", "网址中有用户名"),
        (r"the URL has no |the port is not from ", "网址的主机或端口不对"),
        (r"the page holds an excluded term; nothing of its text is kept$", "网页含有排除词，文字一律不留"),
        (r"no text layer$", "没有文字层（扫描件）"),
        (r"no text$", "没有文字"),
        (r"no content$", "没有内容"),
        (r"undecodable$", "编码无法判定"),
        (r"not a text format: ", "不是文本格式"),
        (r"declared as PDF, but ", "声明为 PDF，实际不是"),
        (r"too large to be read as text: more than (\d+) bytes$", "超过 {1} 字节，不读正文"),
        (r"reading PDF needs the extra pdf: ", "读取 PDF 需要另装 pdf"),
        (r"encrypted: ", "文件加密，打不开"),
        (r"not a readable PDF: ", "PDF 损坏或不完整"),
        (r"not read within (\S+) s$|it needs more processor time |its reader ended with status ",
         "读取超出限制"),
        (r"pages 1 to (\d+) of (\d+)$", "只读了 {2} 页中的前 {1} 页"),
        (r"(\d+) pages cannot be read$", "{1} 页读不出"),
        (r"noted: (\d+) characters that the PDF does not map to text$", "{1} 个字符没有对应的文字"),
        (r"only the first (\d+) clause candidates are kept$", "只留前 {1} 条条款"),
        (r"the text is cut at (\d+) of (\d+) code points$", "正文 {2} 字，只取前 {1} 字"),
        (r"no time was left$", "时间已到"),
        (r"a receipt holds (\d+) sources$", "一份回执至多 {1} 个来源"),
    )
)  # fmt: skip
_SEARCHED = _phrases(
    (
        (r"it (?:cannot be asked|cannot be reached): (\S+) refused the connection",
         "{title}（{1}）拒绝连接，请确认它已启动"),
        (r"it (?:cannot be asked|cannot be reached): no answer in time", "没有按时答复"),
        (r"it (?:cannot be asked|cannot be reached): ", "连接不上"),
        (r"its answer cannot be read: ", "答复读不懂"),
        (r"it answered 403; json is not among its search\.formats|json is not among its search\.formats",
         "它的 search.formats 里没有 json"),
        (r"(?:it answered 429; )?its limiter blocks this client", "它的限流器拦截本程序"),
        (r"it answered in the coding ", "答复的编码不是所要的"),
        (r"it is asked too (?:fast|much)", "问得太多"),
        (r"it refuses the content of the query", "服务不许查询的内容"),
        (r"it refuses the length of the query", "服务嫌查询太长"),
        (r"the account is in debt", "账户欠费"),
        (r"the key is not accepted", "密钥不被接受"),
        (r"its list of unresponsive engines is no list", "答复里的引擎清单不成样子"),
        (r"it answered 200 with ", "答复不是所要的 JSON"),
        (r"it answered (\d+)", "答复 {1}"),
        (r"the plan or balance is used up", "额度或余额用尽"),
        (r"access is refused", "不许访问"),
        (r"a redirect is not followed", "不跟随跳转"),
        (r"no engine answered", "没有一个引擎应答"),
        (r"engines that failed: ", "有引擎没有应答"),
        (r"not every reason is known", "有的原因不明"),
        (r"its answer has no list ", "答复里没有结果列表"),
        (r"(\d+) of (\d+) hits were dropped: ", "{2} 条结果丢弃 {1} 条"),
        (r"none of its (\d+) hits has ", "{1} 条结果都没有网址"),
        (r"at most (\d+) hits are asked for", "至多取 {1} 条"),
        (r"ask again in (\d+) seconds", "请 {1} 秒后再问"),
        (r"the service searched another query than ", "服务检索的不是所发的查询"),
        (r"what it answered is not believed: |whether to believe its answer cannot be seen: ", "答复不可信"),
        (r"searx 1 does not tell which engines ", "searx 1 不说哪些引擎已停用"),
        (r"no key: set (\S+) or ", "没有密钥：请设 {1}"),
        (r"the (?:engine|category) .* there$", "所要的引擎或类别没有启用"),
        (r"/healthz answered (\d+); ", "/healthz 答复 {1}"),
        (r"/config answered (\d+) ", "/config 答复 {1}"),
        (r"hits that hold an excluded term and are not shown: (\d+)", "{1} 条结果含排除词，不显示"),
        (r"\[not shown: it holds an excluded term\]$", "含有排除词，不显示"),
    )
)  # fmt: skip
_TITLED = re.compile(r"(?P<title>[^:;]{1,24}?)(?: at \S+)?: (?=.)")
_FINDING = re.compile(r"(\w+) at (\d+)-(\d+)")


def told(reason: str) -> str:
    """A reason of ours, as a reviewer reads it: `中文 English`; one without Chinese words stays as it is."""
    gist = "；".join(dict.fromkeys(_gists(reason)))
    return f"{gist} {reason}" if gist and not reason.startswith(gist) else reason


def told_findings(findings: Sequence[object]) -> str:
    """What detectors saw and where, in Chinese."""
    return _findings(", ".join(map(str, findings)))


def _gists(reason: str) -> list[str]:
    for phrases in (_JUDGED, _FETCHED):
        if gist := _gist(reason, phrases, ""):
            return [gist]
    titled = _TITLED.match(reason)
    for title, said in ((titled["title"], reason[titled.end() :]) if titled else ("", ""), ("", reason)):
        if gists := [gist for part in said.split("; ") if (gist := _gist(part, _SEARCHED, title))]:
            return gists
        if gist := _gist(said, _JUDGED, title):
            return [gist]
    return []


def _gist(part: str, phrases: Phrases, title: str) -> str:
    for pattern, chinese in phrases:
        if found := pattern.match(part):
            groups = found.groups("")
            first = groups[0] if groups else ""
            return chinese.format(
                part, *groups, title=title, findings=_findings(first), rest="".join(_gists(first)) or first
            )
    return ""


def _findings(text: str) -> str:
    seen = [f"{KINDS.get(kind, kind)}（第 {start}–{end} 字）" for kind, start, end in _FINDING.findall(text)]
    return "、".join(seen)

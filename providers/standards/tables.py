"""Word lists of the matcher: prefixes of standard numbers, noise words, characters that mean another.

The lists are those of the matching specification (sections 2, 3 and 5).
"""


def _words(text: str) -> list[str]:
    return text.split()


# Prefixes that announce a standard number by themselves.
STRONG = frozenset(
    _words("""
    GB GBJ GBZ GBN GJB GSB GHZB GWKB JGJ JG CJJ CJ JTG JTJ JTS JT TB TBJ SL SLJ SDJ DL DLGJ DLJ NB SH
    SHJ SY SYJ HG HGJ YB YBJ YS YSJ JC JCJ JB JBJ YY HJ WS AQ GA XF YD YDJ MH MT MTJ LY LYJ QB TSG JJF
    JJG CECS HAF HAD DBJ DGJ DBJT SJG FZ SJ NY ISO IEC EN DIN BS ASTM ASME API AWS ACI JIS ANSI IEEE
    NFPA 建标
    """)
)

# Prefixes that are also units, elements or words: they need a year, a slash or three digits beside them.
WEAK = frozenset(
    _words("""
    CH CB HB SC SN SD DZ QC QJ WJ EJ CY DA DY GY GYJ HS HY JR JY LB LD LS MZ QX RB SB SBJ SF TD TY WB WH
    WW WM XB YC YZ ZY BB DD YJ GM RF SW ZB TZ HBC AS UL CNCA
    """)
)

LISTED = STRONG | WEAK

# Words around a number that name no standard.
NOISE = tuple(
    _words("""
    现行 最新 最新版 有效 作废 废止 已作废 已废止 国家标准 行业标准 地方标准 团体标准 企业标准 推荐性
    强制性 国标 行标 地标 标准号 标准编号 规范编号 编号 规范 标准 规程 依据 按照 执行 参照 符合 根据
    满足 以及 要求 规定 等同采用 修改采用 代替 等
    """)
)

# CJK radicals that NFKC leaves alone, each followed by the character it stands for.
_RADICALS = """
    ⺁厂 ⺄乙 ⺋卩 ⺌小 ⺍小 ⺘手 ⺝月 ⺟母 ⺠民 ⺦丬 ⺪疋 ⺮竹 ⺶羊 ⺷羊 ⺼肉 ⺿艹 ⻁虎 ⻄西 ⻅见 ⻆角
    ⻈讠 ⻉贝 ⻋车 ⻌辶 ⻐钅 ⻓长 ⻔门 ⻖阝 ⻘青 ⻙韦 ⻚页 ⻛风 ⻜飞 ⻝食 ⻠饣 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟
    ⻧卤 ⻨麦 ⻩黄 ⻪黾 ⻫齐 ⻬齐 ⻮齿 ⻯龙 ⻰龙 ⻱龟 ⻲龟 ⻳龟
"""
RADICALS = {pair[0]: pair[1] for pair in _words(_RADICALS)}

# Written as escapes: many of these look alike or are invisible in an editor.
DASHES = (
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u02d7\u00af\u2500\u2501\u30fc\u23af\u2e3a\u2e3b\u2e0f_"
)
COLONS = "\u2236\ua789\u02d0\u02f8\ufe30\u0589"
SLASHES = "\u2044\u2215\u29f8\u2571\u2216\\"
DOTS = "\u3002\u00b7\u2022\u2027\u30fb\u2219\u22c5"

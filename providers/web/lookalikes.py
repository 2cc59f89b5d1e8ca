"""Characters that look like a Latin letter, like a digit, or like another Chinese character.

Facts taken from Unicode's security data (UTS #39, confusables): single characters whose prototype
is, without its marks, one letter or digit of ASCII; and the circles ○ and ◯, which people write for 〇
(二○二六). What NFKD or the character's own name already
says (ℝ, 𝐚, é, ł, 🅰) is not repeated here. Case is part of the table, since Greek Ν looks like N and
ν like v. Limits: one character at a time (rn for m is not in it), no leetspeak ($ for s), and only
the look-alikes among Chinese characters that UTS #39 names.
"""

# Escapes, since many of these are written from right to left or cannot be told apart in an editor.
LATIN_GROUPS: dict[str, str] = {
    "0": "\U0001f10d",
    "1": "\u2780",
    "2": "\u01a7\u01bb\u03e8\u14bf\u2781\ua644\ua6ef\ua75a",
    "3": "\u01b7\u021c\u0417\u0498\u04e0\u2782\u2ccc\ua76a\ua7ab\U000118ca\U00016f3b\U0001d206",
    "4": "\u13ce\u2783\U000118af",
    "5": "\u01bc\u2784\U000118bb",
    "6": "\u0431\u13ee\u2785\u2cd2\U000118d5",
    "7": "\u2786\U000104d2\U000118c6\U0001d212",
    "8": "\u0222\u0223\u09ea\u0a6a\u2787\U0001031a",
    "9": "\u09ed\u0a67\u0b68\u0d6d\u2788\u2cca\ua76e\ua770\U000118ac\U000118cc\U000118d6",
    "a": "\u0251\u0391\u03b1\u0410\u0430\u13aa\u15c5\u1e9a\u2376\ua4ee\U000102a0\U00016f40",
    "b": (
        "\u0184\u0392\u0411\u0412\u042c\u0462\u0463\u048c\u048d\u13cf\u13f4\u1472\u1473\u15af\u15f7"
        "\ua4d0\ua7b4\U00010282\U000102a1\U00010301"
    ),
    "c": (
        "\u00a2\u00a9\u03f2\u03f9\u0421\u0441\u04aa\u04ab\u13df\u20a1\u2ca4\u2ca5\ua4da\uabaf"
        "\U000102a2\U00010302\U00010415\U0001043d\U0001051c\U000118e9\U000118f2\U0001f16e\U0001f74c"
    ),
    "d": "\u00d0\u0189\u0501\u13a0\u13e7\u146f\u15de\u15ea\u20ab\ua4d2\ua4d3",
    "e": "\u0395\u0415\u0435\u04bd\u04bf\u13ac\u212e\u2d39\ua4f0\uab32\U00010286\U000118a6\U000118ae",
    "f": (
        "\u017f\u03dc\u0584\u15b4\u1e9d\ua4dd\uab35\U00010287\U000102a5\U00010525\U000118a2"
        "\U000118c2\U0001d213"
    ),
    "g": "\u018d\u0261\u050c\u0581\u13c0\u13f3\ua4d6",
    "h": (
        "\u0397\u041d\u045b\u04a2\u04bb\u04c7\u04c9\u0570\u13bb\u13c2\u13f2\u157c\u1d78\u2c8e\ua4e7"
        "\ua695\U000102cf"
    ),
    "i": ("\u0131\u0269\u02db\u037a\u03b9\u0456\u04cf\u13a5\u1d7b\u1d7c\u2378\u24db\ua647\uab75\U000118c3"),
    "j": "\u037f\u03f3\u0408\u0458\u13ab\u148d\ua4d9",
    "k": "\u039a\u041a\u049a\u049e\u13e6\u16d5\u20ad\u2c94\ua4d7\U00010518",
    "l": (
        "|\u0196\u0197\u01c0\u0399\u0406\u04c0\u06f1\u13de\u14aa\u16c1\u18f3\u2110\u2111\u2160\u24be"
        "\u2c92\u2cd0\u2d4f\ua4e1\ua4f2\uff29\uffe8\U0001028a\U00010309\U00010320\U0001041b"
        "\U00010526\U000118a3\U000118b2\U00016f16\U00016f28\U0001d22a\U0001d408\U0001d43c\U0001d470"
        "\U0001d4d8\U0001d540\U0001d574\U0001d5a8\U0001d5dc\U0001d610\U0001d644\U0001d678\U0001d7cf"
        "\U0001d7d9\U0001d7e3\U0001d7ed\U0001d7f7\U0001fbf1"
    ),
    "m": "\u039c\u03fa\u041c\u04cd\u13b7\u15f0\u16d6\u2c98\ua4df\uab51\U000102b0\U00010311",
    "n": "\u039d\u03b7\u0578\u057c\u2c9a\ua4e0\U0001018e\U00010513",
    "o": (
        "\u0275\u0398\u039f\u03b8\u03bf\u03c3\u041e\u043e\u0472\u0473\u04e8\u04e9\u0555\u0585\u06f5"
        "\u0966\u09e6\u0a66\u0ae6\u0b20\u0b66\u0be6\u0c66\u0ce6\u0d20\u0d66\u0e50\u0ed0\u1010\u101d"
        "\u1040\u10ff\u12d0\u13be\u13eb\u1d11\u2070\u2296\u229d\u236c\u2c9e\u2c9f\u2d31\u2d41\u2d54"
        "\u3007\ua4f3\uab3d\uab3e\uab74\uab8e\uabbb\U00010292\U000102ab\U00010404\U0001042c"
        "\U000104c2\U000104ea\U00010516\U000114d0\U000118b5\U000118c8\U000118d7\U000118e0\U0001d21a\u25cb\u25ef"
        "\U0001d7ce\U0001d7d8\U0001d7e2\U0001d7ec\U0001d7f6\U0001f714\U0001fbf0"
    ),
    "p": "\u03a1\u03c1\u0420\u0440\u13e2\u146d\u18d6\u2117\u2ca2\u2ca3\ua4d1\U00010295",
    "q": "\u051b\u0563\u0566\u2d55",
    "r": (
        "\u00ae\u01a6\u0433\u0493\u13a1\u13d2\u1587\u18f4\u1d26\u2c85\ua4e3\uab47\uab48\uab81"
        "\U000104b4\U00016f35\U0001d216"
    ),
    "s": (
        "\u01bd\u0405\u0455\u054f\u13d5\u13da\u18f5\ua4e2\uabaa\U00010296\U00010420\U00010448"
        "\U000118c1\U00016f3a"
    ),
    "t": (
        "\u03a4\u0422\u04ac\u13a2\u20ae\u2361\u2ca6\ua4d4\U00010297\U000102b1\U00010315\U000118bc"
        "\U00016f0a\U0001f768"
    ),
    "u": (
        "\u0244\u028b\u03c5\u054d\u057d\u1200\u13cc\u144c\u1d7e\ua4f4\ua79f\uab9c\U000104ce"
        "\U000104f6\U000118b8\U000118d8\U00016f42"
    ),
    "v": (
        "\u03bd\u0474\u0475\u06f7\u13d9\u142f\u2d38\ua4e6\ua6df\uaba9\U00010197\U0001051d\U00011706"
        "\U000118a0\U000118c0\U00016f08\U0001d20d\U0001f708"
    ),
    "w": (
        "\u026f\u0461\u047d\u051c\u051d\u0561\u13b3\u13d4\u20a9\ua4ea\ua761\uab83\U000114c5"
        "\U0001170a\U0001170e\U0001170f\U000118e6\U000118ef"
    ),
    "x": (
        "\u03a7\u0425\u0445\u04b2\u1541\u157d\u166d\u16b7\u2a30\u2cac\u2d5d\ua4eb\ua7b3\U00010196"
        "\U00010290\U000102b4\U00010317\U00010322\U00010527\U000118ec"
    ),
    "y": (
        "\u00a5\u0263\u03a5\u03b3\u0423\u0443\u04ae\u04af\u04b0\u04b1\u10e7\u13a9\u13bd\u1d8c\u2ca8"
        "\ua4ec\U000102b2\U000118a4\U000118dc\U00016f43"
    ),
    "z": "\u0396\u13c3\u1646\ua4dc\uab93\U000102f5\U000118a9\U000118c4\U000118e5",
}

_HAN_GROUPS = """
    一ー 二ニ 亻イ 併倂 値值 八ハ 力カ 卜ト 口ロ囗 啓啟 土士 塡填 墫壿 夕タ
    媯嬀 工エ 帡帲 幐㬺 戶戸 搉㩁 晚晩 晣䀿 曶㫚 朌肦 朏胐 朐胊 朓脁 朘脧
    朣膧 朦䑃 杮柿 榝樧 槩㮣 溈潙 研硏 絕絶 胶㬵 胼腁 蒍蔿 蘷虁 訞䚶 訮詽
    讆讏 豜豣 赿趆 跥跺 躗躛 軿輧 郎郞 鎭鎮 隷隸 鹂鹃 黑黒 鿃䀹
"""

LATIN: dict[str, str] = {like: letter for letter, group in LATIN_GROUPS.items() for like in group}
HAN: dict[str, str] = {other: group[0] for group in _HAN_GROUPS.split() for other in group[1:]}

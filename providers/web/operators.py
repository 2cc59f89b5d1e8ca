"""Search operators: what a search service would act on instead of searching for it.

They are refused, not escaped: no service lets all of them be escaped, and nothing is edited silently.

- `!!g x` makes SearXNG redirect the query to another service in clear; `!name`, `:lang` and `<9`
  choose engines, language and timeout, and are eaten. `?name` did the same in searx.
- `site:`, `filetype:` and their kin bind Google, Bing, Baidu, Brave and others to a part of the web,
  so that a search that found nothing would say more than it may.

Quotes, a minus, OR and brackets stay: they narrow what is searched for, and the query says so itself.
"""

import re

from providers.web.findings import Finding

# Names that are no words, and names that are words and bind only what follows at once.
_NAMES = (
    "allinanchor allintext allintitle allinurl altloc blogurl daterange filetype hasfeed imagesize inanchor "
    "inbody inpage instreamset intext intitle inurl linkfromdomain numrange rhost site"
)
_WORDS = (
    "after before cache contains define domain ext feed hostname info ip keyword lang language link loc "
    "location mime norm prefer related source url"
)
# Full-width marks where a service reads them as the plain ones; SearXNG does not.
_BANG = re.compile(r"(?<!\S)(?:[!！]+[^\s!！]\S*|[!！]{2,}(?!\S)|\?[A-Za-z][\w-]*(?!\S))")
_LANGUAGE = re.compile(r"(?<!\S):[^\s:\d]\S*")
_TIMEOUT = re.compile(r"(?<!\S)<\d+(?!\S)")
_FIELD = re.compile(
    rf"(?<![A-Za-z0-9_.])(?:(?:{_NAMES.replace(' ', '|')})[:：]|(?:{_WORDS.replace(' ', '|')})[:：](?=\S))",
    re.IGNORECASE,
)
# Each kind with the signs without which it cannot be there: most queries have none of them.
_KINDS = {
    "bang": (_BANG, "!！?"),
    "language": (_LANGUAGE, ":"),
    "timeout": (_TIMEOUT, "<"),
    "field": (_FIELD, ":："),
}


def operators(text: str) -> list[Finding]:
    """The search operators in `text`, by place."""
    found = [
        Finding(f"search_operator_{kind}", match.start(), match.end())
        for kind, (pattern, signs) in _KINDS.items()
        if any(sign in text for sign in signs)
        for match in pattern.finditer(text)
    ]
    return sorted(found, key=lambda finding: finding.start)

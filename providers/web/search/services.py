"""The search services that are known, by name."""

from collections.abc import Mapping

from providers.web.search.adapter import Adapter
from providers.web.search.baidu import BAIDU
from providers.web.search.bocha import BOCHA
from providers.web.search.brave import BRAVE
from providers.web.search.searxng import SEARXNG
from providers.web.search.tavily import TAVILY
from providers.web.search.zhipu import ZHIPU

USUAL = SEARXNG.name
SERVICES: Mapping[str, Adapter] = {
    adapter.name: adapter for adapter in (SEARXNG, BOCHA, BAIDU, ZHIPU, BRAVE, TAVILY)
}

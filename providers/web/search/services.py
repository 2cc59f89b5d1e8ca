"""The search services that are known, by name."""

from collections.abc import Mapping

from providers.web.search.adapter import Adapter
from providers.web.search.searxng import SEARXNG

USUAL = SEARXNG.name
SERVICES: Mapping[str, Adapter] = {adapter.name: adapter for adapter in (SEARXNG,)}

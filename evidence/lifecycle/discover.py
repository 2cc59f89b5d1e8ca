"""Say which providers are there and which are ready, and nothing more."""

from collections.abc import Sequence

from schemas.provider import Discovery, DiscoverySummary, DiscoveryTruth, ProviderRow


def discover(providers: Sequence[ProviderRow]) -> Discovery:
    """The read-only projection of `providers` in their order (lifecycle.md section 4)."""
    ready = tuple(row.provider_id for row in providers if row.ready)
    methods = sum(row.provider_kind == "method" for row in providers)
    status = "ready" if ready else "inventory_only" if providers else "empty"
    return Discovery(
        status=status,
        providers=tuple(providers),
        summary=DiscoverySummary(
            provider_count=len(providers),
            method_count=methods,
            connector_count=len(providers) - methods,
            ready_count=len(ready),
            unavailable_count=len(providers) - len(ready),
        ),
        ready_provider_ids=ready,
        truth_contract=DiscoveryTruth(),
    )

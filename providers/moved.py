"""The one sentence by which a limitation tells that a page lies elsewhere than a request said."""


def moved(asked: str, found: str) -> str:
    """That `asked` led to `found`, under whose address it is a source; readers look for exactly this."""
    return f"{asked} 已跳转到 {found}，按后者计为来源。 It moved; the second address is the source."

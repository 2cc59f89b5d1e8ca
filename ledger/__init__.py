"""The memory: an append-only record of every step, and the bodies it names by digest."""

"""Search in one pinned corpus revision: a router for numbers and names, full text, and a vector leg if installed."""

"""Search in one corpus revision: a router for numbers and names, full text, and vectors if installed."""

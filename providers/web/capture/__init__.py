"""Capture: one page fetched under a policy; only a body that is whole and hashed counts."""

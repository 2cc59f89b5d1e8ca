"""Measurements: each prints both sides of a comparison from one run."""

"""The measure: each prints both sides of a comparison in one run."""

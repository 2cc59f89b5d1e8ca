"""The proof: what the packages promise, shown by running it."""

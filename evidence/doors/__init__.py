"""The doors: each parses, calls the engine once, and prints."""

"""Ways in: the command line, and JSON-RPC for embedders. A door parses, calls the engine once, prints."""

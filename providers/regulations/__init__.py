"""A corpus of regulations: exact nodes, editions in force by date, and revisions that never change."""

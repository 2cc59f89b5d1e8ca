"""From the bytes of a page to its text, what it says of itself, and passages that read like clauses."""

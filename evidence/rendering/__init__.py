"""Artifacts as people read them: Markdown for transports and reports, plain text for terminals."""

"""The rules, one verb a file: pure functions from records to records."""

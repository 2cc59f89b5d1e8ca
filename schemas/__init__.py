"""The words: every artifact as a frozen record, its canonical bytes, its id and its errors."""

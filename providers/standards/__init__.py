"""Chinese standards (规范, 标准, 规程): which record of a local library a citation may mean, and how surely.

Read `matching.py` first: it parses a query (`folding`, `scan`, `grammar`, `tail`, `names`), finds records
(`library`, `index`), scores them (`scores`) and ranks them. `rules` holds the switches, `tables` the words.
"""

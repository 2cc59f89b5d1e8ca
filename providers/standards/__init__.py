"""Chinese standards (规范, 标准, 规程): which record of a local library a citation may mean, and how surely.

Read `exhaustive.py` first: it is the definition. It parses a query (`query`: `folding`, `scan`, `grammar`,
`tail`, `names`), looks at every record (`library`, `entry`), scores it (`scores`) and ranks (`ranking`).
`matching.py` gives the same answers without looking at every record (`index`: `numbers`, `titles`,
`name_search`, `shortlist`, written as `packed` sections); what it takes from a large library is kept in files
(`cache`, `stored`). `rules` holds the switches, `tables` the words.
"""

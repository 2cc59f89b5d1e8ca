"""A ledger's story in other people's formats: W3C PROV and in-toto."""

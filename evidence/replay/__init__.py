"""The parts of a replay: a walk over all records, the lives one by one, and what both found."""

"""The world: where evidence comes from, behind one protocol."""

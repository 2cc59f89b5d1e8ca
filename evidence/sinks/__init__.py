"""The sinks: where an admitted piece of evidence is written down for people to read."""

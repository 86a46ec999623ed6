"""Judges the suites of a run: groups their samples by item, gates, and the verdict on the whole run."""

"""Runs suites, from samples to judgements, without pytest: draw, ask, read, judge, shrink. It tells all by events."""

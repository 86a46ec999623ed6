"""Runs suites without pytest: draws samples, asks models, reads answers, judges, shrinks. It reports by events."""

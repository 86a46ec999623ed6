"""Judges the suites of a run: gates over thresholds and against a baseline, and slices that are worse."""

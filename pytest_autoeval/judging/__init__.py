"""Judges a run's rows: gates over thresholds and against a baseline, and slices that are worse."""

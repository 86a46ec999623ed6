"""What the rows of a run come to: gates over thresholds and against a baseline, and slices that are worse."""

"""Pass rates beside the scores of other benchmarks: the command `correlate`."""

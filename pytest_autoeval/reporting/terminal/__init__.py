"""The summary at the end of a run, and the parts that it is made of."""

"""The reports on a run: the results file, the terminal summary, the gates. This room imports only statistics."""

"""What a run leaves behind: the lines of a results file as types, and the file."""

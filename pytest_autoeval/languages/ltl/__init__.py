"""Linear temporal logic with past."""

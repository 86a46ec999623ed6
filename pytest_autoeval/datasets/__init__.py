"""Data sets: what a test can be about besides drawn formulas. Imports languages and generation."""

"""Formulas in what models write: lenient notation, prose, Python."""

"""Infinite traces: lassos, their notations, and what models write for them."""

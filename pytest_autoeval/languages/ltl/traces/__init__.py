"""Infinite traces: lassos, their notations, and their readers."""

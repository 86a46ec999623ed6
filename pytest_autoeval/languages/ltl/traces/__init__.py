"""Infinite traces: lassos, and their notations in models' answers."""

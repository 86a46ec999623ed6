"""Decisions of first-order logic."""

"""Decisions of propositional logic."""

"""Syntax shared by propositional and first-order logic: one tree, one parser, one printer."""

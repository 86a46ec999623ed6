"""Drawing formulas from context-free grammars: exact sizes, uniform derivations; a Hypothesis strategy.

The strategy stands in :mod:`pytest_autoeval.generation.strategies`, which needs hypothesis.
"""

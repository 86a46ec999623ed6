"""Drawing formulas from context-free grammars: exact sizes, uniform derivations; a Hypothesis strategy.

The strategy stands in :mod:`pytest_autoeval.generation.strategies`, which needs hypothesis.
"""

from __future__ import annotations

from pytest_autoeval.generation.drawing import DrawingOptions, prevalence
from pytest_autoeval.generation.errors import (
    DrawingError,
    FewerFormulasWarning,
    GrammarError,
    UnknownGrammarError,
    VocabularyError,
)
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.generation.samples import Sample, draw_samples, sample_formulas, sample_of, sizes_of
from pytest_autoeval.generation.vocabularies import vocabulary

__all__ = [
    "DrawingError",
    "DrawingOptions",
    "FewerFormulasWarning",
    "GrammarError",
    "Sample",
    "UnknownGrammarError",
    "VocabularyError",
    "draw_samples",
    "grammar_names",
    "prevalence",
    "sample_formulas",
    "sample_of",
    "sizes_of",
    "vocabulary",
]

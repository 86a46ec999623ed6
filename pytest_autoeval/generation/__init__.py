"""Drawing formulas from context-free grammars: exact sizes, uniform derivations; a Hypothesis strategy.

Names are loaded on first use: lark and hypothesis cost nothing until a formula is drawn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_autoeval.generation.drawing import DrawingOptions as DrawingOptions
    from pytest_autoeval.generation.errors import DrawingError as DrawingError
    from pytest_autoeval.generation.errors import FewerFormulasWarning as FewerFormulasWarning
    from pytest_autoeval.generation.errors import GrammarError as GrammarError
    from pytest_autoeval.generation.errors import UnknownGrammarError as UnknownGrammarError
    from pytest_autoeval.generation.errors import VocabularyError as VocabularyError
    from pytest_autoeval.generation.grammars import grammar_names as grammar_names
    from pytest_autoeval.generation.samples import Sample as Sample
    from pytest_autoeval.generation.samples import draw_samples as draw_samples
    from pytest_autoeval.generation.samples import sample_formulas as sample_formulas
    from pytest_autoeval.generation.samples import sample_of as sample_of
    from pytest_autoeval.generation.samples import sizes_of as sizes_of
    from pytest_autoeval.generation.strategies import formulas as formulas
    from pytest_autoeval.generation.trivial import prevalence as prevalence
    from pytest_autoeval.generation.vocabularies import vocabulary as vocabulary

_HOMES = {
    "DrawingError": "errors",
    "DrawingOptions": "drawing",
    "FewerFormulasWarning": "errors",
    "GrammarError": "errors",
    "Sample": "samples",
    "UnknownGrammarError": "errors",
    "VocabularyError": "errors",
    "draw_samples": "samples",
    "formulas": "strategies",
    "grammar_names": "grammars",
    "prevalence": "trivial",
    "sample_formulas": "samples",
    "sample_of": "samples",
    "sizes_of": "samples",
    "vocabulary": "vocabularies",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names are those of the table


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

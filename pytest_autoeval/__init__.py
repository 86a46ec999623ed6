"""pytest-autoeval: does a language model keep the meaning between formal language and English?

Public names are loaded on first use, so that a pytest run that uses nothing of the plugin pays nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_autoeval.errors import AutoevalError
    from pytest_autoeval.generation.samples import sample_formulas
    from pytest_autoeval.generation.strategies import formulas
    from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language

__version__ = "0.1.0"

_HOMES = {
    **dict.fromkeys(("FormulaSyntaxError", "Vocabulary", "language"), "pytest_autoeval.languages"),
    "AutoevalError": "pytest_autoeval.errors",
    "formulas": "pytest_autoeval.generation.strategies",
    "sample_formulas": "pytest_autoeval.generation.samples",
}
__all__ = [  # noqa: RUF022 - in the order in which a reader meets them
    "language",
    "formulas",
    "sample_formulas",
    "Vocabulary",
    "AutoevalError",
    "FormulaSyntaxError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)

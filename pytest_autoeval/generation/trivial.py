"""Formulas that say nothing: tautologies and contradictions, empty and universal regular languages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pytest_autoeval.generation.errors import DrawingError
from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages import language as language_named


def trivial_kind(formula: Formula, language: Language, trivial: Mapping[str, Formula]) -> str | None:
    """Which of the trivial meanings a formula has: a name, ``undecided``, or None for none of them."""
    undecided = False
    for name, reference in trivial.items():
        outcome = language.equivalent(formula, reference).outcome
        if outcome == "equivalent":
            return name
        undecided = undecided or outcome == "undecided"
    return "undecided" if undecided else None


def excluded_formulas(language: Language, alphabet: Collection[str], kinds: Collection[str]) -> dict[str, Formula]:
    """The trivial meanings of these names. Raises :class:`DrawingError` for a name that the language has not."""
    trivial = language.trivial(alphabet)
    for kind in sorted(kinds):
        if kind not in trivial:
            known = ", ".join(trivial) or "none"
            raise DrawingError(f"{kind!r} cannot be excluded from the language {language.name}; known are: {known}")
    return {kind: trivial[kind] for kind in trivial if kind in kinds}


def prevalence(formulas: Iterable[Formula], language: Language | str) -> dict[str, float]:
    """The share of each trivial meaning among formulas, as the language's decision procedure decides; from 0 to 1.

    ``undecided`` is the share of formulas on which it gave up. A regular language is universal if it is so over all
    symbols that occur in the formulas.
    """
    known = language_named(language) if isinstance(language, str) else language
    listed = list(formulas)
    alphabet = sorted({symbol for formula in listed for symbol in known.symbols(formula).alphabet})
    trivial = known.trivial(alphabet)
    found = dict.fromkeys([*trivial, "undecided"], 0)
    for formula in listed:
        if kind := trivial_kind(formula, known, trivial):
            found[kind] += 1
    return {kind: number / max(len(listed), 1) for kind, number in found.items()}

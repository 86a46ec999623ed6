"""Whether a grammar derives a formula in two ways, which is then drawn more often than others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice, repeat

from pytest_autoeval.generation.counting import Choices, Derivation, Option, outcomes
from pytest_autoeval.generation.drawing import FormulaSpace

#: How many sizes, and how many derivations of each, are compared.
_SIZES, _DERIVATIONS = 6, 400


def ambiguity(space: FormulaSpace) -> str:
    """A sentence about the first formula with two derivations, among those of small sizes; empty if there is none."""
    seen: dict[str, Derivation] = {}
    for size in range(_SIZES):
        for derivation in islice(_derivations(space, size), _DERIVATIONS):
            text = space.language.format(space.filler.fill(derivation, repeat(_first)))
            earlier = seen.setdefault(text, derivation)
            if earlier is derivation:
                continue
            # Derivations are lists of templates: where they part, the grammar has two ways to write one thing.
            steps = zip(earlier, derivation, strict=False)
            differing = next(templates for templates in steps if templates[0] is not templates[1])
            productions = [sized.template.production for sized in differing]
            rules = " and ".join(dict.fromkeys(production.rule for production in productions))
            problem = f"{text} has two derivations and is drawn more often; see the rules {rules}"
            return str(space.counts.grammar.grammar.error(problem, productions[1]))
    return ""


def _derivations(space: FormulaSpace, size: int) -> Iterator[Derivation]:
    for state in space.states(size):
        yield from (
            derivation for derivation, _ in outcomes(partial(space.counts.derivation, size, state))
        )


def _first(choices: Choices[Option]) -> Option:
    """Fills every slot alike, so that formulas differ only if their derivations do."""
    return choices.options[0]

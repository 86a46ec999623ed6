"""Random first-order formulas that are valid or nearly so: instances of tautologies, rewritten and weakened."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import cast

from pytest_autoeval.languages.base import fold, places, replaced_at
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.laws import perturbations
from pytest_autoeval.languages.logic.rewriting import rewritings
from pytest_autoeval.languages.logic.syntax import Sentence
from support.logic_formulas import CONNECTIVES, constants, value

#: The predicates of the formulas, with their arities; the only constant is ``a``.
PREDICATES = {"P": 1, "Q": 1, "R": 2}
_LETTERS = ("p", "q", "r")
_VARIABLES = ("x", "y", "z", "w")
_MOST_PARTS = 90


def valid_formulas(rank: int, count: int, seed: int) -> list[Sentence]:
    """``count`` valid formulas of quantifier rank ``rank`` that are not instances of tautologies.

    Each begins as an instance of a tautology, and is rewritten in 20 to 40 steps. Every second one is then weakened in
    2 to 4 steps.
    """
    rng = random.Random(f"{seed} {rank}")
    found: dict[Sentence, None] = {}
    while len(found) < count:
        instances = {letter: _quantified(rng, rng.randint(rank - 1, rank)) for letter in _LETTERS}
        formula = _substituted(_tautology(rng), instances)
        for _ in range(rng.randint(20, 40)):
            formula = _rewritten(rng, formula)
        for _ in range(rng.randint(2, 4) if len(found) % 2 else 0):
            formula = _weakened(rng, formula)
        if rank_of(formula) == rank and not _is_tautology(_skeleton(formula)):
            found[formula] = None
    return list(found)


def edited(formula: Sentence, seed: int) -> Sentence:
    """The formula after two elementary edits; a valid one is seldom valid afterwards."""
    rng = random.Random(seed)
    for _ in range(2):
        formula = rng.choice([other for _, other in perturbations(formula)])
    return formula


def rank_of(formula: Sentence) -> int:
    """The nesting depth of quantifiers."""
    return fold(
        formula, lambda node, ranks: max(ranks, default=0) + isinstance(node, fol.Quantified)
    )


def _tautology(rng: random.Random) -> Sentence:
    while True:
        formula = _random_tree(rng, rng.randint(4, 7), [fol.Atom(letter) for letter in _LETTERS])
        if _is_tautology(formula):
            return formula


def _is_tautology(formula: Sentence) -> bool:
    names = sorted({node.predicate for node in formula.subformulas() if isinstance(node, fol.Atom)})
    rows = product((False, True), repeat=len(names))
    return all(value(formula, dict(zip(names, row, strict=True))) for row in rows)


def _random_tree(rng: random.Random, leaves: int, atoms: list[Sentence]) -> Sentence:
    if leaves == 1:
        atom = rng.choice(atoms)
        return fol.Not(atom) if rng.random() < 0.3 else atom
    left = rng.randint(1, leaves - 1)
    return rng.choice(CONNECTIVES)(
        _random_tree(rng, left, atoms), _random_tree(rng, leaves - left, atoms)
    )


def _quantified(rng: random.Random, rank: int) -> Sentence:
    """A closed formula of at most that rank: quantifiers over a few atoms, maybe with another atom between them."""
    names = constants("a", *_VARIABLES[:rank])
    atoms = [
        cast("Sentence", fol.Atom(name, tuple(rng.choices(names[1:], k=arity))))
        for name, arity in rng.choices(list(PREDICATES.items()), k=3)
    ]
    formula = _random_tree(rng, rng.randint(2, 3), atoms)
    for variable in reversed(_VARIABLES[:rank]):
        formula = rng.choice((fol.Forall, fol.Exists))(variable, formula)
        if rng.random() < 0.3:
            name, arity = rng.choice(list(PREDICATES.items()))
            outer = names[: _VARIABLES.index(variable) + 1]
            formula = rng.choice(CONNECTIVES)(
                fol.Atom(name, tuple(rng.choices(outer, k=arity))), formula
            )
    return formula


def _substituted(formula: Sentence, instances: dict[str, Sentence]) -> Sentence:
    if isinstance(formula, fol.Atom):
        return instances[formula.predicate]
    return formula.map_children(lambda part: _substituted(cast("Sentence", part), instances))


def _rewritten(rng: random.Random, formula: Sentence) -> Sentence:
    """The formula rewritten by one law at one place; unchanged if no law applies or the result is too long."""
    path, node = rng.choice(list(places(formula)))
    others = list(rewritings(node))
    if not others:
        return formula
    other = replaced_at(formula, path, rng.choice(others))
    return other if other.size <= _MOST_PARTS else formula


def _weakened(rng: random.Random, formula: Sentence) -> Sentence:
    """A consequence of the formula, by one replacement.

    A part of positive polarity is replaced by a consequence of it; a part of negative polarity by a formula that
    implies it.
    """
    others = [
        replaced_at(formula, path, other)
        for path, node in places(formula)
        if (positive := _polarity(formula, path)) is not None
        for other in _weaker(node, fol.Forall if positive else fol.Exists)
    ]
    return rng.choice(others) if others else formula


def _weaker(node: Sentence, strong: type[fol.Quantified]) -> Iterator[Sentence]:
    weak = fol.Exists if strong is fol.Forall else fol.Forall
    both, either = (fol.And, fol.Or) if strong is fol.Forall else (fol.Or, fol.And)
    if isinstance(node, both):
        yield either(node.left, node.right)
    if isinstance(node, strong):
        yield weak(node.variable, node.body)
    if (
        isinstance(node, weak)
        and isinstance(node.body, strong)
        and node.variable != node.body.variable
    ):
        yield strong(node.body.variable, weak(node.variable, node.body.body))


def _polarity(formula: Sentence, path: tuple[int, ...]) -> bool | None:
    """Whether a formula is monotonic in the part at a place; false if antitonic, None if it may be neither."""
    positive = True
    for at in path:
        if isinstance(formula, fol.Iff | fol.Xor):
            return None
        positive ^= isinstance(formula, fol.Not) or (isinstance(formula, fol.Implies) and at == 0)
        formula = cast("Sentence", formula.children()[at])
    return positive


def _skeleton(formula: Sentence) -> Sentence:
    """The formula with a proposition for each outermost quantified part."""
    if isinstance(formula, fol.Quantified | fol.Atom):
        return fol.Atom(str(formula))
    return formula.map_children(lambda part: _skeleton(cast("Sentence", part)))

"""How fast equivalence of logical formulas is decided, next to z3 used directly from Python.

Run with ``python benchmarks/equivalence_logic.py``. Both get the same pairs of trees; z3's share includes building its
expressions, as it must. Medians over interleaved rounds. Required: propositional at least twenty times z3's rate; first
order not slower than z3 at the median pair.
"""

from __future__ import annotations

import argparse
import pickle
import random
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

import z3

from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Equal,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
)

Pair = tuple[Sentence, Sentence]
TIMEOUT = 5.0
_DUAL: dict[type[Sentence], type[Sentence]] = {And: Or, Or: And}


def near_copy(formula: Sentence, rng: random.Random) -> Sentence:
    """The formula with one connective turned into its dual, as a model's mistake would have it."""
    inner = [path for path, node in _walk(formula) if type(node) in _DUAL]
    return (
        _changed(formula, rng.choice(inner), lambda node: _DUAL[type(node)](*node.children()))
        if inner
        else formula
    )


def rewritten(formula: Sentence, rng: random.Random) -> Sentence:
    """An equivalent: some conjunctions and disjunctions commuted or put by De Morgan's laws."""
    for _ in range(4):
        inner = [path for path, node in _walk(formula) if type(node) in _DUAL]
        if inner:
            formula = _changed(formula, rng.choice(inner), rng.choice((_commuted, _by_de_morgan)))
    return formula


def _commuted(node: Sentence) -> Sentence:
    return node.with_children(node.children()[::-1])


def _by_de_morgan(node: Sentence) -> Sentence:
    return Not(_DUAL[type(node)](*(Not(child) for child in node.children())))


def _walk(node: Sentence, path: tuple[int, ...] = ()) -> Iterable[tuple[tuple[int, ...], Sentence]]:
    yield path, node
    for index, child in enumerate(node.children()):
        yield from _walk(child, (*path, index))


def _changed(
    node: Sentence, path: tuple[int, ...], change: Callable[[Sentence], Sentence]
) -> Sentence:
    if not path:
        return change(node)
    children = list(node.children())
    children[path[0]] = _changed(children[path[0]], path[1:], change)
    return node.with_children(tuple(children))


def pairs(grammar: str, operators: int, count: int, seed: int) -> list[Pair]:
    """Drawn formulas; a third each beside another one, beside a near copy, beside an equivalent."""
    rng = random.Random(seed)
    drawn = sample_formulas(grammar, operators=operators, count=count, seed=seed)
    formulas = [formula for formula in drawn if isinstance(formula, Sentence)]
    others = rng.sample(formulas, len(formulas))
    partners = (
        lambda index: others[index],
        lambda index: near_copy(formulas[index], rng),
        lambda index: rewritten(formulas[index], rng),
    )
    return [(formula, partners[index % 3](index)) for index, formula in enumerate(formulas)]


_SORT = z3.DeclareSort("U")


def _z3_term(term: Term, bound: dict[str, Any]) -> Any:
    if term.arguments:
        symbol = z3.Function(term.name, _SORT, *[_SORT] * len(term.arguments))
        return symbol(*[_z3_term(argument, bound) for argument in term.arguments])
    return bound[term.name] if term.name in bound else z3.Const(term.name, _SORT)


def _z3_formula(node: Sentence, bound: dict[str, Any]) -> Any:  # noqa: C901, PLR0911
    match node:
        case Atom(name, ()):
            return z3.Bool(name)
        case Atom(name, arguments):
            symbol = z3.Function(name, *[_SORT] * len(arguments), z3.BoolSort())
            return symbol(*[_z3_term(argument, bound) for argument in arguments])
        case Equal(left, right):
            return _z3_term(left, bound) == _z3_term(right, bound)
        case Not(operand):
            return z3.Not(_z3_formula(operand, bound))
        case And(left, right):
            return z3.And(_z3_formula(left, bound), _z3_formula(right, bound))
        case Or(left, right):
            return z3.Or(_z3_formula(left, bound), _z3_formula(right, bound))
        case Xor(left, right):
            return z3.Xor(_z3_formula(left, bound), _z3_formula(right, bound))
        case Implies(left, right):
            return z3.Implies(_z3_formula(left, bound), _z3_formula(right, bound))
        case Iff(left, right):
            return _z3_formula(left, bound) == _z3_formula(right, bound)
        case Quantified(variable, body):
            constant = z3.Const(variable, _SORT)
            quantifier = z3.ForAll if isinstance(node, Forall) else z3.Exists
            return quantifier([constant], _z3_formula(body, {**bound, variable: constant}))
        case _:
            return z3.BoolVal(isinstance(node, Top))


def plain_z3(pair: Pair) -> str:
    solver = z3.Solver()
    solver.set(timeout=int(TIMEOUT * 1000))
    left, right = (_z3_formula(formula, {}) for formula in pair)
    solver.add(left != right)
    return {"sat": "different", "unsat": "equivalent"}.get(str(solver.check()), "undecided")


def fresh(pair: Pair) -> Pair:
    """The same trees anew, so that nothing found out about them in an earlier round is of use."""
    left, right = pickle.loads(pickle.dumps(pair))  # noqa: S301 (our own trees)
    return left, right


def compare(title: str, deciding: Callable[[Pair], str], sample: list[Pair], rounds: int) -> None:
    """Prints the times of both side by side; a wrong verdict ends the benchmark."""
    seconds: dict[str, list[list[float]]] = {"ours": [], "z3": []}
    outcomes: dict[str, list[str]] = {}
    for _ in range(rounds):
        for name, decide in (("ours", deciding), ("z3", plain_z3)):
            times, outcomes[name] = [], []
            for pair in map(fresh, sample):
                started = time.perf_counter()
                outcomes[name].append(decide(pair))
                times.append(time.perf_counter() - started)
            seconds[name].append(times)
    for pair, one, other in zip(sample, outcomes["ours"], outcomes["z3"], strict=True):
        assert one == other or "undecided" in (one, other), (pair, one, other)
    print(f"{title}: {len(sample)} pairs, {rounds} rounds")
    print(f"{'':6}{'pairs/s':>10}{'median ms':>12}{'slowest ms':>12}{'undecided':>11}")
    rates, medians = {}, {}
    for name, taken in seconds.items():
        rates[name] = statistics.median(len(sample) / sum(times) for times in taken)
        medians[name] = statistics.median(statistics.median(times) for times in taken)
        slowest = statistics.median(max(times) for times in taken)
        undecided = outcomes[name].count("undecided")
        print(
            f"{name:6}{rates[name]:>10,.0f}{medians[name] * 1e3:>12.3f}{slowest * 1e3:>12.1f}{undecided:>11}"
        )
    print(
        f"ratio {rates['ours'] / rates['z3']:>9,.1f}×{medians['z3'] / medians['ours']:>11,.1f}×\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--pairs",
        type=int,
        default=300,
        help="propositional pairs; a fifth as many first-order ones",
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    propositional = pairs("propositional", 20, arguments.pairs, arguments.seed)
    compare(
        "propositional, 12 variables, 20 operators",
        lambda pair: language("propositional").equivalent(*pair, TIMEOUT).outcome,
        propositional,
        arguments.rounds,
    )
    first_order = [
        pair
        for size in (5, 10, 20, 30)
        for pair in pairs("first_order", size, arguments.pairs // 20, arguments.seed)
    ]
    compare(
        "first order, 5 to 30 operators",
        lambda pair: language("first_order").equivalent(*pair, TIMEOUT).outcome,
        first_order,
        arguments.rounds,
    )


if __name__ == "__main__":
    main()

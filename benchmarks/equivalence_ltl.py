"""How long equivalence of temporal formulas takes: drawn pairs of 5 to 60 nodes, hard pairs, both backends.

Run with ``python benchmarks/equivalence_ltl.py``. Each drawn formula meets two partners: one with another operator
somewhere, as a model's mistake would have it, and one rewritten by laws all over, which takes a proof to tell equal.
Required: all hard pairs and more than 99.9 % of the drawn pairs up to 40 nodes within the limit of 2 s.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages.isolation import GaveUpError, session
from pytest_autoeval.languages.ltl import decide
from pytest_autoeval.languages.ltl.measures import measure
from pytest_autoeval.languages.ltl.oracle.normal import NormalForm, TemporalNormaliser
from pytest_autoeval.languages.ltl.oracle.tableau import Backend
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Binary,
    Eventually,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Release,
    Since,
    Temporal,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

equivalence = partial(decide.decide, "equivalence")
TIMEOUT = 2.0
LONGEST = 10.0
_UNARY = (Not, Next, Eventually, Always, Yesterday, WeakYesterday, Once, Historically)
_BINARY = (And, Or, Xor, Implies, Iff, Until, Release, WeakUntil, Since, Triggered)


def near_copy(formula: Temporal, rng: random.Random) -> Temporal:
    """The formula with another operator in one place."""
    children = formula.children()
    if children and rng.random() < 0.8 and any(child.children() for child in children):
        place = rng.choice([place for place, child in enumerate(children) if child.children()])
        changed = [
            near_copy(child, rng) if index == place else child
            for index, child in enumerate(children)
        ]
        return formula.with_children(tuple(changed))
    match formula:
        case Unary(operand):
            return rng.choice(_UNARY)(operand)
        case Binary(left, right):
            return rng.choice(_BINARY)(left, right)
        case _:
            return Not(formula)


def rewritten(formula: Temporal, rng: random.Random) -> Temporal:
    """An equivalent of the formula, by a law at most of its nodes."""
    children = tuple(rewritten(child, rng) for child in formula.children())
    formula = formula.with_children(children) if children else formula
    return _by_a_law(formula, rng.random() < 0.5) if rng.random() < 0.7 else formula


def _by_a_law(formula: Temporal, unfold: bool) -> Temporal:  # noqa: C901, PLR0911, PLR0912 (a case for each law)
    match formula:
        case Next(And(a, b)):
            return And(Next(a), Next(b))
        case Next(Until(a, b)):
            return Until(Next(a), Next(b))
        case Eventually(Or(a, b)):
            return Or(Eventually(a), Eventually(b))
        case Always(And(a, b)):
            return And(Always(a), Always(b))
        case Once(Or(a, b)):
            return Or(Once(a), Once(b))
        case Historically(And(a, b)):
            return And(Historically(a), Historically(b))
        case Eventually(a):
            return Or(a, Next(formula)) if unfold else Until(Or(a, Not(a)), a)
        case Always(a):
            return And(a, Next(formula)) if unfold else Release(And(a, Not(a)), formula)
        case Once(a):
            return Or(a, Yesterday(formula)) if unfold else Not(Historically(Not(a)))
        case Historically(a):
            return And(a, WeakYesterday(formula)) if unfold else Triggered(And(a, Not(a)), a)
        case Until(a, b):
            return Or(b, And(a, Next(formula))) if unfold else And(WeakUntil(a, b), Eventually(b))
        case Since(a, b):
            return Or(b, And(a, Yesterday(formula))) if unfold else Not(Triggered(Not(a), Not(b)))
        case Implies(a, b):
            return Or(b, Not(a)) if unfold else Not(And(a, Not(b)))
        case And(a, b):
            return And(b, a) if unfold else Not(Or(Not(a), Not(b)))
        case _:
            return formula


def drawn(bucket: range, count: int, seed: int, propositions: int) -> list[Temporal]:
    """Random formulas, past included, with node counts from a range; a grammar's sizes are numbers of operators."""
    vocabulary = Vocabulary(propositions=tuple(f"x{index + 1}" for index in range(propositions)))
    found: list[Temporal] = []
    sizes = range(2, bucket.stop // 2 + 1)
    for operators in sizes:
        formulas = sample_formulas(
            "past_ltl", operators=operators, count=count, seed=seed, vocabulary=vocabulary
        )
        found += [
            tree
            for tree in formulas
            if isinstance(tree, Temporal) and measure(tree)["nodes"] in bucket
        ]
    return random.Random(seed).sample(found, min(count, len(found)))


def hard_pairs() -> Iterator[tuple[str, Temporal, Temporal]]:
    """Pairs that need many steps, many fairness constraints or much memory of the past, with a name each."""
    names = [f"x{index}" for index in range(1, 9)]
    apart = [f"!{'X ' * step}x" for step in range(1, 10)]
    ten = "X " * 10
    yield (
        "ten-step periodicity, two ways",
        parse(f"x & G (x -> {' & '.join(apart)} & {ten} x)"),
        parse(f"x & {' & '.join(apart)} & G (x <-> {ten} x)"),
    )
    yield (
        "ten steps or twenty",
        parse(f"x & G (x -> {ten} x)"),
        parse(f"x & G (x -> {ten} x & {ten}{ten} x)"),
    )
    each = parse(" & ".join(f"G F {name}" for name in names))
    yield (
        "eight GF, one G over eight F",
        each,
        parse(f"G ({' & '.join(f'F {name}' for name in names)})"),
    )
    nested = names[0]
    for name in names[1:]:
        nested = f"{name} & X F ({nested})"
    yield "eight GF, one GF over a nest of F", each, parse(f"G F ({nested})")
    yield "eight GF, GF of all eight", each, parse(f"G F ({' & '.join(names)})")
    steps = "X " * 20
    yield "twenty X over U", parse(f"{steps} (a U b)"), parse(f"({steps} a) U ({steps} b)")
    yield "twenty X, twenty Z", parse(f"G ({steps} a -> b)"), parse(f"G (a -> {'Z ' * 20} b)")
    yield "twenty X, twenty-one", parse(f"G (a -> {steps} b)"), parse(f"G (a -> X {steps} b)")


def seconds(decide: Callable[[], object]) -> float:
    started = time.perf_counter()
    decide()
    return time.perf_counter() - started


def difference(left: Temporal, right: Temporal) -> NormalForm:
    """What the tableau is made of: the normal form of "the formulas differ"."""
    normaliser = TemporalNormaliser()
    return normaliser.form(normaliser.differ(normaliser.literal(left), normaliser.literal(right)))


def tableau_seconds(form: NormalForm, backend: Backend) -> float:
    """How long the tableau alone takes, infinite if more than the highest limit."""
    try:
        with session("pytest_autoeval.languages.ltl.oracle.solver", LONGEST) as solver:
            return seconds(lambda: solver.call("find", form, backend))
    except GaveUpError:
        return float("inf")


def report_drawn(bucket: range, count: int, seed: int, propositions: int) -> None:
    rng = random.Random(seed)
    formulas = drawn(bucket, count, seed, propositions)
    for name, partner in (("another operator", near_copy), ("rewritten", rewritten)):
        verdicts = [equivalence(formula, partner(formula, rng), TIMEOUT) for formula in formulas]
        if name == "rewritten" and any(verdict.outcome == "different" for verdict in verdicts):
            raise SystemExit("a formula that was rewritten by laws was found different")
        times = sorted(verdict.seconds * 1000 for verdict in verdicts)
        decided = sum(verdict.outcome != "undecided" for verdict in verdicts) / len(verdicts)
        ways = Counter(verdict.method for verdict in verdicts)
        print(
            f"{bucket.start:>3}-{bucket.stop - 1:<3} {propositions:>6}  {name:<17} {len(times):>6} {decided:>8.2%}"
            f" {statistics.median(times):>8.2f} {times[int(0.95 * len(times))]:>8.2f} {times[-1]:>9.2f}"
            f"  {', '.join(f'{way} {share / len(times):.0%}' for way, share in ways.most_common())}"
        )


def report_hard() -> None:
    print(f"\n{'hard pair':<36} {'verdict':<11} {'ms':>9} {'cudd ms':>9} {'autoref ms':>11}")
    verdicts = [equivalence(left, right, TIMEOUT) for _, left, right in hard_pairs()]
    for verdict, (name, left, right) in zip(verdicts, hard_pairs(), strict=True):
        cudd, autoref = (
            tableau_seconds(difference(left, right), backend) * 1000
            for backend in ("cudd", "autoref")
        )
        print(
            f"{name:<36} {verdict.outcome:<11} {verdict.seconds * 1000:>9.2f} {cudd:>9.2f} {autoref:>11.2f}"
        )


def report_backends(count: int, seed: int) -> None:
    rng = random.Random(seed)
    pairs = [(formula, rewritten(formula, rng)) for formula in drawn(range(5, 41), count, seed, 4)]
    forms = [difference(*pair) for pair in pairs]
    by_cudd, by_python = (
        [tableau_seconds(form, backend) for form in forms] for backend in ("cudd", "autoref")
    )
    ratios = [slow / fast for slow, fast in zip(by_python, by_cudd, strict=True)]
    cudd, python = statistics.median(by_cudd) * 1000, statistics.median(by_python) * 1000
    print(
        f"\nthe tableau alone, on {len(forms)} rewritten formulas of 5-40 nodes and 4 atoms, medians:"
    )
    print(f"cudd {cudd:.2f} ms, autoref {python:.2f} ms, ratio {statistics.median(ratios):.1f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formulas", type=int, default=500, help="formulas of each range of sizes")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    # Starts the process that later queries find running.
    equivalence(parse("F (H a)"), parse("a"), LONGEST)
    head = f"{'nodes':<7} {'atoms':>6}  {'partner':<17} {'pairs':>6} {'decided':>8}"
    print(f"{head} {'median':>8} {'95 %':>8} {'max ms':>9}")
    for propositions in (3, 12):
        for bucket in (range(5, 21), range(21, 41), range(41, 61)):
            report_drawn(bucket, arguments.formulas, arguments.seed, propositions)
    report_hard()
    report_backends(arguments.formulas // 5, arguments.seed)


if __name__ == "__main__":
    main()

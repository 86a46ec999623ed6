"""Verdicts on temporal formulas: a table, laws over random subformulas, large and hostile input, both backends."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given, settings
from support.ltl_formulas import formulas, random_formula

from pytest_autoeval.languages import Verdict
from pytest_autoeval.languages.base import Formula, substitute
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.ltl import decide
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.oracle.lassos import violating
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, NormalForm, TemporalNormaliser
from pytest_autoeval.languages.ltl.oracle.short_words import ShortWords
from pytest_autoeval.languages.ltl.oracle.solver import find
from pytest_autoeval.languages.ltl.oracle.tableau import Backend, NamedDiagrams
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Always, And, Atom, Iff, Not, Temporal, Xor
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

equivalence = partial(decide.decide, "equivalence")
entailment = partial(decide.decide, "entailment")
TIMEOUT = 10.0
#: Left, right, whether left entails right, and whether right entails left.
TABLE = (
    ("G (a -> O b)", "!a W b", True, True),
    ("G (a -> Y b)", "G (X a -> b)", True, False),
    ("G (a -> Z b)", "G (X a -> b)", True, True),
    ("X Y a", "a", True, True),
    ("Y X a", "a", True, False),
    ("!(a U b)", "!b U (!a & !b)", False, True),
    ("H a", "a & Y H a", False, True),
    ("F (H a)", "a", True, True),
    ("G F a & G F b", "G F (a & b)", False, True),
    ("F (a -> G b)", "F (a -> G X b)", True, True),
    ("G F (a S b)", "G F b & F G (a | b)", False, True),
    ("a U (b U c)", "(a U b) U c", False, False),
    ("F G (a -> X a)", "F G a | F G !a", True, True),
)
#: Equivalences that hold at every position, of any formulas p, q, r.
LAWS = (
    "!X p <-> X !p",
    "!F p <-> G !p",
    "!(p U q) <-> (!p R !q)",
    "!(p W q) <-> (!q U (!p & !q))",
    "!Y p <-> Z !p",
    "!O p <-> H !p",
    "!(p S q) <-> (!p T !q)",
    "F p <-> (true U p)",
    "G p <-> (false R p)",
    "O p <-> (true S p)",
    "H p <-> (false T p)",
    "(p W q) <-> ((p U q) | G p)",
    "(p R q) <-> (q W (p & q))",
    "(p U q) <-> ((p W q) & F q)",
    "F p <-> (p | X F p)",
    "G p <-> (p & X G p)",
    "(p U q) <-> (q | (p & X (p U q)))",
    "(p R q) <-> (q & (p | X (p R q)))",
    "(p W q) <-> (q | (p & X (p W q)))",
    "O p <-> (p | Y O p)",
    "H p <-> (p & Z H p)",
    "(p S q) <-> (q | (p & Y (p S q)))",
    "(p T q) <-> (q & (p | Z (p T q)))",
    "X Y p <-> p",
    "X Z p <-> p",
    "Y X p <-> (p & Y true)",
    "Z X p <-> (p | Z false)",
    "Y p <-> (Z p & Y true)",
    "X (p U q) <-> (X p U X q)",
    "X (p xor q) <-> (X p xor X q)",
    "X (p S q) <-> (X q | (X p & (p S q)))",
    "Y (p & q) <-> (Y p & Y q)",
    "Z (p & !q) <-> (Z p & Z !q)",
    "F (p | q) <-> (F p | F q)",
    "G (p & q) <-> (G p & G q)",
    "((p & q) U r) <-> ((p U r) & (q U r))",
    "(p U (q | r)) <-> ((p U q) | (p U r))",
    "((p & q) S r) <-> ((p S r) & (q S r))",
    "O (p | q) <-> (O p | O q)",
    "(p U (p U q)) <-> (p U q)",
    "((p U q) U q) <-> (p U q)",
    "F G F p <-> G F p",
    "G F (p | q) <-> (G F p | G F q)",
    "F X p <-> X F p",
    "(p xor q) <-> !(p <-> q)",
)
#: Equivalences that hold at the first position of a trace only.
LAWS_AT_THE_START = (
    "F H p <-> p",
    "O p <-> p",
    "H p <-> p",
    "!Y p",
    "Z p",
    "(p S q) <-> q",
    "(p T q) <-> q",
)


def check_witness(left: Temporal, right: Temporal, verdict: Verdict) -> Lasso:
    witness = verdict.witness
    assert isinstance(witness, TraceWitness)
    assert (witness.left, witness.right) == (
        holds(left, witness.lasso),
        holds(right, witness.lasso),
    )
    assert witness.left != witness.right
    if verdict.outcome == "does not entail":
        assert witness.left
    return witness.lasso


def normal(formula: Temporal) -> NormalForm:
    normaliser = TemporalNormaliser()
    return normaliser.form(normaliser.literal(formula))


def conjunction(*parts: str) -> Temporal:
    return parse(" & ".join(f"({part})" for part in parts))


def counter(bits: int) -> str:
    """A binary number that grows by one from zero on, at every position."""
    names = [f"x{index}" for index in range(bits)]
    steps = [
        f"(X {name} <-> ({name} xor ({' & '.join(names[:index]) or 'true'})))"
        for index, name in enumerate(names)
    ]
    return f"{' & '.join(f'!{name}' for name in names)} & G ({' & '.join(steps)})"


@pytest.mark.parametrize(
    ("left", "right", "forth", "back"), TABLE, ids=[f"{row[0]} / {row[1]}" for row in TABLE]
)
def test_known_laws_are_decided_in_both_directions(
    left: str, right: str, forth: bool, back: bool
) -> None:
    one, other = parse(left), parse(right)
    same = equivalence(one, other, TIMEOUT)
    assert same.outcome == ("equivalent" if forth and back else "different")
    assert equivalence(other, one, TIMEOUT).outcome == same.outcome
    if same.outcome == "different":
        check_witness(one, other, same)
    for first, second, follows in ((one, other, forth), (other, one, back)):
        verdict = entailment(first, second, TIMEOUT)
        assert verdict.outcome == ("entails" if follows else "does not entail")
        if not follows:
            check_witness(first, second, verdict)


@pytest.mark.parametrize("law", LAWS)
def test_laws_hold_everywhere(law: str) -> None:
    rng = random.Random(law)
    general = Always(parse(law))
    assert violating(general, TIMEOUT).outcome == "none exists"
    for _ in range(4):
        drawn: dict[Formula, Formula] = {
            Atom(name): random_formula(rng, rng.randint(1, 6), ("a", "b")) for name in "pqr"
        }
        instance = substitute(general, drawn)
        assert isinstance(instance, Temporal)
        assert violating(instance, TIMEOUT).outcome == "none exists"


@pytest.mark.parametrize("law", LAWS_AT_THE_START)
@given(p=formulas(max_leaves=4), q=formulas(max_leaves=4))
@settings(max_examples=8)
def test_laws_of_the_first_position(law: str, p: Temporal, q: Temporal) -> None:
    instance = substitute(parse(law), {Atom("p"): p, Atom("q"): q})
    assert isinstance(instance, Temporal)
    assert violating(instance, TIMEOUT).outcome == "none exists"
    assert violating(Always(parse(law)), TIMEOUT).outcome == "found"


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
@pytest.mark.parametrize("seed", range(30))
def test_the_tableau_finds_what_is_there(seed: int, backend: Backend) -> None:
    """Alone, without the search among short traces that decides most formulas before it."""
    rng = random.Random(seed)
    parts = [random_formula(rng, rng.randint(2, 12), ("a", "b")) for _ in range(3)]
    formula = And(And(parts[0], parts[1]), Always(parts[2]))
    form = normal(formula)
    word = find(form, backend)
    if word is None:
        assert ShortWords(form, 50_000).shortest() is None
    else:
        assert holds(formula, word.lasso(form.atoms, ("a", "b")))


@pytest.mark.parametrize("seed", range(30))
def test_both_backends_find_the_same(seed: int) -> None:
    rng = random.Random(seed)
    form = normal(And(*(random_formula(rng, 12, ("a", "b", "c")) for _ in range(2))))
    assert find(form, "cudd") == find(form, "autoref")


def test_without_cudd_diagrams_are_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_autoeval.languages.ltl.oracle.tableau.cudd", None)
    assert type(NamedDiagrams().true).__module__ == "dd.autoref"


def test_the_time_of_a_decision_begins_after_the_imports() -> None:
    """On a busy machine they took all of it, so that nothing was decided."""
    code = f"import sys, {find.__module__}; assert 'dd.cudd' in sys.modules or 'dd.autoref' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
def test_large_diagrams_are_reordered_and_stay_right(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_autoeval.languages.ltl.oracle.tableau._REORDER_FROM", 1)
    period = parse("a & G (a -> X !a & X X !a & X X X a)")
    assert find(normal(period), backend) == ((), (1, 0, 0))
    assert find(normal(And(period, parse("F (a & X X a)"))), backend) is None


def test_every_period_is_told_from_the_others() -> None:
    def period(steps: int) -> Temporal:
        return parse(
            f"x & G (x -> {' & '.join('X ' * step + '!x' for step in range(1, steps))} & {'X ' * steps} x)"
        )

    assert (
        equivalence(period(10), parse("x & G (x <-> X X X X X X X X X X x)"), TIMEOUT).outcome
        == "different"
    )
    once = parse("G (x <-> X X X X X X X X X X x)")
    start = parse("x & " + " & ".join("X " * step + "!x" for step in range(1, 10)))
    assert equivalence(period(10), And(start, once), TIMEOUT).outcome == "equivalent"
    assert (
        len(
            check_witness(period(10), period(9), equivalence(period(10), period(9), TIMEOUT)).states
        )
        <= 10
    )


def test_a_chain_of_nexts_moves_over_every_operator() -> None:
    steps = "X " * 20
    assert (
        equivalence(parse(f"{steps} (a U b)"), parse(f"({steps} a) U ({steps} b)"), TIMEOUT).outcome
        == "equivalent"
    )
    assert (
        equivalence(parse(f"G {steps} a"), parse(f"{steps} G a"), TIMEOUT).outcome == "equivalent"
    )
    verdict = equivalence(parse(f"{steps} a"), parse(f"{steps} X a"), TIMEOUT)
    assert verdict.outcome == "different"


def test_many_fairness_constraints() -> None:
    names = [f"x{index}" for index in range(1, 9)]
    apart = conjunction(*(f"G F {name}" for name in names))
    nested = names[0]
    for name in names[1:]:
        nested = f"{name} & X F ({nested})"
    assert equivalence(apart, parse(f"G F ({nested})"), TIMEOUT).outcome == "equivalent"
    assert (
        equivalence(
            apart, parse(f"G ({' & '.join(f'F {name}' for name in names)})"), TIMEOUT
        ).outcome
        == "equivalent"
    )
    together = parse(f"G F ({' & '.join(names)})")
    assert entailment(together, apart, TIMEOUT).outcome == "entails"
    check_witness(apart, together, entailment(apart, together, TIMEOUT))


@given(formulas())
@settings(max_examples=42)
def test_a_formula_is_equivalent_to_itself_and_not_to_its_negation(formula: Temporal) -> None:
    assert equivalence(formula, formula, TIMEOUT).outcome == "equivalent"
    assert check_witness(formula, Not(formula), equivalence(formula, Not(formula), TIMEOUT))


@given(formulas(max_leaves=5), formulas(max_leaves=5))
@settings(max_examples=42)
def test_equivalence_is_entailment_both_ways(left: Temporal, right: Temporal) -> None:
    both = {entailment(left, right, TIMEOUT).outcome, entailment(right, left, TIMEOUT).outcome}
    same = equivalence(left, right, TIMEOUT).outcome == "equivalent"
    assert same == (both == {"entails"})
    assert same == (violating(Iff(left, right), TIMEOUT).outcome == "none exists")


def test_what_is_plainly_the_same_needs_no_tableau() -> None:
    same = equivalence(parse("!(a U b) & G c"), parse("!F !c & (!a R !b)"), TIMEOUT)
    assert (same.outcome, same.method) == ("equivalent", "normal form")
    assert normal(parse("(a & F b) xor (F b & a)")).root == FALSE


@given(formulas(max_leaves=8))
def test_a_formula_read_again_has_the_same_normal_form(formula: Temporal) -> None:
    copy = parse(str(formula))
    verdict = equivalence(formula, copy, TIMEOUT)
    assert (verdict.outcome, verdict.method) == ("equivalent", "normal form")
    # Equal trees get their verdict without it. The normal form of the difference says the same.
    assert normal(Xor(formula, copy)).root == FALSE


def test_a_hostile_formula_costs_one_verdict() -> None:
    full = " & ".join(f"x{index}" for index in range(24))
    verdict = equivalence(parse(f"{counter(24)} & F ({full} & X ({full}))"), parse("false"), 0.5)
    assert (verdict.outcome, verdict.reason) == ("undecided", "no decision within the time limit")
    assert equivalence(parse("F (H a)"), parse("a"), TIMEOUT).outcome == "equivalent"


def test_no_time_at_all_is_no_verdict() -> None:
    assert equivalence(parse("F (H a)"), parse("a"), 0.0).outcome == "undecided"


def test_the_whole_time_limit_is_given_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def session(_module: str, timeout: float) -> None:
        limits.append(timeout)
        raise GaveUpError("no decision within the time limit")

    monkeypatch.setattr("pytest_autoeval.languages.ltl.oracle.lassos.session", session)
    full = " & ".join(f"x{index}" for index in range(12))
    assert (
        equivalence(
            parse(f"{counter(12)} & F ({full} & X ({full}))"), parse("false"), 3600.0
        ).outcome
        == "undecided"
    )
    # the search by obligations first, for a second at most
    assert limits == [1.0, 3599.0]


def test_a_tree_that_no_text_could_make_is_refused() -> None:
    deep: Temporal = Atom("a")
    for _ in range(100_000):
        deep = Not(deep)
    verdict = equivalence(deep, Atom("a"), TIMEOUT)
    assert verdict.outcome == "undecided"
    assert "nested too deeply" in verdict.reason


def test_a_wide_formula_is_decided() -> None:
    names = [f"x{index}" for index in range(150)]
    left = parse(" | ".join(f"(x{index} & x{index + 1})" for index in range(0, 150, 2)))
    right = parse(" | ".join(f"(x{index + 1} & x{index})" for index in reversed(range(0, 150, 2))))
    assert equivalence(left, right, TIMEOUT).outcome == "equivalent"
    parity: Temporal = Atom(names[0])
    for name in names[1:]:
        parity = Xor(parity, Atom(name))
    check_witness(parity, left, equivalence(parity, left, TIMEOUT))


def test_a_trace_that_does_not_survive_its_check_is_no_witness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decide, "holds", lambda _formula, _lasso: True)
    verdict = equivalence(parse("a"), parse("b"), TIMEOUT)
    assert verdict.outcome == "undecided"
    assert "did not survive its check" in verdict.reason


def test_verdicts_from_many_threads_are_the_same() -> None:
    rows = [(parse(left), parse(right)) for left, right, _, _ in TABLE] * 4

    def outcome(pair: tuple[Temporal, Temporal]) -> tuple[str, str]:
        verdict = equivalence(*pair, TIMEOUT)
        return verdict.outcome, str(verdict.witness)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(outcome, rows)) == [outcome(pair) for pair in rows]

"""Linear temporal logic on finite traces: verdicts against all short traces, notation, reader, English."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from pytest_autoeval import AutoevalError
from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.features.finite_traces.evaluate import FiniteTrace, FiniteTraceWitness, holds
from pytest_autoeval.features.finite_traces.language import LANGUAGE
from pytest_autoeval.features.finite_traces.reading import FiniteTraceNotation
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import (
    FormulaSyntaxError,
    Vocabulary,
    formulas_of,
    language,
    language_names,
    language_of,
)
from pytest_autoeval.languages.ltl.lenient import LENIENT_SIGNS

NAMES = ("p", "q")
STATES = tuple(frozenset(state) for state in ((), ("p",), ("q",), ("p", "q")))
LONGEST = 5
UNARY = (syntax.Not, syntax.StrongNext, syntax.Next, syntax.Eventually, syntax.Always)
BINARY = (
    *(syntax.And, syntax.Or, syntax.Xor, syntax.Implies, syntax.Iff),
    *(syntax.Until, syntax.Release, syntax.WeakUntil),
)


def traces() -> Iterator[tuple[frozenset[str], ...]]:
    for length in range(1, LONGEST + 1):
        yield from product(STATES, repeat=length)


def drawn_formula(rng: random.Random, size: int) -> OnFiniteTraces:
    if size == 0:
        return rng.choice((syntax.Atom("p"), syntax.Atom("q"), syntax.Atom("p"), syntax.Top()))
    if rng.random() < 0.5:
        return rng.choice(UNARY)(drawn_formula(rng, size - 1))
    left = rng.randrange(size)
    return rng.choice(BINARY)(drawn_formula(rng, left), drawn_formula(rng, size - 1 - left))


#: All traces up to the longest, the shorter ones first, and their numbers.
TRACES = list(traces())
NUMBERS = {trace: number for number, trace in enumerate(TRACES)}
#: Values on all traces of one length, in order: first those that begin with the first state. Without their first steps,
#: the traces that begin with one state are all traces that are shorter by one.
Values = npt.NDArray[np.bool_]


def on_all_traces(formula: OnFiniteTraces) -> list[bool]:
    """The value on each trace, by the unfolding of each operator into a first step and a remainder.

    It shares nothing with the evaluator of the package, which looks at whole traces.
    """
    return [bool(value) for values in by_length(formula) for value in values]


def by_length(formula: OnFiniteTraces) -> list[Values]:
    operands = [by_length(child) for child in formula.children()]
    values: list[Values] = []
    for length in range(1, LONGEST + 1):
        number = len(STATES) ** length
        is_end = length == 1
        now = [operand[length - 1] for operand in operands]
        later = [np.tile(operand[length - 2], len(STATES)) for operand in operands]
        own = np.zeros(number, bool) if is_end else np.tile(values[-1], len(STATES))
        firsts = np.repeat(np.arange(len(STATES)), number // len(STATES))
        values.append(unfolded(formula, firsts, now, later, own, is_end=is_end))
    return values


def unfolded(  # noqa: C901, PLR0911, PLR0912 (a case for each sort of node)
    formula: OnFiniteTraces,
    firsts: npt.NDArray[np.int_],
    now: list[Values],
    later: list[Values],
    own: Values,
    *,
    is_end: bool,
) -> Values:
    """The values of a formula, from those of its parts now and at the next step, and its own there."""
    match formula:
        case syntax.Top():
            return firsts >= 0
        case syntax.Bottom():
            return firsts < 0
        case syntax.Atom(name):
            in_states: Values = np.array([name in state for state in STATES])
            return in_states.take(firsts)
        case syntax.Not():
            return ~now[0]
        case syntax.And():
            return now[0] & now[1]
        case syntax.Or():
            return now[0] | now[1]
        case syntax.Xor():
            return now[0] ^ now[1]
        case syntax.Implies():
            return ~now[0] | now[1]
        case syntax.Iff():
            return ~(now[0] ^ now[1])
        case syntax.StrongNext():
            return np.zeros_like(own) if is_end else later[0]
        case syntax.Next():
            return np.ones_like(own) if is_end else later[0]
        case syntax.Eventually():
            return now[0] | own if not is_end else now[0]
        case syntax.Always():
            return now[0] & own if not is_end else now[0]
        case syntax.Until():
            return now[1] | (now[0] & own) if not is_end else now[1]
        case syntax.WeakUntil():
            return now[1] | (now[0] & own) if not is_end else now[1] | now[0]
        case syntax.Release():
            return now[1] & (now[0] | own) if not is_end else now[1]
    raise AssertionError(formula)


def checked_witness(witness: object) -> FiniteTraceWitness:
    assert isinstance(witness, FiniteTraceWitness)
    assert witness.trace.steps
    return witness


def test_verdicts_are_those_of_all_traces_up_to_length_5() -> None:
    rng = random.Random(50)
    outcomes: dict[str, int] = {}
    for number in range(2_000):
        left = drawn_formula(rng, rng.randrange(6))
        # A law makes every third pair equivalent, or nearly so.
        changed = list(LANGUAGE.rewritings(left)) if number % 3 == 0 else []
        drawn = drawn_formula(rng, rng.randrange(6))
        right = LANGUAGE.tree(rng.choice(changed)) if changed else drawn
        equal_on = [a == b for a, b in zip(on_all_traces(left), on_all_traces(right), strict=True)]
        verdict = LANGUAGE.equivalent(left, right)
        outcomes[verdict.outcome] = outcomes.get(verdict.outcome, 0) + 1
        assert verdict.outcome != "undecided", (left, right, verdict.reason)
        assert not changed or verdict.outcome == "equivalent", (left, right)
        if verdict.outcome == "equivalent":
            assert all(equal_on), (left, right)
            continue
        witness = checked_witness(verdict.witness)
        assert witness.left != witness.right
        if witness.trace.names == NAMES and len(witness.trace.steps) <= LONGEST:
            assert not equal_on[NUMBERS[witness.trace.steps]], (left, right)
    assert min(outcomes["equivalent"], outcomes["different"]) > 400, outcomes


def test_entailment_is_that_of_all_traces_up_to_length_5() -> None:
    rng = random.Random(51)
    outcomes: dict[str, int] = {}
    for number in range(500):
        left = drawn_formula(rng, rng.randrange(5))
        right = drawn_formula(rng, rng.randrange(5))
        if number % 2:
            left = syntax.And(left, right)
        pairs = zip(on_all_traces(left), on_all_traces(right), strict=True)
        refuted = any(a and not b for a, b in pairs)
        verdict = LANGUAGE.entails(left, right)
        outcomes[verdict.outcome] = outcomes.get(verdict.outcome, 0) + 1
        if verdict.outcome == "entails":
            assert not refuted, (left, right)
            continue
        witness = checked_witness(verdict.witness)
        assert verdict.outcome == "does not entail"
        assert witness.left
        assert not witness.right
    assert min(outcomes.values()) > 100, outcomes


def test_the_evaluator_agrees_with_the_unfolding_on_all_traces() -> None:
    rng = random.Random(52)
    for _ in range(60):
        formula = drawn_formula(rng, rng.randrange(6))
        for trace, value in zip(TRACES, on_all_traces(formula), strict=True):
            assert holds(formula, FiniteTrace(trace, NAMES)) == value, (formula, trace)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("!(X p)", "X[!] !p"),
        ("F X false", "true"),
        ("F !X[!] true", "true"),
        ("G X[!] true", "false"),
        ("G F p", "F (X false & p)"),
        ("F G p", "G F p"),
        ("X p", "X false | X[!] p"),
        ("X[!] p", "X[!] true & X p"),
        ("F p", "p | X[!] F p"),
        ("G p", "p & X G p"),
        ("p U q", "q | (p & X[!] (p U q))"),
        ("p R q", "!(!p U !q)"),
        ("p W q", "(p U q) | G p"),
    ],
)
def test_laws_of_finite_traces(left: str, right: str) -> None:
    assert LANGUAGE.equivalent(left, right).outcome == "equivalent"


@pytest.mark.parametrize(
    ("left", "right", "witness"),
    [
        ("X[!] true", "true", "true (left: false, right: true)"),
        ("X p", "X[!] p", "!p (left: true, right: false)"),
        ("X[!] X[!] true", "X[!] true", "true; true (left: false, right: true)"),
        ("!X p", "X !p", "!p (left: false, right: true)"),
    ],
)
def test_what_is_no_law_has_a_finite_trace_as_its_witness(
    left: str, right: str, witness: str
) -> None:
    verdict = LANGUAGE.equivalent(left, right)
    assert verdict.outcome == "different"
    assert str(verdict.witness) == witness


def test_a_witness_is_written_as_json_in_which_formulas_are_judged() -> None:
    witness = LANGUAGE.equivalent("G (p -> X[!] q)", "G !p").witness
    assert witness is not None
    case = json.loads(json.dumps(witness.to_json()))
    assert case["kind"] == "finite trace"
    assert LANGUAGE.holds_in(LANGUAGE.parse("G (p -> X[!] q)"), case) is case["left"] is True
    assert LANGUAGE.holds_in(LANGUAGE.parse("G !p"), case) is case["right"] is False
    assert LANGUAGE.holds_in(LANGUAGE.parse("r"), case) is None
    assert LANGUAGE.holds_in(LANGUAGE.parse("r"), case, closed=True) is False
    with pytest.raises(AutoevalError):
        LANGUAGE.holds_in(LANGUAGE.parse("p"), {"kind": "trace"})


def test_an_empty_trace_is_none() -> None:
    with pytest.raises(AutoevalError, match="at least one step"):
        FiniteTrace((), NAMES)
    with pytest.raises(AutoevalError, match="no value of r"):
        holds(syntax.Atom("r"), FiniteTrace((frozenset(),), NAMES))


def test_a_canonical_text_is_read_as_its_formula() -> None:
    rng = random.Random(53)
    for _ in range(2_000):
        formula = drawn_formula(rng, rng.randrange(9))
        text = str(formula)
        assert LANGUAGE.parse(text) == formula
        reading = LANGUAGE.read(text)
        assert (reading.formula, reading.compliant) == (formula, True), text
        assert LANGUAGE.read_description(LANGUAGE.describe(formula)) == formula


@pytest.mark.parametrize("name", ["Fa", "OK", "On", "GFa", "aUb", "Xa", "X1", "Ya", "Fault"])
def test_names_that_look_like_operators_are_read_again(name: str) -> None:
    formula = syntax.Always(syntax.StrongNext(syntax.And(syntax.Atom(name), syntax.Atom("b"))))
    assert LANGUAGE.parse(str(formula)) == formula
    reading = LANGUAGE.read(str(formula), vocabulary=Vocabulary(propositions=(name, "b")))
    assert reading.formula == formula
    assert LANGUAGE.read_description(LANGUAGE.describe(formula)) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("GX[!] a", "G X[!] a"),
        ("X [!] a", "X[!] a"),
        ("X[!]X[!]a", "X[!] X[!] a"),
        ("□(a → X[!] b)", "G (a -> X[!] b)"),
        ("X !a", "X !a"),
        ("a V b", "a R b"),
        ("a xnor b", "a <-> b"),
    ],
)
def test_other_spellings(text: str, formula: str) -> None:
    assert str(LANGUAGE.parse(text)) == formula
    assert str(LANGUAGE.read(text).formula) == formula


@pytest.mark.parametrize(
    ("answer", "formula"),
    [
        ("Answer: `G (p \\to X[!] q)`", "G (p -> X[!] q)"),
        ("```\nalways (p -> X[!](q))\n```", "G (p -> X[!] q)"),
        ("The formula is:\n\nF (p and X[!] q)", "F (p & X[!] q)"),
        ("\\mathbf{G}(p \\rightarrow X q)", "G (p -> X q)"),
    ],
)
def test_formulas_in_answers(answer: str, formula: str) -> None:
    reading = LANGUAGE.read(answer)
    assert (str(reading.formula), reading.compliant) == (formula, False)


@pytest.mark.parametrize(
    "text",
    [
        *("X!a", "X! a", "GX! a", "○ a", "◯ a", "() a", "\\bigcirc a", "next a", "next! a"),
        *("Next(a)", "NEXT a", "\\mathbf{X}! a", "a & next b"),
        *("Y a", "a S b", "O a", "X[!] Y a", "once a", "a since X[!] b"),
        *("FooX[!] a", "[!] a", "a [!] b", "X[!]", "X[!] a b", "& X[!] a b"),
    ],
)
def test_an_unclear_next_and_the_past_are_refused(text: str) -> None:
    with pytest.raises(FormulaSyntaxError):
        LANGUAGE.parse(text)
    with pytest.raises(FormulaSyntaxError) as refused:
        FiniteTraceNotation(None).lenient(text)
    assert "infinite" not in str(refused.value)
    assert not LANGUAGE.read(text)


def test_every_sign_of_a_next_operator_is_refused() -> None:
    signs = [sign for sign, kind in LENIENT_SIGNS.items() if kind == "X"]
    assert signs
    for sign in signs:
        assert not LANGUAGE.read(f"{sign} a"), sign
        with pytest.raises(FormulaSyntaxError):
            LANGUAGE.parse(f"{sign} a")


def test_a_proposition_may_be_called_next() -> None:
    names = Vocabulary(propositions=("next", "a"))
    assert str(LANGUAGE.read("X[!] next & a", vocabulary=names).formula) == "X[!] next & a"


def test_its_trees_and_texts_are_not_those_of_infinite_traces() -> None:
    infinite = language("ltl")
    assert language_names().index("ltl") < language_names().index("ltlf")
    formula = LANGUAGE.parse("G (a -> X b)")
    assert str(formula) == str(infinite.parse("G (a -> X b)"))
    assert formula != infinite.parse("G (a -> X b)")
    assert language_of(formula) is LANGUAGE
    assert language_of(infinite.parse("X b")) is infinite
    assert not LANGUAGE.owns(infinite.parse("X b"))
    assert not LANGUAGE.owns(syntax.Not(infinite.parse("X b")))  # type: ignore[arg-type]
    for texts, owner in ((("X b", "F b"), infinite), (("X[!] b", "F b"), LANGUAGE)):
        found = formulas_of(*texts)
        assert found is not None
        assert found[0] is owner
    with pytest.raises(AutoevalError, match="not a formula of the language 'ltlf'"):
        LANGUAGE.equivalent(infinite.parse("a"), "a")


def test_laws_keep_the_meaning_and_simpler_formulas_are_smaller() -> None:
    rng = random.Random(54)
    for _ in range(150):
        formula = drawn_formula(rng, rng.randrange(1, 5))
        values = on_all_traces(formula)
        for rewritten in LANGUAGE.rewritings(formula):
            assert isinstance(rewritten, OnFiniteTraces)
            assert on_all_traces(rewritten) == values, (formula, rewritten)
            assert LANGUAGE.fingerprint(rewritten) == LANGUAGE.fingerprint(formula)
        for edited in LANGUAGE.edits(formula, Vocabulary(propositions=NAMES)):
            assert edited != formula
        if LANGUAGE.is_contingent(formula):
            assert len({*values}) == 2
    formula = LANGUAGE.parse("G (q -> X[!] (p W q))")
    steps = 0
    while smaller := next(LANGUAGE.simpler(formula, Vocabulary(propositions=NAMES)), None):
        formula = LANGUAGE.tree(smaller)
        steps += 1
    assert str(formula) == "p"
    assert steps < 10


def test_names_and_measures() -> None:
    formula = LANGUAGE.parse("G (p -> X[!] (q U !p))")
    assert LANGUAGE.symbols(formula).propositions == ("p", "q")
    measured = LANGUAGE.measure(formula)
    assert (measured["operators"], measured["strong_next"], measured["next"]) == (4, 1, 0)
    assert (measured["depth"], measured["temporal_depth"], measured["distinct_atoms"]) == (6, 3, 2)


def test_drawn_formulas_are_read_and_described() -> None:
    """The grammar of the language gives formulas of it, with both next operators."""
    samples = [
        formula
        for size in range(1, 7)
        for formula in sample_formulas("ltlf", operators=size, count=20, seed=size)
    ]
    text = " ".join(map(str, samples))
    assert "X[!] " in text
    assert "X " in text
    for formula in samples:
        assert language_of(formula) is LANGUAGE
        assert LANGUAGE.parse(str(formula)) == formula
        assert LANGUAGE.read_description(LANGUAGE.describe(formula)) == formula


def test_large_formulas_are_undecided_or_decided_never_a_crash() -> None:
    chain = syntax.Atom("p")
    for _ in range(70):
        chain = syntax.Eventually(syntax.Not(chain))  # type: ignore[assignment]
    verdict = LANGUAGE.equivalent(chain, "p", timeout=1)
    assert verdict.outcome in ("undecided", "different")
    assert LANGUAGE.equivalent(chain, chain, timeout=1).outcome in ("undecided", "equivalent")


@pytest.mark.parametrize("text", ["WX p", "G (p -> WX(q))", "N p", "p U WX p"])
def test_the_next_of_another_tool_is_refused_by_name(text: str) -> None:
    word = "N" if text == "N p" else "WX"
    for problem in (_problem(text), LANGUAGE.read(text).problem):
        assert f"{word!r} is the next operator of another tool; write 'X'" in problem


@pytest.mark.parametrize("text", ["WX & p", "N", "p U WX", "X[!] N"])
def test_such_a_word_may_be_a_name(text: str) -> None:
    assert LANGUAGE.parse(text)


def _problem(text: str) -> str:
    with pytest.raises(FormulaSyntaxError) as caught:
        LANGUAGE.parse(text)
    return str(caught.value)

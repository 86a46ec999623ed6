"""Formulas of temporal logic in Python notation: what is read, what is refused, and what is never run."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given
from ltl_formulas import formulas, random_formula

from pytest_autoeval.languages.ltl.python_notation import read_python, to_python
from pytest_autoeval.languages.ltl.syntax import Always, And, Atom, Bottom, Next, Temporal, Top, Until


def read(answer: str) -> str | None:
    reading = read_python(answer)
    assert not (reading.compliant and reading.recovered)
    assert (reading.formula is None) == bool(reading.problem)
    assert (reading.formula is not None) == (reading.compliant or reading.recovered)
    return None if reading.formula is None else str(reading.formula)


COMPLIANT = {
    'formulaToFind = Always(LImplies(AtomicProposition("x1"), Next(x2)))': "G (x1 -> X x2)",
    'Always(LImplies(AtomicProposition("x1"), Eventually(AtomicProposition("x2"))))': "G (x1 -> F x2)",
    "formulaToFind = Always(LNot(AtomicProposition('x1')))": "G !x1",
    "formulaToFind = Until(AtomicProposition(x1), x2)": "x1 U x2",
    'formulaToFind = LAnd(left=AtomicProposition(name="x1"), right=x2)': "x1 & x2",
    "formulaToFind = LImplies(right=x1, left=x2)": "x2 -> x1",
    "formulaToFind = Since(a=x1, b=x2)": "x1 S x2",
    "formulaToFind = Until(x1, b=x2)": "x1 U x2",
    "formulaToFind = Next(Formula=x1)": "X x1",
    'formulaToFind = LEquiv(Literal("True"), LOr(Once(x1), Literal("False")))': "true <-> (O x1 | false)",
    "formulaToFind = Historically(Yesterday(x1))": "H Y x1",
    "formulaToFind: Formula = Always(x1)": "G x1",
    "formulaToFind = (\n    Always(\n        x1,\n    )\n)  # for ever": "G x1",
    "  formulaToFind=x1\n": "x1",
    'formulaToFind = AtomicProposition("door.open")': "door.open",
}


@pytest.mark.parametrize(("answer", "expected"), COMPLIANT.items())
def test_an_answer_in_the_shown_notation_is_compliant(answer: str, expected: str) -> None:
    assert read(answer) == expected
    assert read_python(answer).compliant


RECOVERED = {
    # What is around the code.
    "```python\nformulaToFind = Always(x1)\n```": "G x1",
    "Sure! Here it is:\n\n```python\nformulaToFind = Always(\n    LImplies(x1, x2)\n)\n```\n\nSo.": "G (x1 -> x2)",
    "```\nfrom ltl import *\n\nformulaToFind = Always(x1)\nprint(formulaToFind)\n```": "G x1",
    "`formulaToFind = Next(x1)`": "X x1",
    "The line is formulaToFind = Next(x1).": "X x1",
    "You can use formulaToFind = Next(x1) as the value.": "X x1",
    "**formulaToFind = Next(x1)**": "X x1",
    "formulaToFind = Always(\n  LOr(x1,\n    Next(x2)))\n\nThis holds always.": "G (x1 | X x2)",
    "formulaToFind = Always(x1)\n\nHere `Always(x1)` says that x1 never fails.": "G x1",
    ">>> formulaToFind = Always(x1)": "G x1",
    "formulaToFind = Always(AtomicProposition(“x1”))": "G x1",
    "<think>formulaToFind = Next(x1)</think>\nformulaToFind = Always(x1)": "G x1",
    "The answer:\n\nAlways(LAnd(x1, x2))\n\nwhere `LAnd(x1, x2)` is a conjunction.": "G (x1 & x2)",
    "Use `formulaToFind = Always(x1)` instead of `formulaToFind = Eventually(x1)`.": "G x1",
    # What is in the code.
    "formulaToFind = Next(x1)\nformulaToFind = Always(x1)": "G x1",
    "```\nformulaToFind = Next(x1)\n```\nCorrected:\n```\nformulaToFind = Always(x1)\n```": "G x1",
    "```\nstep = Next(x1)\n```\nand then\n```\nformulaToFind = Always(step)\n```": "G X x1",
    'x1 = AtomicProposition("x1")\nx2 = AtomicProposition("x2")\nformulaToFind = Until(x1, x2)': "x1 U x2",
    'x1, x2 = AtomicProposition("x1"), AtomicProposition("x2")\nformulaToFind = Until(x1, x2)': "x1 U x2",
    'x1 = "x1"\nformulaToFind = Always(AtomicProposition(x1))': "G x1",
    "x1 = AtomicProposition(x1)\nformulaToFind = Always(x1)": "G x1",
    'p = AtomicProposition("x1")\nq = Next(p)\np = Always(p)\nformulaToFind = LAnd(p, q)': "G x1 & X x1",
    "formulaToFind = Next(x1)\nformulaToFind = Always(formulaToFind)": "G X x1",
    "step = never.seen()\nformulaToFind = Always(x1)": "G x1",
    "formula = Always(x1)": "G x1",
    "@dataclass\nclass Always(Formula):\n    Formula: Formula\n\nformulaToFind = Always(x1)": "G x1",
    "def show(f):\n    return str(f)\n\nformulaToFind = Always(x1)\nshow(formulaToFind)": "G x1",
    'formulaToFind = Always(x1)\nif __name__ == "__main__":\n    print("TRUE\\n")': "G x1",
    # What models invent.
    "formulaToFind = Globally(Implies(Atom('x1'), Finally(x2)))": "G (x1 -> F x2)",
    "formulaToFind = And(Not(x1), Or(x2, x3))": "!x1 & (x2 | x3)",
    "formulaToFind = Iff(LXor(x1, x2), Equiv(x1, x2))": "(x1 xor x2) <-> (x1 <-> x2)",
    "formulaToFind = WeakUntil(x1, Release(x2, LRelease(x3, x1)))": "x1 W (x2 R (x3 R x1))",
    "formulaToFind = LHistorically(LOnce(LSince(x1, LUntil(x2, LNext(LYesterday(x1))))))": "H O (x1 S (x2 U X Y x1))",
    "formulaToFind = WeakYesterday(Prev(Previously(weak_until(x1, x2))))": "Z Y Y (x1 W x2)",
    "formulaToFind = LAnd(x1, x2, x3)": "x1 & x2 & x3",
    "formulaToFind = LOr(x1, x2, x3, x4)": "x1 | x2 | x3 | x4",
    "formulaToFind = Always(x1) & ~Next(x2) | x3": "(G x1 & !X x2) | x3",
    "formulaToFind = Until(True, LAnd(x1, False))": "true U (x1 & false)",
    'formulaToFind = Until(TRUE, Literal("x1"))': "true U x1",
    'formulaToFind = Always(AtomicProposition("true"))': "G true",
    'formulaToFind = Always("x1")': "G x1",
    "formulaToFind = G(F(x1))": "G F x1",
    "formulaToFind = U(Prop('x1'), LTrue())": "x1 U true",
    "formulaToFind = LNext(top)": "X top",
}


@pytest.mark.parametrize(("answer", "expected"), RECOVERED.items())
def test_a_formula_is_recovered(answer: str, expected: str) -> None:
    assert read(answer) == expected
    assert read_python(answer).recovered


REFUSED = {
    "": "the answer is empty",
    "Sorry": "no formula was found",
    "x1": "no formula was found",
    "I cannot do that.": "no formula was found",
    "G (x1 -> F x2)": "no formula was found",
    "formulaToFind =": "line 1",
    "formulaToFind = Always(x1": "'(' was never closed",
    "```\nformulaToFind = Next(x1)\n```\n```\nformulaToFind = Always(x1\n```": "",
    "formulaToFind = Next(x1)\nformulaToFind = Foo(x1)": "line 2, column 17: there is no constructor 'Foo'",
    "formulaToFind = Always(\n    os.system('true'))": "line 2, column 5",
    "formulaToFind = __import__('os').system('true')": "column 17",
    "formulaToFind = Always(x[1])": "column 24",
    "formulaToFind = Always(f'{x1}')": "column 24",
    "formulaToFind = [Next(x) for x in xs]": "column 17",
    "formulaToFind = (lambda: Next(x1))()": "column 17",
    "formulaToFind = Next(x1) if x2 else x1": "column 17",
    "formulaToFind = Next(x1) and x2": "write LAnd",
    "formulaToFind = not Next(x1)": "only constructors",
    "formulaToFind = Always(x1 == x2)": "write LEquiv",
    "formulaToFind = Always(1)": "only constructors",
    "formulaToFind = Always(-x1)": "only constructors",
    "formulaToFind = Always(x1) + x2": "only constructors",
    "formulaToFind = Always()": "takes one argument, not 0",
    "formulaToFind = Always(x1, x2)": "takes one argument, not 2",
    "formulaToFind = LImplies(x1, x2, x3)": "takes 2 arguments, not 3",
    "formulaToFind = LAnd(x1)": "takes 2 arguments, not 1",
    "formulaToFind = Until(*both)": "must be written out",
    "formulaToFind = Until(**both)": "must be written out",
    "formulaToFind = Until(x1, left=x2)": "given twice",
    "formulaToFind = Until(x1, until=x2)": "unclear which argument 'until' is",
    "formulaToFind = Always(Next)": "lacks its arguments",
    "formulaToFind = Always(X)": "'X' is no name",
    'formulaToFind = AtomicProposition("the door is open")': "no name of a proposition",
    'formulaToFind = AtomicProposition("x1 & x2")': "no name of a proposition",
    'formulaToFind = AtomicProposition(Next("x1"))': "takes a name",
    'formulaToFind = "Always(x1)"': "no name of a proposition",
    "formulaToFind = Next(x1), Next(x2)": "only constructors",
    "formulaToFind += Next(x1)": "not read",
    "formulaToFind = Next(x1)\nformulaToFind &= x2": "not read",
    "formulaToFind = Next(formulaToFind)": "before it is assigned",
    "formulaToFind = Next(step)\nstep = x1": "before it is assigned",
    "step = foo()\nformulaToFind = Next(step)": "'step' holds no formula",
    "step = Next(x1)\nformulaToFind = AtomicProposition(step)": "a formula already",
    "if True:\n    formulaToFind = Next(x1)": "not read",
    "for x1 in xs:\n    pass\nformulaToFind = Next(x1)": "not read",
    "import x1\nformulaToFind = Next(x1)": "is imported",
    "from ltl import Eventually as Always\nformulaToFind = Always(x1)": "is imported",
    "def Until(a, b):\n    return LNot(a)\n\nformulaToFind = Until(x1, x2)": "function of the answer's own",
    "Always = Eventually\nformulaToFind = Always(x1)": "holds no formula",
    "formulaToFind = Always(Z3(x1))": "there is no constructor 'Z3'",
    "formulaToFind = StrongRelease(x1, x2)": "there is no constructor",
    "\\mathsf{Always}(x1)": "",
    "formulaToFind = Always(\\land)": "",
    "formulaToFind = Always(x1) or so": "",
    "formulaToFind = Always(x1) & x2 is it": "",
}


@pytest.mark.parametrize(("answer", "problem"), REFUSED.items())
def test_anything_else_is_refused_with_its_place(answer: str, problem: str) -> None:
    assert read(answer) is None
    assert problem in read_python(answer).problem


@given(formulas())
def test_what_is_written_is_read_back(formula: Temporal) -> None:
    assert read_python(to_python(formula)).formula == formula
    assert read_python(f"formulaToFind = {to_python(formula)}").formula == formula


def test_the_shown_constructors_are_the_ones_written() -> None:
    formula = Always(And(Until(Atom("x1"), Top()), Next(Bottom())))
    assert to_python(formula) == (
        'Always(LAnd(Until(AtomicProposition("x1"), Literal("True")), Next(Literal("False"))))'
    )
    assert read_python(to_python(formula)).compliant


def test_the_deepest_formula_is_read_back() -> None:
    formula: Temporal = Atom("x1")
    for _ in range(148):
        formula = Next(formula)
    assert read_python(to_python(formula)).formula == formula
    assert "nested too deeply" in read_python(to_python(Next(Next(formula)))).problem


@pytest.mark.parametrize(
    "answer",
    [
        "formulaToFind = " + "Next(" * 199 + "x1" + ")" * 199,
        "formulaToFind = " + "Next(" * 2_000 + "x1" + ")" * 2_000,
        "formulaToFind = " + "~" * 15_000 + "Next(x1)",
        "formulaToFind = Next(x1)" + " & x1" * 3_000,
        "formulaToFind = LAnd(" + "x1, " * 4_000 + "x1)",
        "formulaToFind = Next(x1)" + ".x" * 9_000,
        "formulaToFind = Next(" + "9" * 10_000 + ")",
        "formulaToFind = Next(x1)\0",
        "a = LAnd(x1, x2)\n" + "a = LAnd(a, a)\n" * 40 + "formulaToFind = a",
        "formulaToFind = Next(x1)\n" * 5_000,
        "formulaToFind = Next(\n" * 900,
        "`Next(x1)` " * 2_000,
        "```\nNext(x1)\n```\n" * 1_000 + "?",
    ],
)
def test_hostile_code_is_read_or_refused(answer: str) -> None:
    reading = read_python(answer)
    assert (reading.formula is None) == bool(reading.problem)


def test_no_answer_raises() -> None:
    rng = random.Random(7)
    answers = [*COMPLIANT, *RECOVERED, *REFUSED]
    pieces = ["(", ")", "=", "formulaToFind", "Next(", '"', "'", "```", "\n", "\\", ",", "&", "~", "x1", "\0", "é", ":"]
    for _ in range(600):
        answer = list(rng.choice(answers))
        for _ in range(rng.randint(1, 6)):
            at = rng.randint(0, len(answer))
            answer[at : at + rng.randint(0, 2)] = rng.choice(pieces)
        read("".join(answer))


def test_a_drawn_formula_survives_the_layout_of_a_code_formatter() -> None:
    rng = random.Random(11)
    for _ in range(50):
        formula = random_formula(rng, rng.randint(2, 30), ("x1", "x2", "door_open"))
        code = to_python(formula).replace("(", "(\n    ").replace(", ", ",\n    ")
        answer = f"Here is the formula:\n\n```python\nformulaToFind = {code}\n```\n"
        assert read_python(answer).formula == formula


def test_reading_runs_nothing() -> None:
    before = set(sys.modules)
    read_python("import this_module_is_not_there\nformulaToFind = Always(exit())")
    assert "this_module_is_not_there" not in set(sys.modules) - before

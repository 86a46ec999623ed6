"""Formulas of temporal logic in Python notation: what is read, what is refused, and what is never run."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given
from support.ltl_formulas import formulas

from pytest_autoeval.languages.ltl.python_notation import read_python, to_python
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Bottom,
    Next,
    Temporal,
    Top,
    Until,
)


def read(answer: str) -> str | None:
    reading = read_python(answer)
    assert not (reading.compliant and reading.recovered)
    assert (reading.formula is None) == bool(reading.problem)
    assert (reading.formula is not None) == (reading.compliant or reading.recovered)
    return None if reading.formula is None else str(reading.formula)


COMPLIANT = {
    'formulaToFind = Always(LImplies(AtomicProposition("x1"), Next(x2)))': "G (x1 -> X x2)",
    'formulaToFind = LAnd(left=AtomicProposition(name="x1"), right=x2)': "x1 & x2",
    'formulaToFind = LEquiv(Literal("True"), LOr(Once(x1), Literal("False")))': "true <-> (O x1 | false)",
    "formulaToFind: Formula = Yesterday(x1)": "Y x1",
    # Operands by the names of the fields that the prompts define, in any order.
    "formulaToFind = Until(a=x1, b=Next(a=x2))": "x1 U X x2",
    'formulaToFind = Since(b=AtomicProposition(name="x1"), a=x2)': "x2 S x1",
    "formulaToFind = LImplies(x1, b=x2)": "x1 -> x2",
    "formulaToFind = Until(b=a, a=b)": "b U a",
    "formulaToFind = (\n    Always(\n        x1,  # here\n    )\n)  # for ever": "G x1",
    'formulaToFind = AtomicProposition("door.open")': "door.open",
    # Nearly every model fences code.
    "```python\nformulaToFind = Always(x1)\n```": "G x1",
    "\n~~~\nAlways(\n  x1\n)\n\n~~~\n": "G x1",
}


@pytest.mark.parametrize(("answer", "expected"), COMPLIANT.items())
def test_an_answer_in_the_shown_notation_is_compliant(answer: str, expected: str) -> None:
    assert read(answer) == expected
    assert read_python(answer).compliant


RECOVERED = {
    # What is around the code.
    "Sure! Here's it:\n\n```python\nformulaToFind = Always(\n    LImplies(x1, x2)\n)\n```\n\nSo.": "G (x1 -> x2)",
    "The line is `formulaToFind = Next(x1)`.": "X x1",
    "formulaToFind = Always(\n  LOr(x1,\n    Next(x2)))\n\nThis holds always.": "G (x1 | X x2)",
    "The answer:\n\nAlways(LAnd(x1, x2))\n\nwhere `LAnd(x1, x2)` is a conjunction.": "G (x1 & x2)",
    "```python\nformulaToFind = Always(x1)\n```\nSo.": "G x1",
    "Sure:\n```python\nformulaToFind = Always(x1)\n```": "G x1",
    "```\nformulaToFind = Always(x1)": "G x1",
    "```\nformulaToFind = Always(x1)\n```\n```\nformulaToFind = Always(x1)\n```": "G x1",
    "```\nfrom ltl import *\nformulaToFind = Always(x1)\n```": "G x1",
    "```\nformulaToFind = Globally(x1)\n```": "G x1",
    "x1 = it rains\n```\nformulaToFind = Always(x1)\n```": "G x1",
    # The last assignment counts.
    "```\nformulaToFind = Next(x1)\n```\nCorrected:\n\nformulaToFind = Always(x1)": "G x1",
    # Variables.
    "```\nstep = Next(x1)\n```\nand then\n```\nformulaToFind = Always(step)\n```": "G X x1",
    'p = AtomicProposition("x1"); q = Next(p)\np = Always(p)\nformulaToFind = LAnd(p, q)': "G x1 & X x1",
    # Lines that bind nothing which the formula uses.
    "step = never.seen(\n    formulaToFind=3,\n)\nformulaToFind = Always(x1)": "G x1",
    "@dataclass\nclass Always(Formula):\n    formulaToFind: Formula = None\n\nformulaToFind = Always(x1)": "G x1",
    "def show(\n    f,\n):\n    x1 = 3\n    return f\n\nformulaToFind = Always(x1)\nshow(formulaToFind)": "G x1",
    # What models invent.
    "formulaToFind = Globally(Implies(Atom('x1'), Finally(x2)))": "G (x1 -> F x2)",
    "formulaToFind = WeakYesterday(Prev(Previously(weak_until(x1, x2))))": "Z Y Y (x1 W x2)",
    "formulaToFind = G(U(Prop('x1'), true))": "G (x1 U true)",
    "formulaToFind = Until(True, LAnd('x1', FALSE))": "true U (x1 & false)",
    "formulaToFind = Always(x1) & ~Next(x2) | x3": "(G x1 & !X x2) | x3",
    "formulaToFind = not x1 & x2 or Next(x2) and x3 | x1": "!(x1 & x2) | (X x2 & (x3 | x1))",
}


@pytest.mark.parametrize(("answer", "expected"), RECOVERED.items())
def test_a_formula_is_recovered(answer: str, expected: str) -> None:
    assert read(answer) == expected
    assert read_python(answer).recovered


#: Answers of real models, with the lines of their programs that matter: the same on every version of Python.
PROGRAMS = {
    "type trace = list[state]\nx1 = AtomicProposition('x1')\nx2 = AtomicProposition('x2')\n"
    "after_last_x1 = Always(LNot(x1))\nformulaToFind = LEquiv(x2, after_last_x1)": "x2 <-> G !x1",
    "formulaToFind = Historically(LNot(x1))\n#Test\nif check_formula(formulaToFind, traces):\n    print('ok')": "H !x1",
    "formulaToFind = LOr(LAnd(a, b), Always(c))), LAnd(d, Always(e)))": None,
    "```python\n# LTL equivalent: G (x1 -> F (x2 /\\ G x3))\nformulaToFind = Always(x1)\n```": "G x1",
    "x1, x3 = AtomicProposition('x1'), AtomicProposition('x3')\nformulaToFind = Until(x1, x3)": "x1 U x3",
    "response = whenever x1 then eventually x2\nformulaToFind = LAnd(x1, response)": None,
    "formulaToFind = Always(LImplies(x1, Eventually(LAnd(x2,": None,
}


@pytest.mark.parametrize(("answer", "expected"), PROGRAMS.items())
def test_a_program_of_a_model_means_one_formula_or_none(answer: str, expected: str | None) -> None:
    assert read(answer) == expected


REFUSED = {
    "": "the answer is empty",
    # The last assignment has a problem.
    "formulaToFind = Always(x1": "'(' is never closed",
    "formulaToFind = Next(x1)\nformulaToFind = Foo(x1)": "line 2, column 17: 'Foo' is not a constructor",
    "formulaToFind = Next(x1)\nif True:\n    formulaToFind = x2": "not read",
    "formulaToFind = Always(x1) is it": "column 28: unexpected 'is' after the formula",
    # Several formulas.
    "Always(x1)\nNext(x1)": "several formulas",
    # What is no constructor, and what it cannot take.
    "formulaToFind = Always(\n    os.system('true'))": "line 2, column 7",
    "formulaToFind = Until(*both)": "only constructors",
    "formulaToFind = Always()": "takes 1 argument, not 0",
    "formulaToFind = Until(x1, left=x2)": "unclear which argument of 'Until' 'left' is; write a and b",
    "formulaToFind = Until(x1, a=x2)": "unclear which argument",
    "formulaToFind = Until(a=x1, x2)": "unclear which argument",
    "formulaToFind = Until(a=x1, c=x2)": "unclear which argument of 'Until' 'a', 'c' is",
    "formulaToFind = Until(a=x1, right=x2)": "unclear which argument",
    "formulaToFind = LAnd(a=x1, b=x2, c=x3)": "unclear which argument",
    "formulaToFind = Until(a=x1, a=x2)": "the argument of 'Until' 'a' is given twice",
    "formulaToFind = G(x1=x2)": "unclear which argument of 'G' 'x1' is; write a",
    'formulaToFind = AtomicProposition("x1 & x2")': "not the name of a proposition",
    'formulaToFind = AtomicProposition(Next("x1"))': "takes a name",
    # Names that are bound to something else.
    "formulaToFind = Next(step)\nstep = x1": "before it is assigned",
    "step = foo()\nformulaToFind = Next(step)": "'step' contains no formula",
    "def Until(a, b):\n    return LNot(a)\n\nformulaToFind = Until(x1, x2)": "'Until' is not a constructor",
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
    assert "levels" in read_python(to_python(Next(Next(formula)))).problem


HOSTILE = [
    "And(",
    "(\n",
    "x = ",
    "x = \n",
    '"',
    "'",
    '\\"',
    "~",
    "~x & ",
    "a = LAnd(a, a)\n",
    "```\nF(x)\n```\n",
    "\0",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_code_is_read_or_refused(piece: str) -> None:
    for start in ("", "formulaToFind = "):
        read((start + piece * 40_000)[:40_000])


def test_no_answer_raises() -> None:
    rng = random.Random(7)
    answers = [*COMPLIANT, *RECOVERED, *PROGRAMS, *REFUSED]
    pieces = [
        "(",
        ")",
        "=",
        "formulaToFind",
        "Next(",
        '"',
        "'",
        "```",
        "\n",
        "\\",
        ",",
        "&",
        "~",
        "x1",
        "\0",
        "é",
        ":",
    ]
    for _ in range(600):
        answer = list(rng.choice(answers))
        for _ in range(rng.randint(1, 6)):
            at = rng.randint(0, len(answer))
            answer[at : at + rng.randint(0, 2)] = rng.choice(pieces)
        read("".join(answer))


def test_reading_runs_nothing() -> None:
    before = set(sys.modules)
    read_python("import this_module_is_not_there\nformulaToFind = Always(exit())")
    assert "this_module_is_not_there" not in set(sys.modules) - before

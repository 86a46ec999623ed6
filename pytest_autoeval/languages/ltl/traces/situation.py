"""A lasso in English, proposition by proposition.

"Suppose the following for steps 1 to 3. The door is open at step 2, but not at steps 1 and 3. The light is red at no
step. From step 3 on, everything stays the same."
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_autoeval.languages.base import Witness
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.situation import phrases_of, readable_case, sentence, unlike


def situation(witness: Witness, glossary: Mapping[str, str]) -> str:
    """The lasso, one sentence for each atom in order; raises :class:`EnglishError` for another witness."""
    if not isinstance(witness, TraceWitness):
        raise unlike("a trace")
    lasso = witness.lasso
    phrases = phrases_of(glossary, [(atom, 0) for atom in lasso.atoms], " holds")
    facts = [
        sentence(f"{phrase.text} {_when([atom in state for state in lasso.states])}")
        for phrase, atom in zip(phrases, lasso.atoms, strict=True)
    ]
    last, start = len(lasso.states), len(lasso.prefix) + 1
    if last == 1:
        return " ".join(["Suppose the following.", *facts]) if facts else "Suppose anything."
    loop = f"After step {last}, steps {_span(start, last)} repeat forever."
    if start == last:
        loop = f"From step {last} on, everything stays the same."
    return " ".join([f"Suppose the following for steps {_span(1, last)}.", *facts, loop])


def _span(first: int, last: int) -> str:
    return f"{first} and {last}" if last == first + 1 else f"{first} to {last}"


def _when(values: Sequence[bool]) -> str:
    yes = [step for step, value in enumerate(values, start=1) if value]
    no = [step for step, value in enumerate(values, start=1) if not value]
    if not no:
        return "at every step"
    return f"{_steps(yes)}, but not {_steps(no)}" if yes else "at no step"


def _steps(steps: Sequence[int]) -> str:
    *before, last = map(str, steps)
    return f"at steps {', '.join(before)} and {last}" if before else f"at step {last}"


@readable_case()
def holds_in(formula: Temporal, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    """See `Language.holds_in`: at the start of the trace of a witness's JSON."""
    states = {part: tuple(map(frozenset, case[part])) for part in ("prefix", "loop")}
    lasso = Lasso(atoms=tuple(case["atoms"]), **states)
    lacking = [atom for atom in symbols(formula).propositions if atom not in lasso.atoms]
    return (
        holds(formula, replace(lasso, atoms=(*lasso.atoms, *lacking)))
        if closed or not lacking
        else None
    )

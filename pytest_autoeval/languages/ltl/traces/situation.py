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
    facts = []
    for phrase, atom in zip(phrases, lasso.atoms, strict=True):
        values = [atom in state for state in lasso.states]
        facts.append(sentence(f"{phrase.text} {_when(values)}"))
    final, start = len(lasso.states), len(lasso.prefix) + 1
    if final == 1:
        return " ".join(["Suppose the following.", *facts]) if facts else "Suppose anything."
    loop = f"After step {final}, steps {_span(start, final)} repeat forever."
    if start == final:
        loop = f"From step {final} on, everything stays the same."
    return " ".join([f"Suppose the following for steps {_span(1, final)}.", *facts, loop])


def _span(start: int, end: int) -> str:
    return f"{start} and {end}" if end == start + 1 else f"{start} to {end}"


def _when(values: Sequence[bool]) -> str:
    yes = [step for step, value in enumerate(values, start=1) if value]
    no = [step for step, value in enumerate(values, start=1) if not value]
    if not no:
        return "at every step"
    return f"{_steps(yes)}, but not {_steps(no)}" if yes else "at no step"


def _steps(steps: Sequence[int]) -> str:
    *before, final = map(str, steps)
    return f"at steps {', '.join(before)} and {final}" if before else f"at step {final}"


@readable_case()
def holds_in(formula: Temporal, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    """See `Language.holds_in`: at the start of the trace of a witness's JSON."""
    prefix = tuple(map(frozenset, case["prefix"]))
    loop = tuple(map(frozenset, case["loop"]))
    lasso = Lasso(tuple(case["atoms"]), prefix, loop)
    lacking = [atom for atom in symbols(formula).propositions if atom not in lasso.atoms]
    if lacking and not closed:
        return None
    # An atom that the trace does not mention is false in all states.
    return holds(formula, replace(lasso, atoms=(*lasso.atoms, *lacking)))

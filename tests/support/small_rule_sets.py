"""Random small sets of rules, and the truth about them by enumeration of all small cases.

The enumeration shares only the syntax trees with the package: truth tables, all lassos of up to four states, and all
models of up to two things.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

from pytest_autoeval.languages import Formula, language
from pytest_autoeval.requirements.conditions import meeting
from pytest_autoeval.requirements.cores import Core
from pytest_autoeval.requirements.rule_pairs import Forbidden, RuleFindings, examine_set
from pytest_autoeval.requirements.whole_set import WholeSet
from support.bounded_unrolling import Shape
from support.independent_logic import profile, worlds

ATOMS = {"propositional": "abcd", "ltl": "ab", "first_order": "PQR"}


def random_rules(rng: random.Random, name: str) -> list[Formula]:
    """Two to six formulas: rules in several forms, and some without a condition."""
    return [language(name).parse(_text(rng, name)) for _ in range(rng.randint(2, 6))]


def _text(rng: random.Random, name: str) -> str:
    def literal() -> str:
        atom = rng.choice(ATOMS[name])
        sign = rng.choice(("", "", "!"))
        if name == "first_order":
            return f"{sign}{atom}(x)"
        return f"{sign}{rng.choice(('', '', '', 'X ', 'F ', 'Y ')) if name == 'ltl' else ''}{atom}"

    one, other, third = literal(), literal(), literal()
    body = rng.choice(
        (
            f"({one} -> {other})",
            f"(!({one}) | {other})",
            f"!({one} & {other})",
            f"(({one} & {third}) -> {other})",
            one,
        )
    )
    if name == "propositional":
        return _signs(body)
    if name == "ltl":
        return rng.choice(
            (f"G {body}", f"G {body}", f"!(F !{body})", f"{body} W {third}", f"F {one}")
        )
    return _signs(
        rng.choice((f"all x {body}", f"all x {body}", f"!(some x !{body})", f"some x {one}"))
    )


def _signs(text: str) -> str:
    for written, sign in (
        ("->", "→"),
        ("!", "¬"),
        ("&", "∧"),
        ("|", "∨"),
        ("all ", "∀"),
        ("some ", "∃"),
    ):
        text = text.replace(written, sign)
    return text


def tables(name: str, formulas: Sequence[Formula]) -> list[int]:
    """For each formula the small cases in which it holds, as bits."""
    if name == "propositional":
        rows = 1 << len(ATOMS[name])
        facts: Mapping[Any, int] = {
            (atom,): sum(1 << row for row in range(rows) if row >> place & 1)
            for place, atom in enumerate(ATOMS[name])
        }
        return [
            worlds(cast("Any", formula), (1,), {}, facts, (1 << rows) - 1) for formula in formulas
        ]
    if name == "ltl":
        shapes = [Shape(tuple(ATOMS[name]), 4, period) for period in range(1, 5)]
        width = 1 << len(ATOMS[name]) * 4
        return [
            sum(shape.truth(cast("Any", formula)) << width * at for at, shape in enumerate(shapes))
            for formula in formulas
        ]
    found = [0] * len(formulas)
    for size in (1, 2, 3):
        width = 1 << size * len(ATOMS[name])
        for at, formula in enumerate(formulas):
            [models] = profile(cast("Any", formula), dict.fromkeys(ATOMS[name], 1), (), size)
            found[at] = found[at] << width | models
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """How often the findings are those of the enumeration, by what it says; and where they are not."""

    counts: Mapping[str, int]
    wrong: Sequence[str]


def compare(name: str, formulas: Sequence[Formula]) -> Compared:
    """The findings about a set beside the enumeration.

    In temporal logic a case may be longer than the enumerated ones. So it is no mistake that more is called possible.
    """
    whole, findings = examine_set(formulas, language(name), None, 60.0)
    counts: dict[str, int] = {}
    wrong: list[str] = []
    numbers = [number for number in findings.rules if number not in findings.vacuous]
    asked = [(number,) for number in findings.rules] + [*combinations(numbers, 2)]
    meets = [meeting([findings.rules[number] for number in case]) for case in asked]
    known = tables(name, [*formulas, *meets])
    for case, meet in zip(asked, known[len(formulas) :], strict=True):
        truth = _truth(whole.kept, known, meet)
        said = _said(findings, case)
        counts[f"{len(case)} {truth}"] = counts.get(f"{len(case)} {truth}", 0) + 1
        is_longer = name == "ltl" and said == "possible"
        if said != truth and not is_longer:
            wrong.append(f"{case}: {said}, but {truth}: {[str(formula) for formula in formulas]}")
        wrong += _wrong_core(findings, whole, case, known, meet)
    return Compared(counts, wrong)


def _holding(numbers: Iterable[int], known: Sequence[int], cases: int) -> int:
    for number in numbers:
        cases &= known[number - 1]
    return cases


def _truth(kept: Iterable[int], known: Sequence[int], meet: int) -> str:
    if _holding(kept, known, meet):
        return "possible"
    alone = not meet or any(not known[number - 1] & meet for number in kept)
    return "excluded" if alone else "forbidden by several"


def _said(findings: RuleFindings, case: tuple[int, ...]) -> str:
    forbidden = _forbidden(findings, case)
    if forbidden is not None:
        return "excluded" if len(forbidden.core.numbers) < 2 else "forbidden by several"
    if len(case) == 1:
        return "possible" if case not in findings.undecided.get("conditions", []) else "undecided"
    pair = (case[0], case[1])
    if pair in findings.excluded:
        return "excluded"
    return "possible" if pair in findings.possible else "undecided"


def _forbidden(findings: RuleFindings, case: tuple[int, ...]) -> Forbidden | None:
    return (
        findings.vacuous.get(case[0])
        if len(case) == 1
        else findings.collisions.get((case[0], case[1]))
    )


def _wrong_core(
    findings: RuleFindings, whole: WholeSet, case: tuple[int, ...], known: Sequence[int], meet: int
) -> list[str]:
    """What is wrong with the set of rules that is said to forbid something: it must, and no smaller one may."""
    forbidden = _forbidden(findings, case)
    if forbidden is None:
        return []
    core: Core = forbidden.core
    if not core.numbers <= {*whole.kept} or _holding(core.numbers, known, meet):
        return [f"{case}: {sorted(core.numbers)} do not forbid it"]
    smaller = (
        (frozenset(some) for some in combinations(whole.kept, len(core.numbers) - 1))
        if core.numbers
        else ()
    )
    if any(not _holding(some, known, meet) for some in smaller):
        return [f"{case}: fewer than {sorted(core.numbers)} forbid it"]
    if forbidden.without is None and core.numbers:
        return [f"{case}: no case without one of {sorted(core.numbers)}"]
    return []

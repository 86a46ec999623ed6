"""Sets of rules with planted faults: access rules, a lift, a pump, an escrow and lending books, 40 rules each.

What each set contains is known by construction. All names of two groups of rules are different, so that only rules of
one group speak of the same. In each set there are

- 8 collisions: two rules whose conditions can occur, and whose effects exclude each other;
- 4 vacuous rules: one or two others forbid their condition;
- 4 exclusions on purpose: two rules with opposite effects, and a third that forbids that their conditions meet;
- 4 rules that can meet all others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

_COLLISIONS, _VACUOUS, _EXCLUSIONS, _HARMLESS = 8, 4, 4, 4
#: For each set its language, its things, and what they may be.
_DOMAINS: Mapping[str, tuple[str, str, str]] = {
    "access rules": (
        "ltl",
        "account badge visitor session key door guard vault",
        "locked new known expired shared open watched logged",
    ),
    "lift": (
        "ltl",
        "cabin door button brake motor lamp shaft cable",
        "moving closed pressed blocked hot lit clear tight",
    ),
    "pump": (
        "ltl",
        "pump valve tank alarm heater sensor filter drain",
        "running open full loud hot dirty broken empty",
    ),
    "escrow": (
        "propositional",
        "deposit buyer seller parcel fee refund notice contract",
        "paid late signed returned disputed final void checked",
    ),
    "lending books": (
        "first_order",
        "member guest child teacher visitor donor editor student",
        "blocked local senior trusted absent invited fined active",
    ),
}
NAMES = tuple(_DOMAINS)


@dataclass(frozen=True, slots=True)
class PlantedSet:
    """A set of rules and what is planted in it, by the numbers of the rules, from 1.

    Attributes:
        collisions: the pairs that collide, each with the rules that forbid it.
        vacuous: the vacuous rules, each with the rules that forbid its condition.
        excluded: the pairs that one rule excludes.
    """

    name: str
    language: str
    sentences: tuple[str, ...]
    formulas: tuple[str, ...]
    glossary: Mapping[str, str]
    collisions: Mapping[tuple[int, int], frozenset[int]]
    vacuous: Mapping[int, frozenset[int]]
    excluded: Mapping[tuple[int, int], int]


class _Writer:
    """Writes rules in one language, in several forms, and their English."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._forms = 0

    def rule(self, condition: str, effect: str, *, denied: bool = False) -> str:
        """If the condition holds, so does the effect, or it does not if it is ``denied``; each time in another form."""
        self._forms += 1
        no, yes = ("", "¬") if denied else ("¬", "")
        forms = {
            "ltl": [
                f"G ({condition} -> {yes}{effect})",
                f"G (!{condition} | {yes}{effect})",
                f"!(F ({condition} & {no}{effect}))",
                f"!(true U ({condition} & {no}{effect}))",
            ],
            "propositional": [
                f"{condition} → {yes}{effect}",
                f"¬{condition} ∨ {yes}{effect}",
                f"¬({condition} ∧ {no}{effect})",
            ],
            "first_order": [
                f"∀x ({condition}(x) → {yes}{effect}(x))",
                f"∀x (¬{condition}(x) ∨ {yes}{effect}(x))",
                f"¬∃x ({condition}(x) ∧ {no}{effect}(x))",
            ],
        }[self._language]
        text = forms[self._forms % len(forms)]
        return text.replace("¬", "!") if self._language == "ltl" else text

    def never(self, condition: str) -> str:
        texts = {
            "ltl": f"G !{condition}",
            "propositional": f"¬{condition}",
            "first_order": f"¬∃x {condition}(x)",
        }
        return texts[self._language]


def planted(name: str, seed: int = 0, *, groups: float = 1.0) -> PlantedSet:
    """The set of a domain, its rules in random order; with ``groups`` more or fewer rules: 0.25 is 10, 2.5 is 100."""
    rng = random.Random(f"{name} {seed}")
    language, things, states = _DOMAINS[name]
    words = list(product(states.split(), things.split()))
    rng.shuffle(words)
    glossary: dict[str, str] = {}
    writer, rules = _Writer(language), list[tuple[str, str, str]]()

    def names(number: int) -> Iterator[str]:
        for _ in range(number):
            state, thing = words[len(glossary) % len(words)]
            turn = len(glossary) // len(words)
            symbol = f"{thing}_{state}{turn or ''}"
            symbol = symbol.title().replace("_", "") if language == "first_order" else symbol
            phrase = (
                f"x is a {state} {thing}"
                if language == "first_order"
                else f"the {thing} is {state}"
            )
            phrase += f" in part {turn}" if turn else ""
            glossary[f"{symbol}(x)" if language == "first_order" else symbol] = phrase
            yield symbol

    def add(role: str, formula: str, english: str) -> None:
        rules.append((role, formula, english))

    for group in range(round(_COLLISIONS * groups)):
        a, b, e = names(3)
        add(f"collide {group}", writer.rule(a, e), f"If {a}, then {e}.")
        add(f"collide {group}", writer.rule(b, e, denied=True), f"If {b}, then never {e}.")
    for group in range(round(_VACUOUS * groups)):
        v, w = names(2)
        if group % 2:
            add(f"vacuous {group}", writer.rule(v, w), f"If {v}, then {w}.")
            add(f"never {group}", writer.never(w), f"Never {w}.")
        else:
            add(f"vacuous {group}", writer.rule(v, w), f"If {v}, then {w}.")
            add(f"never {group}", writer.never(v), f"Never {v}.")
    for group in range(round(_EXCLUSIONS * groups)):
        m, n, f = names(3)
        add(f"first {group}", writer.rule(m, f), f"If {m}, then {f}.")
        add(f"second {group}", writer.rule(n, f, denied=True), f"If {n}, then never {f}.")
        add(f"apart {group}", writer.rule(m, n, denied=True), f"{m} excludes {n}.")
    for group in range(round(_HARMLESS * groups)):
        c, e = names(2)
        add(f"harmless {group}", writer.rule(c, e), f"If {c}, then {e}.")
    rng.shuffle(rules)
    at: dict[str, list[int]] = {}
    for number, (role, _, _) in enumerate(rules, start=1):
        at.setdefault(role, []).append(number)
    pairs = [at[role] for role in at if role.startswith("collide")]
    return PlantedSet(
        name=name,
        language=language,
        sentences=tuple(_english(english, glossary) for _, _, english in rules),
        formulas=tuple(formula for _, formula, _ in rules),
        glossary=glossary,
        collisions={_pair(*pair): frozenset(pair) for pair in pairs},
        vacuous=dict(_vacuous(at)),
        excluded=dict(_excluded(at)),
    )


def _vacuous(at: Mapping[str, list[int]]) -> Iterator[tuple[int, frozenset[int]]]:
    """The vacuous rules, by the numbers of all roles; of every other one the rule itself leads to what is forbidden."""
    for role, numbers in at.items():
        kind, group = role.split()
        if kind == "vacuous":
            [number], forbids = numbers, at[f"never {group}"]
            yield number, frozenset([number, *forbids] if int(group) % 2 else forbids)


def _excluded(at: Mapping[str, list[int]]) -> Iterator[tuple[tuple[int, int], int]]:
    for role, numbers in at.items():
        kind, group = role.split()
        if kind == "first":
            [second], [apart] = at[f"second {group}"], at[f"apart {group}"]
            yield _pair(numbers[0], second), apart
            yield _pair(second, apart), apart


def _pair(first: int, second: int) -> tuple[int, int]:
    return min(first, second), max(first, second)


def _english(text: str, glossary: Mapping[str, str]) -> str:
    for name, phrase in glossary.items():
        symbol = name.partition("(")[0]
        words = text.replace(".", " .").replace(",", " ,").split()
        text = (
            " ".join(phrase if word == symbol else word for word in words)
            .replace(" .", ".")
            .replace(" ,", ",")
        )
    return text[:1].upper() + text[1:]

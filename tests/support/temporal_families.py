"""Families of temporal problems that grow with a number, each with its status by construction.

They follow families of the Schuppan–Darmawan set, on which solvers of temporal logic are compared; the texts are our
own. Schuppan, Darmawan, "Evaluating LTL satisfiability solvers", ATVA 2011.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple


class Problem(NamedTuple):
    """Two formulas in canonical notation, and whether they are equivalent; None if nobody knows by construction."""

    left: str
    right: str
    is_equivalence: bool | None


def all_of(conjuncts: list[str]) -> str:
    """A conjunction whose brackets are balanced, so that it is not deep."""
    while len(conjuncts) > 1:
        pairs = zip(conjuncts[::2], conjuncts[1::2], strict=False)
        last = conjuncts[-1:] if len(conjuncts) % 2 else []
        conjuncts = [f"({left} & {right})" for left, right in pairs] + last
    return conjuncts[0]


def random_clauses(n: int) -> Problem:
    """Random clauses of three literals that hold from position 1 on, and promises. (``trp``, Hustadt, Schmidt 2002)"""
    rng = random.Random(n)

    def literal() -> str:
        return rng.choice(("", "!")) + f"p{rng.randrange(n)}"

    clauses = [f"G (X {literal()} | X {literal()} | X {literal()})" for _ in range(3 * n)]
    promises = [f"G ({literal()} | F p{index})" for index in range(n)]
    start = [f"({literal()} | {literal()})" for _ in range(n)]
    return Problem(all_of([*start, *clauses, *promises]), "false", None)


def lift(n: int) -> Problem:
    """A lift of n floors serves all its calls; it moves at every other position. It can. (``alaska/lift``)"""
    floors = [f"f{index}" for index in range(n)]
    calls = [f"b{index}" for index in range(n)]
    conjuncts = ["f0", "!u", *(f"!{call}" for call in calls), "G (u <-> !X u)"]
    for index, floor in enumerate(floors):
        conjuncts += [f"G !({floor} & {other})" for other in floors[index + 1 :]]
        near = " | ".join(floors[max(0, index - 1) : index + 2])
        conjuncts += [f"G ({floor} -> X ({near}))", f"G (u -> ({floor} <-> X {floor}))"]
        conjuncts += [f"G (!u -> ({calls[index]} <-> X {calls[index]}))"]
        conjuncts += [
            f"G ({calls[index]} & !{floor} -> X {calls[index]})",
            f"G ({calls[index]} -> F {floor})",
        ]
        conjuncts += [f"G F {calls[index]}"]
    return Problem(all_of(conjuncts), "false", False)


def counter_never_full(n: int) -> Problem:
    """A counter of n bits counts from 0 and is never full. It cannot."""
    bits = [f"b{index}" for index in range(n)]
    conjuncts = [f"!{bit}" for bit in bits]
    for index, bit in enumerate(bits):
        carry = all_of(bits[:index] or ["true"])
        conjuncts.append(f"G (X {bit} <-> !({bit} <-> {carry}))")
    return Problem(all_of([*conjuncts, f"G !{all_of(bits)}"]), "false", True)


def counter_with_carry(n: int) -> Problem:
    """A counter whose n bits follow each other in time, with a carry. It can count. (Rozier, Vardi 2007)"""
    turn = "X " * n
    unmarked = all_of([f"{'X ' * index}!m" for index in range(1, n)])
    conjuncts = [
        "m",
        f"G (m -> {unmarked} & {turn}m)",
        all_of([f"{'X ' * index}!b" for index in range(n)]),
        # at the mark is the lowest bit; a carry after a bit says that the next bit changes
        f"G (m -> (c <-> b) & (b <-> !{turn}b))",
        f"G (!X m & c -> (X c <-> X b) & (X b <-> !X {turn}b))",
        f"G (!X m & !c -> !X c & (X b <-> X {turn}b))",
    ]
    return Problem(all_of(conjuncts), "false", False)


def pigeons(n: int) -> Problem:
    """Of n + 1 pigeons each is home at one of the first n positions, no two at once. They cannot. (``phltl``)"""
    names = [f"p{index}" for index in range(n + 1)]
    at_home = [
        "(" + " | ".join("X " * position + name for position in range(n)) + ")" for name in names
    ]
    alone = [
        f"G !({name} & {other})" for index, name in enumerate(names) for other in names[index + 1 :]
    ]
    return Problem(all_of(at_home + alone), "false", True)


def right_nested_until(n: int) -> Problem:
    """``p1 U (p2 U …)`` implies that its last goal comes and that each position before it has a reason."""
    nested = f"p{n}"
    for index in range(n - 1, 0, -1):
        nested = f"p{index} U ({nested})"
    reasons = " | ".join(f"p{index}" for index in range(1, n))
    return Problem(f"({nested}) & ({reasons}) U p{n}", nested, True)


def fair_promises(n: int) -> Problem:
    """Each of n things happens again and again; so one after another does, in that order."""
    nested = "p1"
    for index in range(2, n + 1):
        nested = f"p{index} & X F ({nested})"
    return Problem(all_of([f"G F p{index}" for index in range(1, n + 1)]), f"G F ({nested})", True)


def chosen_promises(n: int) -> Problem:
    """Of each two neighbours one comes or the other always holds; with none that comes and one that fails. No."""
    choices = [f"(F p{index} | G p{index + 1})" for index in range(1, n + 1)]
    never = [f"F G !p{index}" for index in range(1, n + 2)]
    again = [f"G (F p{index} | G p{index + 1})" for index in range(1, n + 1)]
    return Problem(all_of(choices + again + never), "false", True)


FAMILIES: dict[str, Callable[[int], Problem]] = {
    "random clauses": random_clauses,
    "lift": lift,
    "counter never full": counter_never_full,
    "counter with carry": counter_with_carry,
    "pigeons": pigeons,
    "right-nested until": right_nested_until,
    "fair promises": fair_promises,
    "chosen promises": chosen_promises,
}

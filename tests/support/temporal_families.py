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


def responses(n: int) -> Problem:
    """To each of n requests comes a response. That is possible."""
    return Problem(all_of(_responses(n)), "false", False)


def later_response(n: int) -> Problem:
    """The same, but one response may not come at once. That is more than the others say."""
    last = f"G (p{n - 1} -> X F q{n - 1})"
    return Problem(all_of(_responses(n)), all_of([*_responses(n)[:-1], last]), False)


def remembered_responses(n: int) -> Problem:
    """To each of n requests comes a response: again and again, no request is open."""
    closed = [f"G F (!p{index} S q{index} | H !p{index})" for index in range(n)]
    return Problem(all_of(_responses(n)), all_of(closed), True)


def chain_of_responses(n: int) -> Problem:
    """Each of n events brings about the next one; so the first one brings about the last one."""
    steps = [f"G (p{index} -> F p{index + 1})" for index in range(n)]
    return Problem(all_of(steps), all_of([*steps, f"G (p0 -> F p{n})"]), True)


def disagreement(n: int) -> Problem:
    """From some time on, each of n in a circle agrees with the next, but the last does not. (``O2formula``)"""
    pairs = [f"F G (p{index} <-> p{index + 1})" for index in range(1, n)]
    return Problem(all_of([*pairs, f"F G (p{n} <-> !p1)"]), "false", True)


def useless_choices(n: int) -> Problem:
    """n choices at the start, beside what cannot be. (``O1formula``)"""
    choices = [f"(a{index} | b{index})" for index in range(n)]
    return Problem(all_of([*choices, "G c", "X !c"]), "false", True)


def pigeons_in_turn(n: int) -> Problem:
    """n + 1 pigeons come again and again, each at every n-th position, no two at once. They cannot. (``phltl``)"""
    names = [f"p{index}" for index in range(n + 1)]
    turns = [f"(G F {name} & G ({name} -> {'X ' * n}{name}))" for name in names]
    alone = [
        f"G !({name} & {other})" for index, name in enumerate(names) for other in names[index + 1 :]
    ]
    return Problem(all_of([*turns, *alone]), "false", True)


def patterns(n: int) -> Problem:
    """A specification over n propositions: drawn requirements of the shapes that people write."""
    rng = random.Random(n)
    shapes = (
        "G (@ -> F @)",
        "G (@ -> X @)",
        "F @",
        "G F @",
        "(@ U @)",
        "(@ W @)",
        "G (@ -> (@ U @))",
        "G (@ | @ | @)",
        "F G (@ | @)",
        "G (@ & @ -> X (@ R @))",
        "G (@ -> F (@ & X @))",
        "G (@ -> O @)",
        "G (@ -> (@ S @))",
    )

    def requirement() -> str:
        first, *others = rng.choice(shapes).split("@")
        literals = [rng.choice(("", "!")) + f"p{rng.randrange(n)}" for _ in others]
        return first + "".join(map("".join, zip(literals, others, strict=True)))

    return Problem(all_of([requirement() for _ in range(3 * n // 2)]), "false", None)


def _responses(n: int) -> list[str]:
    return [f"G (p{index} -> F q{index})" for index in range(n)]


FAMILIES: dict[str, Callable[[int], Problem]] = {
    "random clauses": random_clauses,
    "lift": lift,
    "counter never full": counter_never_full,
    "counter with carry": counter_with_carry,
    "pigeons": pigeons,
    "right-nested until": right_nested_until,
    "fair promises": fair_promises,
    "chosen promises": chosen_promises,
    "responses": responses,
    "later response": later_response,
    "remembered responses": remembered_responses,
    "chain of responses": chain_of_responses,
    "disagreement": disagreement,
    "useless choices": useless_choices,
    "pigeons in turn": pigeons_in_turn,
    "patterns": patterns,
}

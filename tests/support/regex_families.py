"""Families of regular expressions that grow with a number, each with its status by construction.

They are kinds of problems that are hard for one construction or another: counters in each other, conditions on a far
symbol, whose automata grow exponentially, many conditions at once, and long periods.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from string import ascii_lowercase
from typing import NamedTuple


class RegexProblem(NamedTuple):
    """Two expressions, and whether they are equivalent; None if nobody knows by construction."""

    left: str
    right: str
    is_equivalence: bool | None


def primes(count: int, first: int = 2) -> list[int]:
    """The first primes from a number on."""
    found: list[int] = []
    candidate = first
    while len(found) < count:
        if all(candidate % divisor for divisor in range(2, int(candidate**0.5) + 1)):
            found.append(candidate)
        candidate += 1
    return found


def nested_counters(n: int) -> RegexProblem:
    """Two orders of two counters in each other, where one more symbol makes a difference."""
    return RegexProblem(f"((0?1?){{{n}}}){{{n + 1}}}", f"((0?1?){{{n + 1}}}){{{n}}}", True)


def counters_of_words(n: int) -> RegexProblem:
    """Nested counters under ``&`` and ``~``: words that are not made of up to n times n blocks."""
    blocks = f"((0?1?){{{n}}}){{{n}}}"
    return RegexProblem(f"(0|1)*&~({blocks})", f"(0|1)*&~({blocks}(0?1?))", False)


def required_counters(n: int) -> RegexProblem:
    """Counters of parts that are not empty, in each other, with a condition on neighbours."""
    blocks = f"(0(1|0){{0,{n}}}){{{n}}}"
    return RegexProblem(f"{blocks}&~((0|1)*11(0|1)*)", f"~((0|1)*11(0|1)*)&{blocks}", True)


def far_symbol(n: int) -> RegexProblem:
    """The symbol n places before the end, written in two ways: a deterministic automaton has 2ⁿ states."""
    return RegexProblem(f"(0|1)*1(0|1){{{n}}}", f"(0|1)*(0|1)*1((0|1){{{n}}})", True)


def far_symbol_negated(n: int) -> RegexProblem:
    """The same under a complement, against the other symbol at that place, or a shorter string."""
    other = f"(0|1)*0(0|1){{{n}}}|(0|1){{0,{n}}}"
    return RegexProblem(f"(0|1)*&~((0|1)*1(0|1){{{n}}})", other, True)


def far_symbol_negated_twice(n: int) -> RegexProblem:
    """The same symbol written in two ways, both under a complement: no automaton of either is needed."""
    problem = far_symbol(n)
    return RegexProblem(f"[01]*&~({problem.left})", f"[01]*&~({problem.right})", True)


def contained_symbols(n: int) -> RegexProblem:
    """Strings with each of n symbols: as an intersection in two orders. (NL-RX: "with a, b and c")"""
    symbols = ascii_lowercase[:n]
    any_symbol = f"[{symbols}]*"
    conditions = [f"({any_symbol}{symbol}{any_symbol})" for symbol in symbols]
    missing = [f"(({any_symbol})&~({condition}))" for condition in conditions]
    return RegexProblem("&".join(conditions), f"{any_symbol}&~({'|'.join(missing)})", True)


def words_in_lines(n: int) -> RegexProblem:
    """Lines with some of n words and without others, against the law of De Morgan. (KB13, StructuredRegex)"""
    rng = random.Random(n)
    words = ["".join(rng.choice("abcde") for _ in range(4)) for _ in range(n)]
    without = "|".join(f".*{word}.*" for word in words)
    negated = "&".join(f"~(.*{word}.*)" for word in words)
    return RegexProblem(f"[a-e]*&~({without})", f"[a-e]*&{negated}", True)


def two_periods(n: int) -> RegexProblem:
    """Sums of multiples of two primes from n on, against all lengths from the last gap on."""
    low, high = primes(2, n)
    gap = low * high - low - high
    text = f"(a{{{low}}})*(a{{{high}}})*&(a{{{low}}}){{{(gap + 1) // low + 1}}}a*"
    other = f"(a{{{low}}}){{{(gap + 1) // low + 1}}}a*"
    return RegexProblem(text, other, True)


def union_of_periods(n: int) -> RegexProblem:
    """The multiples of n primes below 100, in two orders, one of them inside a complement."""
    periods = [f"(a{{{prime}}})*" for prime in primes(25)[::-1][:n]]
    backwards = "&".join(f"~({period})" for period in periods[::-1])
    return RegexProblem("|".join(periods), f"a*&~(a*&{backwards})", True)


def levels_of_complements(n: int) -> RegexProblem:
    """Complements in each other, n levels deep, each behind another symbol."""
    levels = "0"
    for level in range(n):
        levels = f"~({levels}){level % 2}"
    return RegexProblem(f"(0|1)*&({levels})", f"({levels})&(0|1)*", True)


REGEX_FAMILIES: dict[str, Callable[[int], RegexProblem]] = {
    "nested counters": nested_counters,
    "nested counters under ~": counters_of_words,
    "required counters under &": required_counters,
    "far symbol": far_symbol,
    "far symbol under ~": far_symbol_negated,
    "far symbol under ~ twice": far_symbol_negated_twice,
    "n symbols at once": contained_symbols,
    "n words, De Morgan": words_in_lines,
    "two long periods": two_periods,
    "union of n periods": union_of_periods,
    "levels of complements": levels_of_complements,
}

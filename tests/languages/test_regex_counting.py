"""Counting, in each other and under ``&`` and ``~``, and many periods over one symbol: against other constructions."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import reduce

import pytest
from support.derivatives import shortest_difference
from support.regex_families import REGEX_FAMILIES

from pytest_autoeval.languages.base import Relation
from pytest_autoeval.languages.deciding import OUTCOMES
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex import remainders, unary
from pytest_autoeval.languages.regex.counting import counted
from pytest_autoeval.languages.regex.decide import decide
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.syntax import (
    Character,
    CharacterClass,
    Complement,
    Concat,
    Expression,
    Intersection,
    Optional,
    Plus,
    Repeat,
    Star,
    Union,
)

RELATIONS: tuple[Relation, ...] = ("equivalence", "entailment")


def counter(rng: random.Random, leaves: int) -> Expression:
    """A random expression with many counts, some in each other, and some under ``&`` and ``~``."""
    if leaves <= 1:
        return rng.choice([Character("0"), Character("1"), Optional(Character(rng.choice("01")))])
    kind = rng.random()
    if kind < 0.5:
        inner = counter(rng, leaves - 1)
        minimum = rng.choice([0, 0, 0, 1, 2])
        return rng.choice(
            [
                Repeat(inner, minimum, minimum + rng.randrange(4)),
                Repeat(inner, minimum, minimum + rng.randrange(1, 3)),
                Repeat(inner, minimum, None),
                Optional(inner),
                Star(inner),
                Plus(inner),
            ]
        )
    if kind < 0.6:
        return Complement(counter(rng, leaves - 1))
    split = rng.randrange(1, leaves)
    parts = (counter(rng, split), counter(rng, leaves - split))
    return rng.choice([Concat, Concat, Union, Intersection])(parts)


def rewritten(node: Expression, rng: random.Random) -> Expression:  # noqa: PLR0911 - one for each law
    """An expression that is mostly equivalent: laws of counts, some of them wrong, are used at random."""
    children = tuple(rewritten(child, rng) for child in node.children())
    node = node.with_children(children) if children else node
    match node:
        case Repeat(Repeat(inner, 0, int(low)), _, int(high)) if rng.random() < 0.5:
            return Repeat(inner, 0, low * high)
        case Repeat(inner, 0, int(high)) if rng.random() < 0.5:
            return Repeat(Optional(inner), high, high)
        case Repeat(inner, minimum, int(high)) if minimum and rng.random() < 0.5:
            return Concat((inner, Repeat(inner, minimum - 1, high - 1)))
        case Optional(inner) if rng.random() < 0.3:
            return Repeat(inner, 0, 1)
        case Intersection((left, right)) if rng.random() < 0.5:
            return Complement(Union((Complement(left), Complement(right))))
        case Concat(parts) if rng.random() < 0.1:
            return Concat(parts[::-1])
    return node


def compare_counters(count: int, seed: int) -> dict[str, int]:
    """Decides random pairs, and compares each verdict with that of derivatives. Counts the outcomes."""
    rng = random.Random(seed)
    outcomes: dict[str, int] = {}
    everything = Star(Union((Character("0"), Character("1"))))
    while sum(outcomes.values()) < count:
        # Within all strings over two symbols, a complement means the same without an alphabet.
        first = Intersection((everything, counter(rng, rng.randrange(2, 8))))
        changed = rewritten(first.parts[1], rng)
        if rng.random() < 0.2:
            changed = counter(rng, 5)
        second = Intersection((everything, changed))
        if max(first.size, second.size) > 400:
            continue
        verdict = decide("equivalence", first, second, 5.0)
        try:
            difference = shortest_difference(first, second, "01")
        except OverflowError:
            outcomes["not compared"] = outcomes.get("not compared", 0) + 1
            continue
        expected = "equivalent" if difference is None else "different"
        assert verdict.outcome == expected, f"{first}\n{second}"
        if verdict.witness is not None and difference is not None:
            assert len(verdict.witness.to_json()["text"]) == len(difference)
        outcomes[verdict.outcome] = outcomes.get(verdict.outcome, 0) + 1
    return outcomes


def test_counters_in_each_other_are_decided_as_by_derivatives() -> None:
    outcomes = compare_counters(2_000, seed=1)
    assert outcomes["equivalent"] > 500
    assert outcomes["different"] > 500
    assert outcomes.get("not compared", 0) < 50


def compare_complements(count: int, seed: int) -> dict[str, int]:
    """As :func:`compare_counters`, for both relations, of pairs in which both are complements."""
    rng = random.Random(seed)
    outcomes: dict[str, int] = {}
    everything = Star(CharacterClass(("0", "1")))
    while sum(outcomes.values()) < count:
        first = counter(rng, rng.randrange(2, 8))
        second = counter(rng, 4) if rng.random() < 0.3 else rewritten(first, rng)
        for _ in range(rng.randrange(1, 4)):
            first = Intersection((everything, Complement(first)))
            second = Intersection((everything, Complement(second)))
        for _ in range(rng.randrange(3)):
            first, second = Complement(first), Complement(second)
        if max(first.size, second.size) > 400:
            continue
        relation = rng.choice(RELATIONS)
        # The first is included if it is what both have in common.
        other = second if relation == "equivalence" else Intersection((first, second))
        try:
            difference = shortest_difference(first, other, "01")
        except OverflowError:
            continue
        verdict = decide(relation, first, second, 5.0)
        expected = OUTCOMES[relation][0 if difference is None else 1]
        assert verdict.outcome == expected, f"{relation}\n{first}\n{second}"
        if verdict.witness is not None and difference is not None:
            assert len(verdict.witness.to_json()["text"]) == len(difference)
        outcomes[verdict.outcome] = outcomes.get(verdict.outcome, 0) + 1
    return outcomes


def test_complements_are_decided_as_by_derivatives() -> None:
    outcomes = compare_complements(2_000, seed=2)
    assert len(outcomes) == 4
    assert min(outcomes.values()) > 100


@pytest.mark.parametrize("relation", ["equivalent", "entails"])
def test_operands_that_match_strings_beyond_the_alphabet_keep_their_complements(
    relation: str,
) -> None:
    # Without the complements, the strings 2 and 3 would make a difference.
    verdict = getattr(REGEX, relation)("[01]*&~(0|2)", "[01]*&~(0|3)")
    assert verdict.outcome in {"equivalent", "entails"}


@pytest.mark.parametrize(
    ("left", "right", "length"),
    [
        ("((0?1?){50}){50}&[01]*", "(0?1?){60}&((0?1?){50}){50}", 61),
        ("((0?1?){50}){50}&[01]*", "(((0?1?){5}){10}){50}&[01]*", None),
        ("((0?1?){50}){49}", "((0?1?){49}){50}", None),
        ("((0?1?){40}){40}&~(.*11.*)", "((0?1?){40}){41}&~(.*11.*)", 1601),
        ("~(((0?1?){30}){30})&[01]*", "~(((0?1?){30}){29}(0?1?){30})&[01]*", None),
        ("((0|1)?(0|1)?){50}&~(.*11.*)", "(0|1){0,100}&~(.*11.*)", None),
        ("((01){0,9}){9}&((0?1){5,9}){0,9}", "(01){0,81}&(0?1){0,81}", 2),
    ],
)
def test_large_counters_are_decided(left: str, right: str, length: int | None) -> None:
    verdict = REGEX.equivalent(left, right, timeout=5.0)
    assert verdict.outcome == ("equivalent" if length is None else "different"), verdict.reason
    assert verdict.witness is None or len(verdict.witness.to_json()["text"]) == length


@pytest.mark.parametrize("family", REGEX_FAMILIES)
def test_each_family_has_the_status_that_it_has_by_construction(family: str) -> None:
    for n in (11, 13) if family == "two long periods" else (2, 3, 4, 5):
        problem = REGEX_FAMILIES[family](n)
        verdict = REGEX.equivalent(problem.left, problem.right)
        assert verdict.outcome == ("equivalent" if problem.is_equivalence else "different"), n


# --- many periods over one symbol ---

Member = Callable[[int], bool]


def progression(rng: random.Random) -> tuple[Expression, Member]:
    """Lengths in a progression, perhaps with one more, and whether a length is one of them."""
    period, first = rng.randrange(1, 13), rng.randrange(8)
    symbol = Character("a")
    body = Concat((Repeat(symbol, first, first), Star(Repeat(symbol, period, period))))
    return body, lambda length: length >= first and (length - first) % period == 0


def combination(rng: random.Random, leaves: int) -> tuple[Expression, Member]:
    if leaves <= 1:
        return progression(rng)
    if rng.random() < 0.2:
        inner, inside = combination(rng, leaves - 1)
        every = Star(Character("a"))
        return Intersection((every, Complement(inner))), lambda length: not inside(length)
    split = rng.randrange(1, leaves)
    (left, by_left), (right, by_right) = combination(rng, split), combination(rng, leaves - split)
    if rng.random() < 0.6:
        return Union((left, right)), lambda length: by_left(length) or by_right(length)
    return Intersection((left, right)), lambda length: by_left(length) and by_right(length)


def compare_periods(count: int, seed: int) -> dict[str, int]:
    """Compares the two searches over lengths with each other and with looking at each length."""
    rng = random.Random(seed)
    outcomes = {"none": 0, "some": 0}
    longest = 27_720 + 10  # all periods up to 12 repeat within their least common multiple
    for number in range(count):
        left, by_left = combination(rng, rng.randrange(1, 5))
        right, by_right = combination(rng, rng.randrange(1, 5))
        relation = rng.choice(RELATIONS)
        if rng.random() < 0.5:  # mostly equivalent: the same operands in another order
            right, by_right = left, by_left
            if isinstance(left, Union | Intersection):
                right = type(left)(tuple(rng.sample(left.parts, len(left.parts))))
        budget = DecisionBudget(10.0)
        found = remainders.shortest_counterexample(left, right, relation, budget)
        assert found == unary.shortest_counterexample(left, right, relation, budget)
        combined = remainders.Combination(left, right, relation, budget)
        assert combined.has_large_ones(combined.constant, ()) == bool(
            combined.listed(2 * longest) >> longest
        )
        if number % 20 == 0:
            for length in range(200):
                assert accepts(left, "a" * length) == by_left(length)
        wrong = (
            length
            for length in range(longest if found is None else found + 1)
            if (by_left(length) and not by_right(length))
            or (relation == "equivalence" and by_right(length) and not by_left(length))
        )
        if number % 10 == 0 or found is not None:
            assert next(wrong, None) == found
        outcomes["none" if found is None else "some"] += 1
    return outcomes


def test_remainders_and_sets_of_lengths_agree() -> None:
    outcomes = compare_periods(2_000, seed=1)
    assert min(outcomes.values()) > 300


PERIODS = (97, 89, 83, 79, 73, 71, 67, 61)


def union_of(periods: tuple[int, ...]) -> str:
    return "|".join(f"(a{{{period}}})*" for period in periods)


@pytest.mark.parametrize(
    ("left", "right", "length"),
    [
        (union_of(PERIODS), union_of(PERIODS[::-1]), None),
        (union_of(PERIODS), union_of(PERIODS[:-1]), 61),
        (f"{union_of(PERIODS)}|((a{{7}}){{7}})*", f"(a{{49}})*|{union_of(PERIODS)}", None),
        (f"{union_of(PERIODS)}|(a{{98}})*", f"(a{{49}})*|{union_of(PERIODS)}", 49),
        (f"a*&~({union_of(PERIODS)})", f"a*&~({union_of(PERIODS[::-1])})", None),
        ("(a{97})*&(a{89})*&(a{83})*&(a{79})*", "((a{97}){89})*&((a{83}){79})*", None),
    ],
)
def test_many_long_periods_are_decided(left: str, right: str, length: int | None) -> None:
    verdict = REGEX.equivalent(left, right, timeout=5.0)
    assert verdict.method == "lengths"
    assert verdict.outcome == ("equivalent" if length is None else "different")
    assert verdict.witness is None or len(verdict.witness.to_json()["text"]) == length


def test_a_difference_that_is_too_long_to_show_is_undecided() -> None:
    both = reduce(lambda text, period: f"{text}&(a{{{period}}})*", PERIODS[:4], "a*")
    verdict = REGEX.equivalent(both, "ε", timeout=5.0)
    assert verdict.outcome == "undecided"
    assert verdict.reason == "they differ, but on no string of less than 1,048,576 symbols"


def test_too_many_different_periods_are_left_to_automata() -> None:
    periods = [f"a{{{first}}}(a{{{period}}})*" for first in range(15) for period in range(1, 20)]
    left, right = REGEX.tree("|".join(periods)), REGEX.tree("|".join(periods[1:]))
    with pytest.raises(GaveUpError, match="too many"):
        remainders.shortest_counterexample(left, right, "equivalence", DecisionBudget(5.0))


@pytest.mark.parametrize(
    ("text", "required"),
    [
        (r"a?b*", 0),
        (r"~(a)", 0),
        (r"~(a*)", 3),
        (r"ab?", 3),
        # What is beside a boundary decides, also under a complement: a copy may then be required.
        (r"\b", 3),
        (r"~(\b)", 3),
        (r"\b|a*", 0),
    ],
)
def test_copies_are_optional_only_where_the_empty_string_matches_for_certain(
    text: str, required: int
) -> None:
    copies, _, more = counted(Repeat(REGEX.tree(text), 3, 5))
    assert (len(copies), more) == (required, 5 - required)

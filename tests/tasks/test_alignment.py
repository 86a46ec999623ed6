"""Symbols of a model aligned with ours: traps in which a wrong alignment would be a wrong verdict."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec import structs
from support.task_items import (
    BETWEEN,
    BLOCKS,
    CUBE,
    FIRST_ORDER,
    LARGE,
    LARGER,
    LEFT_OF,
    NEXT_TO,
    RIGHT_OF,
    SMALL,
    SMALLER,
    TETRAHEDRON,
    A,
    B,
    constant,
    predicate,
)

from pytest_autoeval.languages.logic.laws import perturbations
from pytest_autoeval.languages.logic.renaming import Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.alignment import Alignment, best_alignment, same_shape
from pytest_autoeval.tasks.phrases import best_matching

Symbols = tuple[Symbol, ...]


def alignment_of(
    answer: str,
    theirs: Symbols,
    reference: str,
    ours: Symbols,
    others: Symbols = (),
    timeout: float = 60.0,
) -> Alignment:
    formula = cast("Sentence", FIRST_ORDER.parse(answer))

    def decide(renaming: Renaming, seconds: float) -> str:
        return FIRST_ORDER.equivalent(
            reference, renamed(formula, renaming), timeout=seconds
        ).outcome

    return best_alignment(theirs, ours, decide, timeout, others)


def verdict(alignment: Alignment, answer: str, reference: str) -> str:
    formula = renamed(cast("Sentence", FIRST_ORDER.parse(answer)), alignment.renaming)
    outcome = FIRST_ORDER.equivalent(formula, reference).outcome
    return outcome if alignment.certain else f"doubtful, else {outcome}"


def bare(*names: str, arity: int = 1) -> Symbols:
    return tuple(Symbol(name, ("x", "y", "z")[:arity], "") for name in names)


ALL_CUBES_SMALL = "∀x. (Cube(x) → Small(x))"


def test_symbols_with_the_right_glosses_are_aligned_and_confirmed() -> None:
    theirs = (predicate("C(x)", "x is a cube"), predicate("S(x)", "x is small"))
    answer = "∀x. (C(x) → S(x))"
    alignment = alignment_of(answer, theirs, ALL_CUBES_SMALL, (CUBE, SMALL))
    assert alignment.pairs == (("C", "Cube"), ("S", "Small"))
    assert (alignment.basis, verdict(alignment, answer, ALL_CUBES_SMALL)) == (
        "glosses",
        "equivalent",
    )


@pytest.mark.parametrize("all_of_it", [True, False])
def test_exchanged_roles_are_no_other_alignment(all_of_it: bool) -> None:
    """The formulas are equivalent if S is the cube; but S is what is small."""
    theirs = (predicate("S(x)", "x is small"), predicate("C(x)", "x is a cube"))
    answer = "∀x. (S(x) → C(x))"
    alignment = alignment_of(
        answer, theirs, ALL_CUBES_SMALL, (CUBE, SMALL), BLOCKS[3:] if all_of_it else ()
    )
    assert alignment.pairs == (("S", "Small"), ("C", "Cube"))
    assert (alignment.basis, verdict(alignment, answer, ALL_CUBES_SMALL)) == (
        "glosses",
        "different",
    )


def test_glosses_that_leave_several_open_leave_them_to_the_oracle() -> None:
    """Of three, one is matched by its gloss; the other two are of blocks by other words."""
    theirs = (
        SMALL,
        predicate("P(x)", "x has property one"),
        predicate("Q(x)", "x has property two"),
    )
    reference = "∀x. ((Cube(x) ∧ Large(x)) → Small(x))"
    answer = "∀x. ((Q(x) ∧ P(x)) → Small(x))"
    alignment = alignment_of(answer, theirs, reference, (CUBE, LARGE, SMALL))
    assert ("Small", "Small") in alignment.pairs
    assert (alignment.basis, verdict(alignment, answer, reference)) == ("oracle", "equivalent")
    silly = "∀x. ((Small(x) ∧ P(x)) → Q(x))"
    alignment = alignment_of(silly, theirs, reference, (CUBE, LARGE, SMALL))
    assert verdict(alignment, silly, reference) == "different"


@pytest.mark.parametrize("theirs", list(itertools.permutations((CUBE, SMALL, LARGE))))
def test_symmetric_formulas_are_aligned_by_their_glosses(theirs: Symbols) -> None:
    formula = "∃x. (Cube(x) ∧ (Small(x) ∧ Large(x)))"
    alignment = alignment_of(formula, theirs, formula, (LARGE, CUBE, SMALL))
    assert all(left == right for left, right in alignment.pairs)
    assert alignment.basis == "glosses"


TALLER = predicate("TallerThan(x, y)", "x is taller than y")
SUPPORTS, ON_TOP_OF = (
    predicate("Supports(x, y)", "x supports y"),
    predicate("OnTopOf(x, y)", "x is on top of y"),
)
DIE, MASSIVE = predicate("Die(x)", "x is a die"), predicate("Massive(x)", "x is massive")
SIX_FACES, LOW_VOLUME = (
    predicate("Cube(x)", "x has six faces"),
    predicate("Small(x)", "x has a low volume"),
)
SMALL_AND_RED = predicate("S(x)", "x is small, red and heavy")
BLUE_CUBE = predicate("C(x)", "x is a cube of blue glass")
NON_SMALL = predicate("NonSmall(x)", "x is non-small")
ABC = (A, B, constant("c"))
OPEN = "doubtful, else equivalent"


@pytest.mark.parametrize(
    ("answer", "theirs", "reference", "ours", "expected"),
    [
        # names speak where there are no glosses, and are outweighed by glosses
        (
            "∀x. (IsSmall(x) → is_cube(x))",
            bare("IsSmall", "is_cube"),
            ALL_CUBES_SMALL,
            (CUBE, SMALL),
            "different",
        ),
        (
            "∀x. (Small(x) → Cube(x))",
            (predicate("Small(x)", "x is a cube"), predicate("Cube(x)", "x is small")),
            *(ALL_CUBES_SMALL, (CUBE, SMALL), "equivalent"),
        ),
        # the same names are evidence beside glosses of other words
        (ALL_CUBES_SMALL, (SIX_FACES, LOW_VOLUME), ALL_CUBES_SMALL, (CUBE, SMALL), "equivalent"),
        # where nothing speaks, the oracle does
        ("∀x. (Q(x) → P(x))", bare("Q", "P"), ALL_CUBES_SMALL, (SMALL, CUBE), "equivalent"),
        ("∃x. (Q(x) ∧ P(x))", bare("Q", "P"), ALL_CUBES_SMALL, (CUBE, SMALL), "different"),
        # another individual, and what says the contrary, confirm nothing
        ("Cube(b)", (CUBE, B), "Cube(a)", (CUBE, A), OPEN),
        ("Small(a)", (SMALL, A), "Large(a)", (LARGE, A), OPEN),
        # words that have nothing in common, and another reading of them is as good
        ("∃x. TallerThan(x, a)", (TALLER, A), "∃x. Larger(x, a)", (LARGER, A), OPEN),
        (
            "∃x. TallerThan(a, x)",
            (*bare("TallerThan", arity=2), A),
            "∃x. Larger(x, a)",
            (LARGER, A),
            OPEN,
        ),
        ("∀x. Supports(x, a)", (SUPPORTS, A), "∀x. OnTopOf(x, a)", (ON_TOP_OF, A), OPEN),
        ("∀x. (Massive(x) → Die(x))", (MASSIVE, DIE), ALL_CUBES_SMALL, (CUBE, SMALL), OPEN),
        # every reading of them comes to the same, or one alone is left
        (
            "∃x. (Massive(x) ∧ Die(x))",
            (MASSIVE, DIE),
            "∃x. (Cube(x) ∧ Small(x))",
            (CUBE, SMALL),
            "equivalent",
        ),
        ("∃x. ∃y. TallerThan(x, y)", (TALLER,), "∃x. ∃y. Larger(x, y)", (LARGER,), "equivalent"),
        ("∀x. (Die(x) → Small(x))", (DIE, SMALL), ALL_CUBES_SMALL, (CUBE, SMALL), "equivalent"),
        ("∀x. (Small(x) → Die(x))", (SMALL, DIE), ALL_CUBES_SMALL, (CUBE, SMALL), "different"),
        # glosses that fit a little: a reading that they hardly exclude makes the formulas equivalent
        (
            "∀x. (S(x) → C(x))",
            (SMALL_AND_RED, BLUE_CUBE),
            ALL_CUBES_SMALL,
            (CUBE, SMALL),
            "doubtful, else different",
        ),
        (
            "∃x. (S(x) ∧ ¬C(x))",
            (SMALL_AND_RED, BLUE_CUBE),
            ALL_CUBES_SMALL,
            (CUBE, SMALL),
            "different",
        ),
        # denials, by names and by glosses
        ("∃x. NotSmall(x)", bare("NotSmall"), "∃x. ¬Small(x)", (SMALL,), "equivalent"),
        ("∃x. NonSmall(x)", (NON_SMALL,), "∃x. ¬Small(x)", (SMALL,), "equivalent"),
        ("∃x. ¬NonSmall(x)", (NON_SMALL,), "∃x. ¬Small(x)", (SMALL,), "different"),
        (
            "∃x. (Cube(x) ∧ Odd(x))",
            (CUBE, predicate("Odd(x)", "x is not round")),
            *(ALL_CUBES_SMALL, (CUBE, SMALL), "doubtful, else different"),
        ),
        # places that can be exchanged, or that nothing is known of, are left to the oracle
        ("Between(a, c, b)", (BETWEEN, *ABC), "Between(a, b, c)", (BETWEEN, *ABC), "equivalent"),
        ("Between(b, a, c)", (BETWEEN, *ABC), "Between(a, b, c)", (BETWEEN, *ABC), "different"),
        ("NextTo(b, a)", (NEXT_TO, A, B), "NextTo(a, b)", (NEXT_TO, A, B), "equivalent"),
        ("R(b, a)", (*bare("R", arity=2), A, B), "LeftOf(a, b)", (LEFT_OF, A, B), "equivalent"),
        (
            "LeftOf(b, a)",
            (*bare("LeftOf", arity=2), A, B),
            "LeftOf(a, b)",
            (LEFT_OF, A, B),
            "different",
        ),
    ],
)
def test_evidence_and_the_verdict_that_it_leads_to(
    answer: str, theirs: Symbols, reference: str, ours: Symbols, expected: str
) -> None:
    assert verdict(alignment_of(answer, theirs, reference, ours), answer, reference) == expected


def test_a_symbol_of_the_ontology_outside_the_reference_is_not_aligned_with_one_inside() -> None:
    answer = "∀x. (Tet(x) → Small(x))"
    alignment = alignment_of(
        answer, (TETRAHEDRON, SMALL), ALL_CUBES_SMALL, (CUBE, SMALL), (TETRAHEDRON, LARGE)
    )
    assert alignment.pairs == (("Tet", "Tet"), ("Small", "Small"))
    assert verdict(alignment, answer, ALL_CUBES_SMALL) == "different"
    assert (
        verdict(
            alignment_of("Cube(b)", (CUBE, B), "Cube(a)", (CUBE, A), (B,)), "Cube(b)", "Cube(a)"
        )
        == "different"
    )


def test_two_relations_may_be_exchanged_only_with_their_places() -> None:
    reference = "∀x. ∀y. ((LeftOf(x, y) ∧ Larger(x, y)) → Smaller(y, x))"
    ours = (LEFT_OF, LARGER, SMALLER)
    for answer, expected in (
        (reference, "equivalent"),
        ("∀x. ∀y. ((LeftOf(x, y) ∧ Smaller(x, y)) → Larger(y, x))", "different"),
        ("∀x. ∀y. ((LeftOf(x, y) ∧ Smaller(y, x)) → Larger(x, y))", "equivalent"),
    ):
        assert verdict(alignment_of(answer, ours, reference, ours), answer, reference) == expected


@pytest.mark.parametrize(
    ("gloss", "answer", "expected"),
    [
        ("x is not small", "∀x. (Cube(x) → ¬Odd(x))", "equivalent"),
        ("x is not small", "∀x. (Cube(x) → Odd(x))", "different"),
        ("x is small", "∀x. (Cube(x) → Odd(x))", "equivalent"),
    ],
)
def test_a_symbol_for_the_contrary_is_aligned_with_the_contrary(
    gloss: str, answer: str, expected: str
) -> None:
    alignment = alignment_of(
        answer, (CUBE, predicate("Odd(x)", gloss)), ALL_CUBES_SMALL, (CUBE, SMALL)
    )
    assert verdict(alignment, answer, ALL_CUBES_SMALL) == expected
    assert alignment.pairs[1] == ("Odd", "Small" if gloss == "x is small" else "¬Small")


SHIPPED = Path(__file__).parents[2] / "data"


def test_a_verdict_over_own_symbols_is_the_verdict_over_the_given_ones() -> None:
    """Under other names with the glosses of the ontology, whatever the formulas are."""
    known = json.loads((SHIPPED / "blocks_world.ontology.json").read_text("utf-8"))
    symbols = tuple(
        predicate(shown, gloss[0]) if isinstance(gloss, list) else constant(shown, gloss)
        for shown, gloss in known.items()
    )
    rows = [
        json.loads(line)
        for line in (SHIPPED / "blocks_world.jsonl").read_text("utf-8").splitlines()
    ]
    compared = dict.fromkeys(("equivalent", "different"), 0)
    for row in rows[::4]:
        reference = cast("Sentence", FIRST_ORDER.parse(row["formula"]))
        edited = (formula for _, formula in itertools.islice(perturbations(reference), 4))
        for formula in (reference, *edited):
            used = {
                (use.name, use.kind == "constant")
                for use in uses(formula)
                if use.kind != "variable"
            }
            ours = tuple(symbol for symbol in symbols if (symbol.name, symbol.is_term) in used)
            others = tuple(symbol for symbol in symbols if symbol not in ours)
            own = tuple(
                structs.replace(our, name=f"N{place}") for place, our in enumerate(reversed(ours))
            )
            answer = renamed(
                formula,
                Renaming(
                    {
                        (one.name, one.arity): Replacement(mine.name)
                        for one, mine in zip(ours, own[::-1], strict=True)
                    },
                    {
                        (one.name, 0): Replacement(mine.name)
                        for one, mine in zip(ours, own[::-1], strict=True)
                    },
                ),
            )
            alignment = alignment_of(str(answer), own, row["formula"], ours, others)
            expected = FIRST_ORDER.equivalent(formula, reference).outcome
            assert verdict(alignment, str(answer), row["formula"]) == expected, (
                f"{formula} for {reference}"
            )
            compared[expected] += 1
    assert min(compared.values()) >= 20


# --- places ---

RIGHT = predicate("ToTheRight(x, y)", "x is to the right of y")


@pytest.mark.parametrize("others", [(), (RIGHT_OF, LARGER)])
def test_a_converse_is_the_relation_with_its_places_exchanged(others: Symbols) -> None:
    ours = (LEFT_OF, A, B)
    right = alignment_of("ToTheRight(b, a)", (RIGHT, B, A), "LeftOf(a, b)", ours, others)
    assert right.pairs[0] == ("ToTheRight(x1, x2)", "LeftOf(x2, x1)")
    assert verdict(right, "ToTheRight(b, a)", "LeftOf(a, b)") == "equivalent"
    wrong = alignment_of("ToTheRight(a, b)", (RIGHT, A, B), "LeftOf(a, b)", ours, others)
    assert verdict(wrong, "ToTheRight(a, b)", "LeftOf(a, b)") == "different"


@pytest.mark.parametrize(
    ("gloss", "ours", "exchanged"),
    [
        ("x is larger than y", "x is larger than y", False),
        ("y is larger than x", "x is larger than y", True),
        ("x is smaller than y", "x is larger than y", True),
        ("y is smaller than x", "x is larger than y", False),
        ("x is loved by y", "x loves y", True),
        ("x loves y", "y is loved by x", False),
        ("x is close by y", "x is close to y", False),
    ],
)
def test_glosses_show_which_place_is_which(gloss: str, ours: str, exchanged: bool) -> None:
    theirs = (predicate("P(x, y)", gloss), A, B)
    expected = (predicate("R(x, y)", ours), A, B)
    for answer, right in (("P(a, b)", not exchanged), ("P(b, a)", exchanged)):
        alignment = alignment_of(answer, theirs, "R(a, b)", expected)
        assert verdict(alignment, answer, "R(a, b)") == ("equivalent" if right else "different")


# --- limits ---


def test_without_time_nothing_is_claimed() -> None:
    answer = "∀x. (Q(x) → P(x))"
    alignment = alignment_of(answer, bare("Q", "P"), ALL_CUBES_SMALL, (CUBE, SMALL), timeout=0.0)
    assert not alignment.certain


def test_the_deadline_begins_after_the_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first matching of a process imports scipy, which took longer than all questions of a sample may."""
    clock = itertools.count(step=0)

    def slow(values: list[list[float]]) -> list[tuple[int, int]]:
        nonlocal clock
        clock = itertools.count(100, step=0)
        return best_matching(values)

    monkeypatch.setattr("pytest_autoeval.tasks.alignment.best_matching", slow)
    monkeypatch.setattr(
        "pytest_autoeval.tasks.alignment.time", SimpleNamespace(monotonic=lambda: next(clock))
    )
    alignment = alignment_of(
        ALL_CUBES_SMALL, (CUBE, SMALL), ALL_CUBES_SMALL, (CUBE, SMALL), timeout=1.0
    )
    assert alignment.certain


def test_many_symbols_are_aligned_by_their_glosses_alone() -> None:
    words = ["red", "blue", "round", "flat", "heavy", "wooden", "hollow"]
    ours = tuple(predicate(f"P{number}(x)", f"x is {word}") for number, word in enumerate(words, 1))
    theirs = tuple(predicate(f"{word.capitalize()}(x)", f"x is {word}") for word in words)
    reference = f"∃x. ({' ∧ ('.join(f'P{number}(x)' for number in range(1, 8))}{')' * 7}"
    answer = f"∃x. ({' ∧ ('.join(f'{word.capitalize()}(x)' for word in words)}{')' * 7}"
    alignment = alignment_of(answer, theirs, reference, ours)
    assert (alignment.basis, verdict(alignment, answer, reference)) == ("glosses", "equivalent")
    wrong = answer.replace("∃", "∀")
    assert verdict(alignment_of(wrong, theirs, reference, ours), wrong, reference) == "different"
    scarlet = (predicate("Red(x)", "x is scarlet"), *theirs[1:])
    assert not alignment_of(wrong, scarlet, reference, ours).certain


def test_six_symbols_without_glosses_are_found_among_all_bijections() -> None:
    ours = bare(*"ABCDEF")
    theirs = bare(*"UVWXYZ")
    reference = "∀x. ((A(x) → (B(x) ∧ C(x))) ∨ (¬D(x) ∧ (E(x) ⊕ F(x))))"
    answer = "∀x. ((Z(x) → (Y(x) ∧ X(x))) ∨ (¬W(x) ∧ (V(x) ⊕ U(x))))"
    alignment = alignment_of(answer, theirs, reference, ours)
    assert dict(alignment.pairs)["Z"] == "A"
    assert (alignment.basis, verdict(alignment, answer, reference)) == ("oracle", "equivalent")


def test_symbols_of_other_kinds_are_no_candidates() -> None:
    assert not same_shape((CUBE, A), (CUBE, SMALL))
    assert not same_shape((LARGER,), (CUBE,))
    assert same_shape((A, CUBE), (SMALL, B))
    with pytest.raises(ValueError, match="cannot be aligned"):
        alignment_of("Cube(a)", (CUBE, A), "Larger(a, b)", (LARGER, A, B))

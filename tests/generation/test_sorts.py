"""With sorts, formulas are well-sorted by an independent check, none is missing, and their probabilities are exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sorts import DESK, MIXED, NESTED, fits, without_sorts

from pytest_autoeval import Vocabulary, formulas, language, sample_formulas
from pytest_autoeval.generation.counting import outcomes
from pytest_autoeval.generation.drawing import DrawingOptions, formula_space
from pytest_autoeval.generation.drawing_errors import VocabularyError
from pytest_autoeval.generation.samples import draw_samples
from pytest_autoeval.languages.logic.signature import well_sorted
from pytest_autoeval.languages.vocabulary import vocabulary_text

Written = Callable[[str], Path]
LOGIC = language("first_order")
FORMS = {
    "toml": 'predicates = { Open = ["ticket"], On = ["ticket", "person"], Near = 2 }\n'
    'constants = { t1 = "ticket", bob = "person", it = "" }\n',
    "json": '{"predicates": {"Open": ["ticket"], "On": ["ticket", "person"], "Near": 2},'
    ' "constants": {"t1": "ticket", "bob": "person", "it": ""}}',
}
SORTED = Vocabulary(
    predicates=(("Open", 1), ("On", 2), ("Near", 2)),
    constants=("t1", "bob", "it"),
    sorts=(
        ("Open", ("ticket",)),
        ("On", ("ticket", "person")),
        ("t1", ("ticket",)),
        ("bob", ("person",)),
    ),
)


@pytest.mark.parametrize("names", [DESK, MIXED])
@pytest.mark.parametrize(
    "options", [{}, {"variable_probability": 1.0}, {"vacuous_quantifiers": True}]
)
@pytest.mark.parametrize("size", [0, 2, 5, 12])
def test_drawn_formulas_are_well_sorted(
    grammar_file: Written, names: dict[str, Any], options: dict[str, Any], size: int
) -> None:
    for grammar in ("first_order", grammar_file(NESTED)):
        drawn = sample_formulas(grammar, size, 40, vocabulary=names, warn=False, **options)
        assert drawn
        assert all(fits(str(formula), names) for formula in drawn)
        assert {LOGIC.measure(formula)["operators"] for formula in drawn} == {size}


@given(
    st.sampled_from([DESK, MIXED]).flatmap(
        lambda names: st.tuples(st.just(names), formulas("first_order", 6, vocabulary=names))
    )
)
def test_formulas_of_the_strategy_are_well_sorted(drawn: tuple[dict[str, Any], Any]) -> None:
    names, formula = drawn
    assert fits(str(formula), names)


@pytest.mark.parametrize("names", [DESK, MIXED])
@pytest.mark.parametrize("options", [{}, {"vacuous_quantifiers": True}])
def test_exactly_the_well_sorted_formulas_can_be_drawn(
    grammar_file: Written, names: dict[str, Any], options: dict[str, Any]
) -> None:
    for grammar, sizes in (
        ("first_order", (0, 1)),
        (grammar_file(NESTED), (0, 1, 2) if names is DESK else (0, 1)),
    ):
        for size in sizes:
            allowed = DrawingOptions(quantifiers=(0, 2), **options)
            found, everything = (
                {
                    str(formula)
                    for formula, _ in outcomes(
                        partial(formula_space(grammar, given, options=allowed).draw, size)
                    )
                }
                for given in (names, without_sorts(names))
            )
            assert found == {text for text in everything if fits(text, names)}
            assert len(found) < len(everything)


def test_arguments_are_choices_among_the_names_that_fit(grammar_file: Written) -> None:
    pair = grammar_file(
        '// language: first_order\nstart: "∃" VARIABLE "." "∃" VARIABLE "." pair\n'
        'pair: ATOM "∧" ATOM\nATOM: /a/\nVARIABLE: /x/\n'
    )
    space = formula_space(
        pair, MIXED, options=DrawingOptions(quantifiers=2, variable_probability=0.25)
    )
    found: dict[str, Fraction] = {}
    for formula, probability in outcomes(lambda choose: space.draw(3, choose)):
        found[str(formula)] = found.get(str(formula), Fraction(0)) + probability
    expected: dict[str, Fraction] = {}
    for left, sorts, first in _atoms({"x1": "", "x2": ""}):
        for right, _, second in _atoms(sorts):
            if "x1" in left + right and "x2" in left + right:
                text = str(LOGIC.parse(f"∃x1. ∃x2. ({left} ∧ {right})"))
                expected[text] = first * second
    total = sum(expected.values())
    assert found == {text: weight / total for text, weight in expected.items()}


def _atoms(sorts: dict[str, str]) -> Iterator[tuple[str, dict[str, str], Fraction]]:
    """Each atom over two variables with its probability, and the sorts that the variables have afterwards."""
    for name, given_places in MIXED["predicates"].items():
        places = [""] * given_places if isinstance(given_places, int) else given_places
        for arguments, after, weight in _arguments(places, sorts):
            yield f"{name}({', '.join(arguments)})", after, weight / len(MIXED["predicates"])


def _arguments(
    places: list[str], sorts: dict[str, str]
) -> Iterator[tuple[list[str], dict[str, str], Fraction]]:
    if not places:
        yield [], sorts, Fraction(1)
        return
    place, rest = places[0], places[1:]
    constants = [
        name for name, sort in MIXED["constants"].items() if not place or sort in ("", place)
    ]
    variables = [name for name, sort in sorts.items() if not place or sort in ("", place)]
    share = Fraction(1, 4) if variables else Fraction(0)
    chosen = [(name, (1 - share) / len(constants), sorts) for name in constants]
    chosen += [
        (name, share / len(variables), {**sorts, name: place or sorts[name]}) for name in variables
    ]
    for name, weight, after in chosen:
        for arguments, last, others in _arguments(rest, after):
            yield [name, *arguments], last, weight * others


@settings(max_examples=50)
@given(formulas("first_order", 6, vocabulary=MIXED))
def test_simpler_formulas_are_well_sorted(formula: Any) -> None:
    (sample,) = draw_samples("first_order", [0], 1, vocabulary=MIXED)
    assert all(fits(str(near), MIXED) for near in LOGIC.simpler(formula, sample.vocabulary))


def test_a_variable_shrinks_to_a_constant_of_its_sort() -> None:
    formula = LOGIC.parse("∃x1. (Open(x1) ∧ Near(bob, bob))")
    texts = [str(near) for near in LOGIC.simpler(formula, SORTED)]
    assert "Open(t1) ∧ Near(bob, bob)" in texts
    assert "Open(bob) ∧ Near(bob, bob)" not in texts
    # What is not well-sorted to begin with, such as a formula that a user gives, is shrunk all the same.
    assert "Open(bob)" in [
        str(near) for near in LOGIC.simpler(LOGIC.parse("Open(bob) ∧ Near(t1, t1)"), SORTED)
    ]


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ("∀x. (On(x, bob) → Open(x))", True),
        ("∀x. (On(x, bob) → On(bob, x))", False),
        ("∀x. ∀y. On(x, y) ∧ On(y, x)", False),
        ("∀x. Open(x) ∧ ∃x. On(t1, x)", True),
        ("∀x. (Open(x) ∧ ∃x. On(t1, x))", True),
        ("∀x. (Near(x, bob) ∧ x = bob ∧ Open(x))", True),
        ("Open(it) ∧ On(it, it)", True),
        ("Other(t1, bob) ∧ Open(someone)", True),
    ],
)
def test_each_bound_variable_has_one_sort(text: str, well: bool) -> None:
    assert well_sorted(LOGIC.parse(text), SORTED) is well  # type: ignore[arg-type]
    assert well_sorted(LOGIC.parse(text), Vocabulary())  # type: ignore[arg-type]


def test_files_tables_and_objects_give_the_same_sorts(tmp_path: Path) -> None:
    predicates: Any = {"Open": ["ticket"], "On": ("ticket", "person"), "Near": 2}
    constants: Any = {"t1": "ticket", "bob": "person", "it": ""}
    given: list[Any] = [
        SORTED,
        {"predicates": predicates, "constants": constants},
        Vocabulary(predicates=predicates, constants=constants),
    ]
    for form, text in FORMS.items():
        file = tmp_path / f"names.{form}"
        file.write_text(text, encoding="utf-8")
        given.append(file)
    drawn = [draw_samples("first_order", [3], 9, vocabulary=names) for names in given]
    assert all(samples == drawn[0] for samples in drawn)
    assert drawn[0][0].vocabulary.sorts_of("On") == ("ticket", "person")
    plain = draw_samples("first_order", [3], 9, vocabulary=without_sorts(given[1]))
    assert plain[0].vocabulary_name != drawn[0][0].vocabulary_name


def test_prompts_list_sorts_with_the_names() -> None:
    assert vocabulary_text(SORTED) == (
        "Predicates: Open (one argument: ticket), On (two arguments: ticket, person), Near (two arguments)\n"
        "Constants: t1 (ticket), bob (person), it"
    )


def test_a_slot_of_a_grammar_may_have_a_sort(grammar_file: Written) -> None:
    path = grammar_file(
        "// language: first_order\n"
        'start: "Urgent(" CONSTANT_TICKET ")" | "(" start "∧" start ")"\nCONSTANT_TICKET: /c/\n'
    )
    found = {
        str(formula)
        for size in (0, 1)
        for formula in sample_formulas(path, size, 50, vocabulary=MIXED, warn=False)
    }
    assert found == {
        *("Urgent(t1)", "Urgent(it)"),
        *(f"Urgent({left}) ∧ Urgent({right})" for left in ("t1", "it") for right in ("t1", "it")),
    }
    with pytest.raises(
        VocabularyError,
        match=r"the grammar needs a constant of the sort 'ticket'; 't1' has the sort 'tickets'",
    ):
        sample_formulas(path, 0, 1, vocabulary={"constants": {"t1": "tickets"}})


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (
            {"predicates": {"Open": ["ticket"]}, "constants": {"t1": "tickt", "bob": "person"}},
            "'ticket'; 't1' has the sort 'tickt', which no predicate takes. Did you mean 'ticket'?",
        ),
        (
            {"predicates": {"Open": ["tickt"], "Late": ["ticket"]}, "constants": {"t1": "ticket"}},
            "Open needs a constant of the sort 'tickt'; the constants have 'ticket'. Did you mean 'ticket'?",
        ),
        (
            {"predicates": {"Open": ["ticket"], "constants": {"t1": "ticket"}}},
            "constants stands inside predicates; write it beside predicates (in TOML, its line belongs above [predic",
        ),
        (
            {"predicates": {"Open": ["ticket"], "Late": 0}, "constants": ["t1"]},
            "predicates are {'Open': ['ticket'], 'Late': 0}; give their numbers",
        ),
        (
            Vocabulary(
                predicates=(("Open", 1),),
                constants=("t1",),
                sorts=(("Open", ("ticket", "person")),),
            ),
            "the sorts of 'Open' are ('ticket', 'person'); give one for each argument of a predicate",
        ),
        (
            Vocabulary(
                predicates=(("Open", 1),), constants=("t1",), sorts=(("Opne", ("ticket",)),)
            ),
            "the sorts of 'Opne' are ('ticket',); give one for each argument of a predicate, and one for a constant",
        ),
        (
            {"predicates": {"Open": []}, "constants": ["a"]},
            "give their numbers of arguments, 1 or more: {'Holds': 2}, or their sorts",
        ),
        (
            {"predicates": {"Open": "ticket"}, "constants": ["a"]},
            "or their sorts: {'Owns': ['person', 'dog']}",
        ),
        (
            {"predicates": {"Open": [1]}, "constants": ["a"]},
            "or their sorts: {'Owns': ['person', 'dog']}",
        ),
        (
            {"predicates": {"Open": ["ticket"]}, "constants": {"t1": 3}},
            "or their sorts: {'bob': 'person'}",
        ),
    ],
)
def test_sorts_that_cannot_be_used_are_refused_with_a_reason(names: Any, problem: str) -> None:
    with pytest.raises(VocabularyError) as raised:
        sample_formulas("first_order", 1, 1, vocabulary=names)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)

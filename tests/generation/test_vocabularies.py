"""Vocabularies: ready-made ones, and names of one's own as list, dict or file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import Vocabulary, sample_formulas
from pytest_autoeval.generation.drawing_errors import VocabularyError
from pytest_autoeval.generation.samples import draw_samples
from pytest_autoeval.generation.vocabularies import ready_made


def test_the_default_is_that_of_the_paper() -> None:
    names = ready_made("default")
    assert names.propositions == tuple(f"p{number}" for number in range(1, 13))
    assert [arity for _, arity in names.predicates] == [1, 2] * 4
    assert len(names.constants) == 12
    assert names.alphabet == ("0", "1")


def test_english_predicates_are_verbs_and_constants_first_names() -> None:
    english, default = ready_made("english"), ready_made("default")
    assert [arity for _, arity in english.predicates] == [arity for _, arity in default.predicates]
    assert all(name.islower() and name.endswith("s") for name, _ in english.predicates)
    assert all(name.istitle() for name in english.constants)
    assert (english.propositions, english.variables) == (default.propositions, default.variables)


# --- names of one's own ---

TOML = 'constants = ["a", "b"]\n[predicates]\nHolds = 2\n'
JSON = '{"predicates": {"Holds": 2}, "constants": ["a", "b"]}'


def test_a_list_names_the_one_kind_that_a_grammar_needs() -> None:
    for names in (["engine_on", "gear_down"], {"propositions": ["engine_on", "gear_down"]}):
        for grammar in ("propositional", "ksat", "ltl"):
            (sample,) = draw_samples(grammar, [2], 1, vocabulary=names)
            assert sample.vocabulary == Vocabulary(propositions=("engine_on", "gear_down"))
    assert sample_formulas("regex", 2, 5, vocabulary=["a"]) == sample_formulas(
        "regex", 2, 5, vocabulary={"alphabet": "a"}
    )


def test_a_table_a_file_and_an_object_are_the_same_vocabulary(tmp_path: Path) -> None:
    files = [tmp_path / "names.toml", tmp_path / "names.json"]
    for file, text in zip(files, (TOML, JSON), strict=True):
        file.write_text(text, encoding="utf-8")
    given = Vocabulary(predicates=(("Holds", 2),), constants=("a", "b"))
    careless: Any = Vocabulary(predicates={"Holds": 2}, constants=["a", "b"])  # type: ignore[arg-type]
    alike: list[Any] = [
        given,
        careless,
        {"predicates": {"Holds": 2}, "constants": ["a", "b"]},
        *files,
        str(files[0]),
    ]
    drawn = [draw_samples("first_order", [3], 9, vocabulary=names) for names in alike]
    assert all(samples == drawn[0] for samples in drawn)
    assert drawn[0][0].vocabulary.variables  # nobody needs to name them


def test_its_name_in_the_results_tells_vocabularies_apart() -> None:
    names = [
        draw_samples("ltl", [1], 1, vocabulary=given)[0].vocabulary_name
        for given in (["a"], ["b"], ("a",), "default")
    ]
    assert names[0] == names[2] != names[1]
    assert (names[0].partition("-")[0], names[3]) == ("custom", "default")


@pytest.mark.parametrize(
    ("grammar", "given", "problem"),
    [
        ("propositional", [], "the grammar needs propositions"),
        ("propositional", ["a", "a"], "the name 'a' occurs twice"),
        ("propositional", ["a", 3], "propositions are ['a', 3]; give a list of names"),
        ("propositional", {"propositions": "ab"}, "propositions are 'ab'; give a list of names"),
        ("propositional", {"proposition": ["a"]}, "Did you mean 'propositions'?"),
        ("propositional", 5, "5 is not a name, a list of names, a dict or a file"),
        ("propositional", ["true"], "cannot read 'true' as a name: it is the formula ⊤"),
        ("propositional", ["gear down"], "cannot read 'gear down' as a name: unexpected 'down'"),
        (
            "propositional",
            ["Not"],
            "cannot read 'Not' as a name: 'Not' is a connective (¬), not a name",
        ),
        (
            "first_order",
            {"predicates": {"And": 2}, "constants": ["a"]},
            "'And' is a connective (∧), not a name",
        ),
        (
            "first_order",
            {"predicates": {"P": 1}, "constants": ["all"]},
            "'all' is a quantifier (∀), not a name",
        ),
        (
            "first_order",
            {"predicates": {"P": 1}, "constants": ["False"]},
            "'False' is a truth value, not a term",
        ),
        ("ltl", ["X"], "cannot read 'X' as a name: it is an operator"),
        ("regex", ["ab"], "cannot read 'ab' as a name"),
        (
            "first_order",
            ["a"],
            "this grammar needs predicates and constants; give a dict such as {'predicates': {'Ho",
        ),
        (
            "first_order",
            {"predicates": ["P"], "constants": ["a"]},
            "give their numbers of arguments, 1 or more: {'Hol",
        ),
        ("ltl", {"propositions": {"a": 1}}, "propositions are {'a': 1}; give a list of names"),
        (
            "first_order",
            {"predicates": {"P": 0}},
            "are {'P': 0}; give their numbers of arguments, 1 or more",
        ),
        (
            "first_order",
            {"predicates": {"P": 1}, "constants": ["a", "x1"]},
            "'x1' would be read as a variable",
        ),
        (
            "first_order",
            {"predicates": {"P": 1}, "constants": ["a b"]},
            "cannot read 'P(a b)' as a name",
        ),
        ("first_order", {"predicates": {"P": 1}, "constants": ["P"]}, "the name 'P' occurs twice"),
        ("ltl", "englisch", "Did you mean 'english'?"),
        ("ltl", "nowhere.toml", "nowhere.toml cannot be read: No such file"),
        ("ltl", Path("names.yaml"), "names.yaml cannot be read: give a .toml or .json file"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(
    grammar: str, given: Any, problem: str, here: Path
) -> None:
    (here / "names.yaml").touch()
    with pytest.raises(VocabularyError) as raised:
        sample_formulas(grammar, 2, 1, vocabulary=given)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)

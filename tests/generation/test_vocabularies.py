"""Vocabularies: ready-made ones of any size, the same for a seed; names of one's own as list, dict or file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import Vocabulary, sample_formulas
from pytest_autoeval.generation.errors import VocabularyError
from pytest_autoeval.generation.samples import draw_samples
from pytest_autoeval.generation.vocabularies import _english, vocabulary


def test_the_default_is_that_of_the_paper() -> None:
    names = vocabulary()
    assert names.propositions == tuple(f"p{number}" for number in range(1, 13))
    assert [arity for _, arity in names.predicates] == [1, 2] * 4
    assert len(names.constants) == 12
    assert names.alphabet == ("0", "1")


def test_all_sizes_can_be_set() -> None:
    names = vocabulary(propositions=2, predicates=5, arity=(2, 4), constants=3, variables=1, alphabet=11)
    assert (len(names.propositions), len(names.constants), len(names.variables)) == (2, 3, 1)
    assert [arity for _, arity in names.predicates] == [2, 3, 4, 2, 3]
    assert names.alphabet == tuple("0123456789a")


def test_english_predicates_are_verbs_and_constants_first_names() -> None:
    names, words = vocabulary("english"), _english()
    assert all(name in words[["intransitive", "transitive"][arity - 1]] for name, arity in names.predicates)
    assert set(names.constants) < set(words["first_names"])
    assert len(names.names) == 12 + 8 + 12
    assert vocabulary("english") == names
    assert vocabulary("english", seed=1) != names


def test_a_larger_english_vocabulary_keeps_the_names_of_the_smaller() -> None:
    small, large = vocabulary("english", constants=5, predicates=4), vocabulary("english", constants=40, predicates=20)
    assert set(small.constants) < set(large.constants)
    assert set(small.predicates) < set(large.predicates)


def test_the_words_are_plain_and_listed_once() -> None:
    listed = [word for words in _english().values() for word in words]
    assert len(set(listed)) == len(listed)
    assert all(word.isascii() and word.isalpha() for word in listed)
    first_names = _english()["first_names"]
    assert len(first_names) == 60
    assert all(word.istitle() if word in first_names else word.islower() and word.endswith("s") for word in listed)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"arity": (0, 2)}, "from 1"),
        ({"arity": (3, 2)}, "smallest and the largest"),
        ({"alphabet": 37}, "up to 36"),
        ({"name": "english", "arity": (4, 4)}, "no English verbs of arity 4"),
        ({"name": "english", "predicates": 1_000}, "there are only"),
        ({"name": "english", "constants": 61}, "only 60 first names, not 61"),
        ({"name": "englisch"}, "Did you mean 'english'"),
    ],
)
def test_what_cannot_be_made_is_told(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(VocabularyError, match=told):
        vocabulary(**wrong)  # type: ignore[arg-type]


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
    alike: list[Any] = [given, {"predicates": {"Holds": 2}, "constants": ["a", "b"]}, *files, str(files[0])]
    drawn = [draw_samples("first_order", [3], 9, vocabulary=names) for names in alike]
    assert all(samples == drawn[0] for samples in drawn)
    assert drawn[0][0].vocabulary.variables  # nobody needs to name them


def test_its_name_in_the_results_tells_vocabularies_apart() -> None:
    names = [
        draw_samples("ltl", [1], 1, vocabulary=given)[0].vocabulary_name for given in (["a"], ["b"], ("a",), "default")
    ]
    assert names[0] == names[2] != names[1]
    assert (names[0].partition("-")[0], names[3]) == ("custom", "default")


@pytest.mark.parametrize(
    ("grammar", "given", "problem"),
    [
        ("propositional", [], "the grammar needs propositions"),
        ("propositional", ["a", "a"], "the name 'a' occurs 2 times"),
        ("propositional", ["a", 3], "propositions are ['a', 3]; give a list of names"),
        ("propositional", {"propositions": "ab"}, "propositions are 'ab'; give a list of names"),
        ("propositional", {"proposition": ["a"]}, "Did you mean 'propositions'?"),
        ("propositional", 5, "5 is not a name, a list of names, a dict or a file"),
        ("propositional", ["true"], "cannot read 'true' as a name: it is the formula ⊤"),
        ("propositional", ["gear down"], "cannot read 'gear down' as a name: unexpected 'down'"),
        ("ltl", ["X"], "cannot read 'X' as a name"),
        ("regex", ["ab"], "cannot read 'ab' as a name"),
        ("first_order", ["a"], "this grammar needs predicates and constants; give a dict such as {'predicates': {'Ho"),
        ("first_order", {"predicates": ["P"], "constants": ["a"]}, "give their numbers of arguments: {'Holds': 2}"),
        ("ltl", {"propositions": {"a": 1}}, "propositions are {'a': 1}; give a list of names"),
        ("first_order", {"predicates": {"P": 0}}, "predicates are {'P': 0}; give their numbers of arguments"),
        ("first_order", {"predicates": {"P": 1}, "constants": ["a b"]}, "cannot read 'P(a b)' as a name"),
        ("first_order", {"predicates": {"P": 1}, "constants": ["P"]}, "the name 'P' occurs 2 times"),
        ("ltl", "nowhere.toml", "nowhere.toml cannot be read: No such file"),
        ("ltl", Path("names.yaml"), "names.yaml cannot be read: give a .toml or .json file"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(
    grammar: str, given: Any, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "names.yaml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(VocabularyError) as raised:
        sample_formulas(grammar, 2, 1, vocabulary=given)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)

"""Ready-made vocabularies: synthetic or English, of any size, the same for a seed."""

from __future__ import annotations

import pytest

from pytest_autoeval.generation.errors import VocabularyError
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

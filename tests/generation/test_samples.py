"""A corpus: distinct formulas, the same everywhere, all of them where there are fewer than asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation import samples
from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.generation.drawing_errors import FewerFormulasWarning, VocabularyError
from pytest_autoeval.generation.samples import draw_samples, sample_formulas, sample_of
from pytest_autoeval.generation.vocabularies import ready_made
from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language

_PRINT = """
import json
from pytest_autoeval.generation.samples import draw_samples
wanted = [("ksat", 8), ("propositional", 6), ("first_order", 7), ("regex", 6)]
print(json.dumps([it.text for name, size in wanted for it in draw_samples(name, [size], 30, 5, "english")]))
"""
#: One of each, so that a change of what a seed means does not go unseen: recordings depend on it.
PINNED = {
    "ksat": "(p7 ∨ p8 ∨ p8) ∧ (p6 ∨ p7 ∨ ¬p6)",
    "propositional": "¬p7 ∧ (¬¬(¬p12 ∨ ¬p11) ∧ p3)",
    "first_order": "∀x1. ∀x2. ∃x3. ∃x4. (pred6(x3, x4) ∧ ¬pred4(x1, x2))",
    "regex": "10*10*0",
}


def drawn_in_process(hash_seed: str) -> list[str]:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    done = subprocess.run(
        [sys.executable, "-c", _PRINT],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        encoding="utf-8",
    )
    return list(json.loads(done.stdout))


def test_a_seed_means_the_same_in_every_process() -> None:
    first = drawn_in_process("1")
    assert first == drawn_in_process("2")
    assert len(first) == 120
    assert first[:30] == [sample.text for sample in draw_samples("ksat", [8], 30, 5)]


@pytest.mark.parametrize("grammar", PINNED)
def test_a_seed_means_the_same_in_every_version(grammar: str) -> None:
    assert str(sample_formulas(grammar, 5, 1, seed=7)[0]) == PINNED[grammar]


def test_formulas_are_distinct_and_seeds_and_sizes_independent() -> None:
    first = sample_formulas("propositional", 4, 500, seed=1)
    assert len(set(first)) == len(first) == 500
    assert not first.exhausted
    other = sample_formulas("propositional", 4, 500, seed=2)
    assert first != other
    shapes = (
        [str(formula).count("¬") for formula in first],
        [str(formula).count("¬") for formula in other],
    )
    assert shapes[0] != shapes[1]


@pytest.mark.parametrize(
    ("grammar", "size"), [("propositional", 0), ("propositional", 1), ("regex", 3), ("ksat", 5)]
)
def test_a_larger_corpus_begins_with_the_smaller_one(grammar: str, size: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerFormulasWarning)
        small, large = (sample_formulas(grammar, size, count, seed=3) for count in (15, 600))
    assert large[:15] == small


@pytest.mark.parametrize(
    ("grammar", "size", "available"), [("propositional", 0, 24), ("regex", 2, 18)]
)
def test_where_there_are_fewer_all_are_drawn_and_told(
    grammar: str, size: int, available: int
) -> None:
    with pytest.warns(
        FewerFormulasWarning, match=f"only {available} distinct formulas of size {size}"
    ):
        found = sample_formulas(grammar, size, 50)
    assert len(set(found)) == len(found) == available
    assert found.exhausted
    assert found.available == available


def test_all_of_a_larger_space_are_found_without_drawing_them_one_by_one() -> None:
    # ¬¬p, and two connectives between literals of 12 propositions.
    found = sample_formulas("propositional", 1, 5_000, warn=False)
    assert found.available == len(set(found)) == 12 + 2 * 24 * 24


def test_a_size_without_formulas_is_told_with_the_nearest() -> None:
    with pytest.warns(
        FewerFormulasWarning,
        match="no formulas of size 4 .*; the nearest sizes with formulas: 2 and 5",
    ):
        found = sample_formulas("ksat", 4, 3)
    assert found == []
    assert found.available == 0


def test_an_ambiguous_grammar_still_gives_distinct_formulas(tmp_path: Path) -> None:
    path = tmp_path / "ambiguous.lark"
    path.write_text(
        "// language: propositional\n"
        'start: one | two\none: PROPOSITION | "(" start "∧" start ")"\ntwo: PROPOSITION | "(" start "∧" start ")"\n'
        "PROPOSITION: /p/\n",
        encoding="utf-8",
    )
    found = sample_formulas(path, 4, 100, vocabulary=Vocabulary(propositions=("p",)), warn=False)
    assert len(found) == len(set(found)) == 14
    # Too many derivations to list: the search for a fifteenth of 42 trees times 2 ** 21 ends all the same.
    many = sample_formulas(path, 5, 100, vocabulary=Vocabulary(propositions=("p",)), warn=False)
    assert len(many) == 42


@pytest.mark.parametrize("kept", [0, 7, 1000])
def test_formulas_that_were_drawn_before_are_those_of_a_new_stream(
    monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    monkeypatch.setattr(samples, "_MOST_KEPT", kept)
    monkeypatch.setattr(samples, "_KEPT", samples.KeptFormulas())
    space = formula_space("propositional")
    wanted = {size: [*islice(space.distinct(size, 11), 30)] for size in (2, 3, 4)}
    for count in (3, 30, 1, 12):
        for size, formulas in wanted.items():
            assert sample_formulas("propositional", size, count, seed=11) == formulas[:count]
    with ThreadPoolExecutor(4) as threads:
        drawn = threads.map(
            lambda count: sample_formulas("propositional", 4, count, seed=11), [30, 2, 17, 30]
        )
    assert [*drawn] == [wanted[4][:count] for count in (30, 2, 17, 30)]


def test_an_error_of_drawing_is_raised_again(tmp_path: Path) -> None:
    file = tmp_path / "wrong.lark"
    file.write_text("// language: regex\nstart: SYMBOL | start start\nSYMBOL: /[a-z]/\n")
    for _ in range(2):
        with pytest.raises(AutoevalError, match="was drawn with size 6, but measures"):
            sample_formulas(file, 6, 3)


def test_samples_carry_their_identity() -> None:
    samples = draw_samples("first_order", [2, 3], 4, seed=9, vocabulary="english")
    assert [(sample.operators, sample.index) for sample in samples] == [
        (size, i) for size in (2, 3) for i in range(4)
    ]
    sample = samples[0]
    assert (sample.grammar, sample.language, sample.vocabulary_name) == (
        "first_order",
        "first_order",
        "english",
    )
    assert sample.vocabulary.predicates == ready_made("english").predicates
    assert sample.vocabulary.propositions == ()
    assert sample.seed == 9
    assert sample.text == language("first_order").format(sample.formula)
    assert list(sample_formulas("first_order", 2, 4, 9, "english")) == [
        sample.formula for sample in samples[:4]
    ]


def test_the_vocabulary_has_the_names_that_stand_in_the_grammar(tmp_path: Path) -> None:
    path = tmp_path / "orders.lark"
    path.write_text(
        '// language: first_order\nstart: "less(" CONSTANT ", zero)" | "(" start "∧" start ")"\nCONSTANT: /c/\n',
        encoding="utf-8",
    )
    known = draw_samples(path, [0], 1)[0].vocabulary
    assert known.predicates == (("less", 2),)
    assert known.constants == (*ready_made("default").constants, "zero")
    assert sample_of("more(one, zero)", path).vocabulary.predicates == (("less", 2), ("more", 2))


def test_a_formula_of_the_users_own_as_a_sample() -> None:
    sample = sample_of("p1 → (p2 ∨ ¬p3)", "propositional")
    assert (sample.operators, sample.index, sample.vocabulary_name) == (2, 0, "default")
    with pytest.raises(FormulaSyntaxError):
        sample_of("p1 →", "propositional")


def test_what_the_vocabulary_lacks_is_told() -> None:
    with pytest.raises(VocabularyError, match="needs propositions"):
        sample_formulas("ksat", 2, 1, vocabulary=Vocabulary(constants=("c",)))
    with pytest.raises(VocabularyError, match="needs constants"):
        sample_formulas(
            "first_order", 2, 1, vocabulary=Vocabulary(predicates=(("P", 1),), variables=("x",))
        )
    with pytest.raises(VocabularyError, match="cannot read 'p 1' as a name: unexpected '1'"):
        sample_formulas("propositional", 2, 1, vocabulary=Vocabulary(propositions=("p 1",)))
    shared = Vocabulary(predicates=(("P", 1),), variables=("x",), constants=("x",))
    with pytest.raises(VocabularyError, match="the name 'x' occurs twice"):
        sample_formulas("first_order", 2, 1, vocabulary=shared)
    one = Vocabulary(predicates=(("P", 1),), variables=("x",), constants=("c",))
    with pytest.raises(VocabularyError, match="need 2 variables, not 1"):
        sample_formulas("first_order", 6, 20, vocabulary=one, quantifiers=2)

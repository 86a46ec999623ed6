"""The requirement sets in `examples/requirements`, and what the check of the whole set finds with their answer keys."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.small_project import run_in_repository

from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet
from pytest_autoeval.datasets.plain_sentences import read_plain_sentences
from pytest_autoeval.languages import Formula, Language, language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.requirements.whole_set import WholeSet, examine_formulas

FOLDER = Path(__file__).parents[2] / "examples" / "requirements"
SIZES = {"lift": 40, "library": 20}


@cache
def key(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.key.toml").read_text("utf-8"))


def language_and_formulas(name: str) -> tuple[Language, list[Formula]]:
    lang = language(key(name)["language"])
    return lang, [lang.parse(entry["formula"]) for entry in key(name)["sentences"]]


@pytest.mark.parametrize("name", SIZES)
def test_the_key_has_the_sentences_of_the_file_in_order(name: str) -> None:
    sentences = [sentence.sentence for sentence in read_plain_sentences(FOLDER / f"{name}.md")]
    assert [entry["sentence"] for entry in key(name)["sentences"]] == sentences
    assert len(set(sentences)) == SIZES[name]


@pytest.mark.parametrize("name", SIZES)
def test_the_formulas_use_all_names_of_the_glossary_and_no_other(name: str) -> None:
    lang, formulas = language_and_formulas(name)
    data_set = PlainSentenceSet(name, lang.name, [FOLDER / f"{name}.md"])
    (vocabulary,) = {item.vocabulary for size in data_set.sizes for item in data_set.items(size)}
    used = lang.symbols(lang.conjunction(formulas))
    assert used.names == vocabulary.names
    assert not any(lang.foreign(formula, vocabulary) for formula in formulas)


def test_ten_sentences_are_ambiguous_and_their_readings_differ() -> None:
    ambiguous = 0
    for name in SIZES:
        lang, _ = language_and_formulas(name)
        for entry in key(name)["sentences"]:
            if "readings" in entry:
                ambiguous += 1
                first, second = entry["readings"]
                assert entry["formula"] == first
                assert entry["because"]
                assert lang.equivalent(first, second).outcome == VerdictOutcome.DIFFERENT
    assert ambiguous == 10


def test_six_sentences_contradict_or_repeat_others() -> None:
    entries = [entry for name in SIZES for entry in key(name)["sentences"]]
    assert sum("repeats" in entry for entry in entries) == 3
    assert sum("contradicts" in entry for entry in entries) == 3


def test_the_sets_can_be_run() -> None:
    _, text = run_in_repository(str(FOLDER), "--autoeval-plan")
    assert re.search(r" 20 .*test_library.*\n(.*\n)*.* 40 .*test_lift", text)


@pytest.mark.parametrize("name", SIZES)
def test_the_check_finds_exactly_what_is_planted(name: str) -> None:
    lang, formulas = language_and_formulas(name)
    # z3 gets 30 % of the limit to find a case for forty joined rules. A slow machine needs more than 0.9 s for it.
    found: WholeSet = examine_formulas(formulas, lang, timeout=6.0)
    planted = dict(enumerate(key(name)["sentences"], 1))
    contradictions = {
        frozenset({n, *entry["contradicts"]})
        for n, entry in planted.items()
        if "contradicts" in entry
    }
    assert {core.numbers for core in found.contradictions} == contradictions
    assert {core.proved for core in found.contradictions} == {"smallest"}
    assert found.satisfiable is False
    assert found.repeats == [
        [entry["repeats"], n] for n, entry in planted.items() if "repeats" in entry
    ]
    follows = {
        n: {*entry["follows_from"]} for n, entry in planted.items() if "follows_from" in entry
    }
    assert {sentence: core.numbers for sentence, core in found.consequences.items()} == follows
    assert not any((found.always_true, found.never_true, found.undecided, found.stopped))
    dropped = {n for n, entry in planted.items() if "contradicts" in entry or "repeats" in entry}
    assert found.kept == [n for n in planted if n not in dropped]

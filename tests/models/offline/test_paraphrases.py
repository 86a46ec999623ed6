"""The offline models say a sentence in other words that mean the same."""

from __future__ import annotations

import pytest

from pytest_autoeval import language, prompts, sample_formulas
from pytest_autoeval.languages.glossary import describe_in_phrases, read_in_phrases
from pytest_autoeval.models.offline.answering import answer
from pytest_autoeval.models.protocols import Message
from pytest_autoeval.requirements.sentence_round_trip import read_numbered


def paraphrases(lang: str, sentence: str, names: str, number: int) -> dict[int, str]:
    template = prompts.load("paraphrase", lang, slots=("sentence", "names", "number"))
    turns = template.render(
        {"sentence": sentence, "names": names, "number": str(number)}, few_shot=True
    )
    return read_numbered(
        answer("offline/faithful", [Message(role, content) for role, content in turns]).text
    )


@pytest.mark.parametrize("lang", ["ltl", "propositional"])
@pytest.mark.parametrize("operators", [1, 2, 3])
def test_paraphrases_differ_in_words_and_not_in_meaning(lang: str, operators: int) -> None:
    atoms = ["p1", "p2", "p3"]
    glossary = {name: f"the lamp {number} is on" for number, name in enumerate(atoms, start=1)}
    names = "\n".join(f'"{phrase}": {name}' for name, phrase in glossary.items())
    for formula in sample_formulas(lang, operators=operators, count=10, seed=1, vocabulary=atoms):
        sentence = describe_in_phrases(formula, glossary, lang)
        found = paraphrases(lang, sentence, names, 3)
        assert list(found) == [1, 2, 3]
        assert len({sentence, *found.values()}) > 1
        for text in found.values():
            read = read_in_phrases(text, glossary, lang)
            assert language(lang).equivalent(read, formula).outcome == "equivalent"


def test_a_rule_is_said_in_other_words() -> None:
    glossary = {"Robot(x)": "x is a robot", "Charged(x)": "x is charged"}
    names = "\n".join(f"{name}: {phrase}" for name, phrase in glossary.items())
    formula = language("first_order").parse("∀x. (Robot(x) → Charged(x))")
    sentence = describe_in_phrases(formula, glossary, "first_order")
    for text in paraphrases("first_order", sentence, names, 3).values():
        assert text != sentence
        read = read_in_phrases(text, glossary, "first_order")
        assert language("first_order").equivalent(read, formula).outcome == "equivalent"


def test_a_sentence_without_other_words_is_repeated() -> None:
    found = paraphrases("first_order", "Kim is a robot.", "Robot(x): x is a robot\nkim: Kim", 2)
    assert found == {1: "Kim is a robot.", 2: "Kim is a robot."}


def test_a_sentence_in_other_english_is_not_understood() -> None:
    assert (
        paraphrases("ltl", "The lamp should be on most of the time.", '"the lamp is on": lamp', 2)
        == {}
    )

"""Helpers to ask offline models about first-order sentences, with payloads labelled as in the prompts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from pytest_autoeval.datasets import Item, data_set
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol, ontology_of_facts
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.answering import answer
from pytest_autoeval.models.protocols import Message

#: The answer key that tests share. A test that adds answers must use its own key.
KEY = AnswerKey()
FOL = language("first_order")
UNKNOWN = "I cannot tell what this says"
ZOO = Ontology(
    (
        Symbol("Otter", ("x",), "x is an otter", "x is not an otter"),
        Symbol("Keeper", ("x",), "x is a keeper", "x is not a keeper"),
        Symbol("Feeds", ("x", "y"), "x feeds y", "x does not feed y"),
        Symbol("mia", (), "Mia", is_term=True),
    )
)


def formula(text: str) -> Sentence:
    """The formula of a text."""
    tree = FOL.parse(text)
    assert isinstance(tree, Sentence)
    return tree


def sentence_item(sentence: str, text: str, ontology: Ontology = ZOO) -> Item:
    """An item about one sentence, as in data sets."""
    facts = {
        "sentence": sentence,
        "ontology": ontology.to_facts(),
        "ontology_derived": ontology.derived,
    }
    return Item("own", "first_order", ontology.vocabulary, "custom", 1, 0, 0, formula(text), facts)


def story_item(
    premises: Sequence[tuple[str, str]], conclusion: tuple[str, str], ontology: Ontology = ZOO
) -> Item:
    """An item about premises and a conclusion, each a sentence and its formula."""
    facts = {
        "premises": [sentence for sentence, _ in premises],
        "premises_formulas": [text for _, text in premises],
        "conclusion": conclusion[0],
        "conclusion_formula": conclusion[1],
        "ontology": ontology.to_facts(),
    }
    return Item(
        "own",
        "first_order",
        Vocabulary(),
        "custom",
        len(premises),
        0,
        0,
        formula(conclusion[1]),
        facts,
    )


def listed(options: Sequence[str]) -> str:
    """A numbered list."""
    return "\n".join(f"{number}. {option}" for number, option in enumerate(options, start=1))


def asked(**payloads: str) -> list[Message]:
    """A conversation that ends with payloads after their labels, given with underscores for spaces."""
    labelled = [f"{label.replace('_', ' ')}:\n{payload}" for label, payload in payloads.items()]
    return [
        Message("system", "Symbols:\n∧ and\n\nAnswer as you are asked to."),
        Message("user", "Formula:\np9"),
        Message("assistant", "p9 holds."),
        Message("user", "\n\n".join(labelled) + "\n"),
    ]


def said(model: str, seed: int | None = None, /, **payloads: str) -> str:
    """A model's answer to payloads after their labels."""
    return answer(f"offline/{model}", asked(**payloads), seed, answer_key=KEY).text


def told(model: str, seed: int | None = None, /, **payloads: str) -> Any:
    """The answer that a model gives after its reasoning. None if the model cannot answer.

    Asserts that the answer is the same as text and as JSON.
    """
    messages = asked(**payloads)
    text, structured = (
        answer(f"offline/{model}", messages, seed, structured=flag, answer_key=KEY).text
        for flag in (False, True)
    )
    if text.startswith(UNKNOWN):
        assert structured == text
        return None
    content = json.loads(structured)
    assert list(content) == ["reasoning", "answer"]
    value = content["answer"]
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    assert text == f"{content['reasoning']}\n\nAnswer: {shown}"
    return value


@cache
def shipped(name: str) -> tuple[Item, ...]:
    """All items of a data set, of each size."""
    items = data_set(name)
    assert items is not None
    return tuple(item for size in items.sizes or () for item in items.items(size, None, 0))


def ontology_in(item: Item) -> Ontology:
    """The ontology of an item."""
    return ontology_of_facts(item.facts["ontology"], derived=item.facts["ontology_derived"])

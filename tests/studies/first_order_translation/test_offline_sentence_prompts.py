"""The shipped prompts about sentences of first-order logic ask what the offline models understand, in every way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import pytest
from support.offline_sentences import said, shipped

from pytest_autoeval import prompts
from pytest_autoeval.datasets import Item
from pytest_autoeval.models.offline.answering import answer
from pytest_autoeval.models.protocols import Message
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import PromptChoice, Trial

#: A task, what it is about, and the ways to put it.
ASKED: list[tuple[str, str, str]] = [
    ("logical_translation", "fol_translation", ""),
    ("open_translation", "fol_translation", ""),
    ("ontology_extraction", "fol_translation", ""),
    ("informalization", "fol_translation", ""),
    *(
        (f"{name}_{form}", data_set, interface)
        for name, data_set in (
            ("most_similar", "fol_most_similar"),
            ("ranking", "fol_ranking"),
            ("entailment", "fol_entailment"),
        )
        for form in ("formulas", "english")
        for interface in ("structured", "text")
    ),
]


def slots_of(name: str, interface: str, item: Item) -> Mapping[str, str]:
    """The values of the slots of a task's prompt."""
    return task(name).slots(Trial(cast("Any", None), PromptChoice(interface=interface), item))


def asked(name: str, interface: str, item: Item, *, few_shot: bool) -> list[Message]:
    """The conversation of a shipped prompt about an item."""
    template = prompts.load(name, "first_order", interface=interface)
    slots = slots_of(name, interface, item)
    return [Message(role, content) for role, content in template.render(slots, few_shot=few_shot)]


def is_right(name: str, item: Item, text: str) -> bool:
    """Whether an answer, in words or in JSON, is the expected one of a task that has one."""
    value = json.loads(text)["answer"] if text.startswith("{") else text.rsplit("Answer: ", 1)[1]
    expected = item.facts["expected"]
    if not name.startswith("ranking"):
        return str(value) == str(expected)
    order = value if isinstance(value, list) else [int(number) for number in value.split(", ")]
    return bool([sorted(order[:2]), sorted(order[-2:])] == expected)


@pytest.mark.parametrize(("name", "data_set", "interface"), ASKED)
def test_the_faithful_model_understands_every_prompt(
    name: str, data_set: str, interface: str
) -> None:
    for item in shipped(data_set)[::9]:
        messages = asked(name, interface, item, few_shot=False)
        text = answer("offline/faithful", messages, structured=interface == "structured").text
        if name == "logical_translation":
            assert text == item.text
        elif name == "open_translation":
            assert text == said("faithful", Statement_to_formalize=item.facts["sentence"])
        elif name == "ontology_extraction":
            assert text == said("faithful", Statement_to_analyse=item.facts["sentence"])
        elif name == "informalization":
            slots = {**slots_of("logical_translation", "", item), "sentence": text}
            template = prompts.load("logical_translation", "first_order")
            back = [
                Message(role, content) for role, content in template.render(slots, few_shot=False)
            ]
            assert answer("offline/faithful", back).text == item.text
        else:
            assert text.startswith("{") is (interface == "structured")
            assert is_right(name, item, text)


@pytest.mark.parametrize(("name", "data_set", "interface"), ASKED)
def test_examples_and_a_second_look_change_nothing(
    name: str, data_set: str, interface: str
) -> None:
    item, structured = shipped(data_set)[1], interface == "structured"
    messages = asked(name, interface, item, few_shot=False)
    plain = answer("offline/faithful", messages, structured=structured).text
    shown = asked(name, interface, item, few_shot=True)
    assert len(shown) > len(messages)
    assert answer("offline/faithful", shown, structured=structured).text == plain
    refine = prompts.load(name, "first_order", interface=interface).refine
    again = [*messages, Message("assistant", plain), Message("user", refine)]
    assert refine
    assert answer("offline/faithful", again, structured=structured).text == plain

"""Every shipped prompt: labelled blocks in the user turn, and worked examples as earlier turns of the same form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_autoeval import prompts
from pytest_autoeval.prompts.template import PromptTemplate
from pytest_autoeval.tasks import task, task_names

FILES = sorted(Path(prompts.__file__).parent.glob("*/*.toml"))
BLOCK = re.compile(r"([A-Z][a-z ]+:)\n\$\{(\w+)\}")
each_prompt = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")


def load(path: Path) -> PromptTemplate:
    language, _, interface = path.stem.partition(".")
    template = prompts.load(path.parent.name, language, interface=interface)
    assert template.path == path
    return template


@each_prompt
def test_the_user_turn_is_labelled_blocks_of_which_nothing_else_has_the_form(path: Path) -> None:
    template = load(path)
    blocks = BLOCK.findall(template.user)
    given = {slot: f"the {slot}" for _, slot in blocks}
    turns = template.render(given, few_shot=False)
    assert [role for role, _ in turns] == ["system", "user"]
    assert turns[-1][1] == "\n\n".join(f"{label}\nthe {slot}" for label, slot in blocks)
    assert "${" not in turns[0][1]
    assert not {label for label, _ in blocks}.intersection(map(str.strip, turns[0][1].splitlines()))


@each_prompt
def test_examples_are_earlier_turns_of_the_same_form(path: Path) -> None:
    template = load(path)
    given = {slot: f"the {slot}" for _, slot in BLOCK.findall(template.user)}
    plain, shown = (template.render(given, few_shot=few_shot) for few_shot in (False, True))
    count = len(template.examples)
    assert count >= 2
    assert [role for role, _ in shown] == ["system", *["user", "assistant"] * count, "user"]
    assert (shown[0], shown[-1]) == (plain[0], plain[-1])
    assert len({content for role, content in shown if role == "user"}) == count + 1
    assert not any("${" in content or content == "the formula" for _, content in shown)


def test_every_interface_of_every_task_has_its_prompts() -> None:
    shipped = {(path.parent.name, path.stem.partition(".")[2]) for path in FILES}
    round_trip = {("informalize", ""), ("autoformalize", "")}
    assert shipped == round_trip | {(name, way) for name in task_names() for way in task(name).interfaces or ("",)}

"""A task of a user's own, with two interfaces, figures, prompts that are checked."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from support.scripted import Scripted, sample

from pytest_autoeval import Judgement, Task, judge_formula
from pytest_autoeval.models import ConfigurationError
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.prompts import PromptError
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import MeaningLostError, PromptChoice, Trial

PROMPTS = {
    "alone": """
system = "You negate formulas of propositional logic. Answer with one formula, alone."
user = "Formula: ${formula}"
[[examples]]
formula = "p1 ∧ p2"
answer = "¬p1 ∨ ¬p2"
""",
    "steps": """
system = "You negate formulas of propositional logic. Work step by step. End with a line `Answer: FORMULA`."
user = "Formula: ${formula}"
""",
}
SUBJECT = sample("p1 ∧ p2")


class Negation(Task):
    """Formula → a formula that means the opposite."""

    name = "negation"
    interfaces = ("alone", "steps")
    figures = "translation"

    def slots(self, trial: Trial) -> dict[str, str]:
        return {"formula": str(trial.about.formula)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        if self.interface(trial) == "steps":
            answer = answer.strip().splitlines()[-1].removeprefix("Answer: ")
        return judge_formula(answer, trial, expected=f"¬({trial.about.formula})")


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """The folder of its prompts."""
    (tmp_path / "negation").mkdir()
    for interface, text in PROMPTS.items():
        (tmp_path / f"negation/propositional.{interface}.toml").write_text(text, "utf-8")
    return tmp_path


def performed(
    folder: Path, *answers: str, interface: str = "", prompting: Prompting = Prompting.ZERO_SHOT
) -> tuple[Trial, Scripted]:
    """The trial after the task was performed, and the model."""
    model = Scripted(*answers)
    trial = Trial(model, PromptChoice(prompting, interface, (folder,)), SUBJECT, verify_timeout=5.0)
    with suppress(MeaningLostError):
        Negation().perform(trial)
    return trial, model


def test_the_default_interface_is_the_first_and_the_part_of_its_figures_is_there(
    prompts: Path,
) -> None:
    trial, model = performed(prompts, "¬p1 ∨ ¬p2")
    assert trial.outcome == "equivalent"
    assert [message.content for message in model.asked[0]] == [
        "You negate formulas of propositional logic. Answer with one formula, alone.",
        "Formula: p1 ∧ p2",
    ]
    assert Negation().asked_interface("", embeds=False) == "alone"
    translated = trial.part(Translated)
    assert translated is not None
    assert translated.relation == "equivalent"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("De Morgan.\nAnswer: ¬p1 ∨ ¬p2", "equivalent"),
        ("Answer: ¬p1 ∧ ¬p2", "different"),
        ("I do not know.", "unparseable"),
    ],
)
def test_another_interface_has_a_prompt_and_a_form_of_answer_of_its_own(
    prompts: Path, answer: str, outcome: str
) -> None:
    trial, model = performed(prompts, answer, interface="steps")
    assert trial.outcome == outcome
    assert "step by step" in model.asked[0][0].content


def test_an_unknown_slot_in_its_prompt_is_refused_with_file_and_line(prompts: Path) -> None:
    file = prompts / "negation/propositional.alone.toml"
    file.write_text("system = 'x'\nuser = '${formula}, ${size}'", "utf-8")
    with pytest.raises(
        PromptError, match=re.escape(f"{file}:2: unknown slot ${{size}}; known are: ${{formula}}")
    ):
        performed(prompts, "p1")
    file.write_text("user = 'x'", "utf-8")
    with pytest.raises(PromptError, match=re.escape("lacks the slot ${formula}")):
        performed(prompts, "p1")


class Shortcut(Negation):
    """Its judgement is no `Judgement`."""

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return super().judge(answer, trial).outcome == "equivalent"  # type: ignore[return-value]


def test_a_judgement_of_another_type_is_refused_with_what_to_return(prompts: Path) -> None:
    trial = Trial(
        Scripted("¬p1 ∨ ¬p2"), PromptChoice(folders=(prompts,)), SUBJECT, verify_timeout=5.0
    )
    with pytest.raises(
        ConfigurationError, match=re.escape("judge() returned a bool; return a Judgement")
    ):
        Shortcut().perform(trial)


def test_a_suite_has_the_interface_that_was_asked_for_and_an_embedding_model_has_none() -> None:
    assert Negation().asked_interface("steps", embeds=False) == "steps"
    assert Negation().asked_interface("steps", embeds=True) is None
    assert task("logical_translation").asked_interface("", embeds=False) is None


class Lot(Negation):
    """A lot is right in every case."""

    chance = 1.0


def test_a_chance_that_is_no_chance_is_refused(prompts: Path) -> None:
    trial = Trial(Scripted("¬p1"), PromptChoice(folders=(prompts,)), SUBJECT)
    with pytest.raises(
        ConfigurationError, match=re.escape("its chance is 1.0, not a number ≥ 0 and below 1")
    ):
        Lot().perform(trial)
    assert trial.chance == 0.0

"""The examples of prompts, judged by their tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from pytest_autoeval.languages import Formula, Vocabulary
from pytest_autoeval.prompts.template import Example
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.task import Judgement
from pytest_autoeval.tasks.trial import PromptChoice, Subject, Trial


@dataclass(frozen=True)
class Shown:
    """The subject of an example."""

    formula: Formula
    language: str
    vocabulary: Vocabulary
    facts: dict[str, Any]


def judged(name: str, interface: str, subject: Shown, example: Example) -> Judgement:
    """A task's judgement of an example's answer."""
    trial = Trial(cast("Any", None), PromptChoice(interface=interface), cast("Subject", subject))
    return task(name).judge(example.answer, trial)

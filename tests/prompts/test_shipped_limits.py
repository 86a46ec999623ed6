"""Every shipped prompt has a default limit that fits its form."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pytest_autoeval import language, prompts, sample_formulas
from pytest_autoeval.prompts.template import shipped_folders

FILES = sorted(file for folder in shipped_folders() for file in folder.glob("*/*.toml"))
#: Characters a token, the fewest that tokenizers of small models needed: in formulas, and in English with names.
IN_FORMULAS, IN_ENGLISH = 1.3, 2.5


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_prompt_has_a_limit_that_fits_its_form(file: Path) -> None:
    template = tomllib.loads(file.read_text("utf-8"))
    assert template["max_tokens"] >= 256
    answers = [example["answer"] for example in template["examples"]]
    assert max(len(answer) for answer in answers) / IN_FORMULAS < template["max_tokens"] / 3


@pytest.mark.parametrize("name", ["propositional", "first_order", "regex", "ltl"])
def test_honest_answers_for_forty_operators_need_less_than_a_third(name: str) -> None:
    lang = language(name)
    lengths = [
        (len(lang.describe(formula)) / IN_ENGLISH, len(lang.format(formula)) / IN_FORMULAS)
        for formula in sample_formulas(name, 40, 20, seed=0)
    ]
    for tokens, task in zip(
        zip(*lengths, strict=True), ("informalize", "autoformalize"), strict=True
    ):
        limit = prompts.load(task, name).max_tokens
        assert limit is not None
        assert sorted(tokens)[18] < limit / 3  # 95 %

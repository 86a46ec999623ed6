r"""Each sign that a shipped grammar can draw is explained in the prompts of its samples."""

from __future__ import annotations

import re

import pytest

from pytest_autoeval import prompts
from pytest_autoeval.generation.grammars import find_grammar, grammar_names
from pytest_autoeval.generation.samples import Sample, draw_samples, sample_of
from pytest_autoeval.languages import language
from pytest_autoeval.languages.vocabulary import Vocabulary, vocabulary_text
from pytest_autoeval.prompts.template import languages_with

TASKS = ("informalize", "autoformalize")
#: It draws strings that are no formulas: they have no round trip.
NO_ROUND_TRIP = {"ill_formed_ltl"}
GRAMMARS = sorted(set(grammar_names()) - NO_ROUND_TRIP)
#: What the prompts for expressions with one further sign show, which those without it do not.
FURTHER = {
    "a|b": ["A|B"],
    "a&b": ["A&B"],
    "~(a)": ["~(A)", "A&B", "[01]"],
    "a+": ["A+"],
    "a?": ["A?"],
    "a{2}": ["A{2,3}"],
    "[ab]b": ["[01]"],
    "[^a]": ["[^01]", "[01]"],
    r"\ba": [r"\b"],
    r"a\Ba": [r"\B"],
    "a|ε": ["ε", "A|B"],
    "a|∅": ["∅", "A|B"],
    r"a\-": [r"\*"],
}
ALL_FURTHER = {text for texts in FURTHER.values() for text in texts}


def shown(sample: Sample, task: str, interface: str = "", *, few_shot: bool = False) -> str:
    """All that a model is shown before the question about a sample, as the round trip renders it."""
    lang = language(sample.language)
    _, names = lang.over(sample.formula, sample.vocabulary)
    subject = "formula" if task == "informalize" else "description"
    slots = {subject: "", "vocabulary": vocabulary_text(names)}
    template = prompts.load(task, lang.name, interface=interface, slots=tuple(slots))
    turns = template.render(slots, few_shot=few_shot, signs=names.signs)
    return "\n".join(content for _, content in turns)


def signs_of_grammar(grammar: str) -> set[str]:
    """The literals of its file, without parentheses."""
    lines = find_grammar(grammar).path.read_text(encoding="utf-8").splitlines()
    rules = " ".join(line for line in lines if not line.startswith(("//", "%")))
    return set(re.findall(r'"([^"]+)"', rules)) - {"(", ")"}


def is_explained(sign: str, text: str) -> bool:
    # A letter is an operator where it stands alone; `X` is not explained by a line about `X[!]`.
    pattern = rf"\b{sign}\b(?!\[)" if sign.isalpha() else re.escape(sign)
    return re.search(pattern, text) is not None


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("task", TASKS)
def test_each_sign_that_a_grammar_draws_is_explained(grammar: str, task: str) -> None:
    samples = draw_samples(grammar, range(1, 7), 5, warn=False)
    forms = [""]
    if samples[0].language in languages_with(task, "paper"):
        forms.append("paper")
    signs = signs_of_grammar(grammar)
    assert signs
    for sample in samples:
        for form in forms:
            text = shown(sample, task, form)
            assert [sign for sign in signs if not is_explained(sign, text)] == [], (form, text)


@pytest.mark.parametrize("task", TASKS)
def test_all_samples_of_a_grammar_get_the_same_explanation(task: str) -> None:
    texts = {shown(sample, task) for sample in draw_samples("boolean_regex", range(2, 6), 20)}
    assert len(texts) == 1


@pytest.mark.parametrize("few_shot", [False, True])
@pytest.mark.parametrize("form", ["", "paper"])
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("text", "further"), FURTHER.items())
def test_a_prompt_explains_the_further_signs_of_an_expression_and_no_others(
    text: str, further: list[str], task: str, form: str, few_shot: bool
) -> None:
    sample = sample_of(text, "regex", Vocabulary(alphabet=("a", "b")))
    lines = shown(sample, task, form, few_shot=few_shot).splitlines()
    explained = {line.split()[0] for line in lines if line.startswith("  ")}
    assert explained & ALL_FURTHER == set(further)


@pytest.mark.parametrize("form", ["", "paper"])
@pytest.mark.parametrize("task", TASKS)
def test_a_strict_expression_gets_the_strict_prompt(task: str, form: str) -> None:
    text = shown(sample_of("(01*)*1", "regex"), task, form)
    assert "urther signs" not in text
    if (task, form) == ("autoformalize", ""):
        assert "before it. There are no other signs: no plus" in text


@pytest.mark.parametrize("interface", ["direct", "reasoning"])
def test_the_prompt_of_the_judge_explains_further_signs_in_a_paragraph(interface: str) -> None:
    template = prompts.load("judge", "regex", interface=interface)
    slots = {"formula": "", "other": ""}
    strict, wide = (
        template.render(slots, few_shot=False, signs=signs)[0][1] for signs in ((), ("&",))
    )
    start = wide.index("\n\nFurther signs:")
    end = wide.index("\n\n", start + 2)
    assert "A&B" in wide[start:end]
    assert wide[:start] + wide[end:] == strict

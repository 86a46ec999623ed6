"""The prompts of the temporal-logic tasks: each renders, its examples are right, its shared texts are true."""

from __future__ import annotations

import random
import re
import sys
from types import ModuleType
from typing import Any, cast

import pytest
from support.prompt_examples import Shown, judged

from pytest_autoeval import prompts
from pytest_autoeval.languages import Formula, FormulaSyntaxError, language
from pytest_autoeval.languages.ltl import syntax
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.python_notation import read_python, to_python
from pytest_autoeval.languages.ltl.traces.lasso import Lasso, parse_trace
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.prompts.template import Example, shipped_folders
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.answer_readers import read_phrases

NAMES = (
    "propositions",
    "well_formed",
    "translate",
    "translate_past",
    "judge_trace",
    "write_trace",
    "translate_sentence",
)
INTERFACES = [(name, interface) for name in NAMES for interface in task(name).interfaces]


def part_text(name: str) -> str:
    """The text of a shipped part of prompts."""
    (file,) = [
        file for folder in shipped_folders() if (file := folder / f"parts/{name}.txt").is_file()
    ]
    return file.read_text("utf-8")


each_prompt = pytest.mark.parametrize(("name", "interface"), INTERFACES)


@each_prompt
def test_only_python_prompts_speak_of_python(name: str, interface: str) -> None:
    template = prompts.load(name, "ltl", interface=interface)
    text = template.system + "".join(example.answer for example in template.examples)
    assert ("@dataclass" in text) is (interface == "python")
    writes = {
        "translate": "formulaToFind",
        "translate_past": "formulaToFind",
        "translate_sentence": "formulaToFind",
        "write_trace": "traceToFind",
    }
    for word in ("formulaToFind", "traceToFind"):
        assert (word in text) is (interface == "python" and writes.get(name) == word)


@each_prompt
def test_past_operators_are_explained_where_they_may_be_used(name: str, interface: str) -> None:
    system = prompts.load(name, "ltl", interface=interface).system
    speaks_of_past = any(word in system for word in ("yesterday", '"Y" formula', "class Yesterday"))
    assert speaks_of_past is (name not in ("propositions", "translate", "translate_sentence"))
    if name == "translate_past":
        assert re.search(r"position 0|first position", system)
        assert re.search(r"needs (?:G|Always)", system)


# --- the examples are right ---


def shown(formula: Formula, **facts: Any) -> Shown:
    return Shown(formula, "ltl", language("ltl").symbols(formula), facts)


#: What the sentences of the examples mean, as their author meant them; the prompts must agree.
MEANINGS = {
    "Every time a ticket is opened": "G (!x1 | F x2)",
    "The lid is opened at some point": "F x2 & (!x1 W x2)",
    "In the step right after each reset": "!F x3 & !F (x1 & X !x2)",
    "Whenever the vault opens": "!x1 W x2",
    "The engine runs only at moments": "!x1 & G (X x1 -> x2)",
    "Whenever the belt moves": "!F (x1 & (H !x2 | (!x2 S (x3 & !x2))))",
}
EXPECTED_PROPOSITIONS = {
    "If the badge is valid": ["the badge is valid", "the gate opens", "a siren sounds"],
    "Ann neither plays": ["Ann plays the flute", "Ann sings in the choir"],
    "The backup starts only": ["the backup starts", "the disk is mounted", "the network is up"],
}


def meaning(sentence: str) -> Formula:
    (found,) = [formula for start, formula in MEANINGS.items() if sentence.startswith(start)]
    return language("ltl").parse(found)


def subject_of(name: str, example: Example, interface: str) -> Shown:
    given = example.slots
    if name == "propositions":
        (phrases,) = [
            found
            for start, found in EXPECTED_PROPOSITIONS.items()
            if given["sentence"].startswith(start)
        ]
        return shown(
            syntax.Top(), propositions=[[phrase, f"x{i}"] for i, phrase in enumerate(phrases, 1)]
        )
    if name == "well_formed":
        return shown(syntax.Top(), text=given["string"], expected=is_well_formed(given["string"]))
    if name.startswith("translate"):
        sentence = given.get("sentence") or given["requirement"]
        pairs = read_phrases(given.get("propositions") or example.answer)
        ours = [[phrase, f"x{i}"] for i, (phrase, _) in enumerate(pairs, 1)]
        return shown(meaning(sentence), propositions=ours)
    formula = (
        read_python(given["formula"]).formula
        if interface == "python"
        else language("ltl").parse(given["formula"])
    )
    assert formula is not None
    if name == "write_trace":
        return shown(formula, expected=given["wanted"].split()[1])
    atoms = language("ltl").symbols(formula).propositions
    notation = "python" if interface == "python" else "text"
    lasso = read_trace(given["trace"], atoms, notation=notation).lasso  # type: ignore[arg-type]
    assert lasso is not None
    expected = holds(cast("syntax.Temporal", formula), lasso)
    return shown(formula, trace="cycle{x1}", expected=expected)


def is_well_formed(text: str) -> bool:
    try:
        language("ltl").parse(text)
    except FormulaSyntaxError:
        return False
    return True


@each_prompt
def test_the_answers_of_the_examples_are_right(name: str, interface: str) -> None:
    for example in prompts.load(name, "ltl", interface=interface).examples:
        judgement = judged(name, interface, subject_of(name, example, interface), example)
        assert judgement.outcome in ("correct", "equivalent"), judgement.message
        assert (
            judgement.reading is None or name == "translate_sentence" or judgement.reading.compliant
        )


def test_python_examples_show_the_same_as_the_others() -> None:
    for name in ("judge_trace", "write_trace"):
        text, code = (
            prompts.load(name, "ltl", interface=interface).examples
            for interface in ("detailed", "python")
        )
        for plain, python in zip(text, code, strict=True):
            formula = language("ltl").parse(plain.slots["formula"])
            assert python.slots["formula"] == to_python(cast("syntax.Temporal", formula))


# --- what the prompts say of the language is true ---


@pytest.fixture(scope="module")
def shown_program() -> ModuleType:
    """The program that Python prompts show, loaded."""
    parts = [part_text(f"ltl/python_{part}") for part in ("formulas", "past", "more")]
    module = ModuleType("shown_program")
    sys.modules[module.__name__] = module  # where dataclasses look for their module
    exec("\n\n".join(parts).removeprefix("```python\n"), module.__dict__)
    return module


OPERATORS: list[type[syntax.Unary | syntax.Binary]] = [
    *(syntax.Not, syntax.And, syntax.Or, syntax.Xor, syntax.Implies, syntax.Iff),
    syntax.Next,
    syntax.Eventually,
    syntax.Always,
    syntax.Until,
    syntax.Release,
    syntax.WeakUntil,
    syntax.Yesterday,
    syntax.WeakYesterday,
    syntax.Once,
    syntax.Historically,
    syntax.Since,
    syntax.Triggered,
]


def drawn(numbers: random.Random, operators: int) -> syntax.Temporal:
    if operators == 0:
        return numbers.choice(
            [syntax.Atom("x1"), syntax.Atom("x2"), syntax.Atom("x1"), syntax.Top(), syntax.Bottom()]
        )
    operator = numbers.choice(OPERATORS)
    if issubclass(operator, syntax.Unary):
        return operator(drawn(numbers, operators - 1))
    left = numbers.randrange(operators)
    return operator(drawn(numbers, left), drawn(numbers, operators - 1 - left))


def test_the_program_that_python_prompts_show_means_what_the_evaluator_means(
    shown_program: ModuleType,
) -> None:
    numbers = random.Random(11)
    seen = set()
    for _ in range(400):
        formula = drawn(numbers, numbers.randint(0, 3))
        states = [
            frozenset(atom for atom in ("x1", "x2") if numbers.random() < 0.5) for _ in range(5)
        ]
        start = numbers.randint(0, 3)
        lasso = Lasso(
            ("x1", "x2"),
            tuple(states[:start]),
            tuple(states[start : start + numbers.randint(1, 2)]),
        )
        prefix, loop = (
            [{atom: atom in state for atom in lasso.atoms} for state in part]
            for part in (lasso.prefix, lasso.loop)
        )
        trace = shown_program.Trace(prefix=prefix, loop=loop)
        theirs = eval(to_python(formula), dict(shown_program.__dict__)).holds(trace)
        assert theirs is holds(formula, lasso), (str(formula), lasso)
        seen.add(theirs)
    assert seen == {True, False}


@pytest.mark.parametrize("part", ["grammar_future", "grammar_past"])
def test_every_form_of_the_grammar_is_a_formula(part: str) -> None:
    text = part_text(f"ltl/{part}")
    forms = [
        form.strip()
        for form in re.split(r'\s\|\s(?=["pf])|=', text)
        if "formula" in form and '"' in form
    ]
    assert len(forms) > 5
    for form in forms:
        formula = re.sub(r'"([^"]+)"', r"\1", form).replace("formula", "x1")
        assert language("ltl").parse(formula)


def test_what_the_notation_of_traces_says_is_so() -> None:
    text = part_text("ltl/trace_notation")
    lasso = parse_trace("a & !b; cycle{a & b; !a & !b}")
    assert "a & !b; cycle{a & b; !a & !b}" in text
    assert lasso.prefix == (frozenset({"a"}),)
    assert lasso.loop == (frozenset({"a", "b"}), frozenset())


@pytest.mark.parametrize(
    "symbol", ["X", "F", "G", "U", "R", "W", "Y", "Z", "O", "H", "S", "T", "true", "false", "xor"]
)
def test_the_words_that_the_prompt_calls_no_propositions_are_none(symbol: str) -> None:
    assert is_well_formed(f"a{symbol} & x1")
    assert is_well_formed(f"{symbol} & x1") is (symbol in ("true", "false"))
    assert symbol in prompts.load("well_formed", "ltl", interface="detailed").system

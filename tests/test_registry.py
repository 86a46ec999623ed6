"""What a run adds by name: found before what is shipped, and gone when the run is over."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Self

import pytest
from support.result_rows import row

from pytest_autoeval.by_name import added
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import UnknownLanguageError, language, language_names
from pytest_autoeval.languages.propositional.language import Propositional
from pytest_autoeval.outcomes import (
    OutcomeKind,
    SampleOutcome,
    UnknownOutcomeError,
    declare_outcome,
    explain,
    outcome_named,
)
from pytest_autoeval.registry import Registry
from pytest_autoeval.report.renderers.page.page_samples import own_drawing
from pytest_autoeval.tasks import UnknownTaskError, task, task_names
from pytest_autoeval.tasks.task import Task


class Mine(Propositional):
    """A language of the user's own."""

    name = "mine"


def test_an_added_language_is_known_while_its_registry_is_active() -> None:
    with Registry().active() as registry:
        registry.add_language(Mine())
        assert language("mine") is registry.languages["mine"]
        assert language_names()[-1] == "mine"
    with pytest.raises(
        UnknownLanguageError, match=r"there is no language 'mine'; known are: propositional, "
    ):
        language("mine")


def test_what_is_added_replaces_what_is_shipped() -> None:
    shipped = task("judge")
    own: Task = type(shipped)()
    with Registry().active() as registry:
        registry.add_task(own)
        assert task("judge") is own
        assert task_names().count("judge") == 1
    assert task("judge") is shipped
    with pytest.raises(UnknownTaskError, match="Did you mean 'judge'"):
        task("judges")


def test_a_run_inside_a_run_has_a_registry_of_its_own() -> None:
    outside = added("language")
    with Registry().active() as outer:
        outer.add_language(Mine())
        with Registry().active():
            assert "mine" not in language_names()
        assert "mine" in language_names()
    assert added("language") == outside


def test_relative_paths_start_at_the_root(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    (tmp_path / "own.lark").touch()
    (tmp_path / "prompts").mkdir()
    registry.add_grammar("own", "own.lark")
    registry.add_prompts("prompts")
    assert registry.grammars["own"].path == tmp_path / "own.lark"
    assert registry.prompt_folders == [tmp_path / "prompts"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("copied", "MY1", "model failure", "t"), "the outcome 'copied' is a shipped one"),
        (
            ("mine", "AE199", "model failure", "t"),
            "its code is 'AE199'; give two to eight capitals, not AE",
        ),
        (("mine", "my1", "model failure", "t"), "its code is 'my1'"),
        (
            ("mine", "MY1", "pass", "t"),
            "its kind is 'pass'; known are: model failure, undecided, error",
        ),
        (("mine", "MY1", "failure", "t"), "its kind is 'failure'"),
        (("", "MY1", "model failure", "t"), "the name of an outcome is ''"),
        (("two\nlines", "MY1", "model failure", "t"), "give a text on one line"),
        (("Copied", "MY1", "model failure", "t"), "the outcome 'Copied' is a shipped one"),
        (("ae101", "MY1", "model failure", "t"), "the outcome 'ae101' is a shipped one"),
        (("mine", "MY\u0661", "model failure", "t"), "its code is 'MY\u0661'"),
        (("mine", 7, "model failure", "t"), "its code is 7"),
        (("mine", "MY1", "model failure", 3), "its title is 3; give a text"),
        (("mine", "MY1", "model failure", " "), "its title is empty"),
    ],
)
def test_an_outcome_that_cannot_be_is_refused(arguments: Any, said: str) -> None:
    with pytest.raises(AutoevalError, match=f"^add_outcome: .*{re.escape(said)}"):
        Registry().add_outcome(*arguments)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"about": "colour"}, "it is about 'colour'; known are: meaning, form"),
        ({"answer_read": "no"}, "answer_read is 'no'; give True or False"),
        ({"advice": None}, "its advice is None; give a text"),
        ({"causes": "one text"}, "the causes of 'mine' are a text; give a list of texts"),
        ({"causes": [1]}, "its causes are [1]; give a list of texts"),
    ],
)
def test_what_a_results_file_cannot_declare_is_refused(values: Any, said: str) -> None:
    with pytest.raises(AutoevalError, match=f"^add_outcome: .*{re.escape(said)}"):
        Registry().add_outcome("mine", "MY1", "model failure", "t", **values)


def test_a_code_has_one_outcome_and_an_outcome_can_be_replaced() -> None:
    registry = Registry()
    registry.add_outcome("mine", "MY1", "model failure", "first")
    registry.add_outcome("mine", "MY1", "undecided", "second")
    with pytest.raises(AutoevalError, match="the code MY1 is that of the outcome 'mine' already"):
        registry.add_outcome("other", "MY1", "error", "third")
    with registry.active():
        assert outcome_named("mine").kind == "undecided"
        assert "MY1 mine: second" in explain("Mine")
    with pytest.raises(UnknownOutcomeError):
        explain("MY1")


def test_what_files_declare_must_agree() -> None:
    declare_outcome(SampleOutcome("FILE1", "of a file", OutcomeKind.ERROR, "t"))
    declare_outcome(SampleOutcome("FILE1", "of a file", OutcomeKind.ERROR, "another title"))
    with pytest.raises(UnknownOutcomeError):  # another run's outcome is none of this run
        outcome_named("of a file")
    with pytest.raises(
        AutoevalError, match=r"is FILE1 \(undecided\) here, and FILE1 \(error\) in another file"
    ):
        declare_outcome(SampleOutcome("FILE1", "of a file", OutcomeKind.UNDECIDED, "t"))


def test_a_wrapper_is_a_generator_function_that_takes_a_trial() -> None:
    with pytest.raises(AutoevalError, match="give a generator function, with a yield for the body"):
        Registry().add_wrapper(lambda trial: trial)  # type: ignore[arg-type, return-value]
    with pytest.raises(AutoevalError, match="give a function that takes a trial"):
        Registry().add_wrapper(3)  # type: ignore[arg-type]


def test_a_drawing_that_fails_is_named_with_its_line() -> None:
    def lamps(_witness: object) -> str:
        raise KeyError("values")

    registry = Registry()
    registry.add_drawing("lamps", lamps)
    with registry.active():
        shown = own_drawing(row("different", witness={"kind": "lamps"}))
    (problem,) = shown["drawing"].values()
    assert re.fullmatch(r"the drawing failed: KeyError: 'values' \(test_registry.py:\d+\)", problem)


def test_a_shipped_kind_of_witness_keeps_its_drawing() -> None:
    with pytest.raises(AutoevalError, match="the page draws witnesses of the kind 'trace' itself"):
        Registry().add_drawing("trace", str)


class WithoutConstructor:
    def complete(self, messages: object, *, repeat: int = 0) -> str:
        return f"{messages} {repeat}"


class WithInit(WithoutConstructor):
    def __init__(self, key: str) -> None:
        self.key = key


class WithNew(WithoutConstructor):
    def __new__(cls, key: str) -> Self:
        del key
        return super().__new__(cls)


class CalledWithKey(type):
    def __call__(cls, key: str) -> Any:
        del key
        return super().__call__()


class OfMetaclass(WithoutConstructor, metaclass=CalledWithKey):
    """Its call needs an argument, and it has no constructor."""


def test_a_model_is_made_without_arguments() -> None:
    registry = Registry()
    registry.add_model("mine", WithoutConstructor)
    for factory in (WithInit, WithNew, OfMetaclass):
        with pytest.raises(AutoevalError, match="missing a required argument: 'key'"):
            registry.add_model("other", factory)  # type: ignore[arg-type]
    assert list(registry.models) == ["mine"]

"""Arguments of a wrong type: one error at the boundary, which names the argument."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import (
    AutoevalError,
    Registry,
    Report,
    formulas,
    open_llm,
    pass_rate_test,
    read_results,
    run_suites,
    sample_formulas,
)

#: Texts in place of lists, lists in place of texts, numbers, None, and other objects.
WRONG: list[Any] = [None, 5, 1.5, b"x", ["x"], {"a": 1}, (1, 2), object()]
#: Each argument with what it is given to, and with the kinds of values that it takes.
ARGUMENTS: dict[str, tuple[Callable[[Any], object], tuple[type, ...]]] = {
    "max_operators": (lambda value: formulas("propositional", value), (int,)),
    "min_operators": (lambda value: formulas("propositional", 3, value), (int,)),
    "seed": (lambda value: sample_formulas("propositional", 1, 1, value), (int,)),
    "language": (
        lambda value: sample_formulas("propositional", 1, 1, language=value),
        (type(None),),
    ),
    "task": (lambda value: pass_rate_test("propositional", task=value), (type(None),)),
    "columns": (
        lambda value: pass_rate_test("propositional", columns=value),
        (type(None), dict),
    ),
    "source": (pass_rate_test, ()),
    "tests": (run_suites, (list, tuple, dict, bytes)),
    "measures": (
        lambda value: run_suites("propositional", measures=value),
        (type(None), int, float),
    ),
    "patience": (
        lambda value: run_suites("propositional", patience=value),
        (type(None), int, float),
    ),
    "folder": (Registry().add_prompts, ()),
    "path": (lambda value: Registry().add_grammar("mine", value), ()),
    "base_url": (lambda value: open_llm("offline/faithful", value).__enter__(), (type(None),)),
    "name": (lambda value: open_llm(value).__enter__(), ()),
    "events": (Report, (list, tuple, dict)),
}


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_a_wrong_type_is_one_error_that_names_the_argument(argument: str) -> None:
    call, fitting = ARGUMENTS[argument]
    for value in WRONG:
        if not isinstance(value, fitting):
            with pytest.raises(AutoevalError, match=argument):
                call(value)


@pytest.mark.parametrize("columns", ["a=b", ["a=b"], ("a", "b")])
def test_columns_are_refused_with_the_form_that_they_have(columns: object) -> None:
    with pytest.raises(AutoevalError, match=r'write \{"'):
        pass_rate_test("sentences.csv", columns=columns)


def test_a_time_that_is_none_is_named() -> None:
    with pytest.raises(AutoevalError, match="patience: '-1s' is not a time"):
        run_suites("propositional", patience=-1)


def test_a_folder_is_no_results_file_and_no_page(tmp_path: Path) -> None:
    report = Report(run_suites("propositional", samples=1, operators=1))
    for write in (report.write_html, report.write_results):
        with pytest.raises(AutoevalError, match=str(tmp_path)):
            write(tmp_path)
        with pytest.raises(
            AutoevalError, match="path=5 cannot be used: it must be a text or a path"
        ):
            write(5)  # type: ignore[arg-type]
    with pytest.raises(AutoevalError):
        read_results(5)  # type: ignore[arg-type]

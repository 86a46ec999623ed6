"""A call with something that is no formula: the error names the argument, shows the text, and stands at the call."""

from __future__ import annotations

import traceback
from typing import Any, NoReturn, cast

import pytest

from pytest_autoeval import AutoevalError, FormulaSyntaxError, Llm, language, open_llm

ENGLISH = "It rains and the street is wet."
PLAIN_TESTS = f"""
from pytest_autoeval import language

LANG = language("propositional")

def english():
    return {ENGLISH!r}

def test_actual(assert_equivalent):
    assert_equivalent(english(), "p", language="propositional")  # line 9

def test_expected(assert_equivalent):
    assert_equivalent(LANG.parse("p"), english())  # line 12

def test_nothing(assert_equivalent):
    assert_equivalent(None, "p", language="propositional")  # line 15

def test_no_description(llm):
    llm.autoformalize(3, like=LANG.parse("p"))  # line 18

def test_no_answer(llm):
    llm.autoformalize("The moon is a balloon.", like=LANG.parse("p"))  # line 21

def test_left():
    LANG.entails(english(), "p")  # line 24

def test_right():
    LANG.equivalent("p", english())  # line 27
"""
SUITE = """
from pytest_autoeval import autoeval

@autoeval("propositional", operators=2, samples=1)
def test_compares_english(sample, llm, assert_equivalent):
    assert_equivalent(llm.informalize(sample.formula), sample.formula)  # line 5
"""


def test_a_plain_test_shows_argument_text_and_its_own_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_plain=PLAIN_TESTS)
    result = pytester.runpytest("--autoeval-model=offline/faithful")
    result.assert_outcomes(failed=7)
    shown = [line.removeprefix("E").strip() for line in result.outlines]
    for argument in ("actual", "expected", "left", "right"):
        assert f"{argument}: {ENGLISH!r}" in shown
        assert any(f"{argument} is not a formula (propositional): " in line for line in shown)
    result.stdout.fnmatch_lines(["*actual is None; give a formula, its text, or a sample"])
    result.stdout.fnmatch_lines(["*description is no text, but of the type int: 3; *"])
    result.stdout.fnmatch_lines(["*answer: 'I cannot tell what this says; *"])
    # The last line of each traceback is that of the test, and no frame is ours.
    for number in range(9, 28, 3):
        assert any(line.startswith(f"test_plain.py:{number}: ") for line in shown)
    assert not any("pytest_autoeval/" in line.replace("\\", "/") for line in shown)


def test_a_suite_shows_argument_text_and_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE)
    result = pytester.runpytest("--autoeval-model=offline/faithful")
    text = " ".join(result.stdout.str().split())
    assert "actual is not a formula (propositional): line 1, " in text
    assert "  actual: '" in result.stdout.str()
    assert "(test_suite.py:5)" in text


@pytest.mark.parametrize(
    "line",
    [
        "assert_equivalent(llm.informalize(sample.formula), sample.formula)",
        "language('propositional').read_description('Perhaps.')",
        "raise ValueError('my own')",
        "return llm.informalize(sample)",
        "llm.informalize(sample)",
    ],
)
def test_a_run_of_free_answers_with_a_mistake_of_the_test_is_not_to_be_continued(
    pytester: pytest.Pytester, line: str
) -> None:
    head, _, _ = SUITE.rpartition("    assert_equivalent")
    pytester.makepyfile(test_suite=f"from pytest_autoeval import language\n{head}    {line}\n")
    for _ in range(2):
        shown = pytester.runpytest("--autoeval-model=offline/faithful").stdout.str()
        assert "1 failed" in shown
        assert "--autoeval-resume" not in shown


@pytest.mark.parametrize(
    ("left", "right", "argument"), [(ENGLISH, "p", "left"), ("p", ENGLISH, "right")]
)
def test_without_pytest_the_traceback_ends_at_the_call(
    left: str, right: str, argument: str
) -> None:
    with pytest.raises(
        FormulaSyntaxError, match=f"{argument} is not a .*\n  {argument}: "
    ) as caught:
        language("propositional").equivalent(left, right)
    error = caught.value
    assert (error.text, error.column) == (ENGLISH, 4)
    # That of this test, and of the public function itself.
    assert len(traceback.extract_tb(error.__traceback__)) == 2


def test_a_long_text_is_cut_on_one_line() -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        language("propositional").equivalent("p", f"{ENGLISH}\n" * 50)
    _, given = str(caught.value).splitlines()
    assert "street is wet. It rains" in given
    assert len(given) < 200


class OwnChat:
    """A model whose own code finds a mistake."""

    name = "own"

    def complete(self, *_: object, **__: object) -> NoReturn:
        raise AutoevalError("my own reason")


def test_frames_of_the_users_own_code_stay() -> None:
    with pytest.raises(AutoevalError) as caught:
        Llm(cast("Any", OwnChat())).ask("Who?")
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "complete"


def test_a_text_of_an_unknown_language_names_what_can_be_given() -> None:
    with open_llm("offline/faithful") as llm, pytest.raises(AutoevalError) as caught:
        llm.informalize("p and q")
    assert "assert_equivalent" not in str(caught.value)
    assert "write language(" in str(caught.value)

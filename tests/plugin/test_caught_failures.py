"""A failure that the body of a test catches is still a failure: the plugin has seen it."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, Suite, marked

MISTAKEN = ("--autoeval-model=offline/or-for-and", "--autoeval-shrink-budget=0")
CAUGHT = """
import asyncio
import contextlib
import threading
from contextvars import copy_context
import pytest
from pytest_autoeval import language

@pytest.mark.autoeval("propositional", operators=[1, 2], samples=4, threshold=0.5{more})
{define} test_it({takes}, assert_equivalent):
{body}
"""
WRONG = 'assert_equivalent("p1 ∧ ¬p1", "p1")'
CATCHING = {
    "try": f"try:\n    {WRONG}\nexcept AssertionError:\n    pass",
    "suppress": f"with contextlib.suppress(Exception):\n    {WRONG}",
    "raises": f"with pytest.raises(AssertionError):\n    {WRONG}",
    "a later success": f"with contextlib.suppress(Exception):\n    {WRONG}\nassert_equivalent('p1 ∧ p2', 'p2 ∧ p1')",
    "an assertion": f"with contextlib.suppress(Exception):\n    {WRONG}\nassert sample.formula",
    "a thread": f"run = copy_context().run\nthread = threading.Thread(target=lambda: run(caught))\n"
    f"def caught():\n    with contextlib.suppress(Exception):\n        {WRONG}\nthread.start()\nthread.join()",
    "a task": f"async def compare():\n    {WRONG}\nawait asyncio.gather(compare(), return_exceptions=True)",
}


@pytest.mark.parametrize("case", CATCHING)
def test_a_failed_comparison_that_the_body_catches_stays(
    suite: Suite, run: Run, rows: Rows, case: str
) -> None:
    define = "async def" if case == "a task" else "def"
    suite(caught(CATCHING[case]).replace("{define}", define))
    run("--autoeval-results=out.jsonl").assert_outcomes(failed=1)
    assert {row["outcome"] for row in rows("out.jsonl")} == {"different"}


def caught(body: str, takes: str = "sample", more: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return CAUGHT.replace("{takes}", takes).replace("{more}", more).replace("{body}", lines)


@pytest.mark.parametrize(
    ("source", "task"), [("propositional", "informalization"), ("judge_propositional", "judge")]
)
def test_a_failed_task_that_the_body_catches_stays(
    suite: Suite, run: Run, rows: Rows, source: str, task: str
) -> None:
    """The first task cannot be done with these samples; in the second the model errs."""
    marker = f'"{source}", task="{task}", operators=[2, 3], samples=4'
    suite(
        marked(
            marker,
            "with contextlib.suppress(Exception):\n    perform()",
            "perform",
            "import contextlib",
        )
    )
    run("--autoeval-results=caught.jsonl", *MISTAKEN)
    suite(marked(marker, "perform()", "perform"))
    run("--autoeval-results=raised.jsonl", *MISTAKEN)
    caught, raised = (
        [row["outcome"] for row in rows(f"{name}.jsonl")] for name in ("caught", "raised")
    )
    assert caught == raised
    assert set(raised) & {"error", "wrong answer"}


#: A model that refuses its first answer to each question, or fails in its first call, and one that always does.
FAILING = """
from pytest_autoeval import language

class Model:
    def complete(self, messages, *, repeat=0):
        if {error}:
            raise OSError("the line is dead")
        return "I am sorry, but I cannot help with that."

def pytest_autoeval_register(registry):
    registry.add_model("failing", Model)
"""


@pytest.mark.parametrize(("error", "outcome"), [("False", "refused or empty"), ("True", "error")])
@pytest.mark.parametrize(
    "call", ["llm.informalize(sample)", "llm.ask('?')", "llm.conversation().ask('?')"]
)
def test_a_failed_call_that_the_body_catches_stays(
    pytester: pytest.Pytester,
    suite: Suite,
    run: Run,
    rows: Rows,
    error: str,
    outcome: str,
    call: str,
) -> None:
    pytester.makeconftest(FAILING.replace("{error}", error))
    body = f"with contextlib.suppress(Exception):\n    {call}\nassert sample.formula"
    suite(caught(body, "sample, llm").replace("{define}", "def"))
    run("--autoeval-model=failing", "--autoeval-results=out.jsonl").assert_outcomes(failed=1)
    assert {row["outcome"] for row in rows("out.jsonl")} == {outcome}


def test_a_formula_that_no_model_wrote_makes_no_failed_call_good(
    suite: Suite, run: Run, rows: Rows
) -> None:
    body = """try:
    formula = llm.autoformalize(llm.informalize(sample))
except AssertionError:
    formula = language("propositional").parse(sample.text)
assert_equivalent(formula, sample)"""
    suite(caught(body, "sample, llm").replace("{define}", "def"))
    run("--autoeval-model=offline/empty", "--autoeval-results=out.jsonl").assert_outcomes(failed=1)
    assert {row["outcome"] for row in rows("out.jsonl")} == {"refused or empty"}


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(2):\n    with contextlib.suppress(Exception):\n        formula = llm.autoformalize(text)",
        "with contextlib.suppress(Exception):\n    llm.autoformalize('nonsense')\nformula = llm.autoformalize(text)",
        "assert language('ltl').equivalent('p1', 'p2').outcome == 'different'\nformula = llm.autoformalize(text)",
    ],
)
def test_what_a_second_call_makes_good_is_no_failure(suite: Suite, run: Run, body: str) -> None:
    whole = f"text = llm.informalize(sample)\n{body}\nassert_equivalent(formula, sample)"
    suite(caught(whole, "sample, llm").replace("{define}", "def"))
    run().assert_outcomes(passed=1)

"""`pytest_autoeval_register` in a `conftest.py`: languages, grammars, prompts and models of one's own."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, said

CONFTEST = """
from pathlib import Path
from pytest_autoeval import language

class Shouted(type(language("propositional"))):
    name = "shouted"

class Parrot:
    def complete(self, messages, *, repeat=0):
        return "(p1 → p1)"

def pytest_autoeval_register(registry):
    here = Path(__file__).parent
    registry.add_model("parrot", Parrot)
    registry.add_language(Shouted())
    registry.add_grammar("rules", here / "rules.lark", language="shouted")
    registry.add_prompts(here / "prompts")
"""
GRAMMAR = r"""
// language: propositional
start: "(" PROPOSITION "→" PROPOSITION ")"
PROPOSITION: /[a-z]\w*/
"""
TESTS = """
import pytest

@pytest.mark.autoeval("rules", operators=1, samples=3)
def test_registered(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("beside.lark", operators=1, samples=3)
def test_file_beside_the_test(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("propositional", operators=1, samples=2)
def test_own_task(sample, llm):
    assert llm.ask(f"Repeat: {sample.text}", system="You are a parrot.", stage="repeat").startswith("(p1")
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> None:
    """A repository whose tests, grammars and prompts stand in a folder below, with a `conftest.py` of their own."""
    folder = pytester.mkdir("tests")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "rules.lark").write_text(GRAMMAR, encoding="utf-8")
    (folder / "beside.lark").write_text(GRAMMAR, encoding="utf-8")
    (folder / "test_own.py").write_text(TESTS, encoding="utf-8")
    for task, slot in (("informalize", "formula"), ("autoformalize", "description")):
        (folder / "prompts" / task).mkdir(parents=True)
        (folder / "prompts" / task / "shouted.toml").write_text(f'user = "SAY ${{{slot}}}"', encoding="utf-8")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", [("-n", "0", "tests"), ("-n", "2")])
def test_all_that_was_registered_is_there(run: Run, rows: Rows, arguments: tuple[str, ...]) -> None:
    result = run(
        *arguments,
        "--autoeval-model=parrot",
        "--autoeval-copies=count",
        "--autoeval-results=out.jsonl",
        "--autoeval-shrink-budget=9",
    )
    result.assert_outcomes(passed=3)
    found = rows("out.jsonl")
    assert {(row["grammar"], row["language"]) for row in found} == {
        ("rules", "shouted"),
        ("beside", "propositional"),
        ("propositional", "propositional"),
    }
    assert {row["model"] for row in found} == {"parrot"}
    own = [row for row in found if row["suite"].endswith("test_own_task")]
    assert [(row["outcome"], row["calls"][0]["stage"]) for row in own] == [("passed", "repeat")] * 2
    assert all(call["prompt_digest"] and call["messages"] for row in found for call in row["calls"])


@pytest.mark.usefixtures("project")
def test_a_model_that_was_registered_is_recorded_planned_and_replayed(run: Run, rows: Rows) -> None:
    asked = (
        "tests",
        "--autoeval-model=parrot",
        "--autoeval-copies=count",
        "--autoeval-cassettes=kept",
        "--autoeval-shrink-budget=0",
    )
    run(*asked, "--autoeval-record-mode=once").assert_outcomes(passed=3)
    run(*asked, "--autoeval-plan").stdout.fnmatch_lines(["*3       6         6   *test_registered*"])
    run(*asked, "--autoeval-record-mode=none", "--autoeval-results=out.jsonl").assert_outcomes(passed=3)
    assert all(call["replayed"] and call["cost"] == 0 for row in rows("out.jsonl") for call in row["calls"])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("add_prompts('nowhere')", "add_prompts: there is no folder"),
        ("add_task(__import__('pytest_autoeval').Task())", "conftest.py:2: TypeError: Can't instantiate abstract"),
        ("add_grammar('x', 'nowhere.lark')", "add_grammar('x'): there is no file"),
    ],
)
def test_a_mistake_in_the_hook_is_a_usage_error(pytester: pytest.Pytester, run: Run, call: str, complaint: str) -> None:
    pytester.makeconftest(f"def pytest_autoeval_register(registry):\n    registry.{call}\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert complaint in said(result)
    assert "Traceback" not in said(result)


@pytest.mark.parametrize(("given", "wrong"), [("r", "r"), ("registry, config", "config")])
@pytest.mark.parametrize("workers", ["0", "2"])
def test_another_argument_of_the_hook_is_a_usage_error_of_one_line(
    pytester: pytest.Pytester, run: Run, given: str, wrong: str, workers: str
) -> None:
    conftest = pytester.makeconftest(f"import pytest\n\ndef pytest_autoeval_register({given}):\n    pass\n")
    result = run("-n", workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    hook = "pytest_autoeval_register"
    complaint = f"ERROR: {conftest}:3: the hook {hook} has no argument {wrong}; write def {hook}(registry)"
    assert [complaint] == [line for line in said(result).splitlines() if line.strip()]


def test_a_mistake_in_another_hook_is_left_to_pytest(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest("def pytest_sessionstart(sesion):\n    pass\n")
    assert "PluginValidationError" in said(run(apart=True))

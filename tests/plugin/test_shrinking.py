"""Each fault is caught by its gate, and the smallest counterexample shows that fault and nothing else."""

from __future__ import annotations

import re

import pytest

from .conftest import ROUND_TRIP, Rows, Run, Suite, said

#: Says what the offline model with a fault says, and notes each formula that it is asked to describe.
COUNTING = """
from pathlib import Path
from pytest_autoeval import language
from pytest_autoeval.languages.logic.syntax import And, Or

class Counting:
    '''Reads ∧ as ∨.'''
    def complete(self, messages, *, repeat=0):
        text = messages[-1].content.strip()
        if text.startswith("Describe "):
            with Path("asked.txt").open("a") as file:
                print(repeat, text, file=file)
            return text.removeprefix("Describe ")
        return text.removeprefix("Read ").replace("∧", "∨")

def pytest_autoeval_register(registry):
    registry.add_model("counting", Counting)
    registry.add_prompts(Path(__file__).parent / "prompts")
"""


@pytest.fixture
def counting(pytester: pytest.Pytester, bare_prompts: None) -> None:
    """A model that counts what it is asked."""
    pytester.makeconftest(COUNTING)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_failure_shrinks_to_one_negation_over_one_connective(
    suite: Suite, run: Run, rows: Rows, workers: str
) -> None:
    suite(more=", threshold=0.99")
    written = ("--autoeval-results=out.jsonl", "-n", workers)
    result = run("--autoeval-model=offline/negation-scope", "--autoeval-samples=10", *written)
    assert result.ret == 1
    assert len(rows("out.jsonl")) == 40, "shrinking leaves no rows"
    result.stdout.re_match_lines([r".*¬\(p\d+ [∧∨] p\d+\).*"])
    result.stdout.fnmatch_lines(
        [
            "*pytest test_suite.py::test_round_trip --autoeval-model=offline/negation-scope*--autoeval-formula=*"
        ]
    )


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("budget", [5, 200])
def test_the_budget_is_kept_and_no_formula_is_asked_twice(
    pytester: pytest.Pytester, suite: Suite, run: Run, budget: int
) -> None:
    suite(more=", threshold=0.99")
    result = run(
        "--autoeval-model=counting",
        "--autoeval-copies=count",
        "--autoeval-operators=7",
        f"--autoeval-shrink-budget={budget}",
    )
    asked = (pytester.path / "asked.txt").read_text(encoding="utf-8").splitlines()
    assert len(set(asked)) == len(asked)
    assert 4 < len(asked) <= 4 + budget
    if budget == 200:
        result.stdout.fnmatch_lines(
            ["    formula      p1 ∧ p2", "    shrunk *no smaller variant fails"]
        )


#: Loses a formula that names p1 twice: of the simpler ones, only those that are always false.
FORGETFUL = COUNTING.replace(
    'text.removeprefix("Read ").replace("∧", "∨")',
    '"p1" if text.count("p1") == 2 else text.removeprefix("Read ")',
)


@pytest.mark.usefixtures("bare_prompts")
@pytest.mark.parametrize(
    ("formula", "shrunk"),
    [("p1 ∧ (¬p1 ∨ p2)", "p1 ∧ (¬p1 ∨ p2)"), ("p2 ∧ p1 ∧ ¬p1", "p1 ∧ ¬p1")],
    ids=["contingent", "always false"],
)
def test_a_formula_that_can_be_true_and_false_shrinks_to_no_trivial_one(
    pytester: pytest.Pytester, suite: Suite, run: Run, formula: str, shrunk: str
) -> None:
    pytester.makeconftest(FORGETFUL)
    marker = '"pinned.csv", language="propositional", threshold=0.99'
    (pytester.path / "pinned.csv").write_text(f"formula\n{formula}\n", "utf-8")
    suite(ROUND_TRIP.replace('"propositional", operators=range(4), samples=4{more}', marker))
    text = said(run("--autoeval-model=counting", "--autoeval-copies=count"))
    assert f" formula      {shrunk} description " in text
    assert "no smaller variant fails" in text


def test_a_limit_on_calls_ends_shrinking_and_leaves_the_gate_its_verdict(
    suite: Suite, run: Run
) -> None:
    suite(more=", threshold=0.99")
    arguments = (
        "--autoeval-model=offline/or-for-and",
        "--autoeval-operators=5",
        "--autoeval-concurrency=1",
    )
    result = run(*arguments, "--autoeval-max-calls=10")
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["    reproduce *", "note: shrinking ended: --autoeval-max-calls=10 is reached*"]
    )


#: A task with one question. The model answers formulas of two operators only, and always wrongly.
ONE_QUESTION = '''
from pytest_autoeval import Task, judge_formula, language

class Repeat(Task):
    """Formula → the same formula."""
    name = "repeat"
    def slots(self, trial):
        return {"formula": str(trial.about.formula)}
    def judge(self, answer, trial):
        return judge_formula(answer, trial, expected=trial.about.formula)

class Picky:
    def complete(self, messages, *, repeat=0):
        text = messages[-1].content.splitlines()[-1]
        if language("propositional").measure(text)["operators"] != 2:
            raise ValueError("this is not in my grammar: " + text)
        return "p1 ∧ ¬p1"

def pytest_autoeval_register(registry):
    registry.add_model("picky", Picky)
    registry.add_task(Repeat())
    registry.add_prompts("prompts")
'''


def test_errors_of_shrinking_are_counted_and_a_task_makes_no_round_trips(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makeconftest(ONE_QUESTION)
    folder = pytester.path / "prompts" / "repeat"
    folder.mkdir(parents=True)
    (folder / "propositional.toml").write_text(
        'system = "Repeat the formula."\nuser = """\nFormula:\n${formula}"""\n', encoding="utf-8"
    )
    marker = '"propositional", task="repeat", operators=2, samples=2, threshold=0.9'
    text = (
        f"import pytest\n\n@pytest.mark.autoeval({marker})\ndef test_it(perform):\n    perform()\n"
    )
    pytester.makepyfile(test_one=text)
    result = run("--autoeval-model=picky")
    assert result.ret == 1
    printed = " ".join(result.stdout.str().split())
    assert re.search(r"in \d+ attempts?; .*\d+ of these ended in an error; not all tried", printed)
    assert "round trip" not in printed


def test_missing_recordings_are_named_as_the_reason(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.99")
    options = ("--autoeval-model=offline/negation-scope", "--autoeval-cassettes=recorded")
    run(*options, "--autoeval-record-mode=new_episodes", "--autoeval-shrink-budget=0")
    replayed = " ".join(said(run(*options, "--autoeval-record-mode=none")).split())
    assert re.search(
        r"shrunk not all tried: \d+ round trips not recorded "
        r"\(--autoeval-record-mode=new_episodes records them\)",
        replayed,
    )
    assert "nothing smaller was found" not in replayed

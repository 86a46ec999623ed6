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
        (folder / "prompts" / task / "shouted.toml").write_text(
            f'user = "SAY ${{{slot}}}"', encoding="utf-8"
        )


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
    run(*asked, "--autoeval-plan").stdout.fnmatch_lines(
        ["*3       6         6   *test_registered*"]
    )
    run(*asked, "--autoeval-record-mode=none", "--autoeval-results=out.jsonl").assert_outcomes(
        passed=3
    )
    assert all(
        call["replayed"] and call["cost"] == 0 for row in rows("out.jsonl") for call in row["calls"]
    )


#: Where a `conftest.py` stands that pytest loads before the run, and one that it loads while it collects the tests.
PLACES = pytest.mark.parametrize("place", ["conftest.py", "below/conftest.py"])
#: Workers load them too.
WORKERS = pytest.mark.parametrize("workers", ["0", "2"])
HOOK = "pytest_autoeval_register"


def refused(pytester: pytest.Pytester, run: Run, place: str, text: str, workers: str = "0") -> str:
    """The one line that pytest prints about a `conftest.py`, after its path and the number of the line."""
    conftest = pytester.path / place
    conftest.parent.mkdir(exist_ok=True)
    conftest.write_text(text, "utf-8")
    (conftest.parent / "test_it.py").write_text("def test_it(): pass\n", "utf-8")
    result = run("-n", workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in said(result)
    assert "INTERNALERROR" not in said(result)
    printed = [*result.stdout.lines, *result.stderr.lines]
    (line,) = [line for line in printed if line.startswith("ERROR: ")]
    where, found, mistake = (
        line.removeprefix("ERROR: ").removeprefix(f"{HOOK}: ").partition(f"{conftest}:")
    )
    assert (where, found) == ("", f"{conftest}:")
    return mistake


@PLACES
@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("add_prompts('nowhere')", "2: add_prompts: there is no folder"),
        (
            "add_task(__import__('pytest_autoeval').Task())",
            "2: TypeError: Can't instantiate abstract",
        ),
        ("add_grammar('x', 'nowhere.lark')", "2: add_grammar('x'): there is no file"),
        ("add_model('m', __import__('json').loads)", "2: add_model('m', …): "),
        ("add_model(__import__('json').loads('{a'), str)", "2: JSONDecodeError: "),
        (
            "add_figure(len)",
            "2: AttributeError: 'Registry' object has no attribute 'add_figure'. Did you mean 'add_fi",
        ),
        ("add_xyz(len)", "2: AttributeError: 'Registry' object has no attribute 'add_xyz'."),
    ],
)
def test_a_mistake_in_the_hook_is_a_usage_error_with_its_line(
    pytester: pytest.Pytester, run: Run, call: str, complaint: str, place: str
) -> None:
    text = f"def pytest_autoeval_register(registry):\n    registry.{call}\n"
    assert refused(pytester, run, place, text).startswith(complaint)


@PLACES
def test_the_hook_may_end_the_run(pytester: pytest.Pytester, run: Run, place: str) -> None:
    conftest = pytester.path / place
    conftest.parent.mkdir(exist_ok=True)
    conftest.write_text(
        "import pytest\ndef pytest_autoeval_register(registry): pytest.exit('not today', 3)\n",
        "utf-8",
    )
    (conftest.parent / "test_it.py").write_text("def test_it(): pass\n", "utf-8")
    result = run(apart=True)
    assert "not today" in said(result)
    assert result.ret != pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {HOOK}" not in said(result)


def test_the_line_is_the_last_one_of_the_users_own_code(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(mine="def add(registry):\n    registry.add_figures(3)\n")
    pytester.makeconftest(
        "import mine\n\ndef pytest_autoeval_register(registry):\n    mine.add(registry)\n"
    )
    result = run("-n", "0")
    assert f"ERROR: {HOOK}: {pytester.path / 'mine.py'}:2: add_figures(3): give a function" in said(
        result
    )


@PLACES
@WORKERS
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "def pytest_autoeval_register(r): ...",
            f"3: the hook {HOOK} has no argument r; write def {HOOK}(registry)",
        ),
        (
            "def pytest_autoeval_register(registry, config): ...",
            f"3: the hook {HOOK} has no argument config; write def {HOOK}(registry)",
        ),
        (
            "def pytest_autoeval_registr(registry): ...",
            f"3: there is no hook pytest_autoeval_registr. Did you mean def {HOOK}(registry)?",
        ),
        (
            "def pytest_autoeval_add(registry): ...",
            f"3: there is no hook pytest_autoeval_add. Did you mean def {HOOK}(registry)?",
        ),
    ],
)
def test_another_argument_or_name_of_the_hook_is_a_usage_error_of_one_line(
    pytester: pytest.Pytester, run: Run, text: str, complaint: str, place: str, workers: str
) -> None:
    assert refused(pytester, run, place, f"import pytest\n\n{text}\n", workers) == complaint


@pytest.mark.parametrize("hook", ["pytest_sessionstart(sesion)", "pytest_sessionstrt(session)"])
def test_a_mistake_in_another_hook_is_left_to_pytest(
    pytester: pytest.Pytester, run: Run, hook: str
) -> None:
    pytester.makeconftest(f"def {hook}:\n    pass\n")
    assert "PluginValidationError" in said(run(apart=True))

"""The example folders ask what the studies asked, and print what their pages name: their commands, with few samples."""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.forked import Fork
from support.page_examples import environment
from support.study_values import batch, marker

from pytest_autoeval import read_results
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.server import _completion
from pytest_autoeval.record.lines import SuiteRecord

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the examples are written for a Unix shell"
)
EXAMPLES = Path(__file__).parents[2] / "examples"


#: Stands behind the name of the model in the commands. It errs, so that all figures have something to show.
STUDENT = "offline/student?strength=0.8"


@dataclass(frozen=True)
class Asked:
    """What a run asked and printed: the body of each request, the suites of its results, and its output."""

    requests: list[dict[str, Any]]
    suites: list[SuiteRecord]
    printed: str


def page(name: str) -> str:
    return (EXAMPLES / name / "README.md").read_text("utf-8")


def asked(name: str, folder: Path, *small: str) -> Asked:
    """Runs the first commands of the page of an example; ``small`` are more arguments of the first one."""
    key = AnswerKey()

    def answered(request: Received) -> Answer:
        return Answer(body=_completion({**request.body, "model": STUDENT}, key))

    shutil.copytree(EXAMPLES / name, folder)
    block = page(name).partition("```bash\n")[2].partition("```")[0]
    first, second = (line.split()[1:] for line in block.splitlines())
    results = next(
        argument.partition("=")[2]
        for argument in first
        if argument.startswith("--autoeval-results=")
    )
    with ChatServer(answered) as server:
        printed = run_pytest(folder, server.url, [*first, *small])
        suites = list(read_results(folder / results).suites)
        # The second command reads the results of the first one, or a file that only the user has.
        if f"--autoeval-dataset={results}" in second:
            printed += run_pytest(folder, server.url, second)
        requests = [request.body for request in server.requests]
    return Asked(requests, suites, printed)


def run_pytest(folder: Path, server: str, arguments: list[str]) -> str:
    run = Fork(folder, [*arguments, "-v"], environment(server))
    printed, _ = run.communicate(timeout=120)
    assert run.returncode == 0, printed
    return printed


def figures_of(name: str) -> Iterator[str]:
    """What the table of the page calls by the name that stands in the output."""
    section = page(name).partition("## Where each ")[2]
    table = "\n".join(
        line.partition(" | ")[2] for line in section.splitlines() if line.startswith("|")
    )
    for code in re.findall(r"`([^`]+)`", table):
        if not re.search(r"--|\.|/|^-v$|=|^(report|correlate|measures|item|given|python)\b", code):
            yield code


def texts(run: Asked) -> list[str]:
    """The last turn of each request."""
    return [request["messages"][-1]["content"] for request in run.requests]


def turns(request: dict[str, Any]) -> list[str]:
    return [message["role"] for message in request["messages"]]


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("paper") / "run"
    small = ("--autoeval-samples=2", "--autoeval-operators=2:9:3", "--autoeval-repeats=2")
    return asked("autoeval-paper", folder, *small)


@pytest.fixture(scope="module")
def first_order(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return asked(
        "nl-to-fol", tmp_path_factory.mktemp("first_order") / "run", "--autoeval-samples=1"
    )


@pytest.fixture(scope="module")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("temporal") / "run"
    return asked("nl-to-temporal-logic", folder, "--autoeval-samples=2", "--autoeval-operators=1:4")


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("autoeval-paper", "paper"),
        ("nl-to-fol", "first_order"),
        ("nl-to-temporal-logic", "temporal"),
    ],
)
def test_every_figure_that_the_page_names_is_printed(
    name: str, run: str, request: pytest.FixtureRequest
) -> None:
    printed = " ".join(request.getfixturevalue(run).printed.split())
    named = [*figures_of(name)]
    assert len(named) > 2
    assert [figure for figure in named if figure not in printed] == []


def test_the_round_trips_of_the_paper_are_asked_with_its_parameters(paper: Asked) -> None:
    suites = Counter((suite.asked.source, suite.asked.vocabulary) for suite in paper.suites)
    grammars = ["ksat", "propositional", "first_order", "regex"]
    assert suites == {(name, "default"): 2 for name in grammars} | {("first_order", "english"): 2}
    assert {suite.asked.prompting for suite in paper.suites} == {"zero-shot", "few-shot"}
    assert {suite.asked.copies for suite in paper.suites} == {"count"}
    assert {request["temperature"] for request in paper.requests} == {0.1}
    assert not any(
        {"max_tokens", "max_completion_tokens", "seed"} & request.keys()
        for request in paper.requests
    )


def test_a_few_shot_prompt_of_the_paper_has_two_examples(paper: Asked) -> None:
    assert {tuple(turns(request)) for request in paper.requests} == {("user",)}
    examples = Counter(
        text.count("[EXAMPLE ") for text in texts(paper) if "[FORMULA 1]" not in text
    )
    assert examples.keys() == {0, 2}


def test_names_are_given_with_a_formula_and_not_with_a_description(paper: Asked) -> None:
    halves = [text for text in texts(paper) if "[FORMULA 1]" not in text]
    with_formula = ["[FORMULA]\n" in text for text in halves]
    listed = re.compile(r"^(?:Propositions|Predicates|Alphabet): ", re.MULTILINE)
    assert [listed.search(text) is not None for text in halves] == with_formula
    assert set(with_formula) == {True, False}


def test_the_judge_of_the_paper_is_asked_in_its_form(paper: Asked) -> None:
    judged = [text for text in texts(paper) if "[FORMULA 1]" in text]
    assert judged
    assert all("\n[Answer] yes\n" in text for text in judged)


def numbers_of_formulas() -> Iterator[int]:
    """How many formulas one batch of each data set of the example has."""
    for test in ("3sat", "propositional", "first_order_synthetic", "first_order_english", "regex"):
        mark = marker("examples/autoeval-paper/test_tables.py", f"test_{test}")
        arguments = dict(mark.kwargs)
        sizes = arguments.pop("operators", None) or arguments.pop("depth")
        assert (arguments.pop("samples"), arguments.pop("trivial")) == (50, True)
        arguments.pop("vocabulary", None)
        yield batch(mark.args[0], sizes, **arguments)


def test_a_batch_has_as_many_formulas_as_that_of_the_paper() -> None:
    found = [*numbers_of_formulas()]
    # Of regular expressions the paper has 20 more.
    assert found == [1_000, 1_974, 1_900, 1_900, 1_842 - 20]
    assert f"{sum(found):,} formulas" in page("autoeval-paper")
    assert f"{round(sum(found) * 4, -2):,} calls" in page("autoeval-paper")


def test_quantifiers_are_drawn_as_in_the_paper() -> None:
    for names in ("synthetic", "english"):
        arguments = marker(
            "examples/autoeval-paper/test_tables.py", f"test_first_order_{names}"
        ).kwargs
        assert arguments["vacuous_quantifiers"] is True
        assert arguments["quantifiers"] == (0, 12)


def test_sentences_in_first_order_logic_are_asked_with_the_paper_s_parameters(
    first_order: Asked,
) -> None:
    found = first_order
    assert {suite.asked.prompting for suite in found.suites} == {"zero-shot"}
    assert {sample.repeat for suite in found.suites for sample in suite.samples} == {*range(5)}
    by_schema = ["response_format" in request for request in found.requests]
    assert by_schema.count(True) == 4 * by_schema.count(False)  # translations have none
    assert {
        request.get("max_tokens", request.get("max_completion_tokens"))
        for request in found.requests
    } == {10_000}
    assert not any("temperature" in request for request in found.requests)


def test_sentences_in_temporal_logic_are_asked_in_all_forms_of_the_study(temporal: Asked) -> None:
    found = temporal
    forms: dict[str | None, set[tuple[str | None, str]]] = {}
    for suite in found.suites:
        forms.setdefault(suite.asked.task, set()).add(
            (suite.asked.interface, suite.asked.prompting)
        )
    promptings = ("zero-shot", "few-shot", "self-refine")
    two: set[tuple[str | None, str]] = {
        (interface, prompting) for interface in ("minimal", "detailed") for prompting in promptings
    }
    three = two | {("python", prompting) for prompting in promptings}
    of_three = ["translate", "translate_past", "translate_sentence", "judge_trace", "write_trace"]
    assert forms == dict.fromkeys(of_three, three) | dict.fromkeys(
        ["propositions", "well_formed"], two
    )
    assert f"{len(found.suites)} suites" in page("nl-to-temporal-logic")


@pytest.mark.parametrize(
    ("test", "number"), [("well_formed", 300), ("judged_trace", 612), ("written_trace", 612)]
)
def test_generated_items_of_temporal_logic_are_as_many_as_the_study_s(
    test: str, number: int
) -> None:
    # The study has 299 strings, and two traces for each of 306 formulas.
    arguments = marker("examples/nl-to-temporal-logic/test_tables.py", f"test_{test}").kwargs
    assert len(arguments["operators"]) * arguments["samples"] == number

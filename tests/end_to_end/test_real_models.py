"""The recorded answers of two real models are replayed, and read as a person reads them.

`real_model_readings.jsonl` has a line for each description and each answer, labelled by a person who saw the prompt and
the answer, but not what the program read. A description is ``English`` or a ``copy``, or null if it was cut off. An
answer is the formula, label, number, order or list that it gives, or null where no such thing can be read. ``unread``
says why the program reads nothing where a person can; ``near`` marks what two people could read differently. Apart from
these, the program may never read something else than the person.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.small_project import run_in_repository

from pytest_autoeval import language
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered

ROOT = Path(__file__).parents[2]
MODELS = ("Qwen2.5-Coder-0.5B-Instruct", "SmolLM2-135M-Instruct")
REPLAY = (
    *(f"--autoeval-model={model}" for model in MODELS),
    *("--autoeval-record-mode=none", "--autoeval-temperature=0", "--autoeval-max-tokens=300"),
)
SMALL = ("suites", "--autoeval-samples=1", "--autoeval-operators=2,4", "--autoeval-shrink-budget=0")
#: The runs of `cassettes/README.md`.
RUNS = {
    "readme": (
        "suites/test_propositional.py",
        "--autoeval-prompting=few-shot",
        "--autoeval-shrink-budget=0",
    ),
    "prompting": (*SMALL, "--autoeval-prompting=zero-shot", "--autoeval-prompting=few-shot"),
    "interfaces": (
        *SMALL,
        *(f"--autoeval-interface={name}" for name in ("minimal", "python", "direct", "text")),
    ),
    "refined": (*SMALL, "--autoeval-operators=2", "--autoeval-prompting=self-refine"),
}
#: Free and constrained answers, which are not labelled: what counts is whether they are formulas.
CONSTRAINED = (
    *(f"suites/test_{name}.py" for name in ("propositional", "first_order", "ltl", "regex")),
    "-k",
    "not english and not past",
    "--autoeval-constrained=both",
    "--autoeval-prompting=few-shot",
    *("--autoeval-samples=4", "--autoeval-operators=1,2,3", "--autoeval-max-tokens=150"),
    *("--autoeval-copies=count", "--autoeval-shrink-budget=0"),
)
SMALL_RUNS = ("prompting", "interfaces", "refined")
READINGS = Path(__file__).with_name("real_model_readings.jsonl")


#: The columns of the table in `docs/explanation/what-is-measured.md`, after the number of samples.
COLUMNS = (
    {"equivalent", "correct"},
    {"different", "foreign symbol", "wrong answer"},
    {"copied"},
    {"unparseable", "unreadable answer", "invalid answer", "malformed trace", "refused or empty"},
    {"truncated"},
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Sample]]:
    """The samples of each run, none of which asks a server."""
    found = {}
    for name, arguments in RUNS.items():
        file = tmp_path_factory.mktemp(name) / "results.jsonl"
        code, text = run_in_repository(*arguments, *REPLAY, f"--autoeval-results={file}")
        assert code == 0, text
        found[name] = read_file(file).samples
    return found


@pytest.fixture(scope="module")
def samples(runs: dict[str, list[Sample]]) -> list[Sample]:
    return [sample for found in runs.values() for sample in found]


def test_no_server_is_asked_and_nothing_ends_as_an_error(samples: list[Sample]) -> None:
    assert {call.replayed for sample in samples for call in sample.calls} == {True}
    assert {sample.outcome for sample in samples} <= set().union(*COLUMNS)
    assert {sample.model for sample in samples} == set(MODELS)


def test_the_documentation_shows_how_the_samples_of_the_small_suites_ended(
    runs: dict[str, list[Sample]],
) -> None:
    small = Counter((sample.model, sample.outcome) for name in SMALL_RUNS for sample in runs[name])
    page = ROOT.joinpath("docs/explanation/what-is-measured.md").read_text("utf-8")
    for model in MODELS:
        counts = [sum(small[model, outcome] for outcome in column) for column in COLUMNS]
        assert _line(model, sum(counts), *counts) in page


def test_no_constrained_answer_is_unparseable_and_the_documentation_shows_the_cost(
    tmp_path: Path,
) -> None:
    file = tmp_path / "results.jsonl"
    code, text = run_in_repository(*REPLAY, *CONSTRAINED, f"--autoeval-results={file}")
    assert code == 0, text
    page = ROOT.joinpath("docs/how-to/constrained-answers.md").read_text("utf-8")
    samples = read_file(file).samples
    for model in MODELS:
        for language_name in ("propositional", "first_order", "ltl", "regex"):
            ours = [
                one
                for one in samples
                if (one.model, one.suite.asked.language) == (model, language_name)
            ]
            kinds = [
                [one for one in ours if one.suite.asked.constrained is kind]
                for kind in (False, True)
            ]
            assert [len(kind) for kind in kinds] == [12, 12]
            unparseable, passed = (
                [sum(test(sample) for sample in kind) for kind in kinds]
                for test in (_unparseable, _passed)
            )
            assert unparseable[1] == 0
            assert (
                f"| `{model}` | {language_name} | {' | '.join(map(str, unparseable + passed))} |"
                in page
            )


def _unparseable(sample: Sample) -> bool:
    return sample.outcome == "unparseable"


def _passed(sample: Sample) -> bool:
    return sample.passed


def test_every_description_and_every_answer_is_read_as_a_person_reads_it(
    runs: dict[str, list[Sample]],
) -> None:
    labelled = {
        _key(line): line for line in map(json.loads, READINGS.read_text("utf-8").splitlines())
    }
    replayed = {
        _key(said): said
        for run, samples in runs.items()
        for one in samples
        for said in _said(run, one)
    }
    assert replayed.keys() == labelled.keys()
    wrong = [
        (said, labelled[key])
        for key, said in replayed.items()
        if "near" not in labelled[key]
        and not (
            said["reading"] is None if "unread" in labelled[key] else _agree(said, labelled[key])
        )
    ]
    assert wrong == []


def _line(model: str, *counts: int) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join([f'`{model}`', *map(str, counts)])} |"


def _key(line: dict[str, Any]) -> tuple[str, ...]:
    return line["run"], line["test"], line["formula"], line["part"]


def _said(run: str, sample: Sample) -> Iterator[dict[str, Any]]:
    """What the program read in the description and in the answer of a sample."""
    asked = sample.suite.asked
    of = {"run": run, "test": asked.test, "formula": sample.formula, "language": asked.language}
    if sample.description is not None:
        yield {**of, "part": "description", "reading": "copy" if sample.leaked else "English"}
    if sample.answer is not None:
        answered = sample.part_or_empty(Answered)
        found = answered.trace if asked.task == "write_trace" else answered.value
        yield {**of, "part": "answer", "reading": sample.translation if found is None else found}


def _agree(said: dict[str, Any], label: dict[str, Any]) -> bool:
    """Whether two readings are the same; formulas are the same if their syntax trees are."""
    ours, theirs = said["reading"], label["reading"]
    if (
        ours == theirs
        or not isinstance(ours, str)
        or not isinstance(theirs, str)
        or said["part"] == "description"
    ):
        return bool(ours == theirs)
    lang = language(said["language"])
    formula = lang.read(theirs).formula
    return formula is not None and formula == lang.read(ours).formula

"""The suites of sentences in logic, as they stand: the faithful model passes, and each fault is caught by name."""

from __future__ import annotations

from collections import defaultdict

import pytest
from support.small_project import run_in_repository

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given

SUITES = [
    f"suites/test_{name}.py"
    for name in ("translation", "most_similar", "ranking", "entailment", "ontology")
]
MISREAD = {
    *("logical_translation", "informalization", "open_translation"),
    *("most_similar_formulas", "most_similar_english", "ranking_formulas", "ranking_english"),
    *("entailment_formulas", "entailment_english"),
}
#: The tasks in which a fault must show, and those in which it may: all others it must pass.
MUST = {
    "exists-implies": MISREAD - {"entailment_formulas"},
    "forall-and": MISREAD - {"entailment_formulas"},
    "only-if-reversed": {
        "logical_translation",
        "most_similar_formulas",
        "most_similar_english",
        "ranking_english",
    },
    "first-option": {"most_similar_formulas", "most_similar_english"},
    "unsorted": {"ranking_formulas", "ranking_english"},
    "not-a-permutation": {"ranking_formulas", "ranking_english"},
}
MAY = {"exists-implies": MISREAD, "forall-and": MISREAD, "only-if-reversed": MISREAD}


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[Sample]]]:
    """The samples that did not pass, by model and task, and an empty entry for each task that was asked."""
    folder = tmp_path_factory.mktemp("faults")
    models = [f"--autoeval-model=offline/{name}" for name in ("faithful", *MUST)]
    written = (
        f"--autoeval-results={folder / 'results.jsonl'}",
        f"--autoeval-cassettes={folder / 'none'}",
    )
    code, text = run_in_repository(
        *SUITES, "--autoeval-samples=3", "--autoeval-shrink-budget=0", *written, *models
    )
    assert code == 0, text
    found: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in read_file(folder / "results.jsonl").samples:
        wrong = found[sample.model.removeprefix("offline/")][str(sample.suite.asked.task)]
        if sample.outcome not in ("equivalent", "correct"):
            wrong.append(sample)
    return found


def test_the_faithful_model_is_right_throughout(failed: dict[str, dict[str, list[Sample]]]) -> None:
    assert len(failed["faithful"]) == len(MISREAD) + 1
    assert not [wrong.part(Given) for samples in failed["faithful"].values() for wrong in samples]


@pytest.mark.parametrize("fault", MUST)
def test_a_fault_shows_where_it_must_and_nowhere_else(
    fault: str, failed: dict[str, dict[str, list[Sample]]]
) -> None:
    caught = {task for task, samples in failed[fault].items() if samples}
    assert caught >= MUST[fault]
    assert caught <= MAY.get(fault, MUST[fault])


def test_what_is_no_order_has_an_outcome_of_its_own(
    failed: dict[str, dict[str, list[Sample]]],
) -> None:
    wrong = [
        sample for task in MUST["not-a-permutation"] for sample in failed["not-a-permutation"][task]
    ]
    assert {(sample.outcome, sample.code) for sample in wrong} == {("invalid answer", "AE114")}
    answers = [sample.part_or_empty(Answered) for sample in wrong]
    assert {answer.problem for answer in answers} == {"not a permutation"}
    assert {(answer.ranking_equivalence, answer.ranking_negation) for answer in answers} == {
        (False, False)
    }

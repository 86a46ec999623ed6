"""Gates of a user: what they may say, and what it does to the verdict of a suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs
from support.result_rows import row, suites_of

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.added_gates import own_results
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.lines import Sample, SuiteEnd, SuiteRecord

RULES = Rules(threshold=0.5)


def suite(*outcomes: str) -> SuiteRecord:
    rows = [
        row(outcome, formula=f"p{index}", index=index) for index, outcome in enumerate(outcomes)
    ]
    (found,) = suites_of(rows)
    return found


PASSED = ("equivalent",) * 4


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (GateResult("passed", "all is well"), "passed"),
        (GateResult("failed", "2 of 4 answers are rude"), "failed"),
        (GateResult("inconclusive", "too few"), "inconclusive"),
    ],
)
def test_a_suite_passes_only_if_all_of_its_gates_pass(said: GateResult, verdict: str) -> None:
    judgement = judge_suite(
        suite(*PASSED), RULES, own=own_results([lambda _: said], suite(*PASSED))
    )
    assert judgement.verdict == verdict
    assert said.reason in judgement.reason
    failed = judge_suite(suite("different", *PASSED[:1]), Rules(threshold=0.9), own=[said])
    assert failed.verdict == "failed"


def test_a_gate_gets_the_samples_that_count_in_order() -> None:
    seen: list[list[tuple[str, str]]] = []

    def looks(samples: Sequence[Sample]) -> None:
        seen.append([(sample.formula, sample.outcome) for sample in samples])

    record = suite("equivalent", "error", "different")
    record.samples = [
        *reversed(record.samples),
        structs.replace(record.samples[0], counts="shrunk", formula="q"),
    ]
    assert own_results([looks], record) == []
    assert seen == [[("p0", "equivalent"), ("p1", "error"), ("p2", "different")]]
    assert own_results([looks], SuiteRecord(record.asked, record.run)) == []
    assert len(seen) == 1


def rude(_: Sequence[Sample]) -> Any:
    raise ZeroDivisionError("division by zero")


def silent(_: Sequence[Sample]) -> Any:
    return "passed"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (rude, "it could not judge: ZeroDivisionError: division by zero"),
        (silent, "it gave 'passed', which is no Gate"),
    ],
)
def test_a_function_that_fails_is_a_gate_that_fails(function: Any, reason: str) -> None:
    (result,) = own_results([function], suite(*PASSED))
    assert (result.verdict, result.gate) == ("failed", function.__name__)
    assert result.reason.startswith(reason)
    assert judge_suite(suite(*PASSED), RULES, own=[result]).verdict == "failed"


def test_a_report_judges_by_what_the_file_says() -> None:
    record = suite(*PASSED)
    said = GateResult("failed", "2 of 4 answers are rude", "rude answers")
    record.end = SuiteEnd(suite=record.number, gates=(said,))
    assert judge_suite(record, RULES).verdict == "failed"
    assert "rude answers: 2 of 4 answers are rude" in judge_suite(record, RULES).reason


@pytest.mark.parametrize("extent", [Extent(part="1/2"), Extent(planned=9, interrupted=True)])
def test_what_is_no_whole_suite_is_not_judged(extent: Extent) -> None:
    said = GateResult("failed", "2 of 4 answers are rude", "rude answers")
    judgement = judge_suite(suite(*PASSED), RULES, extent=extent, own=[said])
    assert judgement.added == ()
    assert judgement.verdict != "passed"


def test_a_wrong_verdict_is_refused_where_it_is_written() -> None:
    with pytest.raises(AutoevalError, match="a verdict is 'passed', 'failed' or 'inconclusive'"):
        GateResult("ok", "all is well")  # type: ignore[arg-type]
    with pytest.raises(AutoevalError, match="as texts"):
        GateResult("passed", 3)  # type: ignore[arg-type]

"""``--autoeval-constrained``: variants, rows, and what syntax costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from support import constraining_servers as servers
from support.chat_server import Answer, ChatServer, Received, completion

from pytest_autoeval import Llm, Report, Sample, autoeval, run_suites
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.models import ConfigurationError
from pytest_autoeval.models.constraints import PROBE
from pytest_autoeval.record import lines
from pytest_autoeval.report.analysis import analyse


@autoeval("propositional", operators=range(1, 3), samples=4)
def survives(sample: Sample, llm: Llm, assert_equivalent: Callable[..., object]) -> None:
    assert_equivalent(
        llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula
    )


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def clumsy(request: Received) -> Answer:
    """Describes anything, and writes formulas only if it must."""
    return (
        servers.llama_cpp(request)
        if "grammar" in request.body
        else Answer(body=completion("Something holds."))
    )


def report_of(server: ChatServer, constrained: str) -> Report:
    server.behaviour = clumsy
    return Report(
        run_suites(
            [survives], models=["m"], base_url=server.url, constrained=constrained, shrink_budget=0
        )
    )


def sides(report: Report) -> tuple[list[lines.Sample], list[lines.Sample]]:
    """The free samples and the constrained ones."""
    kinds = (False, True)
    free, constrained = (
        [one for one in report.samples if one.suite.asked.constrained is kind] for kind in kinds
    )
    return free, constrained


def test_both_asks_about_each_formula_twice_and_shows_what_syntax_costs(server: ChatServer) -> None:
    report = report_of(server, "both")
    free, constrained = sides(report)
    assert {row.suite.name.partition("[")[2] for row in constrained} == {"constrained]"}
    assert sorted(row.formula for row in constrained) == sorted(row.formula for row in free)
    assert {row.outcome for row in free} == {"unparseable"}
    assert "unparseable" not in {row.outcome for row in constrained}
    [note] = report.analysis.notes
    assert "8 formulas; unparseable 8 and 0" in str(note)


def test_a_baseline_of_free_answers_pairs_with_constrained_ones(server: ChatServer) -> None:
    [constrained] = report_of(server, "llama.cpp").suites
    free = lines.SuiteRecord(
        replace(constrained.asked, constrained=False), constrained.run, end=constrained.end
    )
    free.samples += [
        replace(sample, suite=free, outcome="unparseable") for sample in constrained.samples
    ]
    [comparison] = analyse([constrained], Rules(), baseline=Baseline([free])).comparisons
    assert comparison.test is not None
    assert comparison.test.pairs == 8
    assert any("what syntax costs" in str(flag) for flag in comparison.flags)


def test_each_kind_of_answer_is_compared_with_its_own_in_a_baseline_with_both(
    server: ChatServer,
) -> None:
    suites = report_of(server, "both").suites
    comparisons = analyse(suites, Rules(), baseline=Baseline(suites)).comparisons
    assert [
        gate.test and (gate.test.pairs, gate.test.won, gate.test.lost) for gate in comparisons
    ] == [(8, 0, 0)] * 2


def test_a_server_that_cannot_is_named_before_anything_is_described(server: ChatServer) -> None:
    with pytest.raises(ConfigurationError, match="cannot constrain answers") as raised:
        report_of(server, "vllm")
    assert len(str(raised.value).splitlines()) == 1
    assert {request.prompt for request in server.requests} == {PROBE[-1].content}


@pytest.mark.parametrize("wrong", ["sglang", "Both"])
def test_an_unknown_kind_of_server_is_refused(server: ChatServer, wrong: str) -> None:
    with pytest.raises(Exception, match=r"auto, llama\.cpp, vllm, openai, both"):
        report_of(server, wrong)

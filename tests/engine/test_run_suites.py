"""Suites run from a program: the same rows as pytest's, events as they happen, an end that leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, always, error
from support.page_blocks import PageBlocks

from pytest_autoeval import (
    AutoevalError,
    Llm,
    Message,
    Model,
    Part,
    Registry,
    Report,
    RunEnded,
    Sample,
    SampleEnded,
    SuiteJudged,
    SuiteLeftOut,
    SuiteStarted,
    autoeval,
    language,
    pass_rate_test,
    read_results,
    run_suites,
)
from pytest_autoeval.engine.keyword_names import with_keywords
from pytest_autoeval.prompts import template
from pytest_autoeval.prompts.folders import offered_slots
from pytest_autoeval.record.coding import encoded
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import RunEnd
from pytest_autoeval.tasks.trial import current_trial

FAULTY = "offline/or-for-and"


@autoeval("propositional", operators=range(1, 4), samples=3, threshold=0.9)
def survives(sample: Sample, llm: Llm, assert_equivalent: Callable[..., object]) -> None:
    assert_equivalent(
        llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula
    )


def test_events_tell_a_run_from_its_first_suite_to_its_end() -> None:
    events = list(run_suites([survives], models=["offline/faithful", FAULTY]))
    kinds = [type(event) for event in events]
    assert kinds.count(SuiteStarted) == kinds.count(SuiteJudged) == 2
    assert kinds.count(SampleEnded) == 18
    assert kinds[0] is SuiteStarted
    assert kinds[-1] is RunEnded
    verdicts = {
        event.judgement.gate.model: event.judgement.verdict
        for event in events
        if isinstance(event, SuiteJudged)
    }
    assert verdicts == {"offline/faithful": "passed", FAULTY: "failed"}


def test_a_report_is_made_of_events(tmp_path: Path) -> None:
    report = Report(run_suites([survives], models=[FAULTY]))
    assert not report.passed
    assert not report.interrupted
    assert "is below the threshold" in str(report)
    assert "survives" in report.markdown()
    assert report.summary()["state"] == "failed"
    report.write_html(tmp_path / "page.html")
    report.write_results(tmp_path / "out.jsonl")
    assert "✗ pytest-autoeval" in PageBlocks((tmp_path / "page.html").read_text("utf-8")).shown
    read = read_file(tmp_path / "out.jsonl")
    assert [encoded(sample) for sample in read.samples] == [
        encoded(sample) for sample in report.samples
    ]
    assert read.end == RunEnd(verdict="failed", exit_code=1, reasons=("the suite failed",))
    (example,) = report.analysis.counterexamples[:1]
    assert example.sample.outcome == "different"
    assert example.sample.suite is report.suites[0]


def test_the_samples_are_those_of_a_run_of_pytest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from pytest_autoeval import autoeval

        @autoeval("propositional", operators=range(1, 4), samples=3, threshold=0.9)
        def test_survives(sample, llm, assert_equivalent):
            assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)
        """
    )
    # In this process, modules that the run imports first would be imported again later, with other classes.
    pytester.runpytest_subprocess(
        "-pno:cacheprovider", f"--autoeval-model={FAULTY}", "--autoeval-results=out.jsonl"
    )
    theirs = read_file(pytester.path / "out.jsonl").samples
    ours = Report(run_suites([survives], models=[FAULTY])).samples
    asked = [
        [
            (one.formula, one.description, one.translation, one.outcome, len(one.calls))
            for one in samples
        ]
        for samples in (theirs, ours)
    ]
    assert asked[0] == asked[1]


def test_a_report_of_the_first_events_has_their_samples_alone() -> None:
    events = list(run_suites([survives], models=["offline/faithful", FAULTY]))
    last = [at for at, event in enumerate(events) if isinstance(event, SampleEnded)][3]
    report = Report(events[: last + 1])
    assert report.interrupted
    told = Counter(
        event.sample.suite.number for event in events[: last + 1] if isinstance(event, SampleEnded)
    )
    assert {suite.number: len(suite.samples) for suite in report.suites if suite.samples} == told
    assert len(report.samples) == 4
    assert {judgement.verdict for judgement in report.judgements} == {"interrupted"}
    assert all(sample.suite is suite for suite in report.suites for sample in suite.samples)
    assert len(Report(events).samples) == 18


def test_two_suites_of_one_name_are_two_suites() -> None:
    twice = [
        pass_rate_test("propositional", name="same", operators=[size], threshold=0.9)
        for size in (0, 2)
    ]
    report = Report(run_suites(twice, models=[FAULTY], samples=4, shrink_budget=0))
    assert [(suite.number, suite.name, suite.asked.sizes) for suite in report.suites] == [
        (1, "same", (0,)),
        (2, "same", (2,)),
    ]
    assert {judgement.key: judgement.verdict for judgement in report.judgements} == {
        1: "passed",
        2: "failed",
    }


def test_events_carry_the_lines_of_the_results() -> None:
    events = list(run_suites([survives], models=[FAULTY], seed=3, temperature=0.5, shrink_budget=9))
    (started,) = [event for event in events if isinstance(event, SuiteStarted)]
    asked, run = started.suite.asked, started.suite.run
    assert (asked.name, asked.model, asked.sizes, asked.planned) == (
        "survives",
        FAULTY,
        (1, 2, 3),
        9,
    )
    assert (asked.threshold, asked.threshold_by, asked.temperature) == (0.9, "marker", 0.5)
    assert (run.seed, [(one.number, one.name, one.model) for one in run.suites]) == (
        3,
        [(1, "survives", FAULTY)],
    )
    (judged,) = [event for event in events if isinstance(event, SuiteJudged)]
    assert judged.suite is started.suite
    assert judged.suite.end is judged.end
    assert (judged.end.verdict, judged.end.ended) == ("failed", "whole")
    (found,) = judged.end.counterexamples
    (example,) = judged.counterexamples
    assert (found.size, found.index) == (example.sample.size, example.sample.index)
    assert (found.round_trips, found.calls) == (example.round_trips_spent, example.calls)


def test_a_part_that_cannot_be_written_makes_the_sample_an_error() -> None:
    class Odd(Part, frozen=True):
        value: Any = None

    def body(sample: Sample) -> None:
        current_trial().add(Odd(value=object()) if sample.index == 0 else Odd(value=1))

    report = Report(
        run_suites(
            [pass_rate_test("propositional", body, samples=2, operators=[1], verified=False)]
        )
    )
    outcomes = {sample.index: (sample.outcome, sample.error) for sample in report.samples}
    assert outcomes[1] == ("passed", None)
    assert outcomes[0][0] == "error"
    assert "the part 'odd' cannot be written" in str(outcomes[0][1])


def test_a_name_alone_is_a_round_trip_and_a_task_needs_no_body() -> None:
    judge = pass_rate_test("judge_propositional", task="judge", samples=2)
    report = Report(run_suites(["propositional", judge], samples=1, operators="1:3"))
    assert {judgement.gate.suite for judgement in report.judgements} == {
        "propositional",
        "judge_propositional-judge",
    }
    assert {sample.outcome for sample in report.samples} <= {"equivalent", "correct"}


def test_options_are_those_of_a_run() -> None:
    report = Report(
        run_suites(
            ["propositional"], operators=range(2), samples=1, repeats=2, seed=7, concurrency="1:2"
        )
    )
    assert {sample.seed for sample in report.samples} == {7}
    assert sorted(sample.repeat for sample in report.samples) == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"sampels": 3}, "there is no option 'sampels'.*Did you mean 'samples'"),
        ({"operators": "many"}, "operators: 'many' is not a list of sizes"),
        ({"html": "page.html"}, "html= is for runs of pytest"),
        ({"gate": "best"}, "there is no gate 'best'"),
    ],
)
def test_a_wrong_option_is_refused_at_once(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(AutoevalError, match=problem):
        run_suites(["propositional"], **given)


def test_a_test_that_cannot_be_run_is_refused_at_once() -> None:
    with pytest.raises(AutoevalError, match="is not a pass-rate test"):
        run_suites([lambda sample: None])
    with pytest.raises(AutoevalError, match="there is no marker keyword 'sample'"):
        pass_rate_test("propositional", sample=3)


def test_a_function_with_two_markers_is_refused() -> None:
    @autoeval("propositional", operators=[1], samples=2)
    @autoeval("ltl", operators=[1], samples=2)
    def twice(sample: Sample) -> None: ...

    with pytest.raises(AutoevalError, match="several markers, and only one would have an effect"):
        list(run_suites([twice]))


def test_a_body_may_take_no_fixture_of_anybody_else() -> None:
    def body(sample: Sample, database: object) -> None:
        """Takes what only pytest could give."""

    with pytest.raises(
        AutoevalError, match="takes 'database'; here a test can take only: sample, llm"
    ):
        list(run_suites([pass_rate_test("propositional", body)]))


def test_what_cannot_be_run_is_left_out() -> None:
    events = list(run_suites(["propositional", "first_order"], formula=("∀x. P1(x)",)))
    (left,) = [event for event in events if isinstance(event, SuiteLeftOut)]
    assert left.obstacle == "formula"
    assert [event.judgement.gate.suite for event in events if isinstance(event, SuiteJudged)] == [
        "first_order"
    ]


def test_a_run_in_which_no_suite_could_run_ends_with_an_error() -> None:
    seen: list[object] = []
    with pytest.raises(
        AutoevalError, match=r"^formula: '∀x\. P\(x\)' is not a formula for the grammar"
    ):
        seen.extend(run_suites(["propositional"], formula=("∀x. P(x)",)))
    assert [type(event) for event in seen] == [SuiteLeftOut, RunEnded]


def test_an_error_that_ends_the_run_is_raised_after_its_events() -> None:
    with ChatServer(always(Answer(401, error("no such key")))) as server:
        seen: list[object] = []
        with pytest.raises(AutoevalError, match="needs a key"):
            seen.extend(
                run_suites(["propositional"], models=["some-model"], base_url=server.url, samples=1)
            )
    assert seen == [] or isinstance(seen[-1], RunEnded)


def test_closing_the_iterator_ends_the_run_and_its_threads() -> None:
    before = set(threading.enumerate())
    with ChatServer() as server:
        events = run_suites(
            ["propositional"], models=["m"], base_url=server.url, concurrency=(1, 1), samples=50
        )
        assert any(isinstance(event, SampleEnded) for event in islice(events, 5))
        events.close()
        asked = len(server.requests)
    assert 1 <= asked < 100
    assert not [
        thread
        for thread in set(threading.enumerate()) - before
        if thread.name.startswith("autoeval")
    ]


def test_a_registry_brings_models_of_ones_own() -> None:
    registry = Registry()
    registry.add_model("mute", type("Mute", (), {"complete": lambda self, messages, repeat: "no"}))
    report = Report(run_suites(["propositional"], models=["mute"], samples=1, registry=registry))
    assert {sample.model for sample in report.samples} == {"mute"}


def test_the_engine_needs_no_pytest() -> None:
    imports = "import sys, pytest_autoeval.engine.without_pytest, pytest_autoeval.engine.report"
    script = f"{imports}; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_class_without_complete_is_refused_when_it_is_added() -> None:
    with pytest.raises(AutoevalError, match=r"Mute has no method complete"):
        Registry().add_model("mute", type("Mute", (), {}))


def test_a_run_reads_each_prompt_once_and_the_next_run_reads_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    source = template._source

    def counted(path: Path) -> str:
        read[path.name] += 1
        return source(path)

    # The shipped prompts, whose slots are the known ones, are read once for all runs.
    offered_slots("informalize")
    monkeypatch.setattr(template, "_source", counted)
    prompt = tmp_path / "informalize" / "propositional.toml"
    prompt.parent.mkdir()

    def first_question(text: str) -> str:
        prompt.write_text(f'user = "{text} ${{formula}}"', encoding="utf-8")
        report = Report(run_suites([survives], models=["offline/faithful"], prompts=tmp_path))
        messages = report.samples[0].calls[0].messages
        assert messages is not None
        return messages[-1].content or ""

    assert first_question("Formula:").startswith("Formula:")
    assert 0 < max(read.values()) <= 3, "it is checked before, and two stages may share a text"
    assert first_question("Now say\\nFormula:").startswith("Now say")


@pytest.mark.parametrize("where", ["prompts", "add_prompts"])
def test_a_wrong_slot_in_a_prompt_is_refused_before_anything_is_asked(
    tmp_path: Path, where: str
) -> None:
    prompt = tmp_path / "informalize" / "propositional.toml"
    prompt.parent.mkdir()
    prompt.write_text('user = "${formla}"', encoding="utf-8")
    registry = Registry()
    if where == "add_prompts":
        registry.add_prompts(tmp_path)
    prompts = tmp_path if where == "prompts" else None
    events = run_suites("propositional", registry=registry, prompts=prompts)
    with pytest.raises(AutoevalError) as refused:
        next(events)
    assert str(refused.value).startswith(f"{where}: {prompt}:1: unknown slot ${{formla}}; known")


class Careful:
    """A model of a program: it describes formulas, and reads that again. It counts its questions."""

    def __init__(self, name: str = "") -> None:
        self.asked = self.closed = 0
        if name:
            self.name = name

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        self.asked += 1
        *_, label, text = messages[-1].content.splitlines()
        logic = language("propositional")
        if label == "Formula:":
            return logic.describe(logic.parse(text))
        return str(logic.read_description(text))

    def close(self) -> None:
        self.closed += 1


def test_an_object_is_a_model_and_is_asked() -> None:
    model = Careful()
    report = Report(run_suites([survives], [model]))
    assert report.passed
    assert {sample.model for sample in report.samples} == {"Careful"}
    assert model.asked >= 18
    assert not model.closed, "its owner may use it again"
    assert Report(run_suites([survives], model)).passed


def test_objects_have_their_own_names_or_that_of_their_class_with_a_number() -> None:
    registry = Registry()
    registry.add_model("Careful", Careful)
    models: list[str | Model | type[Model]]
    models = [Careful(), Careful("mine"), Careful, "offline/faithful", "Careful"]
    report = Report(run_suites([survives], models, registry=registry))
    assert {suite.model for suite in report.suites} == {
        "Careful-2",
        "mine",
        "Careful-3",
        "offline/faithful",
        "Careful",
    }
    assert report.passed
    assert list(registry.models) == ["Careful"], "the registry stays as it was"


def test_an_async_model_is_asked_too() -> None:
    class Async(Careful):
        async def complete(  # type: ignore[override]
            self, messages: Sequence[Message], *, repeat: int = 0
        ) -> str:
            return super().complete(messages, repeat=repeat)

    assert Report(run_suites([survives], [Async()])).passed  # type: ignore[list-item]


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "a number as a model": (lambda: wrong_run([survives], [3]), "models: 3 is no model"),
    "a number for the models": (lambda: wrong_run([survives], 3), "models: 3 is no model"),
    "an object without complete": (lambda: wrong_run([survives], [object()]), "is no model"),
    "a number as a test": (lambda: wrong_run([3]), "3 is not a pass-rate test"),
    "a number for the tests": (lambda: wrong_run(3), "tests=3 is no list of tests"),
    "a registry": (lambda: wrong_run([survives], registry={}), "registry={} is no Registry"),
    "samples": (lambda: wrong_run([survives], samples=2.5), "samples: '2.5' is not an integer ≥ 1"),
    "a list": (lambda: wrong_run([survives], samples=[1]), "samples=(1,) cannot be used"),
    "a rate": (lambda: wrong_run([survives], threshold=90), "threshold: '90' is not a rate"),
    "a pair": (lambda: wrong_run([survives], concurrency=(1,)), "concurrency=(1,) cannot be used"),
    "an unknown grammar": (lambda: wrong_run(["nope"]), "there is no grammar 'nope'"),
    "an unknown model": (lambda: wrong_run([survives], "offline/x"), "there is no offline model"),
    "a source": (lambda: pass_rate_test(3), "source=3 is no text"),  # type: ignore[arg-type]
    "a body": (
        lambda: pass_rate_test("propositional", 5),  # type: ignore[arg-type]
        "body=5 is no function",
    ),
    "results": (lambda: read_results(3), "files=3 is no path"),  # type: ignore[arg-type]
    "no results": (lambda: read_results([]), "files=[] is empty"),
    "a missing file": (lambda: read_results("nowhere.jsonl"), "nowhere.jsonl"),
    "events": (lambda: Report("a.jsonl"), "events='a.jsonl' are no events"),  # type: ignore[arg-type]
    "an event": (lambda: Report([1]), "1 is no event"),  # type: ignore[list-item]
}


def wrong_run(*arguments: Any, **keywords: Any) -> list[object]:
    return list(run_suites(*arguments, **keywords))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_one_error_that_begins_at_the_public_function(name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(AutoevalError) as caught:
        call()
    assert message in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    own_frames = [
        frame
        for frame in traceback.extract_tb(caught.value.__traceback__)
        if "pytest_autoeval" in Path(frame.filename).parts
    ]
    assert len(own_frames) <= 2, "no inner frames"


def test_a_report_is_made_of_a_results_file(tmp_path: Path) -> None:
    events = list(run_suites([survives], ["offline/faithful", FAULTY], blame=True))
    of_events = Report(events)
    of_events.write_results(tmp_path / "out.jsonl")
    report = Report(read_results(tmp_path / "out.jsonl"))
    assert report.passed is of_events.passed is False
    assert report.figures() == of_events.figures()
    assert [judgement.verdict for judgement in report.judgements] == [
        judgement.verdict for judgement in of_events.judgements
    ]
    assert "is below the threshold" in str(report)
    report.write_results(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_figures_have_the_accuracy_by_size_with_intervals() -> None:
    report = Report(run_suites([survives], [FAULTY], samples=5))
    [whole, *sized] = [row for row in report.figures() if row["figure"] == "pass rate"]
    assert (whole["size"], whole["n"], whole["size_of"]) == (None, 15, "operators")
    assert [row["size"] for row in sized] == [1, 2, 3]
    for row in sized:
        samples = [sample for sample in report.samples if sample.size == row["size"]]
        assert row["n"] == len(samples) == 5
        assert row["value"] == pytest.approx(sum(sample.passed for sample in samples) / 5)
        assert row["low"] <= row["value"] <= row["high"]
        assert (row["model"], row["unit"]) == (FAULTY, "rate")


def test_a_program_is_not_told_about_an_option_of_the_command_line() -> None:
    tests = [
        pass_rate_test("propositional", name=f"t{n}", samples=3, operators=3) for n in range(9)
    ]
    shown = str(Report(run_suites(tests, [FAULTY, "offline/prose"], threshold=0.99)))
    assert "report.markdown() shows" in shown
    assert "-v" not in shown.replace("--autoeval-v", "")


def test_a_file_that_no_suite_takes_is_refused_before_a_call(tmp_path: Path) -> None:
    file = tmp_path / "wishes.jsonl"
    file.write_text(
        '{"sentence": "It never rains.", "formula": "G !x1", "propositions": {"it rains": "x1"}}\n'
    )
    events: list[Any] = []
    with pytest.raises(AutoevalError, match=r"^dataset: no suite of this run takes wishes\.jsonl"):
        events.extend(run_suites([survives], dataset=file))
    assert events == []
    used = Report(run_suites([pass_rate_test("ltl_future", task="translate")], dataset=file))
    assert [sample.formula for sample in used.samples] == ["G !x1"]


def test_a_file_that_does_not_fit_its_data_set_ends_with_an_error(tmp_path: Path) -> None:
    file = tmp_path / "wishes.csv"
    file.write_text("sentence,formula\nThe door is open.,door_open\n")
    with pytest.raises(AutoevalError, match="fits the data set ltl_past: it needs"):
        list(run_suites(["ltl_past"], dataset=file))


def test_the_report_names_suites_and_rows_that_were_left_out(tmp_path: Path) -> None:
    file = tmp_path / "wishes.csv"
    rows = "It never rains.,G !x1,it rains = x1\nIt rains.,G (x1,it rains = x1\n"
    file.write_text(f"sentence,formula,propositions\n{rows}")
    tests: list[Any] = [pass_rate_test("ltl_future", task="translate"), "ltl_past"]
    printed = str(Report(run_suites(tests, dataset=file)))
    assert "rows of data that were left out: 1" in printed
    assert "a suite was left out" in printed


class Forgetful:
    """A model whose method lacks a parameter."""

    def complete(self, messages: Sequence[Message]) -> str:
        return "p1"


@pytest.mark.parametrize("model", [Forgetful(), Forgetful])
def test_a_model_that_cannot_be_called_is_refused_at_once(model: Any) -> None:
    with pytest.raises(AutoevalError, match=r"Forgetful\.complete has no parameter 'repeat'"):
        run_suites(["propositional"], [model])
    with pytest.raises(AutoevalError, match="Forgetful has no method complete"):
        Registry().add_model("forgetful", Forgetful)  # type: ignore[arg-type]


class Generous:
    """A model that takes every keyword."""

    def complete(self, messages: Sequence[Message], **_: object) -> str:
        return "p1"


def test_a_model_may_take_every_keyword() -> None:
    assert Report(run_suites([survives], [Generous()])).samples


def test_recordings_are_written_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = Report(run_suites([survives], record_mode="once"))
    assert not any(call.replayed for sample in first.samples for call in sample.calls)
    second = Report(run_suites([survives]))
    assert all(call.replayed for sample in second.samples for call in sample.calls)


def test_a_suite_of_a_program_has_no_command_of_pytest(tmp_path: Path) -> None:
    report = Report(run_suites([survives], [FAULTY]))
    report.write_results(tmp_path / "results.jsonl")
    again = Report(read_results(tmp_path / "results.jsonl"))
    for shown in (report, again):
        assert [counterexample.command for counterexample in shown.analysis.counterexamples] == [""]
        assert "reproduce" not in shown.markdown()


def test_figures_and_print_have_the_paired_differences_of_models_and_of_variants() -> None:
    compared = pass_rate_test("propositional", name="compared", operators=range(1, 4), samples=6)
    report = Report(run_suites([compared], ["offline/faithful", "offline/or-for-and"]))
    rows = report.figures()
    (row,) = [row for row in rows if row["figure"] == "difference"]
    rates = {
        row["model"]: row["value"]
        for row in rows
        if row["figure"] == "pass rate" and row["size"] is None
    }
    assert (row["model"], row["compared_with"]) == ("offline/faithful", "offline/or-for-and")
    assert row["value"] == pytest.approx(rates[row["model"]] - rates[row["compared_with"]])
    assert row["low"] < row["value"] < row["high"]
    assert (row["n"], row["unit"]) == (18, "points")
    assert 0 < row["p"] <= row["p_corrected"] < 1
    # All rows have the same columns.
    assert len({tuple(row) for row in rows}) == 1
    printed = str(report)
    assert "differences of the models" in printed
    assert f"{100 * row['value']:+.1f} ({100 * row['low']:+.1f} to " in printed
    variants = Report(
        run_suites([compared], ["offline/faithful"], prompting=("zero-shot", "few-shot"))
    )
    (row,) = [row for row in variants.figures() if row["figure"] == "difference"]
    assert {row["variant"], row["compared_with"]} == {"zero-shot", "few-shot"}
    assert (row["value"], row["n"]) == (0.0, 18)


def test_the_figures_have_the_means_of_each_model_over_the_suites() -> None:
    tests = [
        pass_rate_test(name, operators=range(1, 5), samples=3) for name in ("propositional", "ltl")
    ]
    models = ["offline/faithful", "offline/or-for-and"]
    report = Report(run_suites(tests, models, shrink_budget=1))
    rows = report.figures()
    assert len({tuple(row) for row in rows}) == 1
    for model in models:
        of_model = [row for row in rows if row["model"] == model and row["size"] is None]
        rates = [row["value"] for row in of_model if row["figure"] == "pass rate"]
        (mean,) = [row for row in of_model if row["figure"] == "mean pass rate"]
        assert mean["value"] == pytest.approx(sum(rates) / 2)
        assert (mean["suite"], mean["n"], mean["unit"]) == ("", 2, "rate")
    ranks = [row for row in rows if row["figure"] == "mean rank"]
    assert [row["model"] for row in ranks] == models
    assert ranks[0]["value"] < ranks[1]["value"]
    assert all(row["low"] <= row["value"] <= row["high"] for row in ranks)
    assert {(row["suite"], row["n"], row["unit"]) for row in ranks} == {("", 2, "number")}
    # A single suite has no mean, and a single model no rank.
    one_suite = Report(run_suites(tests[:1], models, shrink_budget=1)).figures()
    assert "mean pass rate" not in {row["figure"] for row in one_suite}
    one_model = Report(run_suites(tests, models[:1], shrink_budget=1)).figures()
    assert "mean rank" not in {row["figure"] for row in one_model}


class Raises:
    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        raise KeyError("colour")


class Answers:
    """A model that answers with anything, and needs an argument to be made."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Raises(), r"^Raises: KeyError: 'colour' \(test_run_suites\.py:\d+\)$"),
        (Raises, r"^Raises: KeyError: 'colour' \(test_run_suites\.py:\d+\)$"),
        (Answers(None), r"^Answers: complete\(\) returned None; return a Reply or a text$"),
        (Answers(3), r"returned a value of the type int; return a Reply or a text$"),
        (
            Answers,
            r"^models: Answers cannot be made without arguments \(.*'answer'\); give an object: Answers",
        ),
        (object(), r"^models: <object object .*> is no model; give names"),
        (
            "unknown",
            r"^OPENAI_API_KEY is not set: set it, name another server with base_url=, .* such as model=off",
        ),
    ],
)
def test_a_model_that_cannot_answer_gives_one_line_in_the_words_of_a_program(
    model: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(AutoevalError, match=message) as caught:
        list(run_suites(["propositional"], model, samples=2))
    assert "\n" not in str(caught.value)


def test_a_printed_report_names_keywords_and_keeps_commands() -> None:
    limited = Report(run_suites(["propositional"], "offline/faithful", max_calls=3, samples=3))
    assert "max_calls=3 is reached" in str(limited)
    assert "--autoeval-" not in str(limited)
    assert "max_calls=3 is reached" in limited.markdown()
    assert "--autoeval-" not in limited.markdown()
    assert "--autoeval-" not in json.dumps(limited.summary())
    command = "  reproduce  pytest --autoeval-formula=p"
    assert with_keywords(command) == command
    assert with_keywords("`pytest --autoeval-models` lists, raise --autoeval-rpm") == (
        "`pytest --autoeval-models` lists, raise rpm="
    )


def test_the_note_on_a_body_that_asks_no_model_is_in_the_words_of_a_script() -> None:
    def unasked(sample: Sample, assert_equivalent: Callable[..., object]) -> None:
        assert_equivalent(sample.formula, sample.formula)

    test = pass_rate_test("propositional", unasked, operators=2, samples=1)
    (judged,) = [event for event in run_suites([test]) if isinstance(event, SuiteJudged)]
    (note,) = judged.notes
    assert note.endswith("the body did not ask the model through llm, round_trip or perform")

"""Everything public, used as in a user's `conftest.py` and tests, with types; run by test_public_api.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given, settings

from pytest_autoeval import (
    AutoevalError,
    Column,
    Curve,
    DataSet,
    Figure,
    Figures,
    Formula,
    FormulaSyntaxError,
    GateResult,
    Item,
    Judgement,
    Language,
    Llm,
    MeaningLostError,
    Message,
    Model,
    NamesListed,
    Note,
    Part,
    Point,
    Reading,
    Registry,
    Reply,
    Report,
    Results,
    Row,
    RunEnded,
    Sample,
    SampleEnded,
    Section,
    Series,
    SuiteJudged,
    SuiteLeftOut,
    SuiteStarted,
    Table,
    Task,
    TransientError,
    Trial,
    Verdict,
    Vocabulary,
    Witness,
    autoeval,
    formulas,
    judge_formula,
    language,
    open_llm,
    pass_rate_test,
    rate,
    rate_over,
    read_results,
    run_suites,
    sample_formulas,
)
from pytest_autoeval.record.lines import Sample as RecordedSample
from pytest_autoeval.report.analysis import Analysis

NAMES = Vocabulary(propositions=("engine_on", "gear_down"))


class Negation(Task):
    """Formula → a formula that means the opposite."""

    name = "negation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": str(trial.about.formula)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return judge_formula(answer, trial, expected=f"¬({trial.about.formula})")


class Counted(Part, frozen=True):
    """A number of operators."""

    answered: str
    right: float


class Counting(Task):
    """Formula → the number of its operators."""

    name = "counting"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": str(trial.about.formula)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        right = language(trial.about.language).measure(trial.about.formula)["operators"]
        outcome = "correct" if answer == str(right) else "wrong answer"
        return Judgement(outcome=outcome, message=f"it is {right}", parts=(Counted(answer, right),))


class Parrot:
    """A model that a program gives as an object."""

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        return "p1"


class Clerk:
    """A user's own model: negates and counts. It raises a transient error at its first call."""

    def __init__(self) -> None:
        self.calls = 0

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply | str:
        self.calls += 1
        if self.calls == 1:
            raise TransientError("busy", retry_after=0)
        question, _, formula = messages[-1].content.partition(": ")
        tree = language("propositional").parse(formula)
        return (
            Reply(f"¬({formula})")
            if question == "Negate"
            else str(sum(bool(it.children()) for it in parts(tree)))
        )


def parts(formula: Formula) -> Iterator[Formula]:
    yield from formula.subformulas()


class Doubled(DataSet):
    """An infinite data set: drawn formulas, doubled."""

    name = "doubled"
    language = "propositional"

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        drawn = sample_formulas("propositional", size, count or 5, seed=seed, vocabulary=["a", "b"])
        return [
            self.item(f"({it}) ∧ ({it})", {"sentence": "twice"}, seed, at)
            for at, it in enumerate(drawn)
        ]

    def most_items(self, size: int) -> int:
        return 5


def lengths(samples: Sequence[RecordedSample]) -> Iterator[Figure | Figures | Table]:
    """Figures of a suite: two rates with their intervals, a row of figures with a title, and a table."""
    short = [sample for sample in samples if sample.size < 2]
    yield rate("right of the short ones", sum(sample.passed for sample in short), len(short))
    yield rate_over("right", samples, lambda sample: sample.passed)
    yield Figures(title="samples", figures=(Figure("short", len(short), "count", n=len(samples)),))
    sizes = sorted({sample.size for sample in samples})
    yield Table(
        title="sizes", columns=(Column("size", "size"),), rows=tuple(Row((size,)) for size in sizes)
    )


def most_are_answered(samples: Sequence[RecordedSample]) -> GateResult | None:
    """A gate of each suite that has several samples."""
    if len(samples) < 2:
        return None
    answered = sum(sample.outcome != "error" for sample in samples)
    verdict: Literal["passed", "failed"] = "passed" if answered > len(samples) / 2 else "failed"
    return GateResult(verdict, f"{answered} of {len(samples)} were answered", "most are answered")


def overview(analysis: Analysis) -> Iterator[Section | Note]:
    """Sections of the report: one with a curve, and a note."""
    points = tuple(
        Point(number, summary.whole.rate.lower)
        for number, summary in enumerate(analysis.summaries, 1)
    )
    curve = Curve(over="suites", unit="rate", series=(Series("pass rate", points),))
    yield Section(name="overview", title="all suites", blocks=(curve,))
    yield Note(text="{model} was asked", values={"model": analysis.model or "several models"})


def pytest_autoeval_register(registry: Registry) -> None:
    model: Callable[[], Model] = Clerk
    registry.add_model("clerk", model)
    registry.add_task(Negation())
    registry.add_task(Counting())
    registry.add_prompts("prompts")
    registry.add_figures(lengths)
    registry.add_gate(most_are_answered)
    registry.add_blocks(overview)
    registry.add_data_set(Doubled())
    registry.add_data_set(
        DataSet.of(
            "written", "propositional", [("p1 → p2", {"sentence": "If it rains, it pours."})]
        )
    )
    registry.add_grammar("twice", "twice.lark", vocabulary={"propositions": ["engine_on"]})


@autoeval(
    "propositional", task="negation", operators=range(3), samples=2, threshold=1, vocabulary=NAMES
)
def test_negation(sample: Sample, perform: Callable[..., Judgement]) -> None:
    reading: Reading | None = perform().reading
    assert reading is not None
    assert reading.compliant
    assert sample.vocabulary == NAMES


@autoeval("twice", task="counting", operators=1, samples=1, threshold=1)
def test_registered_grammar(sample: Sample, perform: Callable[..., Judgement]) -> None:
    assert sample.text == "engine_on ∧ engine_on"
    (part,) = perform(sample).parts
    assert part.part_name == "counted"


@autoeval("written", task="counting", threshold=1)
def test_written_items(sample: Item, perform: Callable[..., Judgement]) -> None:
    assert sample.facts["sentence"] == "If it rains, it pours."
    perform()


@pytest.mark.autoeval("doubled", task="counting", operators=2, samples=3)
def test_drawn_items(sample: Item, llm: Llm, perform: Callable[..., Judgement]) -> None:
    assert llm.name == "clerk"
    assert perform().outcome == "correct"


@settings(max_examples=5)
@given(formula=formulas("propositional", max_operators=2))
def test_plain_assertion(formula: Formula, assert_equivalent: Callable[..., Verdict]) -> None:
    assert assert_equivalent(f"¬¬({formula})", formula).outcome == "equivalent"
    with pytest.raises(MeaningLostError, match="they differ on: ") as lost:
        assert_equivalent(f"¬({formula})", formula)
    assert lost.value.outcome == "different"
    assert isinstance(lost.value, AssertionError)
    with pytest.raises(AutoevalError, match="the language of the text 'p2' is not known"):
        assert_equivalent("p1", "p2")
    assert_equivalent("p1 & p2", "p2 & p1", language="propositional")


def test_languages_and_models_without_a_run() -> None:
    lang: Language = language("first_order")
    with pytest.raises(FormulaSyntaxError):
        lang.parse("∀x")
    witness: Witness | None = lang.equivalent("P(a)", "P(b)").witness
    assert witness is not None
    shown: dict[str, Any] = witness.to_json()
    assert "kind" in shown
    small = pass_rate_test("propositional", operators=2, samples=2, threshold=0.9)
    events = list(run_suites([small], models=["offline/faithful"]))
    assert [type(event) for event in events] == [
        SuiteStarted,
        SampleEnded,
        SampleEnded,
        SuiteJudged,
        RunEnded,
    ]
    assert not any(isinstance(event, SuiteLeftOut | NamesListed) for event in events)
    report = Report(events)
    assert report.passed
    report.write_results("small.jsonl")
    results: Results = read_results("small.jsonl")
    assert [sample.passed for sample in results.samples] == [True, True]
    assert {row["size"] for row in results.rows()} == {2}
    assert [row["value"] for row in Report(results).figures()][:2] == [1.0, 1.0]
    asked = Report(run_suites(small, [Parrot(), "offline/faithful"]))
    assert {sample.model for sample in asked.samples} == {"Parrot", "offline/faithful"}
    with open_llm("offline/faithful") as outside:
        formula = lang.parse("∀x. P(x)")
        assert outside.autoformalize(outside.informalize(formula), like=formula) == formula

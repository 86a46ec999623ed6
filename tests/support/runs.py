"""Judged runs of many kinds, for tests of what every report must hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.counterexample import Counterexample
from support.analyses import analyse, baseline_of
from support.result_rows import call, changed, row
from support.sentence_rows import sentence_row

KSAT = "suites/test_ksat.py::test_round_trip"
REGEX = "suites/test_regex.py::test_round_trip"
FIRST_ORDER = "suites/test_first_order.py::test_english_names[all]"
STUDENT = "offline/student?strength=0.9"
PASS, FAIL, BROKEN, LOST, ERROR = "equivalent", "different", "unparseable", "undecided", "error"
EVIL = "\x1b[2J\x1b]0;x\x07\u202e 97 % passed\r\n✓ **{rate}** <b>@you</b> `|` #1\u2028\ud800 日本語"


def suite(
    outcomes: Sequence[str], name: str = KSAT, model: str = STUDENT, **changes: Any
) -> list[Sample]:
    """The samples of a suite, one for each outcome; their sizes rise from 0 to 6 again and again."""
    return [
        row(
            outcome,
            suite=name,
            model=model,
            index=place,
            operators=place % 7,
            measures={"operators": place % 7, "depth": place % 7 + 1, "negations": place % 2},
            formula=f"¬(p{place} ∧ q)",
            translation=None if outcome in {BROKEN, ERROR} else f"¬p{place} ∧ q",
            witness_text=f"p{place} = true, q = false" if outcome == FAIL else None,
            **changes,
        )
        for place, outcome in enumerate(outcomes)
    ]


def examples(samples: Sequence[Sample], **changes: Any) -> Iterator[Counterexample]:
    """The first failure of each kind."""
    first: dict[str, Sample] = {}
    for sample in samples:
        if sample.outcome not in {PASS, LOST, ERROR}:
            first.setdefault(sample.outcome, sample)
    for sample in first.values():
        yield Counterexample(
            sample=sample, command=f"pytest '--autoeval-formula={sample.formula}'", **changes
        )


def with_failures() -> Analysis:
    """A loss of meaning is rarer than failures of form; another suite passed."""
    samples = suite(
        [PASS] * 40 + [BROKEN] * 9 + [FAIL] * 3 + [LOST] + ["copied"] * 5,
        threshold=0.9,
        leaked=True,
    )
    passed = suite([PASS] * 60, REGEX, threshold=0.9)
    shrunk = {"round_trips_spent": 9, "confirmed": "2 of 2", "minimal": True}
    return analyse(samples + passed, Rules(), counterexamples=[*examples(samples, **shrunk)])


def all_well() -> Analysis:
    return analyse(
        suite([PASS] * 60, threshold=0.9) + suite([PASS] * 9, REGEX, threshold=0.5), Rules()
    )


def with_errors() -> Analysis:
    samples = suite([PASS] * 10 + [ERROR] * 3, error="429: 12 requests too many")
    samples[-1] = changed(samples[-1], error="no answer: connection refused")
    return analyse(samples, Rules(threshold=0.5))


def interrupted() -> Analysis:
    samples = suite([PASS] * 12, threshold=0.5) + suite([PASS] * 60, REGEX)
    never = (FIRST_ORDER, STUDENT)
    extents = {
        (KSAT, STUDENT): Extent(planned=60, interrupted=True),
        never: Extent(planned=60, interrupted=True),
    }
    return analyse(samples, Rules(), extents=extents)


def compared() -> Analysis:
    """A suite that got worse, one that the baseline lacks, one that stopped early in an older release."""
    here = suite([FAIL if place % 8 == 1 else PASS for place in range(200)], seed=7, threshold=0.8)
    here += suite([PASS] * 60, REGEX) + suite([PASS] * 40, FIRST_ORDER)
    there = (
        suite([PASS] * 220)
        + suite([PASS] * 60, REGEX)
        + suite([PASS], "suites/test_gone.py::test_gone")
    )
    stopped = Stopped(verdict="passed", ran=60, planned=200, saved="about 280 calls")
    return analyse(
        here,
        Rules(threshold=0.85, gate="interval", drop=0.05),
        baseline=baseline_of(there),
        baseline_name="release-1.4.jsonl",
        extents={(REGEX, STUDENT): Extent(planned=200, stopped_early=stopped)},
    )


def agreement() -> Analysis:
    strong, weak = "G (door_open -> X red)", "G (door_open -> F red)"
    read: list[list[str | None]] = [[strong, strong, weak], [weak, None, weak], [weak] * 3]
    samples = [
        sentence_row(
            formula, model=model, item=f"r-{place}", sentence=f"Sentence {place}.", repeat=repeat
        )
        for model in ("gpt", "qwen")
        for place, formulas in enumerate(read)
        for repeat, formula in enumerate(formulas)
    ]
    return analyse(samples, Rules(agreement=0.9))


def hostile() -> Analysis:
    sample = row(FAIL, suite=KSAT, model=EVIL, formula=EVIL, description=EVIL, translation=EVIL)
    sample = changed(sample, witness_text=EVIL, error=EVIL, outcome=FAIL, suite=KSAT + "\x1b[1m")
    error = row(ERROR, suite=REGEX, model=EVIL, error=EVIL)
    example = Counterexample(sample=sample, command=f"pytest {EVIL}", confirmed=EVIL)
    analysis = analyse([sample, error], Rules(threshold=1.0), counterexamples=[example])
    return structs.replace(
        analysis,
        notes=[*analysis.notes, EVIL],
        server=EVIL,
        not_collected=[EVIL],
        failed_tests=[EVIL],
    )


def five_models() -> Analysis:
    models = [f"lab/model-{place}" for place in range(5)]
    samples = [
        sample
        for place, model in enumerate(models)
        for name in (KSAT, REGEX)
        for sample in suite(
            [FAIL] * (6 * place) + [PASS] * (60 - 6 * place), name, model, threshold=0.8
        )
    ]
    return analyse(samples, Rules())


def many_suites() -> Analysis:
    """Thirty suites of two models; a few of those that passed need attention."""
    samples = [
        sample
        for place in range(30)
        for model in ("a", "b")
        for sample in suite(
            [PASS] * 12 if place < 10 else [PASS] * 40,
            f"test_{place:02}.py::test",
            model,
            threshold=0.5,
        )
    ]
    return analyse(samples, Rules())


def repeated() -> Analysis:
    samples = [
        changed(sample, repeat=repeat, outcome=FAIL if repeat and sample.index % 3 else PASS)
        for sample in suite([PASS] * 30)
        for repeat in range(3)
    ]
    blamed = {"half": "description"}
    samples = [changed(one, blame=blamed) if one.outcome == FAIL else one for one in samples]
    return analyse(samples, Rules(threshold=0.7))


def one_task() -> Analysis:
    test = "suites/test_ltl_tasks.py::test_judge_trace"
    about = {"task": "judge_trace", "suite": test, "expected": True, "trace": "x1", "chance": 0.5}
    samples = [
        row(
            "correct" if right else "wrong answer",
            index=place,
            operators=place % 4,
            answered=right,
            **about,
        )
        for place, right in enumerate([False, True, True, True] * 10)
    ]
    return analyse(samples, Rules(threshold=0.9), counterexamples=[*examples(samples[:1])])


def a_part() -> Analysis:
    return analyse(
        suite([PASS] * 20),
        Rules(threshold=0.9),
        extents={(KSAT, STUDENT): Extent(planned=20, part="2/5")},
    )


def costs_of_syntax() -> Analysis:
    """Suites of free and constrained answers, of which calls cost money and were made for several purposes."""
    calls = [
        call("informalize", cost=0.004),
        call("autoformalize", replayed=True, reasoning_tokens=90),
        call("blame"),
    ]
    free = suite([BROKEN] * 10 + [PASS] * 10, KSAT, calls=calls)
    constrained = suite(
        [PASS] * 18 + [FAIL] * 2,
        f"{KSAT}[constrained]",
        constrained=True,
        variant="constrained",
        calls=calls,
    )
    return analyse(free + constrained, Rules(threshold=0.9))


def nothing() -> Analysis:
    return Analysis()


#: The kinds of run by their names.
RUNS: Mapping[str, Callable[[], Analysis]] = {
    made.__name__: made
    for made in (
        with_failures,
        all_well,
        with_errors,
        interrupted,
        compared,
        agreement,
        hostile,
        five_models,
        *(many_suites, repeated, one_task, a_part, costs_of_syntax, nothing),
    )
}

"""The notes about a run: what syntax costs, what does not count, and which suites and samples are in one run alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from pytest_autoeval.by_name import added
from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.judging.baseline import answered_test
from pytest_autoeval.judging.item_groups import Comparable, Paired, by_item, grouped
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.figure_sentences import listed, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.report.task_figures import kinds_of_tasks
from pytest_autoeval.report.task_figures.answer_figures import (
    accuracy_beside_equal_texts,
    from_files,
    same_answer,
    with_equal_texts,
)
from pytest_autoeval.text import one_line

#: How many suites a note names.
_NAMED = 20


def run_notes(
    suites: Sequence[SuiteRecord], judgements: Sequence[SuiteJudgement], gone: Sequence[SuiteRecord]
) -> Iterator[Sentence]:
    """What a reader of the figures should know. ``gone`` are suites of the baseline that this run did not ask."""
    yield from _used_up_limit(judgements)
    yield from _syntax_costs(suites)
    equal = sum(judgement.gate.equal for judgement in judgements)
    if equal:
        text = "not counted: {paraphrases} in the words of the sentence or of an earlier paraphrase"
        yield sentence(text, paraphrases=number(equal, "paraphrase"))
    for judgement in judgements:
        if judgement.gate.ungated:
            yield sentence("{suite}: {why}", suite=judgement.gate.name, why=judgement.gate.ungated)
    compared = [
        judgement.comparison.compared
        for judgement in judgements
        if judgement.comparison is not None
    ]
    repeated_samples = sum(map(_samples_in_both, compared))
    if repeated_samples:
        text = (
            f"{{samples}} of this run {'is' if repeated_samples == 1 else 'are'} also in the baseline, from the same "
            "calls: a comparison of samples with themselves finds no drop"
        )
        yield sentence(text, samples=number(repeated_samples, "sample"))
    if gone:
        text = "in the baseline but not in this run (renamed?): {suites}"
        yield sentence(
            text,
            suites=listed([one_line(named(suite.name, suite.model)) for suite in gone], _NAMED),
        )
    yield from _easy_pairs(suites)
    yield from _figures_of_no_task(suites)
    without = sum(map(_undecided_without_prover, suites))
    if without:
        text = (
            "{samples} undecided without the provers E and cvc5, which decide more: "
            "pip install 'pytest-autoeval[prover]'"
        )
        yield sentence(text, samples=number(without, "sample"))


def _used_up_limit(judgements: Sequence[SuiteJudgement]) -> Iterator[Sentence]:
    """What to do after a limit of calls or cost: once, and not for each suite that it ended."""
    # A batch that is not answered yet is another reason. It names no option.
    if any(judgement.gate.spent.startswith("--") for judgement in judgements):
        text = "a limit is used up: raise it, or replay recordings, which are free"
        if len(judgements) > 1:
            # Else a user expects that two models are asked about the same samples.
            text += "; suites and models are asked one after another, so that later ones may get no calls"
        yield sentence(text)


def _easy_pairs(suites: Iterable[SuiteRecord]) -> Iterator[Sentence]:
    """For each judge, how many pairs of a file need no understanding, and how good it is at the others."""
    for suite in suites:
        samples = from_files(suite.counted)
        equal = _pairs(with_equal_texts(samples))
        if not equal:
            continue
        pairs = _pairs(samples)
        others = [sample for sample in samples if _pair(sample) not in equal]
        rest = sentence("no other pair is left")
        if others:
            rest = sentence(
                "without them its accuracy is {accuracy}, and that of always the same answer {same_answer}",
                accuracy=accuracy_beside_equal_texts(samples),
                same_answer=same_answer(others),
            )
        yield sentence(
            "{suite}: {equal} of {pairs} have the same text on both sides, and need no understanding; {rest}",
            suite=one_line(named(suite.name, suite.model)),
            equal=number(len(equal), name="pairs with equal texts"),
            pairs=number(len(pairs), "pair"),
            rest=rest,
        )


def _pair(sample: Sample) -> tuple[str, str | None]:
    """The two formulas of a judged pair."""
    return sample.formula, sample.part_or_empty(Given).other


def _pairs(samples: Iterable[Sample]) -> set[tuple[str, str | None]]:
    """The distinct pairs: a repeat has the pair of another sample."""
    return set(map(_pair, samples))


def _undecided_without_prover(suite: SuiteRecord) -> int:
    """How many first-order samples of a suite z3 left undecided where the extra ``prover`` was not installed."""
    if suite.asked.language != "first_order":
        return 0
    return sum(
        sample.outcome == Outcome.UNDECIDED and sample.verdict_method == "z3"
        for sample in suite.counted
    )


def _figures_of_no_task(suites: Sequence[SuiteRecord]) -> Iterator[Sentence]:
    """The kinds of `registry.add_figures` that no task has, in this run or in another one: they have no effect."""
    # A misspelt kind would have no effect, and nobody would notice.
    known_kinds = kinds_of_tasks(suites)
    for kind in added("figures"):
        if kind not in known_kinds:
            yield sentence(
                "no task has the figures {kind}; known are: {known}; a round trip has no kind.{hint}",
                kind=repr(one_line(kind)),
                known=", ".join(known_kinds),
                hint=did_you_mean(kind, known_kinds),
            )


def _samples_in_both(compared: Comparison) -> int:
    """How many samples of a suite are the very samples of the baseline, and not asked again; 0 if any differs.

    Their runs began at one time, and their calls took equally long.
    """
    samples_before = grouped(
        () if compared.before is None else compared.before.counted, lambda sample: sample.key
    )
    pairs = [
        (sample, samples_before[sample.key])
        for sample in compared.now.counted
        if sample.key in samples_before
    ]
    timed = any(sample.suite.run.started is not None for sample, _ in pairs)
    # Equal answers of two runs look like the answers of one run, unless it is known when the runs began.
    if not timed:
        return 0
    for sample, candidates in pairs:
        if not any(_same_sample(sample, candidate) for candidate in candidates):
            return 0
    return len(pairs)


def _same_sample(now: Sample, before: Sample) -> bool:
    if _measured(now) != _measured(before) or len(now.calls) != len(before.calls):
        return False
    return all(map(_same_call, now.calls, before.calls))


def _measured(sample: Sample) -> tuple[object, ...]:
    return sample.suite.run.started, sample.verdict_seconds, sample.outcome, sample.answer


def _same_call(now: Call, before: Call) -> bool:
    # Messages that were not kept when a file was read have a digest, which is compared.
    if now.prompt_digest is not None and (now.messages is None or before.messages is None):
        now, before = replace(now, messages=None), replace(before, messages=None)
    return now == before


def _unparseable(samples: Iterable[Sample]) -> int:
    return sum(sample.outcome == Outcome.UNPARSEABLE for sample in samples)


def _syntax_costs(suites: Iterable[SuiteRecord]) -> Iterator[Sentence]:
    """What syntax costs: one line for suites that differ in free and constrained answers alone, paired by formula.

    The cost is the difference of the two pass rates in points, with its 95 % interval.
    """
    for key, group in grouped(
        suites, lambda suite: Comparable.of(suite)._replace(constrained=False)
    ).items():
        # The suites of a group differ in nothing else, so the difference is that of the grammar.
        if len({suite.asked.constrained for suite in group}) < 2:
            continue
        samples_free: list[Sample] = []
        samples_constrained: list[Sample] = []
        for suite in group:
            samples = samples_constrained if suite.asked.constrained else samples_free
            samples += suite.counted
        free = by_item(samples_free)
        constrained = by_item(samples_constrained)
        test = answered_test(
            [
                Paired(item, constrained[item], tried)
                for item, tried in free.items()
                if item in constrained
            ]
        )
        if test is None:
            continue
        costs = "syntax costs" if test.difference > 0 else "constrained against free:"
        yield sentence(
            f"{{suite}}: {costs} {{difference}} points ({{interval}}): "
            "{free} free, {constrained} constrained, {formulas}; unparseable {unparseable} and {then}",
            suite=named(key.test, key.model),
            difference=Figure("difference", test.difference, "points", n=test.pairs),
            interval=Figure(
                "interval", None, "points", low=test.interval.low, high=test.interval.high
            ),
            free=Figure("pass rate, free", test.before, "rate"),
            constrained=Figure("pass rate, constrained", test.after, "rate"),
            formulas=number(test.pairs, "formula"),
            unparseable=number(_unparseable(samples_free), name="unparseable, free"),
            then=number(_unparseable(samples_constrained), name="unparseable, constrained"),
        )

"""The judged run: one object with everything that reports show about suites and runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from pytest_autoeval.judging.agreement import SentenceMeanings
from pytest_autoeval.judging.agreement_gates import MeaningsOf
from pytest_autoeval.judging.baseline import Baseline, BaselineGate, Comparison
from pytest_autoeval.judging.gates import (
    NO_MODEL,
    STATES,
    Extent,
    Gate,
    GateVerdict,
    Rules,
    State,
    worst,
)
from pytest_autoeval.judging.items import Comparable, SuiteKey, by_item, grouped, trials
from pytest_autoeval.judging.slices import Slice, failing_slices, worsened_slices
from pytest_autoeval.judging.suites import WHOLE, AnyGate, SuiteJudgement, judge_suite
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.names import named
from pytest_autoeval.report.blocks import AnyBlock, Section
from pytest_autoeval.report.counterexample import Counterexample, smallest_first
from pytest_autoeval.report.matrix import Matrix, in_order, matrix_of
from pytest_autoeval.report.model_comparison import ModelComparison, compare_models
from pytest_autoeval.report.spending import together
from pytest_autoeval.report.suite_summary import SuiteSummary, summarise
from pytest_autoeval.statistics.horizon import LEVELS
from pytest_autoeval.statistics.paired import paired_test
from pytest_autoeval.text import Line, count, one_line, points, signed_points

#: The exit code of a run in which no gate failed and one is inconclusive; pytest uses 0 to 6.
INCONCLUSIVE = 10
#: How many files or tests a headline names.
_NAMED = 3
_EXIT_CODES = {"failed": 1, "interrupted": 2, "inconclusive": INCONCLUSIVE}


def _model_comparison(
    suites: Sequence[SuiteRecord], judgements: Sequence[SuiteJudgement], alpha: float
) -> ModelComparison | None:
    """The comparison of the models. It fits no curve in a run with one model."""
    if len({suite.model for suite in suites if suite.counted}) < 2:
        return None
    horizons = {
        judgement.key: judgement.curve.horizon(LEVELS[0]) for judgement in judgements if judgement.curve is not None
    }
    return compare_models(suites, horizons, alpha)


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """A judged run. ``suites`` are all of its suites; other lists are in the order in which they are shown.

    ``summaries`` has one for each suite. ``slices`` are all significant ones. ``model_comparison`` is None
    for a part of a run, and if no two models answered one suite. ``sentences`` are the meanings that were read in each
    sentence. ``server`` is the address of the server that was asked, or empty. ``not_collected`` are the
    files that could not be collected, whose suites are unknown. ``failed_tests`` are tests that failed for another
    reason than the verdict on their suite, or have no suite. ``page_steps`` name the command that makes the page of
    a run that failed; empty if the page is there. ``added_blocks`` are the functions of `registry.add_blocks`.
    """

    suites: Sequence[SuiteRecord] = ()
    baseline_name: str = ""
    summaries: Sequence[SuiteSummary] = ()
    counterexamples: Sequence[Counterexample] = ()
    slices: Sequence[Slice] = ()
    model_comparison: ModelComparison | None = None
    sentences: Sequence[SentenceMeanings] = ()
    notes: Sequence[str] = ()
    server: str = ""
    not_collected: Sequence[str] = ()
    failed_tests: Sequence[str] = ()
    page_steps: Mapping[str, str] = field(default_factory=dict)
    added_blocks: Sequence[Callable[[Analysis], Iterable[Section | AnyBlock]]] = ()

    @cached_property
    def samples(self) -> list[Sample]:
        """The samples that count."""
        return [sample for suite in self.suites for sample in suite.counted]

    @cached_property
    def matrix(self) -> Matrix:
        """Suites and models, in the order in which every report shows them."""
        return matrix_of(self.summaries, self.model_comparison)

    @property
    def judgements(self) -> list[SuiteJudgement]:
        return [summary.judgement for summary in self.summaries]

    @property
    def gates(self) -> list[Gate]:
        """The gates over thresholds, one for each suite."""
        return [judgement.gate for judgement in self.judgements]

    @property
    def comparisons(self) -> list[BaselineGate]:
        """The gates against the baseline, one for each suite."""
        return [judgement.comparison for judgement in self.judgements if judgement.comparison is not None]

    @property
    def every_gate(self) -> list[AnyGate]:
        return [gate for judgement in self.judgements for gate in judgement.gates]

    @property
    def verdict(self) -> GateVerdict:
        """The worst verdict of all gates.

        A run is not whole if something could not be collected, and fails with any of its tests.
        """
        others: list[GateVerdict] = ["interrupted"] if self.not_collected else []
        if self.failed_tests:
            others.append("failed")
        return worst([*others, *(judgement.verdict for judgement in self.judgements)])

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        return "; ".join(line.text for line in self.headline_lines()) or "no sample ran"

    def headline_lines(self) -> Iterator[Line]:
        """The verdict on the run, after notes that no model was named or that the run was interrupted."""
        gates = self.gates
        if any(gate.default_model for gate in gates):
            yield Line(NO_MODEL, "warn")
        if lost := self.not_collected:
            files = count(len(lost), "file")
            yield Line(f"not everything ran: {files} could not be collected ({_first(lost)})", "bad")
        if failed := self.failed_tests:
            tests = count(len(failed), "test")
            yield Line(f"{tests} failed, besides the verdicts on the suites ({_first(failed)})", "bad")
        broken = [judgement for judgement in self.judgements if judgement.verdict == "interrupted"]
        # Errors fail a suite, even without a gate.
        failing = [one for one in self.judgements if one.verdict == "failed" and one.ends_with_errors]
        if broken:
            number = count(len(broken), "suite")
            yield Line(f"{self._interruption([one.gate for one in broken])}; {number} could not be judged", "warn")
        if failing:
            yield Line(f"{count(len(failing), 'suite')} with errors", "bad")
        part = next((gate.part for gate in gates if gate.part), "")
        if part:
            asked = f"{count(len(gates), 'suite')}: {count(sum(gate.samples for gate in gates), 'sample')}"
            yield Line(f"part {part} of {asked}; `report` judges all parts together", "dim")
        else:
            rest = [STATES[one.verdict] for one in self.judgements if one not in broken and one not in failing]
            yield from self._of_states(rest)

    def _interruption(self, broken: Sequence[Gate]) -> str:
        """Why suites are interrupted: the missing parts, or how many samples ran."""
        missing = dict.fromkeys(gate.missing for gate in broken)
        why = "; ".join(missing) if all(missing) else "interrupted"
        gates = self.gates
        ran = sum(gate.ran for gate in gates)
        planned = [gate.planned for gate in gates if gate.planned is not None]
        known = len(planned) == len(gates)
        progress = f"{ran} of {count(sum(planned), 'sample')} ran" if known else f"{count(ran, 'sample')} ran"
        return f"{why}: {progress if any(gate.rate.total for gate in gates) else 'no sample was answered'}"

    def _of_states(self, states: Sequence[State]) -> Iterator[Line]:
        """The common verdict of suites that ended without errors; each suite counts once for each model."""
        free = states.count("no gate")
        judged = len(states) - free
        failed, open_ = states.count("failed"), states.count("inconclusive")
        end = f"; {free} without a gate" if free else ""
        if not self.model and judged > 1:
            suites, models = len(self.matrix.rows), len(self.matrix.models)
            end += f" ({count(suites, 'suite')}, {count(models, 'model')})"
        of = f"{judged} suites" if self.model else str(judged)
        alone, one = judged == 1, "the suite" if len(self.judgements) == 1 else "1 suite"
        if failed:
            some = f"{one} failed" if alone else f"{failed} of {of} failed"
            yield Line(f"{some}{f', {open_} inconclusive' if open_ else ''}{end}", "bad")
        elif open_:
            some = f"{open_} of {of} {'is' if open_ == 1 else 'are'} inconclusive, none failed"
            yield Line(f"{f'{one} is inconclusive' if alone else some}{end}", "warn")
        elif judged:
            yield Line(f"{f'{one} passed' if alone else f'all {of} passed'}{end}", "good")
        elif free:
            given = "threshold or drop" if self.comparisons else "threshold"
            ran = sum(gate.samples for gate in self.gates)
            passed = sum(gate.passed for gate in self.gates)
            why = "not judged" if any(gate.ungated for gate in self.gates) else f"no {given} was given"
            yield Line(f"{passed:,} of {count(ran, 'sample')} passed; {why}", "dim")

    @property
    def spent(self) -> dict[str, Calls]:
        """All calls, by their purpose."""
        return together(summary.spent for summary in self.summaries)

    @cached_property
    def model(self) -> str:
        """The model of all suites; empty if there are several."""
        models = {gate.model for gate in self.gates}
        return models.pop() if len(models) == 1 else ""

    def name(self, suite: str, model: str) -> str:
        """A suite as the terminal shows it, ready to paste; with the model only if the id needs it."""
        return one_line(suite if self.model and not suite.endswith("]") else named(suite, model))

    def smallest(self) -> list[tuple[SuiteSummary, list[tuple[Counterexample, int]]]]:
        """For each suite: the smallest example of each kind of failure, with its number of samples.

        The most frequent kind comes first. Suites without examples are left out.
        """
        by_key: dict[SuiteKey, dict[str, Counterexample]] = defaultdict(dict)
        for example in smallest_first(self.counterexamples):
            number, outcome = example.key
            by_key[number].setdefault(outcome, example)
        ranked = []
        for summary in self.summaries:
            counted = [
                (example, summary.outcomes.get(kind, 1)) for kind, example in by_key[summary.judgement.key].items()
            ]
            if counted:
                ranked.append((summary, sorted(counted, key=lambda entry: (-entry[1], entry[0].sample.code))))
        return ranked

    @property
    def exit_code(self) -> int:
        """0 passed or without a gate, 1 failed, 2 interrupted, 10 inconclusive."""
        return _EXIT_CODES.get(self.verdict, 0)


def analyse(  # noqa: PLR0913 (a run, its rules, and what its samples do not say)
    records: Iterable[SuiteRecord],
    rules: Rules,
    *,
    judgements: Mapping[SuiteKey, SuiteJudgement] = MappingProxyType({}),
    baseline: Baseline | None = None,
    baseline_name: str = "",
    extents: Mapping[SuiteKey, Extent] = MappingProxyType({}),
    suites: int | None = None,
    counterexamples: Sequence[Counterexample] = (),
    meanings: MeaningsOf = lambda _: (),
) -> Analysis:
    """Analyses a run from the records of its suites, and the ``judgements`` of suites that are judged already.

    ``records`` are all suites, also those without samples. Suites without samples are left out, unless they have a
    judgement or an extent. ``extents`` give, by the number of the suite, how much of it ran; without them suites are
    complete. ``suites`` is the number of suites of the run, for the correction of p-values; by default, those with
    samples. ``meanings`` sorts the formulas of sentences by meaning.
    """
    in_turn = sorted(records, key=lambda suite: (suite.name, suite.model, suite.number))
    known = [suite for suite in in_turn if suite.regular or suite.number in judgements or suite.number in extents]
    number = sum(bool(suite.regular) for suite in known) if suites is None else suites
    shrinking = grouped(counterexamples, lambda example: example.key[0])
    summaries: list[SuiteSummary] = []
    slices: list[Slice] = []
    for suite in known:
        judgement = judgements.get(suite.number) or judge_suite(
            suite,
            rules,
            extent=extents.get(suite.number, WHOLE),
            baseline=baseline,
            suites=number,
            meanings=meanings,
        )
        summaries.append(summarise(suite, judgement, [one.calls for one in shrinking.get(suite.number, ())]))
        slices += [] if judgement.gate.part else failing_slices(suite, rules.alpha)
    every = [summary.judgement for summary in summaries]
    compared = [judgement.comparison.compared for judgement in every if judgement.comparison is not None]
    slices += [worse for pair in compared for worse in worsened_slices(pair, rules.alpha)]
    notes = list(_syntax_costs(known))
    if equal := sum(judgement.gate.equal for judgement in every):
        notes.append(
            f"not counted: {count(equal, 'paraphrase')} in the words of the sentence or of an earlier paraphrase"
        )
    notes += [f"{judgement.gate.name}: {judgement.gate.ungated}" for judgement in every if judgement.gate.ungated]
    if same := sum(map(_samples_in_both, compared)):
        notes.append(
            f"{count(same, 'sample')} of this run {'is' if same == 1 else 'are'} also in the baseline, from the same "
            "calls: a comparison of samples with themselves finds no drop"
        )
    if baseline is not None and (absent := baseline.left_over(compared)):
        notes.append(f"in the baseline but not in this run (renamed?): {', '.join(absent)}")
    model_comparison = None
    if not any(judgement.gate.part for judgement in every):
        model_comparison = _model_comparison(known, every, rules.alpha)
    return Analysis(
        suites=known,
        baseline_name=baseline_name,
        summaries=in_order(summaries, model_comparison),
        counterexamples=counterexamples,
        slices=slices,
        model_comparison=model_comparison,
        sentences=meanings([sample for suite in known for sample in suite.counted]),
        notes=notes,
    )


def _first(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown = ", ".join(map(one_line, names[:_NAMED]))
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"


def _samples_in_both(compared: Comparison) -> int:
    """How many samples of a suite are the very samples of the baseline, and not asked again; 0 if any differs.

    Their runs began at one time, and their calls took equally long.
    """
    there = {} if compared.there is None else {sample.key: sample for sample in compared.there.counted}
    pairs = [(sample, there[sample.key]) for sample in compared.here.counted if sample.key in there]
    timed = any(sample.suite.run.started is not None for sample, _ in pairs)
    return len(pairs) if timed and all(_same_sample(*pair) for pair in pairs) else 0


def _same_sample(here: Sample, there: Sample) -> bool:
    measured = [
        (sample.suite.run.started, sample.calls, sample.verdict_seconds, sample.outcome, sample.answer)
        for sample in (here, there)
    ]
    return measured[0] == measured[1]


def _syntax_costs(suites: Iterable[SuiteRecord]) -> Iterator[str]:
    """What syntax costs: one line for suites that differ in free and constrained answers alone, paired by formula.

    The cost is the difference of the two pass rates in points, with its 95 % interval.
    """
    for key, group in grouped(suites, lambda suite: Comparable.of(suite)._replace(constrained=False)).items():
        sides = [
            [sample for suite in group if suite.asked.constrained is constrained for sample in suite.counted]
            for constrained in (False, True)
        ]
        free, constrained = map(by_item, sides)
        pairs = [(trials(tried), trials(constrained[item])) for item, tried in free.items() if item in constrained]
        if not pairs:
            continue
        test = paired_test(pairs)
        interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
        cost = f"syntax costs {points(test.difference)} ({interval})"
        if test.difference <= 0:
            cost = f"constrained against free: {signed_points(test.difference)} points ({interval})"
        rates = f"{100 * test.before:.1f} % free, {100 * test.after:.1f} % constrained"
        unparseable = " and ".join(str(sum(one.outcome == Outcome.UNPARSEABLE for one in side)) for side in sides)
        pairs_text = f"{count(test.pairs, 'formula')}; unparseable {unparseable}"
        yield f"{named(key.test, key.model)}: {cost}: {rates}, {pairs_text}"

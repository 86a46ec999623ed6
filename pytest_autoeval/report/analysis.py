"""The judged run: one object with everything that reports show about suites and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from msgspec import Struct, field

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gate_verdicts import (
    INCONCLUSIVE,
    INCONCLUSIVE_RUN,
    STATES,
    STATES_WORST_FIRST,
    GateVerdict,
    State,
    worst,
)
from pytest_autoeval.judging.gates import NO_MODEL, Extent, Gate
from pytest_autoeval.judging.item_groups import SuiteKey, by_item, grouped
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_judgement import judge_run
from pytest_autoeval.judging.suite_judgement import WHOLE, SuiteJudgement, judge_suite
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.record.figure_sentences import joined, listed, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import RunEnd, Sample, SuiteEnd, SuiteRecord
from pytest_autoeval.report.blocks import AnyBlock, Section
from pytest_autoeval.report.counterexample import Counterexample, ranked
from pytest_autoeval.report.matrix import Matrix, in_order, matrix_of
from pytest_autoeval.report.matrix_measures import measures
from pytest_autoeval.report.model_comparison import ModelComparison, compare_models
from pytest_autoeval.report.run_notes import run_notes
from pytest_autoeval.report.spending import together
from pytest_autoeval.report.suite_summary import SuiteSummary, summarise

#: Any other verdict ends with 0.
_EXIT_CODES = {"failed": 1, "interrupted": 2, "inconclusive": INCONCLUSIVE}


def _model_comparison(summaries: Sequence[SuiteSummary], alpha: float) -> ModelComparison | None:
    """The comparison of the models. In a run with one model nothing is measured for it."""
    suites = [summary.suite for summary in summaries]
    if len({suite.model for suite in suites if suite.counted}) < 2:
        return None
    values = {
        summary.suite.number: measure.of(summary.items)
        for measure in measures()[:1]
        for summary in summaries
    }
    reached = {number: figure for number, figure in values.items() if figure is not None}
    return compare_models(suites, reached, alpha)


class Analysis(Struct, frozen=True, kw_only=True, dict=True):
    """A judged run. ``rules`` are its rules, and ``number_of_suites`` corrects its tests. ``suites`` are all of its
    suites; other lists are in the order in which they are shown.

    ``rows_left_out`` are the rows of data that no sample was made of. ``summaries`` has one for each suite.
    ``model_comparison`` is None for a part of a run, and if no two models answered one suite. ``server`` is the
    address of the server that was asked, or empty. ``not_collected`` are the files that could not be collected, whose
    suites are unknown. ``failed_tests`` are tests that failed for another reason than the verdict on their suite, or
    have no suite. ``page_steps`` name the command that makes the page of a run that failed; empty if the page is
    there. ``results`` are the files with these suites, as a command in the current folder names them; empty if there
    are none. ``added_blocks`` are the functions of `registry.add_blocks`. Without ``details`` a document lacks curves
    and slices that only -v and files would show.
    """

    rules: Rules = field(default_factory=Rules)
    number_of_suites: int = 1
    suites: Sequence[SuiteRecord] = ()
    baseline_name: str = ""
    gone: Sequence[SuiteRecord] = ()
    summaries: Sequence[SuiteSummary] = ()
    counterexamples: Sequence[Counterexample] = ()
    model_comparison: ModelComparison | None = None
    notes: Sequence[Sentence | str] = ()
    server: str = ""
    not_collected: Sequence[str] = ()
    failed_tests: Sequence[str] = ()
    page_steps: Mapping[str, str] = field(default_factory=dict)
    results: Sequence[str] = ()
    added_blocks: Sequence[Callable[[Analysis], Iterable[Section | AnyBlock]]] = ()
    rows_left_out: Sequence[str] = ()
    details: bool = True

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
        comparisons = (judgement.comparison for judgement in self.judgements)
        return [comparison for comparison in comparisons if comparison is not None]

    @cached_property
    def whole_runs(self) -> list[WholeRun]:
        """The verdict on each model over all suites together; none without a baseline."""
        gates = self.gates
        models = {gate.model for gate in gates}
        cut_off = {gate.model for gate in gates if gate.interrupted and not gate.spent}
        return judge_run(
            self.comparisons,
            self.rules,
            suites=self.number_of_suites,
            models=models,
            # The suites of files that could not be collected may be of any model.
            interrupted=models if self.not_collected else cut_off,
            gone=self.gone,
            part=next((gate.part for gate in gates if gate.part), ""),
            missing=self._missing_parts,
        )

    @property
    def _missing_parts(self) -> str:
        """Which parts of the run are missing, if nothing else cut its suites off; else empty."""
        reasons = {gate.missing for gate in self.gates if gate.interrupted and not gate.spent}
        if self.not_collected or "" in reasons:
            return ""
        return "; ".join(sorted(reasons))

    @property
    def verdicts(self) -> set[GateVerdict]:
        """The verdicts on the suites, and on the whole runs of the models."""
        of_suites = {judgement.verdict for judgement in self.judgements}
        return of_suites | {run.verdict for run in self.whole_runs}

    @property
    def verdict(self) -> GateVerdict:
        """The worst verdict of all gates.

        A run is not whole if something could not be collected, and fails with any of its tests.
        """
        verdicts_beside: list[GateVerdict] = ["interrupted"] if self.not_collected else []
        if self.failed_tests:
            verdicts_beside.append("failed")
        return worst([*verdicts_beside, *self.verdicts])

    @property
    def reasons(self) -> tuple[str, ...]:
        """The verdict on the run in sentences, as the first lines of every screen have them."""
        return tuple(str(text) for _, text in self.headlines())

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        notes = [NO_MODEL] if self.default_model else []
        text = "; ".join([*notes, *self.reasons]) or "no sample ran"
        return f"{INCONCLUSIVE_RUN}: {text}" if self.exit_code == INCONCLUSIVE else text

    @property
    def default_model(self) -> bool:
        """Whether the run named no model, so that the offline model answered."""
        return any(gate.default_model for gate in self.gates)

    def headlines(self) -> list[tuple[State, Sentence]]:
        """The verdict on the run, the worst first, so that the first one is the verdict of the run.

        Of one state: on each model against the baseline, what did not run, the errors, the suites that were judged.
        """
        # The sort is stable: within a state, the order of the generator stays.
        return sorted(self._headlines(), key=lambda headline: STATES_WORST_FIRST.index(headline[0]))

    def _headlines(self) -> Iterator[tuple[State, Sentence]]:
        for run in self.whole_runs:
            # Without a rule for falls nobody asked for a verdict on the whole run.
            if self.rules.judges_falls:
                yield STATES[run.verdict], run.explanation
        lost = self.not_collected
        if lost:
            text = "not everything ran: {files} could not be collected ({names})"
            yield "interrupted", sentence(text, files=number(len(lost), "file"), names=listed(lost))
        failed = self.failed_tests
        if failed:
            text = "{tests} failed, besides the verdicts on the suites ({names})"
            yield "failed", sentence(text, tests=number(len(failed), "test"), names=listed(failed))
        broken = [judgement for judgement in self.judgements if judgement.verdict == "interrupted"]
        # Errors fail a suite, even without a gate.
        failing = [
            judgement
            for judgement in self.judgements
            if judgement.verdict == "failed" and judgement.ends_with_errors
        ]
        if broken:
            why = self._interruption([judgement.gate for judgement in broken])
            text = "{why}; {suites} could not be judged"
            yield "interrupted", sentence(text, why=why, suites=number(len(broken), "suite"))
        if failing:
            yield "failed", sentence("{suites} with errors", suites=number(len(failing), "suite"))
        gates = self.gates
        # A shard has no verdict of its own: the report of all shards judges them together.
        shard = next((gate.part for gate in gates if gate.part), "")
        if shard:
            yield (
                "no gate",
                sentence(
                    "part {part} of {suites}: {samples}; `report` judges all parts together",
                    part=shard,
                    suites=number(len(gates), "suite"),
                    samples=number(sum(gate.samples for gate in gates), "sample"),
                ),
            )
        else:
            remaining_states = [
                STATES[judgement.verdict]
                for judgement in self.judgements
                if judgement not in broken and judgement not in failing
            ]
            yield from self._of_states(remaining_states, others=bool(broken or failing))

    def _interruption(self, broken: Sequence[Gate]) -> Sentence:
        """Why suites are interrupted: the missing parts, or how many samples ran."""
        # A dict keeps each missing part once, and in their order.
        missing = dict.fromkeys(gate.missing for gate in broken)
        why = Sentence("interrupted")
        if all(missing):
            why = joined(sentence("{part}", part=missing_part) for missing_part in missing)
        gates = self.gates
        planned = [gate.due for gate in gates if gate.due is not None]
        ran = sum(gate.ran for gate in gates)
        if not any(gate.rate.total for gate in gates):
            progress = Sentence("no sample was answered")
        elif len(planned) == len(gates):
            of = number(sum(planned), "sample", name="planned")
            progress = sentence("{ran} of {planned} ran", ran=number(ran, name="ran"), planned=of)
        else:
            progress = sentence("{ran} ran", ran=number(ran, "sample", name="ran"))
        return sentence("{why}: {progress}", why=why, progress=progress)

    def _of_states(
        self, states: Sequence[State], *, others: bool
    ) -> Iterator[tuple[State, Sentence]]:
        """The common verdict of suites that ended without errors; each suite counts once for each model.

        ``others``: some did not, and another headline is about them.
        """
        free = states.count("no gate")
        together = states.count("not judged alone")
        judged = len(states) - free
        failed, undecided, passed = (
            states.count(state) for state in ("failed", "inconclusive", "passed")
        )
        is_plural = judged > 1
        # With several models a suite counts several times: the end of the sentence says of how many suites and models.
        judged_thing = "suite" if self.model and is_plural else ""
        values: dict[str, Figure] = {
            "judged": number(judged, judged_thing, name="judged suites"),
            "failed": number(failed, name="failed suites"),
            "inconclusive": number(undecided, name="inconclusive suites"),
            "passed": number(passed, name="passed suites"),
            "free": number(free, name="suites without a gate"),
            "together": number(together, name="suites judged with the run"),
            "suites": number(len(self.matrix.rows), "suite"),
            "models": number(len(self.matrix.models), "model"),
        }
        end = ", {together} not judged alone" if together else ""
        end += "; {free} without a gate" if free else ""
        if not self.model and is_plural:
            end += " ({suites}, {models})"
        # One suite of several that were asked: the others have no gate, or could not be judged.
        suite_phrase = "the suite" if len(self.judgements) == 1 else "{judged} suite"
        if failed:
            text = "{failed} of {judged} failed" if is_plural else f"{suite_phrase} failed"
            if undecided:
                text += ", {inconclusive} inconclusive"
            yield "failed", sentence(text + end, **values)
        elif undecided:
            text = f"{suite_phrase} is inconclusive"
            if is_plural:
                are = "is" if undecided == 1 else "are"
                text = f"{{inconclusive}} of {{judged}} {are} inconclusive, none failed"
            yield "inconclusive", sentence(text + end, **values)
        elif passed:
            text = f"{suite_phrase} passed"
            if is_plural:
                all_passed = "the other {judged} passed" if others else "all {judged} passed"
                text = "{passed} of {judged} passed" if together else all_passed
                # The whole run failed, and its headline stands above this one.
                if any(run.fell_over_all_suites for run in self.whole_runs):
                    text += " by themselves"
            yield "passed", sentence(text + end, **values)
        elif free and not together:
            yield "no gate", self._without_gates()

    def _without_gates(self) -> Sentence:
        why = "no threshold was given"
        if any(gate.ungated for gate in self.gates):
            why = "not judged"
        elif self.comparisons:
            why = "no threshold or drop was given"
        return sentence(
            f"{{passed}} of {{samples}} passed; {why}",
            passed=number(sum(gate.passed for gate in self.gates), name="passed"),
            samples=number(sum(gate.samples for gate in self.gates), "sample"),
        )

    @property
    def spent(self) -> dict[str, Calls]:
        """All calls, by their purpose."""
        return together(summary.spent for summary in self.summaries)

    @property
    def saved_calls(self) -> int:
        """About how many calls were not made, because suites stopped early."""
        stops = (gate.stopped_early for gate in self.gates)
        return sum(stop.calls for stop in stops if stop is not None)

    @cached_property
    def model(self) -> str:
        """The model of all suites; empty if there are several."""
        models = {gate.model for gate in self.gates}
        return models.pop() if len(models) == 1 else ""

    def worst_first(self) -> list[tuple[SuiteSummary, list[tuple[Counterexample, int]]]]:
        """Each suite with the smallest example of each kind of failure, and how many samples ended so.

        The worst verdicts come first; among them suites that lost a meaning. Of a suite, the most frequent kind comes
        first.
        """
        by_key = grouped(self.counterexamples, lambda example: example.key[0])
        entries = []
        for summary in self.summaries:
            examples = by_key.get(summary.gate.number, ())
            entries.append((summary, ranked(examples, summary.outcomes)))

        def rank(entry: tuple[SuiteSummary, list[tuple[Counterexample, int]]]) -> tuple[int, bool]:
            summary, examples = entry
            state = STATES_WORST_FIRST.index(STATES[summary.judgement.verdict])
            return state, not any(example.loses_meaning for example, _ in examples)

        return sorted(entries, key=rank)

    @property
    def exit_code(self) -> int:
        """0 passed or without a gate, 1 failed, 2 interrupted, 10 inconclusive."""
        return _EXIT_CODES.get(self.verdict, 0)

    def end(self, *, exit_code: int | None = None, interrupted: bool) -> RunEnd:
        """The last line of the run's results. ``exit_code`` is that of the run, if it is not that of the verdict."""
        return RunEnd(
            verdict=self.verdict,
            exit_code=self.exit_code if exit_code is None else exit_code,
            reasons=self.reasons,
            interrupted=interrupted,
        )


def analyse(  # noqa: PLR0913 (a run, its rules, and what its samples do not say)
    records: Iterable[SuiteRecord],
    rules: Rules,
    *,
    judgements: Mapping[SuiteKey, SuiteJudgement] = MappingProxyType({}),
    baseline: Baseline | None = None,
    baseline_name: str = "",
    baseline_notes: Sequence[str] = (),
    extents: Mapping[SuiteKey, Extent] = MappingProxyType({}),
    suites: int | None = None,
    counterexamples: Sequence[Counterexample] = (),
    ends_without_suite: Sequence[SuiteEnd] = (),
) -> Analysis:
    """Analyses a run from the records of its suites, and the ``judgements`` of suites that are judged already.

    ``records`` are all suites, also those without samples. Suites without samples are left out, unless they have a
    judgement or an extent. ``extents`` give, by the number of the suite, how much of it ran; without them suites are
    complete. ``suites`` is the number of suites of the run, for the correction of p-values; by default, those with
    samples. ``baseline_name`` and ``baseline_notes`` say what was read as baseline. ``ends_without_suite`` are those of
    suites that never started.
    """
    # The number decides between suites of one name and model, so that the order never varies.
    in_turn = sorted(records, key=lambda suite: (suite.name, suite.model, suite.number))
    judged = [
        suite
        for suite in in_turn
        if suite.regular or suite.number in judgements or suite.number in extents
    ]
    with_samples = sum(bool(suite.regular) for suite in judged) if suites is None else suites
    shrinking = grouped(counterexamples, lambda example: example.key[0])
    summaries: list[SuiteSummary] = []
    for suite in judged:
        items = by_item(suite.counted)
        judgement = judgements.get(suite.number) or judge_suite(
            suite,
            rules,
            extent=extents.get(suite.number, WHOLE),
            baseline=baseline,
            suites=with_samples,
            items=items,
        )
        # Those of suites whose end is not known yet: a suite that ended has them in its end.
        calls = [shrunk.calls for shrunk in shrinking.get(suite.number, ())]
        summaries.append(summarise(suite, judgement, calls, items))
    all_judgements = [summary.judgement for summary in summaries]
    compared = []
    did_not_run = set()
    for judgement in all_judgements:
        if judgement.comparison is None:
            did_not_run.add(judgement.gate.suite)
        else:
            compared.append(judgement.comparison.compared)
    gone = [] if baseline is None else baseline.left_over(compared, did_not_run)
    model_comparison = None
    # A shard has only some samples of each suite, and models are compared on all of them.
    if not any(judgement.gate.part for judgement in all_judgements):
        model_comparison = _model_comparison(summaries, rules.alpha)
    return Analysis(
        rules=rules,
        number_of_suites=max(1, with_samples),
        suites=judged,
        baseline_name=baseline_name,
        summaries=in_order(summaries, model_comparison),
        counterexamples=counterexamples,
        model_comparison=model_comparison,
        gone=gone,
        notes=[*baseline_notes, *run_notes(judged, all_judgements, gone)],
        rows_left_out=_rows_left_out([*(suite.end for suite in in_turn), *ends_without_suite]),
    )


def _rows_left_out(ends: Iterable[SuiteEnd | None]) -> list[str]:
    """The rows of data that suites left out, each once: suites and models share files."""
    rows = dict.fromkeys(row for end in ends if end is not None for row in end.rows_left_out)
    return [*rows]

"""`--autoeval-plan`: the calls, tokens and cost of a run, before anything is paid."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import isnan
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from pytest_autoeval.built_in import shipped
from pytest_autoeval.engine.bodies import TrialResult
from pytest_autoeval.engine.drawn_samples import draw
from pytest_autoeval.engine.engine import rules_of
from pytest_autoeval.engine.events import SuiteLeftOut
from pytest_autoeval.engine.leader import Leader
from pytest_autoeval.engine.sample_lines import SampleMaker
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import LeftOutError, Suite
from pytest_autoeval.engine.suite_lines import suite_line
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.judging.added_gates import shipped_gates
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.judging.planned_run import PlannedRun, SuiteOfPlan
from pytest_autoeval.judging.planned_sentences import merged, planned_sentences
from pytest_autoeval.models.prices import price_of
from pytest_autoeval.models.protocols import Chat, Embedder, only_embeds
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.earlier_runs import results_files
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.report.renderers.screen import NARROWEST
from pytest_autoeval.running.left_out import (
    SuiteData,
    left_out,
    lines_of_rows,
    refuse_useless,
    shown_notes,
)
from pytest_autoeval.running.planned_calls import PlannedCalls, PlannedEmbedder, PlannedModel
from pytest_autoeval.running.run_services import Run, run_of
from pytest_autoeval.running.suite_collection import function_of, suite_of, target_of
from pytest_autoeval.tasks.equivalence_check import assert_equivalent
from pytest_autoeval.tasks.round_trip import round_trip
from pytest_autoeval.tasks.trial import MeaningLostError, Performed, Trial, UndecidedError, in_trial
from pytest_autoeval.tasks.wrappers import run_within
from pytest_autoeval.text import count, duration, wrap

#: Assumed seconds per call if no earlier results are known.
_SECONDS_PER_CALL = 1.0
_ESTIMATES = (
    "Tokens are estimated (four characters each); limit: the longest answer in tokens. Each test is assumed to do its "
    "marker's task, or a round trip. The time of the verifier is not included. Each unrecorded call that "
    "--autoeval-blame may make is counted."
)
_THOUGHTS = "A model that thinks before it answers writes more tokens than estimated here, and they are charged."
#: The exit codes are those of the run, if all other tests pass.
_VERDICT_HEADING = "The verdict by luck (exit code: green 0, inconclusive 10, red 1):"
_PART_NOT_JUDGED = (
    "Part {part} is not judged: `python -m pytest_autoeval report` judges all parts together."
)


class _SuiteKey(NamedTuple):
    """Identifies a suite of the plan. Suites are listed in the order of these keys: by name, then by model."""

    name: str
    model: str
    number: int


def show_plan(session: pytest.Session) -> None:
    """Prints the plan of the collected items in place of running them.

    Raises :class:`pytest.UsageError` for a suite that cannot be planned, and for options that no suite can use.
    """
    config = session.config
    run = run_of(config)
    planned: dict[_SuiteKey, SuiteOfPlan] = {}
    counts_by_suite: dict[_SuiteKey, PlannedCalls] = {}
    requests: set[str] = set()
    left_out_suites: list[SuiteLeftOut] = []
    would_run: list[SuiteData] = []
    rows: list[str] = []
    for item in session.items:
        target, suite = target_of(item), suite_of(item)
        why_left_out = None if target is None else target.left_out
        source = None if suite is None else suite.source
        if suite is not None:
            key = _SuiteKey(suite.name, suite.target.model, suite.number)
            try:
                trials = _count_calls(
                    suite, run, counts_by_suite.setdefault(key, PlannedCalls()), requests
                )
                if trials and not run.settings.formula:
                    planned[key] = _suite_of_plan(suite, run, trials, item.nodeid)
            except LeftOutError as problem:
                why_left_out = problem
            except AutoevalError as problem:
                raise pytest.UsageError(inert(str(problem))) from None
        # Some problems are found only when the samples are drawn.
        problems = () if source is None else source.problems
        shortfalls = () if source is None else source.shortfalls
        rows += problems
        if why_left_out is not None:
            event = SuiteLeftOut(
                test=item.nodeid,
                function=function_of(item),
                obstacle=why_left_out.obstacle,
                reason=str(why_left_out),
                notes=(*shortfalls, *problems),
            )
            left_out_suites.append(event)
        elif source is not None:
            would_run.append(SuiteData(source.is_users_data, problems, shortfalls))
    # As a run does at its end: a plan without a suite would look as if nothing were wrong.
    refuse_useless(config, left_out_suites, would_run)
    lines = _table_lines(run.settings, dict(sorted(counts_by_suite.items())))
    lines += _verdict_lines(run, [planned[key] for key in sorted(planned)])
    # A run says the same below its report.
    notes = [note for data in would_run for note in data.notes]
    lines += [f"note: {note}" for note in shown_notes(config, notes)]
    lines += lines_of_rows(config, rows)
    lines += left_out(config, left_out_suites, would_run)
    _write(config, [inert(line) for line in lines])


def _write(config: pytest.Config, lines: Sequence[str]) -> None:
    # With `-p no:terminal` the plan is still what the user asked for.
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    terminal.section("autoeval: the plan")
    for line in lines:
        terminal.write_line(line)


def _count_calls(suite: Suite, run: Run, counts: PlannedCalls, requests: set[str]) -> list[Trial]:
    """Counts the calls of a suite, and returns its trials: those of its task, or of a round trip if it has no task.

    A round trip with an unknown end counts as a failure, so that the plan includes the calls for blame. ``requests``
    are those of earlier suites, to which those of this one are added. Raises :class:`AutoevalError`.
    """
    leader = run.services
    assert isinstance(leader, Leader)
    pool = leader.pool

    def planned(model: Chat | Embedder, payload: str) -> PlannedModel | PlannedEmbedder:
        """The model that takes the place of this one, and counts."""
        price = price_of(model.name, run.settings.prices)
        if only_embeds(model):
            return PlannedEmbedder(model.name, model, counts, price)
        has_recordings = pool.has_recordings(model.name)
        return PlannedModel(
            model.name, model, counts, payload, price, requests, pool.longest_answer, has_recordings
        )

    if suite.source.preparation:
        prepare = shipped("preparation", suite.source.preparation)
        prepare(
            suite.source,
            run.engine,
            suite.target,
            lambda model, sentences: planned(model, " ".join(sentences)),
        )
    samples, _ = draw(suite, run.settings)
    run.engine.add_meanings(suite.target.model, samples)
    # Wrappers of the user may not work on made-up answers.
    wrappers = run.engine.shipped_wrappers
    trials = run.engine.trials(samples, suite)
    for trial in trials:
        counts.samples += 1
        payload = str(trial.about.formula) or trial.fact("sentence", str)
        trial.model = planned(trial.model, payload)
        if trial.reader is not None:
            trial.reader = planned(trial.reader, payload)
        with in_trial(trial), suppress(MeaningLostError, UndecidedError):
            run_within(wrappers, trial, partial(_perform, trial, trial.task))
    # A shard has no verdict, and so shrinks nothing.
    shrinks = run.settings.shrinks and not run.settings.shard
    if shrinks and suite.source.can_shrink and counts.samples:
        counts.add_shrinking(run.settings.shrink_budget)
    return trials


def _suite_of_plan(suite: Suite, run: Run, trials: Sequence[Trial], test: str) -> SuiteOfPlan:
    """The suite as it will be judged with these trials."""
    assert isinstance(run.services, Leader)
    rules = rules_of(run.settings)
    baseline = run.engine.baseline
    # As if all had passed: the rules need the samples of each size, and not how they end.
    results = [TrialResult(trial, Outcome.PASSED) for trial in trials]
    line = suite_line(
        suite,
        run.settings,
        test=test,
        samples=[result.sample for result in results],
        prompts=run.engine.prompt_folders(suite.target),
    )
    record = SuiteRecord(line, run.services.run)
    maker = SampleMaker(record)
    record.samples = [maker.sample(result)[1] for result in results]
    wanted_gates = [gate for gate in shipped_gates(record) if gate.wanted(record, rules)]
    # All intervals of a suite share one error, as in `judge_suite`. Gates over the baseline have an error of their own.
    sharing = [gate for gate in wanted_gates if gate.has_interval and not gate.compares]
    return SuiteOfPlan(
        name=suite.name,
        model=suite.target.model,
        record=record,
        compared=None if baseline is None else baseline.compared_with(record),
        threshold=rules.threshold if suite.threshold is None else suite.threshold,
        other_gates=tuple(gate.kind for gate in wanted_gates),
        sharing=len(sharing),
    )


def _verdict_lines(run: Run, suites: Sequence[SuiteOfPlan]) -> Iterator[str]:
    """What the verdict on each model will be by luck."""
    settings, rules = run.settings, rules_of(run.settings)
    if settings.shard:
        if any(suite.threshold is not None for suite in suites):
            yield from wrap(_PART_NOT_JUDGED.format(part=settings.part), NARROWEST)
        return
    models = grouped(suites, lambda suite: suite.model)
    sentences = []
    for model, suites_of_model in models.items():
        planned_run = PlannedRun(
            suites=suites_of_model,
            rules=rules,
            number=run.engine.number_of_suites,
            models=len(models),
            looks=settings.stop_early,
        )
        sentences.append((model, planned_sentences(planned_run)))
    # Models with the same sentences share them.
    merged_sentences = [*merged(sentences)]
    if not merged_sentences:
        return
    yield _VERDICT_HEADING
    for name, texts in merged_sentences:
        if len(models) > 1:
            yield f"  {name}"
        for text in texts:
            # Within the indentation of a continued line.
            head, *continuation = wrap(text, NARROWEST - 4)
            yield f"  {head}"
            for line in continuation:
                yield f"    {line}"


def _perform(trial: Trial, task: Performed | None) -> None:
    """A round trip, or the task, and after an unknown answer the calls that a known one would lead to."""
    if task is None:
        assert_equivalent(round_trip(trial.about), trial.about.formula)
        return
    try:
        task.perform(trial)
    except (MeaningLostError, UndecidedError):
        if isinstance(trial.model, PlannedModel) and not trial.model.follows_the_run:
            task.ask_the_rest(trial)
        raise


def _time_sentence(settings: Settings, counts_by_suite: Mapping[_SuiteKey, PlannedCalls]) -> str:
    """How long the calls to servers take within the limits, and the basis of the estimate."""
    waiting = {key: counts for key, counts in counts_by_suite.items() if counts.waiting}
    if not waiting:
        return "Time: no server is asked."
    if settings.batch is not None:
        return "Time: unknown; a provider answers a batch within 24 hours."
    calls = sum(counts.waiting for counts in waiting.values())
    seconds_a_call, source = _seconds_per_call(settings, {key.model for key in waiting})
    _, most_in_flight = settings.concurrency
    # The calls of one sample follow one another, so that a run takes at least as long as one sample.
    calls_of_sample = max(counts.calls / counts.samples for counts in waiting.values())
    seconds = max(calls * seconds_a_call / most_in_flight, calls_of_sample * seconds_a_call)
    limits = f"at most {most_in_flight} in flight"
    if settings.rpm is not None:
        # The tighter of the two limits decides.
        seconds = max(seconds, calls / settings.rpm * 60)
        limits += f", {settings.rpm:,} started in a minute"
    basis = f"{seconds_a_call:.2g} s a call ({source})"
    return f"Time: about {duration(seconds)} for {count(calls, 'call')}, {limits}, {basis}."


def _seconds_per_call(settings: Settings, models: Container[str]) -> tuple[float, str]:
    """The mean seconds of a call in results of an earlier run of these models, with the file; else an assumption."""
    # The results of this run are not written yet: the file, if it exists, is of an earlier run.
    own_results = () if settings.results is None else (settings.results,)
    for file in (*own_results, *results_files(settings.baseline)):
        # A file that cannot be read gives no estimate; the next one may.
        with suppress(AutoevalError):
            seconds: list[float] = []
            for sample in read_file(file).samples:
                if sample.model in models:
                    seconds.extend(_seconds_of_calls(sample))
            if seconds:
                return fmean(seconds), f"measured in {file.name}"
    return _SECONDS_PER_CALL, "assumed, because no earlier results show it"


def _seconds_of_calls(sample: Sample) -> Iterator[float]:
    """The seconds of those calls that a server answered, as far as they are known."""
    for call in sample.calls:
        if call.asked and call.seconds is not None:
            yield call.seconds


def _shrinking_sentence(settings: Settings, total: PlannedCalls) -> str:
    """How many calls shrinking adds at most, and how to do without them."""
    if not total.shrinking_calls:
        return "Shrinking: none."
    cost = "" if isnan(total.shrinking_cost) else f" and {total.shrinking_cost:.2f} USD"
    passing = "" if settings.shrink == "always" else " if no suite passes"
    most = f"at most {count(total.shrinking_calls, 'call')}{cost} more{passing}"
    return f"Shrinking: {most}; --autoeval-shrink-budget=0 turns it off."


def _table_lines(
    settings: Settings, counts_by_suite: Mapping[_SuiteKey, PlannedCalls]
) -> list[str]:
    if not counts_by_suite:
        return ["no pass-rate test was collected, so no call would be made"]
    total = PlannedCalls()
    # The sum of limits means nothing, and is not shown.
    for name in PlannedCalls.__struct_fields__:
        setattr(total, name, sum(getattr(counts, name) for counts in counts_by_suite.values()))
    repeats = total.repeated > 0
    repeated_heading = f"{'repeated':>10}" if repeats else ""
    # The widths are those of `PlannedCalls.line`.
    calls_heading = f"{'samples':>8}{'calls':>8}{'replayed':>10}{repeated_heading}"
    tokens_heading = f"{'tokens in':>11}{'tokens out':>12}"
    lines = [f"part {settings.part} of every suite"] if settings.shard else []
    lines.append(f"{calls_heading}{tokens_heading}{'USD':>9}{'limit':>7}  suite")
    for key, counts in counts_by_suite.items():
        shown_limit = f"{counts.limit:,}" if counts.limit else "—"
        lines.append(counts.line(named(key.name, key.model), shown_limit, repeats=repeats))
    lines.append(total.line("in all", repeats=repeats))
    lines += wrap(_time_sentence(settings, counts_by_suite), NARROWEST)
    lines += wrap(_shrinking_sentence(settings, total), NARROWEST)
    lines += wrap(_ESTIMATES, NARROWEST)
    if any(counts.waiting for counts in counts_by_suite.values()):
        lines += wrap(_THOUGHTS, NARROWEST)
    if isnan(total.cost):
        lines += wrap(
            "A cost is missing because a price is not known: give --autoeval-price=MODEL=INPUT/OUTPUT (USD for a "
            "million tokens).",
            NARROWEST,
        )
    return lines

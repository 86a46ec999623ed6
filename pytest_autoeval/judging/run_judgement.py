"""Judges all suites of each model of a run against the baseline."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import compress

from pytest_autoeval.judging.baseline import BaselineGate, bounded, tested
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_comparison import largest_drop_first
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.statistics.multiplicity import benjamini_hochberg
from pytest_autoeval.statistics.power import pairs_needed

#: The expected share of suites that are listed as fallen although they are not.
FALSE_DISCOVERIES = 0.05


def judge_run(  # noqa: PLR0913 (the comparisons, the rules, and what the comparisons do not say of the run)
    gates: Sequence[BaselineGate],
    rules: Rules,
    *,
    suites: int,
    models: Iterable[str] = (),
    interrupted: Container[str] = (),
    gone: Sequence[SuiteRecord] = (),
    part: str = "",
    missing: str = "",
) -> list[WholeRun]:
    """The verdict on each model of a run, from the comparisons of its suites with the baseline.

    ``suites`` is the number of suites of the run. ``models`` are all models of the run, also those of which nothing
    could be compared. ``interrupted`` are those of which not all suites ran to their end. ``gone`` are the suites of
    the baseline that the run did not ask. ``missing`` says why a run is cut off that lacks only other parts.
    """
    by_model = grouped(gates, lambda gate: gate.model)
    # All models of the run share the error, also those without pairs.
    level = rules.level(max(1, len(by_model.keys() | models)), suites)
    runs = []
    for model, own in by_model.items():
        pairs = [pair for gate in own for pair in gate.compared.pairs]
        # All pairs of a model in one test: a small fall of every suite shows in none of them alone.
        bounds = bounded(pairs, rules.confidence)
        # The only suite of a run has one test, which also has the share of other gates and planned looks.
        if suites == 1:
            level = min(level, own[0].level)
        test = tested(pairs, bounds, rules.confidence)
        needed = None
        if test is not None and rules.drop is not None:
            enough = pairs_needed(rules.drop, test, alpha=level, confidence=rules.confidence)
            needed = enough if enough > test.pairs else None
        baseline_models = {
            gate.compared.before.model for gate in own if gate.compared.before is not None
        }
        runs.append(
            WholeRun(
                model=model,
                rules=rules,
                gates=own,
                level=level,
                test=test,
                bounds=bounds,
                needed=needed,
                fallen=_listed_as_fallen(own),
                interrupted=model in interrupted,
                gone=sum(suite.model in baseline_models for suite in gone),
                part=part,
                missing=missing,
            )
        )
    return runs


def _listed_as_fallen(gates: Sequence[BaselineGate]) -> list[BaselineGate]:
    """The suites that fell by the method of Benjamini and Hochberg, the largest drop first."""
    # The samples of a doubtful suite were chosen by their results, or are not all there.
    complete = [gate for gate in gates if gate.doubt is None and not gate.interrupted]
    tested_gates, p_values = [], []
    for gate in complete:
        if gate.p_value is not None:
            tested_gates.append(gate)
            p_values.append(gate.p_value)
    is_listed = benjamini_hochberg(p_values, FALSE_DISCOVERIES)
    return largest_drop_first(compress(tested_gates, is_listed))

"""All that is known when a run is over, in one object: the terminal, the page, Markdown and JUnit show parts of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_autoeval.reporting.counterexample import Counterexample, KeptResult, smallest_first
from pytest_autoeval.reporting.items import SuiteKey, by_suite
from pytest_autoeval.reporting.judging.baseline import Baseline, BaselineGate
from pytest_autoeval.reporting.judging.gates import Extent, Gate, GateVerdict, Rules, StoppedEarly, worst
from pytest_autoeval.reporting.judging.slices import Slice, failing_slices, worsened_slices
from pytest_autoeval.reporting.judging.suite_judgement import AnyGate, SuiteJudgement, headline, judge_suite
from pytest_autoeval.reporting.row import Row, counted
from pytest_autoeval.reporting.suite_summary import SuiteSummary, suite_summaries

__all__ = ["Analysis", "Extent", "Rules", "StoppedEarly", "analyse"]

#: The exit code of a run in which no gate failed and one is inconclusive; pytest has 0 to 6.
INCONCLUSIVE = 10
_EXIT_CODES: Mapping[GateVerdict, int] = MappingProxyType(
    {"passed": 0, "reported": 0, "failed": 1, "interrupted": 2, "inconclusive": INCONCLUSIVE}
)
#: How many suites of the baseline that nothing was compared with a note names.
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A run, judged. ``rows`` are those that count; lists are in the order in which they are to be shown.

    ``judgements`` has one for each suite and model. ``slices`` are significant, all of them.
    """

    rows: Sequence[Row] = ()
    rules: Rules = field(default_factory=Rules)
    baseline_name: str = ""
    judgements: Sequence[SuiteJudgement] = ()
    summaries: Sequence[SuiteSummary] = ()
    counterexamples: Sequence[Counterexample] = ()
    slices: Sequence[Slice] = ()
    kept: Sequence[KeptResult] = ()
    notes: Sequence[str] = ()

    @property
    def gates(self) -> list[Gate]:
        """The gates over thresholds, one for each suite and model."""
        return [one.gate for one in self.judgements]

    @property
    def comparisons(self) -> list[BaselineGate]:
        """The gates against the baseline, likewise."""
        return [one.comparison for one in self.judgements if one.comparison is not None]

    @property
    def every_gate(self) -> list[AnyGate]:
        """Every gate, of either kind."""
        return [*self.gates, *self.comparisons]

    @property
    def verdict(self) -> GateVerdict:
        """The worst of what all gates say."""
        return worst(one.verdict for one in self.judgements)

    @property
    def headline(self) -> str:
        """The verdict in a line."""
        return "; ".join(line.text for line in headline(self.gates, self.comparisons)) or "no sample ran"

    def smallest(self) -> list[tuple[SuiteSummary, list[tuple[Counterexample, int]]]]:
        """Of each suite and model the smallest example of each kind of failure, with the number of its samples.

        The commonest kind of a suite comes first. A suite without examples is left out.
        """
        found: dict[SuiteKey, dict[str, Counterexample]] = defaultdict(dict)
        for example in smallest_first(self.counterexamples):
            found[example.key[:2]].setdefault(example.row.outcome, example)
        ranked = []
        for one in self.summaries:
            counted = [(example, one.outcomes.get(kind, 1)) for kind, example in found[one.suite, one.model].items()]
            if counted:
                ranked.append((one, sorted(counted, key=lambda entry: (-entry[1], entry[0].row.code))))
        return ranked

    @property
    def exit_code(self) -> int:
        """0 where nothing speaks against the run, 1 failed, 2 interrupted, 10 inconclusive."""
        return _EXIT_CODES[self.verdict]


def analyse(  # noqa: PLR0913 (a run, its rules, and what its rows do not say)
    rows: Iterable[Row],
    rules: Rules,
    *,
    baseline: Baseline | None = None,
    baseline_name: str = "",
    extents: Mapping[SuiteKey, Extent] = MappingProxyType({}),
    suites: int | None = None,
    counterexamples: Sequence[Counterexample] = (),
    kept: Sequence[KeptResult] = (),
) -> Analysis:
    """Judges a run by its rows.

    ``extents`` say, by suite and model, what only a live run knows; without them all that was to run did. ``suites`` is
    the number of suites and models of the run, over which p-values are corrected; without it, those that have rows are
    counted. Kept counterexamples among the rows count in nothing.
    """
    rows = counted(rows)
    grouped = by_suite(rows)
    number = len(grouped) if suites is None else suites
    judgements = [
        judge_suite(
            grouped.get(key, []),
            rules,
            extent=extents.get(key, Extent()),
            baseline=baseline,
            suites=number,
            suite=key[0],
            model=key[1],
        )
        for key in sorted(grouped.keys() | extents.keys())
    ]
    compared = [one.compared for one in judgements if one.compared is not None]
    slices = [
        one for (suite, model), some in grouped.items() for one in failing_slices(suite, model, some, rules.alpha)
    ]
    slices += [one for pair in compared for one in worsened_slices(pair, rules.alpha)]
    notes = []
    if baseline is not None and (absent := baseline.left_over(compared)):
        more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
        notes.append(f"in the baseline, and not in this run: {', '.join(absent[:_NAMED])}{more}")
    return Analysis(
        rows=rows,
        rules=rules,
        baseline_name=baseline_name,
        judgements=judgements,
        summaries=suite_summaries(rows, [one.gate for one in judgements]),
        counterexamples=counterexamples,
        slices=slices,
        kept=kept,
        notes=notes,
    )

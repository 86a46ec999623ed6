"""All that is known when a run is over, in one object: the terminal, the page, Markdown and JUnit show parts of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.items import by_item, effect_of
from pytest_autoeval.reporting.judging.baseline import Comparison, DropRules, baseline_gates, compare, left_over
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.extent import Extent, StoppedEarly
from pytest_autoeval.reporting.judging.gates import Gate, Rule
from pytest_autoeval.reporting.judging.headline import headline, run_verdict
from pytest_autoeval.reporting.judging.slices import Slice, failing_slices, worsened_slices
from pytest_autoeval.reporting.judging.verdict import Judgement, Verdict
from pytest_autoeval.reporting.kept import KeptResult
from pytest_autoeval.reporting.results import Row, counted
from pytest_autoeval.reporting.suite_summary import SuiteSummary, suite_summaries
from pytest_autoeval.reporting.text import one_line

__all__ = ["Analysis", "Extent", "Rules", "StoppedEarly", "analyse"]

#: The exit code of a run in which no gate failed and one is inconclusive; pytest has 0 to 6.
INCONCLUSIVE = 10
_EXIT_CODES: Mapping[Verdict, int] = MappingProxyType(
    {"passed": 0, "reported": 0, "failed": 1, "interrupted": 2, "inconclusive": INCONCLUSIVE}
)
#: How many suites of the baseline that nothing was compared with a note names.
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is asked of a run.

    ``threshold`` is the pass rate, from 0 to 1, of suites that name none; ``gate`` how it is read; ``drop`` the drop
    against the baseline, from 0 to 1, that fails a suite; ``alpha`` the level of every test.
    """

    threshold: float | None = None
    gate: Rule = "point"
    alpha: float = 0.05
    drop: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A run, judged. ``rows`` are those that count; lists are in the order in which they are to be shown.

    ``gates`` are over thresholds, one a suite and model; ``comparisons`` with the baseline likewise. ``slices`` are
    significant, all of them.
    """

    rows: Sequence[Row] = ()
    rules: Rules = field(default_factory=Rules)
    baseline_name: str = ""
    gates: Sequence[Gate] = ()
    comparisons: Sequence[BaselineGate] = ()
    summaries: Sequence[SuiteSummary] = ()
    counterexamples: Sequence[Counterexample] = ()
    slices: Sequence[Slice] = ()
    kept: Sequence[KeptResult] = ()
    notes: Sequence[str] = ()

    @property
    def judgements(self) -> list[Judgement]:
        """Every gate, of either kind."""
        return [*self.gates, *self.comparisons]

    @property
    def verdict(self) -> Verdict:
        """What all gates come to: the worst that any says."""
        return run_verdict(self.judgements)

    @property
    def headline(self) -> str:
        """The verdict in a line."""
        return "; ".join(line.text for line in headline(self.gates, self.comparisons)) or "no sample ran"

    @property
    def exit_code(self) -> int:
        """0 where nothing speaks against the run, 1 failed, 2 interrupted, 10 inconclusive."""
        return _EXIT_CODES[self.verdict]


def analyse(  # noqa: PLR0913 (a run, its rules, and what its rows do not say)
    rows: Iterable[Row],
    rules: Rules,
    *,
    baseline: Sequence[Row] | None = None,
    baseline_name: str = "",
    extents: Mapping[tuple[str, str], Extent] = MappingProxyType({}),
    counterexamples: Sequence[Counterexample] = (),
    kept: Sequence[KeptResult] = (),
) -> Analysis:
    """Judges a run by its rows.

    ``extents`` say, by suite and model, what only a live run knows; without them all that was to run did. A suite's own
    threshold stands in its rows, and wins over that of ``rules``. Kept counterexamples among the rows count in nothing.
    """
    every = list(rows)
    rows = counted(every)
    gates = _gates(rows, rules, extents)
    compared = [] if baseline is None else compare(rows, baseline)
    return Analysis(
        rows=rows,
        rules=rules,
        baseline_name=baseline_name,
        gates=gates,
        comparisons=baseline_gates(compared, DropRules(drop=rules.drop, alpha=rules.alpha), extents=extents),
        summaries=suite_summaries(rows, gates),
        counterexamples=counterexamples,
        slices=_slices(rows, compared, rules.alpha),
        kept=kept,
        notes=_notes(compared, baseline),
    )


def _gates(rows: Sequence[Row], rules: Rules, extents: Mapping[tuple[str, str], Extent]) -> list[Gate]:
    grouped = _suites(rows)
    return [
        _gate(key, grouped.get(key, []), rules, extents.get(key, Extent()))
        for key in sorted(grouped.keys() | extents.keys())
    ]


def _suites(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["suite"], row["model"]].append(row)
    return grouped


def _gate(key: tuple[str, str], rows: Sequence[Row], rules: Rules, extent: Extent) -> Gate:
    kinds = [outcome_named(row["outcome"]).kind for row in rows]
    # Of files that were put together, the strictest that any of them asked for.
    own = max((row["threshold"] for row in rows if row.get("threshold") is not None), default=None)
    return Gate(
        suite=key[0],
        model=key[1],
        samples=len(rows),
        passed=kinds.count("pass"),
        undecided=kinds.count("undecided"),
        errors=kinds.count("error"),
        threshold=rules.threshold if own is None else own,
        interrupted=extent.incomplete(len(rows)),
        planned=extent.planned,
        rule=rules.gate,
        design_effect=effect_of(by_item(rows)),
        stopped_early=extent.stopped_early,
    )


def _slices(rows: Sequence[Row], compared: Sequence[Comparison], alpha: float) -> list[Slice]:
    level = [one for key, some in sorted(_suites(rows).items()) for one in failing_slices(*key, some, alpha=alpha)]
    return [*level, *(one for pair in compared for one in worsened_slices(pair, alpha=alpha))]


def _notes(compared: Sequence[Comparison], baseline: Sequence[Row] | None) -> list[str]:
    """What a reader needs to know of what was left out."""
    absent = [] if baseline is None else left_over(compared, baseline)
    if not absent:
        return []
    more = f" and {len(absent) - _NAMED} more" if len(absent) > _NAMED else ""
    named = ", ".join(map(one_line, absent[:_NAMED]))
    return [f"in the baseline, and not in this run: {named}{more}"]

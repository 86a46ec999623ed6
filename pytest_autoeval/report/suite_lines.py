"""All that a terminal says about one suite below the matrix: reasons, figures, and counterexamples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gates import MARKS, STANDS, Gate, stopped_text
from pytest_autoeval.judging.slices import Slice
from pytest_autoeval.judging.suites import AnyGate
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.counterexample import Counterexample, counterexample_lines
from pytest_autoeval.report.horizons import curves_of, horizon_lines, horizon_name, horizon_text
from pytest_autoeval.report.spending import calls_text
from pytest_autoeval.report.suite_summary import SizeSummary, SuiteSummary, spread_lines
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.text import (
    Line,
    Style,
    aligned,
    count,
    one_line,
    points,
    rate_text,
    ratio,
    share,
    shorten,
    shorten_start,
    tally,
    wrapped,
)
from pytest_autoeval.text import width as columns

#: By default a block has so many lines. So many of them are for its counterexample, if it needs them.
_LINES, _EXAMPLE = 14, 8
#: How many slices are shown by default.
_SLICES = 1
_WIDEST_CURVE = 40
#: The half of a round trip in which the meaning was lost.
_HALVES = {"description": "in the description", "reading": "in the reading", "undecided": "undecided"}
#: How many formulas of only one run are listed, by default and verbose.
_FEW, _MANY = 3, 20
_FORMULA = 60


class Screen(NamedTuple):
    """How much is shown, and where: pytest's verbosity, columns, and whether all signs can be printed."""

    verbosity: int
    width: int
    unicode: bool

    @property
    def verbose(self) -> bool:
        return self.verbosity > 0


def suite_lines(
    analysis: Analysis, summary: SuiteSummary, examples: Sequence[tuple[Counterexample, int]], screen: Screen
) -> Iterator[Line]:
    """The block of a suite and model under its name, ready to paste.

    By default a suite that failed has at most 14 lines, with the smallest counterexample of its most frequent failure;
    verbose shows everything. Below 0 only the reasons are shown.
    """
    lines, verbose, width = list(_about(analysis, summary, screen)), screen.verbose, screen.width
    if screen.verbosity < 0:
        yield from lines
        return
    if verbose or not examples:
        some = [counterexample_lines(example, times, verbose=True, width=width) for example, times in examples]
        shown = [line for each in some for line in each]
    else:
        limit = max(_EXAMPLE, _LINES - len(lines))
        first, *rest = counterexample_lines(*examples[0], verbose=False, width=width, limit=limit)
        others = one_line(tally({example.sample.outcome: times for example, times in examples[1:]}))
        more = f"; other failures, which -v shows: {others}" if others else ""
        if columns(more) > width - columns(first.text):
            more = f"; {count(len(examples) - 1, 'other kind')} of failure, which -v shows"
        shown = [first._replace(text=f"{first.text}{more}"), *rest]
    if len(lines) > 2 or shown or not summary.judgement.passes:
        most = len(lines) if verbose else _LINES - len(shown)
        yield from lines if len(lines) <= most else (*lines[: most - 1], Line("    … -v shows more", "dim"))
        yield from shown


def _about(analysis: Analysis, summary: SuiteSummary, screen: Screen) -> Iterator[Line]:
    """The block without its counterexamples, the most important lines first."""
    judgement, verbose, width = summary.judgement, screen.verbose, screen.width
    sign, style = MARKS[judgement.verdict]
    if screen.verbosity >= 0:
        yield Line("")
    yield Line(f"{sign} {shorten_start(analysis.name(summary.gate.suite, summary.gate.model), width - 2)}", style)
    yield from _reasons(judgement.gates, style, width)
    if note := _note(summary.gate):
        yield from wrapped(note, width, 4, "dim")
    if screen.verbosity < 0:
        return
    yield from _figures(summary, screen)
    slices = [part for part in analysis.slices if part.number == judgement.key]
    yield from _slices(slices, verbose=verbose, width=width)
    if judgement.comparison is not None:
        for text in _compared(judgement.comparison, verbose=verbose):
            yield from wrapped(text, width, 4, "dim")
    if verbose:
        yield from _details(summary)


def _reasons(gates: Sequence[AnyGate], style: Style, width: int) -> Iterator[Line]:
    """Why gates do not pass, without the figures that the matrix shows."""
    for gate in gates:
        if gate.verdict in STANDS:
            continue
        text = str(gate.decision) if isinstance(gate, Gate) else gate.reason
        if isinstance(gate, BaselineGate):
            test = gate.test
            pairs = "" if test is None else f"{count(test.pairs, 'pair')}, {test.won:,} won, {test.lost:,} lost"
            text = f"against the baseline ({pairs}): {gate.conclusion}" if pairs else str(gate.conclusion)
        yield from wrapped(text, width, 4, style)


def _note(gate: Gate) -> str:
    """How a suite ended early, or which part of it ran."""
    if gate.part and gate.passes:
        return gate.reason
    return "" if gate.stopped_early is None or not gate.passes else str(stopped_text(gate.stopped_early))


def _figures(summary: SuiteSummary, screen: Screen) -> Iterator[Line]:
    """Figures of a suite's samples; if all passed, only what needs attention."""
    verbose, width = screen.verbose, screen.width
    flawless = summary.whole.rate.lower == 1.0 and not summary.errors
    drawn = _curve(summary, unicode=screen.unicode) if verbose or not flawless else ()
    level = summary.shown_chance_level
    constant = summary.whole.rate.interval().low <= (summary.chance_level or 0.0)
    chance = [f"chance level {level}{': one constant answer may pass as often' if constant else ''}"] if level else []
    chance = chance if verbose or constant else []
    if facts := "; ".join((*drawn, *attention(summary), *chance)):
        yield from wrapped(facts, width, 4)
    errors = list(summary.errors.items())
    for message, times in errors if verbose else errors[:1]:
        text = f"    {count(times, 'error')}: {one_line(message)}"
        yield Line(text if verbose else shorten(text, width), "warn")
    if len(errors) > 1 and not verbose:
        yield Line(f"    and {count(len(errors) - 1, 'other kind')} of error; -v shows them", "dim")
    for text in (*asked_figures(summary, verbose=verbose), *_findings(summary, verbose=verbose)):
        yield from wrapped(text, width, 4)
    if summary.trivial and verbose:
        yield from wrapped(f"trivial formulas: {tally(summary.trivial)}", width, 4, "dim")


def _curve(summary: SuiteSummary, *, unicode: bool) -> Iterator[str]:
    if summary.whole.rate.total:
        drawn = sorted(summary.by_size)
        gaps = (size for size in summary.empty_sizes if drawn and drawn[0] < size < drawn[-1])
        rates = {size: PassRate(0, 0, 0) for size in gaps}
        rates |= {size: part.rate for size, part in summary.by_size.items()}
        yield f"by {summary.size_name}: {curve(rates, _WIDEST_CURVE, unicode=unicode)}"
    if summary.whole.compliant < summary.whole.answers:
        yield f"compliant {_compliant(summary.whole)}"


def attention(summary: SuiteSummary) -> Iterator[str]:
    """What needs attention even if the suite passed."""
    copied = summary.outcomes.get(Outcome.COPIED, 0)
    marked = {
        "copied": copied,
        "leaked": summary.leaked - copied,
        "undecided": summary.whole.rate.undecided,
    }
    for what, number in marked.items():
        if number:
            yield f"{what} {number:,}"
    if summary.empty_sizes:
        yield f"nothing of size {', '.join(map(str, summary.empty_sizes))}"
    if summary.gate.few_samples is not None:
        yield str(summary.gate.few_samples)


def _compliant(part: SizeSummary) -> str:
    return share(ratio(part.compliant, part.answers))


def _findings(summary: SuiteSummary, *, verbose: bool) -> Iterator[str]:
    """The figures of the task, and the horizons that the matrix does not show."""
    yield from summary.figures
    judgement = summary.judgement
    guessed = judgement.curve is not None and judgement.curve.horizon(0.5).rate is not None
    if verbose or guessed:
        yield from horizon_lines(judgement.curve, summary.size_name, verbose=verbose)
    curves = curves_of(summary.samples, summary.size_name).items() if verbose else []
    if others := {name: one.horizon(0.5) for name, one in curves if name != summary.size_name}:
        texts = ", ".join(horizon_text(other, name) for name, other in others.items())
        yield f"{horizon_name(next(iter(others.values())))} of other measures: {texts}"


def asked_figures(summary: SuiteSummary, *, verbose: bool) -> Iterator[str]:
    """Figures that an option asked for: repeats, blame."""
    # With one trial for each formula there are no repeats, and only verbose shows the batches.
    yield from spread_lines(summary.repeats, summary.batches if verbose or summary.repeats is not None else None)
    if summary.blame:
        parts = [f"{summary.blame[half]:,} {words}" for half, words in _HALVES.items() if summary.blame.get(half)]
        yield f"where the meaning was lost: {', '.join(parts)}"


def _compared(gate: BaselineGate, *, verbose: bool) -> Iterator[str]:
    """What a comparison shows besides its line in the table, and how the runs differ."""
    if gate.test is not None and gate.verdict in STANDS:
        yield str(gate.conclusion or "")
    if verbose and gate.shown_detectable is not None:
        yield f"so many pairs find a drop of {points(gate.shown_detectable)} in 80 % of runs, a smaller one in fewer"
    yield from map(str, gate.flags)
    for formulas, whose in ((gate.compared.only_here, "this run"), (gate.compared.only_there, "the baseline")):
        if formulas:
            some = (shorten(one_line(formula), _FORMULA) for formula in formulas[: _MANY if verbose else _FEW])
            yield f"only in {whose}: {count(len(formulas), 'formula')}, such as {', '.join(some)}"


def _slices(slices: Sequence[Slice], *, verbose: bool, width: int) -> Iterator[Line]:
    shown = slices if verbose else slices[:_SLICES]
    for worse in shown:
        more = "" if verbose or len(slices) == len(shown) else f"; {len(slices) - len(shown)} more with -v"
        yield from wrapped(f"fails more often: {worse.text}{more}", width, 4)


def _details(summary: SuiteSummary) -> Iterator[Line]:
    lines = [f"outcomes: {one_line(tally(summary.outcomes))}"] if summary.outcomes else []
    lines.append(calls_text(summary.spent))
    if summary.by_size:
        table = [(summary.size_name, "samples", "pass rate (95 %)", "compliant")]
        for size, part in summary.by_size.items():
            rate = rate_text(part.rate) if part.rate.total else "–"
            table.append((str(size), str(part.rate.total), rate, _compliant(part)))
        lines += aligned(table, left=0)
    yield from (Line(f"    {line}", "dim") for line in lines)


def curve(by_size: Mapping[int, PassRate], columns: int, *, unicode: bool) -> str:
    """A curve of accuracy in at most ``columns`` columns, between the smallest and the largest size.

    A character stands for one or several sizes: the lowest block is 0 %, the full one (``*``) 100 %.
    A dot stands for sizes without an answer.
    """
    if not by_size:
        return ""
    sizes = sorted(by_size)
    number = min(len(sizes), max(2, columns - len(f"{sizes[0]}  {sizes[-1]}")))
    levels = "▁▂▃▄▅▆▇█" if unicode else "0123456789*"
    drawn = ""
    for low, high in pairwise(at * len(sizes) // number for at in range(number + 1)):
        rates = [by_size[size] for size in sizes[low:high]]
        passed, total = sum(rate.passed for rate in rates), sum(rate.total for rate in rates)
        # In integers, so that no rounding decides a level; only a rate of 1 reaches the highest.
        drawn += levels[passed * (len(levels) - 1) // total] if total else "·"
    return f"{sizes[0]} {drawn} {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]} {drawn}"

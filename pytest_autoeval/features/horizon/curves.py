"""The pass rate of a suite over the size of its formulas, its horizons, and the curves over other measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import structs

from pytest_autoeval.features.horizon.fit import LEVELS
from pytest_autoeval.features.horizon.fit import Curve as FittedCurve
from pytest_autoeval.features.horizon.measure import horizon_figure, horizon_name
from pytest_autoeval.features.horizon.passed_by_size import PassedBySize, is_known
from pytest_autoeval.judging.item_groups import by_size
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import AnyBlock, Curve, Figures, Level, Mark, Note, Point, Series
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.suite_summary import SuiteSummary, is_returned

#: Other measures of complexity for which a suite has a curve, if they vary.
MEASURES = ("depth", "quantifiers", "alternation_depth", "temporal_depth", "states")


def curves(summary: SuiteSummary) -> Iterator[AnyBlock]:
    """The curve with its horizons, shown by default if not all passed; then the curves over other measures."""
    fit = PassedBySize.of(summary.items).curve
    # The curve of a suite without any failure is a line at 100 %, which is no news.
    level: Level = "verbose" if summary.is_flawless else "default"
    if summary.whole.rate.total:
        yield _curve_over_size(summary, fit, level)
    yield from _compliance_curves(summary)
    if fit is not None:
        yield from _horizons(summary, fit)
    other_measures = [name for name in MEASURES if name != summary.size_name]
    horizons = []
    for measure, passed in PassedBySize.over(summary.items, other_measures).items():
        values = {value for (value, _, _), _ in passed.counts}
        # A measure with one value for all formulas has no curve.
        if len(values) < 2:
            continue
        curve = passed.curve
        yield _curve_over_measure(measure, summary, curve)
        if curve is not None:
            horizons.append(_other_horizon(measure, curve))
    # After all curves, in one block.
    if horizons:
        yield Figures(tuple(horizons), level="verbose")


def _curve_over_size(summary: SuiteSummary, fit: FittedCurve | None, level: Level) -> Curve:
    """The rate at each size. A size between others without formulas is a gap."""
    drawn = sorted(summary.by_size)
    points = {}
    for size in summary.empty_sizes:
        if drawn[0] < size < drawn[-1]:
            points[size] = Point(size, None, n=0)
    for size, counts in summary.by_size.items():
        rate = rate_figure(counts.rate)
        points[size] = Point(size, rate.value, low=rate.low, high=rate.high, n=rate.n)
    threshold = summary.gate.threshold
    marks = [] if threshold is None else [Mark("threshold", value=threshold)]
    return Curve(
        over=summary.size_name,
        unit="rate",
        series=(
            Series(
                "pass rate", tuple(points[size] for size in sorted(points)), _fitted_points(fit)
            ),
        ),
        marks=(*marks, *_horizon_marks(fit)),
        level=level,
    )


def _compliance_curves(summary: SuiteSummary) -> Iterator[Curve]:
    """The share of answers in the strict syntax at each size; of round trips also that of answers that were parsed.

    A curve is left out if it is a line at 100 %.
    """
    answers = [sample for sample in summary.samples if sample.compliant is not None]
    returned = [sample for sample in summary.samples if is_returned(sample)]
    for title, name, samples, has_form in (
        ("syntactic compliance", "compliant", answers, _is_compliant),
        ("parsed answers", "parsed", returned, _is_parsed),
    ):
        if all(map(has_form, samples)):
            continue
        samples_of_size = by_size(samples)
        points = []
        for size in sorted(summary.by_size):
            share = rate_over(name, samples_of_size.get(size, ()), has_form)
            points.append(Point(size, share.value, low=share.low, high=share.high, n=share.n))
        yield Curve(
            title=title,
            over=summary.size_name,
            unit="rate",
            series=(Series(name, tuple(points)),),
            level="verbose",
        )


def _is_compliant(sample: Sample) -> bool:
    return bool(sample.compliant)


def _is_parsed(sample: Sample) -> bool:
    return sample.translation is not None


def _fitted_points(fit: FittedCurve | None) -> tuple[Point, ...]:
    points = () if fit is None else fit.points
    return tuple(Point(point.size, point.rate, low=point.low, high=point.high) for point in points)


def _horizon_marks(fit: FittedCurve | None) -> Iterator[Mark]:
    """The horizons that lie within the sizes, each at the rate that it stands for."""
    if fit is None:
        return
    for horizon in fit.horizons:
        if not horizon.known or horizon.value is None:
            continue
        # If answers can be guessed, the rate at a horizon is not its level.
        rate = horizon.level if horizon.rate is None else horizon.rate
        yield Mark(
            horizon_name(horizon),
            value=rate,
            x=horizon.value,
            low=horizon.low,
            high=horizon.high,
        )


def _horizons(summary: SuiteSummary, fit: FittedCurve) -> Iterator[AnyBlock]:
    """All horizons, and how the curve was fitted.

    The matrix of a report shows the first horizon. If that is one above guessing, the suite shows it by default too,
    under its whole name.
    """
    figures = [horizon_figure(horizon, summary.size_name, fit.formulas) for horizon in fit.horizons]
    is_above_guessing = fit.horizon(LEVELS[0]).rate is not None
    if is_above_guessing:
        yield Figures(tuple(figures[:1]), level="default")
        figures = figures[1:]
    yield Figures(tuple(figures), level="verbose")
    explanation = _how_fitted(fit)
    yield Note(explanation.text, explanation.values, level="verbose")


def _how_fitted(fit: FittedCurve) -> Sentence:
    """Which curve was fitted, and what its parameters say of easy formulas, of guesses and of the scale of sizes."""
    p = Figure("p of the fit", fit.fit_p, "p")
    if fit.method == "isotonic":
        return sentence(
            "the smooth curve does not fit (p {p}); the horizon is that of rates that never rise",
            p=p,
        )
    text = "the curve fits the rates (p {p})"
    if fit.lapse is not None:
        text += "; by it {lapse} of easy formulas fail"
    if fit.chance and fit.guess is not None:
        text += ", {guess} pass by guessing"
    if fit.scale == "log":
        text += "; it falls with the logarithm of the size"
    lapse = Figure("lapses", fit.lapse, "rate")
    guess = Figure("guessed", fit.guess, "rate")
    return sentence(text, p=p, lapse=lapse, guess=guess)


def _curve_over_measure(measure: str, summary: SuiteSummary, fit: FittedCurve | None) -> Curve:
    """The curve over another measure of the formulas. Undecided samples count as not passed."""
    samples_by_value: dict[float, list[Sample]] = defaultdict(list)
    for tried in summary.items.values():
        # All samples of an item have the measures of its formula.
        value = tried[0].measures.get(measure)
        if is_known(value):
            samples_by_value[value] += tried
    points = []
    for value, samples in sorted(samples_by_value.items()):
        rate = rate_over("pass rate", samples, lambda sample: sample.passed)
        points.append(Point(value, rate.value, low=rate.low, high=rate.high, n=rate.n))
    return Curve(
        title=f"over {_in_words(measure)}",
        over=measure,
        unit="rate",
        series=(Series("pass rate", tuple(points), _fitted_points(fit)),),
        marks=tuple(_horizon_marks(fit)),
        level="verbose",
    )


def _other_horizon(measure: str, fit: FittedCurve) -> Figure:
    """The first horizon over another measure. Its name says so, for a suite has a horizon over its size too."""
    figure = horizon_figure(fit.horizon(LEVELS[0]), "", fit.formulas)
    return structs.replace(figure, name=f"{figure.name} over {_in_words(measure)}")


def _in_words(measure: str) -> str:
    return measure.replace("_", " ")

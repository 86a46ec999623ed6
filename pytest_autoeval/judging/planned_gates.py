"""What the verdict of a planned run will be by luck, as sentences: before anything is paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from pytest_autoeval.judging.mismatch import mismatch
from pytest_autoeval.judging.planned_run import ASSUMED_RATE, PlannedRun, SuiteOfPlan
from pytest_autoeval.record.figure_sentences import listed
from pytest_autoeval.statistics.planned_pairs import ASSUMED_CHURN
from pytest_autoeval.statistics.power import samples_to_decide, smallest_detectable_drop
from pytest_autoeval.statistics.run_plan import (
    POWER,
    Chances,
    PlannedThreshold,
    threshold_chances,
    threshold_factor,
)
from pytest_autoeval.text import count, drop_text, percent, threshold_text

#: Below this chance to pass at the baseline's rate, a suite is named.
_LIKELY_TO_FAIL = 0.5
#: How many suites a sentence names.
_NAMED = 3
#: Shares below it are not shown, and shares above 1 minus it are not shown as 100 %.
_LEAST_SHARE = 0.005


def planned_sentences(run: PlannedRun) -> list[str]:
    """What the verdict on one model will be, in a few sentences; none if nothing is judged."""
    found = [*_comparison(run), *_thresholds(run), *_special(run)]
    return [*found, *_assumptions(run)] if found else []


def _comparison(run: PlannedRun) -> Iterator[str]:
    """What the comparison with the baseline will show. What the runs do not have in common comes first."""
    rules = run.rules
    problem = mismatch(run.overlaps) if rules.judges_falls else None
    if problem is not None:
        yield f"{problem}; to compare them, give the same seed, sizes and samples"
    if run.has_baseline and rules.judges_falls:
        yield from _not_compared(run, said=problem is not None)
        if not run.plan.compared:
            return
    if rules.judges_falls or (
        run.has_baseline and any(suite.gate is not None for suite in run.plan.suites)
    ):
        yield f"if nothing changed, this run is {_verdicts(run.plan.chances())} of runs"
    if rules.judges_falls and problem is None:
        yield from _found(run)
        yield from _asked(run)
        yield from _needed(run)


def _not_compared(run: PlannedRun, *, said: bool) -> Iterator[str]:
    """The suites without pairs. Whether it was ``said`` that the runs have few formulas in common."""
    nothing = not run.plan.compared
    for obstacle, suites in run.obstacles.items():
        if said and all(suite.compared is not None and suite.compared.mismatch for suite in suites):
            continue
        names = "nothing" if nothing else listed([suite.name for suite in suites], _NAMED)
        yield (
            f"{names} can be compared: {obstacle}"
            if nothing
            else f"not compared: {names}: {obstacle}"
        )


def _found(run: PlannedRun) -> Iterator[str]:
    """Which drops are found in 80 % of runs."""
    plan, found = run.plan, []
    several = len(plan.compared) > 1
    assert plan.all_pairs is not None
    over_all = smallest_detectable_drop(plan.all_pairs, alpha=plan.level)
    if several and over_all is not None:
        found.append(f"{drop_text(_rounded_up(over_all))} over all suites")
    each = [smallest_detectable_drop(pairs, alpha=plan.suite_level) for pairs in plan.compared]
    alone = sorted({_rounded_up(drop) for drop in each if drop is not None})
    if alone:
        first = "" if len(alone) == 1 else f"{100 * alone[0]:.10g} to "
        found.append(f"{first}{drop_text(alone[-1])}" + (" in one suite" if several else ""))
    if found:
        yield f"it finds a drop of {', or of '.join(found)}{',' * several} in {_percent(POWER)} of runs"
    if not several:
        blind = "" if alone else "it has too few pairs to find any drop"
    else:
        number = each.count(None)
        blind = (
            f"{number} of {len(each)} suites cannot show any drop alone: too few pairs"
            if number
            else ""
        )
    if blind:
        yield blind


def _asked(run: PlannedRun) -> Iterator[str]:
    """How often the comparison finds the drop in question."""
    plan = run.plan.times(1.0)
    several = len(plan.compared) > 1
    assert plan.all_pairs is not None
    if plan.drop is not None and plan.all_pairs.before >= plan.drop:
        where = " over all suites" if several else ""
        found = plan.chances(plan.drop).red
        yield f"the drop in question, {drop_text(plan.drop)}{where}, is found in {_percent(found)} of runs"
    if plan.suite_drop is not None and plan.suites[plan.hardest].rate >= plan.suite_drop:
        where = " in one suite" if several else ""
        found = plan.chances_of_one(plan.suite_drop).red
        yield f"the drop in question, {drop_text(plan.suite_drop)}{where}, is found in {_percent(found)} of runs"


def _needed(run: PlannedRun) -> Iterator[str]:
    """How many pairs a decision needs."""
    total = run.plan.all_pairs
    assert total is not None
    factor = run.plan.factor_needed()
    both = None not in (run.plan.drop, run.plan.suite_drop)
    if factor == 1.0:
        enough, found = (
            f"its {count(total.pairs, 'pair')} are enough",
            "both drops" if both else "the drop",
        )
        yield f"{enough}: it finds {found}, and is green if nothing changed, in {_percent(POWER)} of runs or more"
    elif factor is not None:
        needed = count(ceil(factor * total.pairs), "pair")
        yield (
            f"to find {'both' if both else 'it'}, and to be green if nothing changed, each in {_percent(POWER)} of "
            f"runs, takes about {needed}; this run has {total.pairs:,} {_times(factor)}"
        )


def _thresholds(run: PlannedRun) -> Iterator[str]:
    """How often a model near the thresholds is judged rightly, over all suites."""
    gates = [suite.gate for suite in run.plan.suites if suite.gate is not None]
    if not gates:
        return
    above, below = (threshold_chances(gates, above=above) for above in (True, False))
    several = len(gates) > 1
    heading = (
        f"thresholds of {len(gates)} suites"
        if several
        else f"threshold {threshold_text(gates[0].threshold)}"
    )
    margin = "5 points above"
    if any(gate.above < gate.threshold + 0.05 - 1e-9 for gate in gates):
        margin += " (or halfway to 100 %)"
    if run.rules.gate == "point":
        red = f"is red{' in some suite' if several else ''} in {_percent(above.red)} of runs"
        yield f"{heading}: a model {margin} {red}, and one 5 points below is green in {_percent(below.green)}"
    else:
        yield f"{heading}: a model {margin} is {_verdicts(above)} of runs, and one 5 points below {_verdicts(below)}"
    factor = threshold_factor(gates)
    if factor is None or factor == 1.0:
        return
    samples = sum(len(suite.record.counted) for suite in run.suites if suite.threshold is not None)
    yield (
        f"to be right about both in {_percent(POWER)} of runs takes about {count(ceil(factor * samples), 'sample')}; "
        f"this run has {samples:,} {_times(factor)}"
    )


def _special(run: PlannedRun) -> Iterator[str]:
    """Suites that cannot do what their gate asks, or will hardly do it; the first ones of each kind."""
    hopeless, unlikely, impossible = [], [], []
    drop = max(run.rules.drop or 0.0, run.rules.suite_drop or 0.0)
    for suite, planned in zip(run.suites, run.plan.suites, strict=True):
        if planned.gate is not None and planned.gate.plan.passing_rate is None:
            hopeless.append(_cannot_pass(suite, planned.gate))
        elif planned.gate is not None and suite.before:
            passes, _ = planned.gate.plan.chances(suite.rate)
            if passes < _LIKELY_TO_FAIL:
                unlikely.append(
                    f"{suite.name} passes its threshold {threshold_text(planned.gate.threshold)} in {_percent(passes)} "
                    f"of runs at the baseline's rate of {percent(suite.rate)} %"
                )
        if suite.before and suite.rate < drop:
            rate = f"the baseline's rate is {percent(suite.rate)} %"
            impossible.append(
                f"{suite.name}: a drop of {drop_text(drop)} cannot occur, since {rate}"
            )
    for sentences in (hopeless, unlikely, impossible):
        yield from sentences[:_NAMED]
        if len(sentences) > _NAMED:
            yield f"the like holds for {count(len(sentences) - _NAMED, 'more suite')}"


def _cannot_pass(suite: SuiteOfPlan, gate: PlannedThreshold) -> str:
    least = samples_to_decide(1.0, gate.threshold, confidence=gate.confidence)
    needs = "" if least is None else f", which needs at least {count(least, 'sample')}"
    return f"{suite.name} cannot pass its threshold {threshold_text(gate.threshold)}{needs}"


def _assumptions(run: PlannedRun) -> Iterator[str]:
    """What the numbers rest on, as far as it matters for them."""
    judged = [suite for suite in run.suites if suite.pairs]
    repeated = any(max(suite.repeats) > 1 for suite in judged)
    compares = bool(judged) and (run.rules.judges_falls or run.has_baseline)
    rates = f"5 points above its threshold, or at {percent(ASSUMED_RATE, 0)} % without one"
    if compares and run.has_baseline:
        others = f" A suite without pairs is assumed to pass {rates}." if run.without_pairs else ""
        yield f"The rates are the baseline's.{others}"
    elif compares:
        yield f"No baseline is given: each suite is assumed to pass {rates}, and the baseline to have the same samples."
    if compares or repeated:
        yield from _churn(run)
    if run.rules.judges_falls and run.plan.effect > 1.0 + 1e-9:
        yield "Formulas that several suites or rows share are taken to change together, which is the worst case."
    if run.rules.judges_falls and repeated:
        yield "A drop is taken to consist of formulas that then always fail, which is hardest to find."
    if run.looks:
        yield "With --autoeval-stop-early each suite is tested at five looks, which finds a little less than this says."
    names = sorted({name for suite in run.suites for name in suite.other_gates})
    if names:
        yield f"Other gates are not included: {', '.join(names)}."


def _churn(run: PlannedRun) -> Iterator[str]:
    """How many answers change by chance, and how this is known."""
    judged = [suite for suite in run.suites if suite.pairs]
    known = [suite for suite in judged if suite.measured is not None]
    unknown = [suite for suite in judged if suite.measured is None]
    if known:
        shown = percent(_mean_churn(known))
        yield f"Repeated answers in it show that {shown} % of answers change by chance from run to run."
    if unknown:
        some = f" in the {count(len(unknown), 'other suite')}" if known else ""
        share = _mean_churn(unknown)
        fewer = (
            f" ({percent(ASSUMED_CHURN, 0)} %, but fewer where nearly all pass)"
            if share < ASSUMED_CHURN
            else ""
        )
        yield (
            f"Assumed{some}: {percent(share, 1 if fewer else 0)} % of answers change by chance from run to run{fewer}. "
            "A baseline with repeats, or of several runs, shows how many do."
        )


def _mean_churn(suites: Sequence[SuiteOfPlan]) -> float:
    """The share of answers that change by chance over all pairs of some suites."""
    pairs = sum(len(suite.pairs) for suite in suites)
    return sum(suite.churn * len(suite.pairs) for suite in suites) / pairs


def _verdicts(chances: Chances) -> str:
    """The shares of verdicts that occur: ``green in 91 %, inconclusive in 6 %, red in 3 %``."""
    shares = zip(("green", "inconclusive", "red"), chances, strict=True)
    return ", ".join(
        f"{name} in {_percent(share)}" for name, share in shares if share >= _LEAST_SHARE
    )


def _percent(share: float) -> str:
    if share < _LEAST_SHARE:
        return "< 1 %"
    if share > 1 - _LEAST_SHARE:
        return "> 99 %"
    return f"{percent(share, 0)} %"


def _times(factor: float) -> str:
    return f"({factor:,.1f} times as many)" if factor < 10 else f"({factor:,.0f} times as many)"


def _rounded_up(drop: float) -> float:
    """A drop, rounded up to a tenth of a point."""
    return min(1.0, ceil(round(1000 * drop, 3)) / 1000)


def merged(gates: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, Sequence[str]]]:
    """Models with equal sentences as one, such as ``3 models, the first: …``; with the sentences."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, sentences in gates:
        if sentences:
            alike.setdefault(tuple(sentences), []).append(name)
    for shown, names in alike.items():
        yield (
            names[0] if len(names) == 1 else f"{count(len(names), 'model')}, the first: {names[0]}",
            shown,
        )

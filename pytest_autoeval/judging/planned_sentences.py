"""What the verdict of a planned run will be by luck, as sentences: before anything is paid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import ceil

from pytest_autoeval.judging.mismatch import mismatch
from pytest_autoeval.judging.planned_run import ASSUMED_RATE, PlannedRun, SuiteOfPlan
from pytest_autoeval.judging.run_differences import other_run
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

#: Below this chance to pass at the baseline's rate, a suite is named: it fails more often than not.
_LIKELY_TO_FAIL = 0.5
#: How many suites a sentence names.
_NAMED = 3
#: Shares below it are not shown, and shares above 1 minus it are not shown as 100 %.
_LEAST_SHARE = 0.005


def planned_sentences(run: PlannedRun) -> list[str]:
    """What the verdict on one model will be, in a few sentences; none if nothing is judged."""
    sentences = [*_comparison(run), *_thresholds(run), *_gates_out_of_reach(run)]
    return [*sentences, *_assumptions(run)] if sentences else []


def _comparison(run: PlannedRun) -> Iterator[str]:
    """What the comparison with the baseline will show. What the runs do not have in common comes first."""
    rules = run.rules
    problem = mismatch(run.overlaps) if rules.judges_falls else None
    if problem is not None:
        other = other_run((overlap.now, overlap.before) for overlap in run.overlaps)
        cause = str(problem) if other is None else f"{other}; {problem}"
        yield f"{cause}; to compare them, give the same seed, sizes and samples"
    if run.has_baseline and rules.judges_falls:
        yield from _not_compared(run, mismatch_is_reported=problem is not None)
        if run.without_a_pair:
            formulas = count(run.without_a_pair, "formula")
            cut_off = f"the baseline was cut off before it asked {formulas} of this run"
            yield f"{cut_off}, which cannot be green; run it to its end"
        if not run.plan.compared:
            return
    has_threshold = any(suite.gate is not None for suite in run.plan.suites)
    if rules.judges_falls or (run.has_baseline and has_threshold):
        chances = run.plan.chances()
        errors = _errors_if_nothing_changed(chances, has_threshold=has_threshold)
        yield f"if nothing changed, this run is {_verdicts(chances)} of runs{errors}"
    # With few common formulas, the power of what is left would only distract from that.
    if rules.judges_falls and problem is None:
        yield from _detectable_drops(run)
        yield from _chance_of_drop_in_question(run)
        # With a suite that cannot be compared the run is never green, whatever the number of pairs.
        if run.plan.complete:
            yield from _needed(run)


def _not_compared(run: PlannedRun, *, mismatch_is_reported: bool) -> Iterator[str]:
    """The suites without pairs. Those with few common formulas are left out if ``mismatch_is_reported``."""
    for obstacle, suites in run.obstacles.items():
        have_mismatch = all(
            suite.compared is not None and suite.compared.mismatch for suite in suites
        )
        if mismatch_is_reported and have_mismatch:
            continue
        if run.plan.compared:
            yield f"not compared: {listed([suite.name for suite in suites], _NAMED)}: {obstacle}"
        else:
            yield f"nothing can be compared: {obstacle}"


def _detectable_drops(run: PlannedRun) -> Iterator[str]:
    """Which drops are found in 80 % of runs, and how many suites cannot show any."""
    plan = run.plan
    assert plan.all_pairs is not None
    drops_of_suites = [
        smallest_detectable_drop(pairs, alpha=plan.suite_level) for pairs in plan.compared
    ]
    in_one_suite = _range(drop for drop in drops_of_suites if drop is not None)
    # The whole run is its only suite, and has one test.
    if len(plan.compared) == 1:
        if in_one_suite:
            yield f"it finds a drop of {in_one_suite} in {_percent(POWER)} of runs"
        else:
            yield "it has too few pairs to find any drop"
        return
    drops = []
    over_all = smallest_detectable_drop(plan.all_pairs, alpha=plan.level)
    if over_all is not None:
        drops.append(f"{drop_text(_rounded_up(over_all))} over all suites")
    if in_one_suite:
        drops.append(f"{in_one_suite} in one suite")
    if drops:
        yield f"it finds a drop of {', or of '.join(drops)}, in {_percent(POWER)} of runs"
    too_few = drops_of_suites.count(None)
    if too_few:
        yield f"{too_few} of {len(drops_of_suites)} suites cannot show any drop alone: too few pairs"


def _range(drops: Iterable[float]) -> str:
    """Drops as text: ``5 points``, ``5 to 12 points``; empty without any."""
    rounded = sorted({_rounded_up(drop) for drop in drops})
    if not rounded:
        return ""
    smallest, largest = rounded[0], rounded[-1]
    if smallest == largest:
        return drop_text(largest)
    return f"{100 * smallest:.10g} to {drop_text(largest)}"


def _chance_of_drop_in_question(run: PlannedRun) -> Iterator[str]:
    """How often the comparison finds the drop in question."""
    # Without thresholds: a run that is red by a threshold did not find the drop.
    plan = run.plan.times(1.0)
    several = len(plan.compared) > 1
    assert plan.all_pairs is not None
    # A rate cannot fall by more than it is.
    if plan.drop is not None and plan.all_pairs.before >= plan.drop:
        where = " over all suites" if several else ""
        share = _percent(plan.chances(plan.drop).red)
        drop = drop_text(plan.drop)
        yield f"the drop in question, {drop}{where}, is found in {share} of runs"
    if plan.suite_drop is not None and plan.suites[plan.hardest].rate >= plan.suite_drop:
        where = " in one suite" if several else ""
        share = _percent(plan.chances_of_one(plan.suite_drop).red)
        drop = drop_text(plan.suite_drop)
        yield f"the drop in question, {drop}{where}, is found in {share} of runs"


def _needed(run: PlannedRun) -> Iterator[str]:
    """How many pairs a decision needs."""
    total = run.plan.all_pairs
    assert total is not None
    factor = run.plan.factor_needed()
    has_two_drops = None not in (run.plan.drop, run.plan.suite_drop)
    if factor == 1.0:
        drops = "both drops" if has_two_drops else "the drop"
        yield (
            f"its {count(total.pairs, 'pair')} are enough: it finds {drops}, and is green if nothing changed, in "
            f"{_percent(POWER)} of runs or more"
        )
    elif factor is not None:
        drops = "both" if has_two_drops else "it"
        needed = count(ceil(factor * total.pairs), "pair")
        yield (
            f"to find {drops}, and to be green if nothing changed, each in {_percent(POWER)} of "
            f"runs, takes about {needed}; this run has {total.pairs:,} {_times(factor)}"
        )


def _thresholds(run: PlannedRun) -> Iterator[str]:
    """How often a model near the thresholds is judged rightly, over all suites."""
    gates = [suite.gate for suite in run.plan.suites if suite.gate is not None]
    if not gates:
        return
    above, below = threshold_chances(gates, above=True), threshold_chances(gates, above=False)
    several = len(gates) > 1
    heading = f"threshold {threshold_text(gates[0].threshold)}"
    if several:
        heading = f"thresholds of {len(gates)} suites"
    margin = "5 points above"
    # Above a threshold of 90 %, halfway to 100 % is nearer than 5 points. The tiny amount is for rounding.
    if any(gate.above < gate.threshold + 0.05 - 1e-9 for gate in gates):
        margin += " (or halfway to 100 %)"
    if run.rules.gate == "point":
        # By points nothing is inconclusive, so that each chance has one wrong verdict.
        where = " in some suite" if several else ""
        red = f"is red{where} in {_percent(above.red)} of runs"
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


def _gates_out_of_reach(run: PlannedRun) -> Iterator[str]:
    """Suites that cannot do what their gate asks, or will hardly do it; the first ones of each kind."""
    hopeless, unlikely, impossible = [], [], []
    drop = max(run.rules.drop or 0.0, run.rules.suite_drop or 0.0)
    for suite, planned in zip(run.suites, run.plan.suites, strict=True):
        gate = planned.gate
        if gate is not None and gate.plan.passing_rate is None:
            hopeless.append(_cannot_pass(suite, gate))
        # Without a baseline the rate is assumed to lie above the threshold, so that this shows nothing.
        elif gate is not None and suite.before:
            passes, _ = gate.plan.chances(suite.rate)
            if passes < _LIKELY_TO_FAIL:
                unlikely.append(
                    f"{suite.name} passes its threshold {threshold_text(gate.threshold)} in {_percent(passes)} "
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
    text = f"{suite.name} cannot pass its threshold {threshold_text(gate.threshold)}"
    fewest = samples_to_decide(1.0, gate.threshold, confidence=gate.confidence)
    if fewest is None:
        return text
    return f"{text}, which needs at least {count(fewest, 'sample')}"


def _assumptions(run: PlannedRun) -> Iterator[str]:
    """What the numbers rest on, as far as it matters for them."""
    judged = [suite for suite in run.suites if suite.pairs]
    repeated = any(max(suite.repeats) > 1 for suite in judged)
    compares = bool(judged) and (run.rules.judges_falls or run.has_baseline)
    rates = f"5 points above its threshold, or at {percent(ASSUMED_RATE, 0)} % without one"
    if compares and run.has_baseline:
        without_pairs = (
            f" A suite without pairs is assumed to pass {rates}." if run.without_pairs else ""
        )
        yield f"The rates are the baseline's.{without_pairs}"
    elif compares:
        yield f"No baseline is given: each suite is assumed to pass {rates}, and the baseline to have the same samples."
    if compares or repeated:
        yield from _churn(run)
    # Only what can change the numbers is said: a plan without clusters assumes nothing about them.
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
    measured = [suite for suite in judged if suite.measured is not None]
    assumed = [suite for suite in judged if suite.measured is None]
    if measured:
        share = percent(_mean_churn(measured))
        yield f"Repeated answers in it show that {share} % of answers change by chance from run to run."
    if assumed:
        where = f" in the {count(len(assumed), 'other suite')}" if measured else ""
        churn = _mean_churn(assumed)
        share = percent(churn, 0)
        explanation = ""
        if churn < ASSUMED_CHURN:
            share = percent(churn, 1)
            explanation = f" ({percent(ASSUMED_CHURN, 0)} %, but fewer where nearly all pass)"
        yield (
            f"Assumed{where}: {share} % of answers change by chance from run to run{explanation}. "
            "A baseline with repeats, or of several runs, shows how many do."
        )
    # Both are shares, and with few pairs one may be 0 % and the other nearly 100 %.
    if run.rules.judges_falls and run.plan.chances().inconclusive >= _LEAST_SHARE:
        yield "Changes by chance cause false alarms. Too few pairs cause missed verdicts, even without such changes."


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


def _errors_if_nothing_changed(chances: Chances, *, has_threshold: bool) -> str:
    """Which of the verdicts that occur would be errors: ``; inconclusive is a missed verdict``."""
    errors = []
    if chances.inconclusive >= _LEAST_SHARE:
        errors.append("inconclusive is a missed verdict")
    # A threshold may be red for a good reason: the baseline itself may lie below it.
    if chances.red >= _LEAST_SHARE and not has_threshold:
        errors.append("red is a false alarm")
    return "".join(f"; {error}" for error in errors)


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
    # Rounded first: a drop of exactly 5 points must not become 5.1 by the noise of floating point.
    tenths = ceil(round(1000 * drop, 3))
    return min(1.0, tenths / 1000)


def merged(models: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, Sequence[str]]]:
    """Names of models with their sentences; models with equal sentences as one, ``3 models, the first: …``."""
    names_of: dict[tuple[str, ...], list[str]] = {}
    for name, sentences in models:
        if sentences:
            names_of.setdefault(tuple(sentences), []).append(name)
    for common_sentences, names in names_of.items():
        name = names[0]
        if len(names) > 1:
            name = f"{count(len(names), 'model')}, the first: {name}"
        yield name, common_sentences

"""The gates of a suite's agreement: do the answers to each sentence agree enough, and as much as in the baseline?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pytest_autoeval.reporting.agreement import (
    MeanAgreement,
    SentenceMeanings,
    largest_class,
    mean_agreement,
    possibly_largest_class,
)
from pytest_autoeval.reporting.judging.baseline import BaselineGate
from pytest_autoeval.reporting.judging.gates import Gate, GateVerdict
from pytest_autoeval.reporting.judging.horizon_gates import obstacle
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import count, drop_text, p_text, percent, rate_text, signed_points, threshold_text
from pytest_autoeval.statistics.agreement import Agreement
from pytest_autoeval.statistics.drops import Decision, confidence_of, judge_drop
from pytest_autoeval.statistics.multiplicity import bonferroni
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.power import smallest_detectable_drop

#: Sorts the formulas of rows by meaning, with the verifier.
MeaningsOf: TypeAlias = Callable[[Iterable[Row]], Sequence[SentenceMeanings]]
_ASKED_OTHERWISE = "sentences have other repeats or paraphrases than in the baseline, and fewer answers agree more"
_UNLIKE = "{} left out, with errors or equal paraphrases in only one of the runs"
_ONE_ANSWER = "no sentence has several answers to compare; --autoeval-repeats or --autoeval-paraphrases asks for more"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementGate:
    """The judged agreement of one suite and model.

    The gate ``agreement`` requires that the share of answers in the largest class is at least ``asked``; ``found`` is
    the measured agreement, None without several answers to a sentence. The gate ``agreement drop`` compares the shares
    with those of the baseline, sentence by sentence: ``drop`` is the drop in question, None if it is not judged, and
    ``test`` the result, None if nothing could be compared. ``reason`` is a sentence: the measurement and the decision.
    """

    kind: Literal["agreement", "agreement drop"]
    suite: str
    model: str
    verdict: GateVerdict
    reason: str
    asked: float | None = None
    found: MeanAgreement | None = None
    drop: float | None = None
    test: PairedTest | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)


def judge_agreement(gate: Gate, asked: float, sentences: Sequence[SentenceMeanings]) -> AgreementGate:
    """Judges the agreement of a suite by the rule of its threshold gate."""
    found = mean_agreement(sentences)
    verdict, reason = obstacle(gate, "agreement")
    if not reason and found is None:
        verdict, reason = "inconclusive", f"agreement: {_ONE_ANSWER}"
    elif not reason and found is not None:
        share = found.share
        low, high = share.lower, share.upper
        if gate.rule == "interval":
            interval = share.interval()
            low, high = interval.low, interval.high
        wanted = f"the required {threshold_text(asked)}"
        whole = ": the whole interval" if gate.rule == "interval" else ""
        measured = f"agreement: {rate_text(share)} of the answers to {count(found.sentences, 'sentence')} are in the "
        measured += "largest class"
        if low >= asked:
            verdict, reason = "passed", f"{measured}{whole} meets {wanted}"
        elif high < asked or gate.rule == "point":
            doubt = ": undecided formulas count as different" if high >= asked else ""
            verdict, reason = "failed", f"{measured}{whole} is below {wanted}{doubt}"
        else:
            verdict, reason = "inconclusive", f"{measured}: {wanted} lies within the interval"
    return AgreementGate(
        kind="agreement",
        suite=gate.suite,
        model=gate.model,
        verdict=verdict,
        reason=reason,
        asked=asked,
        found=found,
    )


def judge_agreement_fall(against: BaselineGate, meanings: MeaningsOf) -> AgreementGate | None:
    """Compares the agreement with that of the baseline; None if no sentence has the same several answers in both."""
    rules, drop = against.rules, against.rules.agreement_drop
    compared = against.compared
    here, there = (
        {(one.item, one.sentence): one for one in meanings(rows)} for rows in (compared.here, compared.there)
    )
    both = [(there[item], one) for item, one in here.items() if item in there]
    is_alike = _asked(compared.here) == _asked(compared.there)
    several = [pair for pair in both if (max if is_alike else min)(len(one.attempts) for one in pair) > 1]
    # Fewer answers agree more: an error, or an equal paraphrase, leaves a sentence with fewer of them in one run.
    pairs = [pair for pair in several if not is_alike or _answered(pair[0]) == _answered(pair[1])]
    unlike = _UNLIKE.format(count(len(several) - len(pairs), "sentence")) if is_alike else _ASKED_OTHERWISE
    if not pairs and drop is None:
        return None
    verdict: GateVerdict = "reported"
    test = None
    if against.interrupted:
        verdict, reason = "interrupted", "interrupted, so that the gate cannot pass"
    elif compared.refusal:
        verdict, reason = "inconclusive", f"not compared: {compared.refusal}"
    elif not pairs:
        verdict, reason = "inconclusive", f"not compared: {unlike if several else _ONE_ANSWER}"
    else:
        shares = [(before.agreement(), after.agreement()) for before, after in pairs]
        trials = [(largest_class(before), largest_class(after)) for before, after in shares]
        test = paired_test(trials)
        reason = _measured(test) + (f"; {unlike}" if len(pairs) < len(several) else "")
        doubt = against.doubt if is_alike else _ASKED_OTHERWISE
        decisions = set() if drop is None or doubt else _decisions(shares, drop, rules.alpha, against.suites)
        if len(decisions) > 1:
            doubt = "the decision depends on formulas that may mean the same"
        if drop is not None and doubt:
            verdict, reason = "inconclusive", f"not judged: {doubt}; {reason}"
        elif drop is not None:
            [verdict] = decisions
            reason = f"{_DECISIONS[verdict].format(drop_text(drop))}; {reason}"
        elif doubt:
            reason += f"; {doubt}"
    return AgreementGate(
        kind="agreement drop",
        suite=against.suite,
        model=against.model,
        verdict=verdict,
        reason=f"agreement against the baseline: {reason}",
        drop=drop,
        test=test,
    )


def _answered(one: SentenceMeanings) -> Counter[tuple[int, int]]:
    return Counter((attempt.repeat, attempt.paraphrase) for attempt in one.attempts)


def _asked(rows: Iterable[Row]) -> set[tuple[int, int]]:
    """The repeats and paraphrases that a run asked for, also where they ended in errors."""
    return {(row.repeat, row.facts.get("paraphrase") or 0) for row in rows}


def _decisions(shares: Sequence[tuple[Agreement, Agreement]], drop: float, alpha: float, suites: int) -> set[Decision]:
    """The decisions for the greatest and for the smallest drop that undecided formulas leave possible."""
    found = set()
    for first, last in ((possibly_largest_class, largest_class), (largest_class, possibly_largest_class)):
        trials = [(first(before), last(after)) for before, after in shares]
        test, level = paired_test(trials), alpha / suites
        adjusted = None if test.p_value is None else bonferroni(test.p_value, suites)
        least = smallest_detectable_drop(test, alpha=level)
        low = paired_test(trials, confidence_of(level)).interval.low
        found.add(judge_drop(low, adjusted, drop=drop, alpha=alpha, detectable=least))
    return found


_DECISIONS: dict[str, str] = {
    "passed": "the data rule out a drop of {} or more",
    "failed": "significantly lower; the data cannot rule out a drop of {} or more",
    "no significant drop": "not significantly lower; a drop of {} would have been detected with 80 % power",
    "inconclusive": "not significantly lower, but so few sentences cannot rule out a drop of {}",
}


def _measured(test: PairedTest) -> str:
    interval = f"95 % interval {signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
    change = f"{percent(test.before)} % before, {percent(test.after)} % now: {signed_points(test.difference)} points"
    return f"{change} ({count(test.pairs, 'sentence')}; {interval}; p {p_text(test.p_value)})"

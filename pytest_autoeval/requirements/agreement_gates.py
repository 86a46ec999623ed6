"""The gates of the agreement: how far the answers to each sentence mean the same.

One gate requires a share, the other one compares it with the baseline's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from pytest_autoeval.judging.added_gates import AddedGate, Judged, SuiteGate
from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gate_verdicts import GateVerdict
from pytest_autoeval.judging.gates import INTERVAL_ERROR, Gate
from pytest_autoeval.judging.rules import Rules, required
from pytest_autoeval.judging.run_differences import suites_in
from pytest_autoeval.record.figure_sentences import (
    confidence,
    given_drop,
    given_rate,
    joined,
    number,
    sentence,
)
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.requirements.agreement import (
    SentenceMeanings,
    largest_class,
    mean_agreement,
    possibly_largest_class,
)
from pytest_autoeval.requirements.agreement_bounds import Agreement
from pytest_autoeval.requirements.meanings import has_sentences, sentence_meanings
from pytest_autoeval.statistics.drops import BoundedTest, Decision
from pytest_autoeval.statistics.paired import PairedTest, paired_test

#: Sorts the formulas of samples by meaning, with the verifier.
MeaningsOf: TypeAlias = Callable[[Iterable[Sample]], Sequence[SentenceMeanings]]
#: A verdict with the sentence about it.
_Judged: TypeAlias = tuple[GateVerdict, Sentence]
_CANNOT = "so that the suite cannot pass"
_ASKED_OTHERWISE = Sentence(
    "sentences have other repeats or paraphrases than in the baseline, and fewer answers agree more"
)
_ONE_ANSWER = Sentence(
    "this model gave no sentence several answers to compare, and other models do not count; --autoeval-repeats or "
    "--autoeval-paraphrases asks for more"
)


class AgreementGate(SuiteGate):
    """Requires a share of answers in the largest class of their sentence."""

    kind = "agreement"

    def wanted(self, suite: SuiteRecord, rules: Rules) -> bool:
        return _asked_share(suite, rules) is not None and has_sentences(suite.counted)

    def judge(self, judged: Judged) -> AddedGate | None:
        threshold = _asked_share(judged.suite, judged.rules)
        if threshold is None or not has_sentences(judged.suite.counted):
            return None
        return judge_agreement(judged.gate, threshold, sentence_meanings(judged.suite.counted))


class AgreementDropGate(SuiteGate):
    """Compares the share of answers in the largest class of their sentence with that of the baseline."""

    kind = "agreement drop"
    compares = True

    def wanted(self, suite: SuiteRecord, rules: Rules) -> bool:
        return rules.agreement_drop is not None and has_sentences(suite.counted)

    def judge(self, judged: Judged) -> AddedGate | None:
        if judged.comparison is None or not has_sentences(judged.suite.counted):
            return None
        return judge_agreement_fall(judged.comparison)


def _asked_share(suite: SuiteRecord, rules: Rules) -> float | None:
    if suite.asked.ungated:
        return None
    return required(suite.asked.agreement, rules.agreement, anew="agreement" in rules.anew)


def judge_agreement(
    gate: Gate, threshold: float, sentences: Sequence[SentenceMeanings]
) -> AddedGate:
    """Judges the agreement of a suite by the rule of its threshold gate.

    It is not judged for the same reasons as the pass rate.
    """
    verdict, why = _obstacle(gate) or _required(gate, threshold, sentences)
    return AddedGate(
        kind="agreement",
        suite=gate.suite,
        model=gate.model,
        verdict=verdict,
        explanation=sentence("agreement: {why}", why=why),
        figures=(given_rate("required agreement", threshold),),
    )


def _obstacle(gate: Gate) -> _Judged | None:
    # What ended the run comes before what it measured: a part of the answers may agree more than all of them.
    if gate.interrupted:
        return gate.verdict, Sentence(f"interrupted, {_CANNOT}")
    if gate.errors:
        text = f"{{errors}} of {{samples}} ended in an error, {_CANNOT}"
        return "failed", sentence(
            text, errors=number(gate.errors, name="errors"), samples=number(gate.samples, "sample")
        )
    if gate.stopped_early is not None:
        return "inconclusive", Sentence("not judged, because the suite was stopped early")
    if gate.part:
        return "reported", sentence(
            "part {part}; `report` judges all parts together", part=gate.part
        )
    return None


def _required(gate: Gate, threshold: float, sentences: Sequence[SentenceMeanings]) -> _Judged:
    mean = mean_agreement(sentences)
    if mean is None:
        return "inconclusive", _ONE_ANSWER
    share, requirement = mean.share, given_rate("required agreement", threshold)
    # The interval of the gate shares its error with the suite's other gates; the shown one has the usual 95 %.
    is_interval = gate.rule == "interval"
    ends, shown_ends = share.interval(gate.confidence), share.interval()
    # Undecided formulas leave the share itself open: it lies between the lower and the upper one.
    low, high = (ends.low, ends.high) if is_interval else (share.lower, share.upper)
    measured = sentence(
        "{share} of the answers to {sentences} are in the largest class",
        share=Figure(
            "agreement",
            share.lower,
            "rate",
            low=shown_ends.low,
            high=shown_ends.high,
            upper=share.upper,
            n=share.total,
        ),
        sentences=number(mean.sentences, "sentence"),
    )
    if is_interval and gate.confidence != 1.0 - INTERVAL_ERROR:
        measured = sentence(
            "{shown} ({confidence} interval, shared with the suite's other gates: {interval})",
            shown=measured,
            confidence=confidence(gate.confidence),
            interval=Figure(
                "interval", None, "rate", low=ends.low, high=ends.high, confidence=gate.confidence
            ),
        )
    subject = "the whole interval" if is_interval else "this share"

    def decided(text: str) -> Sentence:
        return sentence(text, shown=measured, wanted=requirement)

    if low >= threshold:
        return "passed", decided(f"{{shown}}: {subject} meets the required {{wanted}}")
    if high < threshold:
        return "failed", decided(f"{{shown}}: {subject} is below the required {{wanted}}")
    if is_interval:
        return "inconclusive", decided("{shown}: the required {wanted} lies within the interval")
    return "failed", decided(
        "{shown}: this share is below the required {wanted}, since undecided formulas count as different"
    )


class _ComparedSentences(NamedTuple):
    """The sentences with several answers in both runs, each with its meanings before and now.

    ``number_comparable`` counts these and those that are left out, and ``unlike`` says why they are: if both runs asked
    the same (``is_alike``), a sentence needs the same answers in both.
    """

    pairs: Sequence[tuple[SentenceMeanings, SentenceMeanings]]
    number_comparable: int
    is_alike: bool
    unlike: Sentence


def judge_agreement_fall(
    against: BaselineGate, meanings: MeaningsOf = sentence_meanings
) -> AddedGate | None:
    """Compares the agreement with that of the baseline; None if no sentence has the same several answers in both."""
    compared = _compared_sentences(against, meanings)
    drop = against.rules.agreement_drop
    # Nobody asked for this gate, so its silence is no loss.
    if not compared.pairs and drop is None:
        return None
    test = None
    if (obstacle := _why_not_compared(against)) is not None:
        verdict, why = obstacle
    elif not compared.pairs:
        reason = compared.unlike if compared.number_comparable else _ONE_ANSWER
        verdict, why = "inconclusive", sentence("not compared: {why}", why=reason)
    else:
        shares = [(before.agreement(), after.agreement()) for before, after in compared.pairs]
        trials = [(largest_class(before), largest_class(after)) for before, after in shares]
        test = paired_test(trials, against.confidence)
        lacks_sentences = len(compared.pairs) < compared.number_comparable
        measured = joined([_measured(test, against), compared.unlike if lacks_sentences else None])
        doubt = against.doubt if compared.is_alike else _ASKED_OTHERWISE
        verdict, why = _judged_drop(shares, against, measured, doubt)
    return AddedGate(
        kind="agreement drop",
        suite=against.suite,
        model=against.model,
        verdict=verdict,
        explanation=sentence("agreement against the baseline: {why}", why=why),
        compares=True,
        title="answers in the largest class of their sentence",
        items="sentences",
        drop=drop,
        test=test,
    )


def _compared_sentences(against: BaselineGate, meanings: MeaningsOf) -> _ComparedSentences:
    compared = against.compared
    now = meanings(compared.now.counted)
    earlier = meanings(() if compared.before is None else compared.before.counted)
    common = _of_equal_sentences(earlier, now)
    # Several runs that are one baseline have more answers to a sentence than one run.
    one_run = compared.before is None or len(suites_in(compared.before)) == 1
    if not one_run or _asked(compared.now) != _asked(compared.before):
        pairs = [pair for pair in common if min(map(_number_of_answers, pair)) > 1]
        return _ComparedSentences(pairs, len(pairs), is_alike=False, unlike=_ASKED_OTHERWISE)
    # With the same questions, a single answer in one run is due to errors or equal paraphrases: it is counted here.
    comparable = [pair for pair in common if max(map(_number_of_answers, pair)) > 1]
    # Fewer answers agree more: an error, or an equal paraphrase, leaves a sentence with fewer of them in one run.
    pairs = [
        (before, after) for before, after in comparable if _answered(before) == _answered(after)
    ]
    text = "{sentences} left out, with errors or equal paraphrases in only one of the runs"
    unlike = sentence(text, sentences=number(len(comparable) - len(pairs), "sentence"))
    return _ComparedSentences(pairs, len(comparable), is_alike=True, unlike=unlike)


def _of_equal_sentences(
    earlier: Sequence[SentenceMeanings], now: Sequence[SentenceMeanings]
) -> list[tuple[SentenceMeanings, SentenceMeanings]]:
    """The meanings of the sentences that both runs have, by their ids and texts.

    A sentence of several files is compared in each of them. One that each run has in one file alone may have moved.
    """
    in_files = {(*_key_of(meaning), _file_of(meaning)): meaning for meaning in earlier}
    by_sentence = {_key_of(meaning): meaning for meaning in earlier}
    times_now, times_earlier = Counter(map(_key_of, now)), Counter(map(_key_of, earlier))
    common = []
    for meaning in now:
        key = _key_of(meaning)
        before = in_files.get((*key, _file_of(meaning)))
        if before is None and times_now[key] == times_earlier[key] == 1:
            before = by_sentence[key]
        if before is not None:
            common.append((before, meaning))
    return common


def _key_of(meaning: SentenceMeanings) -> tuple[str, str]:
    return meaning.own_id, meaning.sentence


def _file_of(meaning: SentenceMeanings) -> str:
    return meaning.place.rpartition(":")[0]


def _number_of_answers(meaning: SentenceMeanings) -> int:
    return len(meaning.attempts)


def _judged_drop(
    shares: Sequence[tuple[Agreement, Agreement]],
    against: BaselineGate,
    measured: Sentence,
    doubt: Sentence | None,
) -> _Judged:
    """The verdict on the drop in question, with what was measured; a doubt leaves it open."""
    drop = against.rules.agreement_drop
    if drop is None:
        return "reported", joined([measured, doubt])
    if doubt is None:
        decisions = _decisions(shares, drop, against)
        # Only a decision that both extremes share is made: a guess about undecided formulas could fail a suite.
        if len(decisions) == 1:
            [decision] = decisions
            text = f"{_DECISIONS[decision]}; {{why}}"
            return decision, sentence(text, drop=given_drop(drop), why=measured)
        doubt = Sentence("the decision depends on formulas that may mean the same")
    return "inconclusive", sentence("not judged: {doubt}; {why}", doubt=doubt, why=measured)


def _why_not_compared(against: BaselineGate) -> _Judged | None:
    """The verdict without a comparison, and the reason; None if the suite can be compared."""
    # First, since a part has no verdict of its own: its sentences are not all there.
    if against.part and against.rules.agreement_drop is not None:
        return "reported", sentence(
            "part {part}; `report` judges all parts together", part=against.part
        )
    if against.interrupted:
        return "interrupted", Sentence("interrupted, so that the gate cannot pass")
    if against.compared.refusal is not None:
        return "inconclusive", sentence("not compared: {refusal}", refusal=against.compared.refusal)
    return None


def _answered(sentence_meaning: SentenceMeanings) -> Counter[tuple[int, int]]:
    return Counter((attempt.repeat, attempt.paraphrase) for attempt in sentence_meaning.attempts)


def _asked(suite: SuiteRecord | None) -> set[tuple[int, int]]:
    """The repeats and paraphrases that a run asked for, also where they ended in errors."""
    return (
        set() if suite is None else {(sample.repeat, sample.paraphrase) for sample in suite.regular}
    )


def _decisions(
    shares: Sequence[tuple[Agreement, Agreement]], drop: float, against: BaselineGate
) -> set[Decision]:
    """The decisions for the greatest and for the smallest drop that undecided formulas leave possible."""
    decisions: set[Decision] = set()
    # Undecided formulas that are equal before and different now make the drop greatest, and the reverse smallest.
    for count_before, count_after in (
        (possibly_largest_class, largest_class),
        (largest_class, possibly_largest_class),
    ):
        trials = [(count_before(before), count_after(after)) for before, after in shares]
        test = paired_test(trials, against.confidence)
        decisions.add(BoundedTest(test, test).decision(drop, against.level))
    return decisions


_DECISIONS: dict[str, str] = {
    "passed": "the data rule out a drop of {drop} or more",
    "failed": "significantly lower",
    "inconclusive": "not significantly lower, but so few sentences cannot rule out a drop of {drop} or more",
}


def _measured(test: PairedTest, against: BaselineGate) -> Sentence:
    p = (
        Sentence("")
        if test.p_value is None
        else sentence("; {p}", p=against.p_values(test.p_value))
    )
    return sentence(
        "{before} before, {after} now: {difference} points ({sentences}; {interval}{p})",
        before=Figure("agreement before", test.before, "rate"),
        after=Figure("agreement now", test.after, "rate"),
        difference=Figure("difference", test.difference, "points", n=test.pairs),
        sentences=number(test.pairs, "sentence"),
        interval=against.interval(test.interval.low, test.interval.high),
        p=p,
    )

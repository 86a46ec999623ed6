"""The judgement of a suite: all of its gates, from what was asked and its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field, structs

from pytest_autoeval.judging.added_gates import (
    AddedGate,
    Judged,
    SuiteGate,
    judged_by_user,
    shipped_gates,
)
from pytest_autoeval.judging.baseline import BaselineGate, judge_comparison
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gate_verdicts import STANDS, WORST_FIRST, GateVerdict, worst
from pytest_autoeval.judging.gates import INTERVAL_ERROR, Extent, Gate
from pytest_autoeval.judging.item_groups import Item, SuiteKey, by_item, item_of, pass_rate
from pytest_autoeval.judging.rules import Rules, required
from pytest_autoeval.judging.stopped_sentences import stopped_text
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.distinct_samples import number_of_distinct
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.statistics.look_levels import LOOKS, confidence_at

AnyGate: TypeAlias = "Gate | AddedGate | BaselineGate"
#: Everything that was planned ran.
WHOLE = Extent()


class SuiteJudgement(Struct, frozen=True, kw_only=True):
    """The gates of one suite, judged by ``rules``.

    ``gate`` is the gate over the threshold, which every suite has. ``comparison`` is set with a baseline. ``added`` are
    the gates of plugins and of the user; ``own`` is what those of the user said.
    """

    gate: Gate
    rules: Rules = field(default_factory=Rules)
    comparison: BaselineGate | None = None
    added: Sequence[AddedGate] = ()
    own: tuple[GateResult, ...] = ()

    @property
    def key(self) -> SuiteKey:
        """The number of the suite."""
        return self.gate.number

    @property
    def gates(self) -> list[AnyGate]:
        """All gates, those that compare with the baseline last."""
        gates: list[AnyGate] = [self.gate]
        gates += [gate for gate in self.added if not gate.compares]
        if self.comparison is not None:
            gates.append(self.comparison)
        gates += [gate for gate in self.added if gate.compares]
        return gates

    @property
    def worst_first(self) -> list[AnyGate]:
        """All gates, those with the verdict of the suite first: their reasons are why the suite ends as it does."""
        return sorted(self.gates, key=lambda gate: WORST_FIRST.index(gate.verdict))

    @property
    def verdict(self) -> GateVerdict:
        return worst(gate.verdict for gate in self.gates)

    @property
    def ends_with_errors(self) -> bool:
        """Whether errors fail the suite although nothing else judges it."""
        if self.gate.verdict != "failed":
            return False
        # A part of a suite is not judged: only its errors, or that it has no sample, can have failed it.
        if self.gate.part:
            return True
        other_verdicts = {gate.verdict for gate in self.gates if gate is not self.gate}
        other_gate_judges = not other_verdicts <= {"reported", "with the run"}
        return self.gate.threshold is None and not other_gate_judges

    @property
    def passes(self) -> bool:
        return self.verdict in STANDS

    @property
    def explanations(self) -> list[Sentence]:
        """A sentence from each gate that does not pass, the worst first; else from each that judged, or the first."""
        judging = [gate for gate in self.worst_first if gate.verdict != "reported"]
        not_passed = [gate for gate in judging if gate.verdict != "passed"]
        explained = not_passed or judging or [self.gate]
        stopped = self.gate.stopped_early
        sentences = []
        # The gate over the threshold says so itself.
        if stopped is not None and self.gate not in explained:
            sentences.append(stopped_text(stopped))
        for gate in explained:
            # Only the gate over the baseline needs a name: the others say what they judge.
            text = "against the baseline: {why}" if gate.kind == "baseline" else "{why}"
            sentences.append(sentence(text, why=gate.explanation))
        return sentences

    @property
    def reasons(self) -> list[str]:
        """The explanations as plain text."""
        return [str(explanation) for explanation in self.explanations]

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)


def judge_suite(  # noqa: PLR0913 (a suite, its rules, and what its samples do not say)
    suite: SuiteRecord,
    rules: Rules,
    *,
    extent: Extent = WHOLE,
    baseline: Baseline | None = None,
    suites: int = 1,
    own: Sequence[GateResult] | None = None,
    rows_left_out: Sequence[str] = (),
    items: Mapping[Item, Sequence[Sample]] | None = None,
) -> SuiteJudgement:
    """Judges a suite.

    ``suites`` is the number of suites of the run, for the correction of p-values against the ``baseline``. A suite's
    own threshold overrides that of ``rules``, unless they judge anew. ``own`` is what the gates of the user say; by
    default what the end of the suite has. ``rows_left_out`` are those of a suite that has no end yet. ``items`` are
    the samples that count by item, if they are grouped already.
    """
    regular, samples = suite.regular, suite.counted
    # The files of several runs may ask about other items under one index.
    distinct = number_of_distinct(regular, lambda sample: (sample.key, item_of(sample)))
    doubled = len(regular) - distinct
    unverified = sum(sample.outcome == Outcome.NOT_VERIFIED for sample in samples)
    # A test that verifies nothing ends after its first samples. The others would end alike, so nothing is missing.
    verifies_nothing = 0 < unverified == len(samples)
    lacks_samples = extent.incomplete(len(regular)) and not verifies_nothing
    extent = structs.replace(extent, interrupted=extent.interrupted or lacks_samples or doubled > 0)
    # A sample that ran twice makes the suite interrupted, whatever the budget did.
    ran = structs.replace(extent, spent="" if doubled else extent.spent)
    look = _look(suite, extent)
    comparison = None
    # A suite that the budget left without samples is compared too: the whole run lacks it.
    if baseline is not None and (regular or ran.spent):
        compared = baseline.compared_with(suite)
        comparison = judge_comparison(compared, rules, extent=ran, suites=suites, look=look)
    rate = pass_rate(by_item(samples) if items is None else items)
    threshold = required(suite.asked.threshold, rules.threshold, anew="threshold" in rules.anew)
    added_gates = shipped_gates(suite) if samples else []
    error = INTERVAL_ERROR
    if rules.gate == "interval":
        error /= _number_of_intervals(suite, rules, threshold, added_gates)
    # Points have no error that looks could share.
    has_looks = bool(look) and rules.gate == "interval"
    gate = Gate(
        number=suite.number,
        suite=suite.name,
        model=suite.model,
        samples=len(samples),
        passed=rate.passed,
        undecided=rate.undecided,
        errors=len(samples) - rate.total,
        unverified=unverified,
        threshold=threshold,
        equal=len(regular) - len(samples),
        doubled=doubled,
        rule=rules.gate,
        design_effect=rate.design_effect,
        # A test that asks no model says nothing about it.
        default_model=suite.asked.default_model and any(sample.calls for sample in samples),
        ungated=suite.asked.ungated or "",
        confidence=confidence_at(look, error) if has_looks else 1.0 - error,
        look=look if has_looks else 0,
        # A gate is an `Extent` too.
        **structs.asdict(ran),
    )
    # The other gates judge once, and not at each look.
    judged = Judged(
        suite=suite,
        rules=rules,
        gate=structs.replace(gate, confidence=1.0 - error),
        comparison=comparison,
        rows_left_out=rows_left_out if suite.end is None else suite.end.rows_left_out,
    )
    judgements = [added_gate.judge(judged) for added_gate in added_gates]
    if own is None:
        own = () if suite.end is None else suite.end.gates
    return SuiteJudgement(
        gate=gate,
        rules=rules,
        comparison=comparison,
        added=(
            *(judgement for judgement in judgements if judgement is not None),
            *judged_by_user(own, gate),
        ),
        own=tuple(own),
    )


def _number_of_intervals(
    suite: SuiteRecord, rules: Rules, threshold: float | None, added_gates: Sequence[SuiteGate]
) -> int:
    """How many intervals judge the suite, at least 1. They share one error, or several would fail more often than one.

    Gates that compare with the baseline have an error of their own.
    """
    sharing_gates = [
        gate
        for gate in added_gates
        if gate.has_interval and not gate.compares and gate.wanted(suite, rules)
    ]
    own_interval = 0 if threshold is None else 1
    return max(1, len(sharing_gates) + own_interval)


def _look(suite: SuiteRecord, extent: Extent) -> int:
    """The planned look at which a suite is judged: the one that ended it, or the last; 0 if it is judged once."""
    if extent.stopped_early is not None:
        return extent.stopped_early.look
    return LOOKS if suite.asked.looks else 0

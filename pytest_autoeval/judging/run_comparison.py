"""A whole run against a baseline: what is compared, and the verdict on all suites together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gate_verdicts import GateVerdict
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.statistics.drops import BoundedTest
from pytest_autoeval.statistics.paired import PairedTest
from pytest_autoeval.statistics.run_verdict import run_decision


class RunComparison(Struct, frozen=True, kw_only=True):
    """All suites of one model against the same formulas of an earlier run, and the verdict on them together.

    ``gates`` are the comparisons of the suites. ``test`` has all pairs that both runs answered, and ``bounds`` also
    those that ended in errors: it decides. ``level`` is the one-sided level of the test. ``needed`` is the number of
    pairs needed to decide on the drop of ``rules`` in 80 % of runs; None if there are enough. ``fallen`` are the suites
    that fell by the method of Benjamini and Hochberg, those with the largest drop first: a list, and no gate.
    ``interrupted``: not all suites ran to their end. ``gone`` is the number of suites of the baseline that were not
    asked. ``part`` is the part of the run, such as ``2/5``, or empty. ``missing`` says which parts the run lacks, if
    nothing else cut it off.
    """

    model: str
    rules: Rules
    gates: Sequence[BaselineGate]
    level: float
    test: PairedTest | None
    bounds: BoundedTest | None
    needed: int | None
    fallen: Sequence[BaselineGate]
    interrupted: bool
    gone: int = 0
    part: str = ""
    missing: str = ""

    @property
    def drop(self) -> float | None:
        return self.rules.drop

    @property
    def baseline_models(self) -> list[str]:
        """The models of the baseline that the suites are compared with."""
        return sorted(
            {gate.compared.before.model for gate in self.gates if gate.compared.before is not None}
        )

    @property
    def compared(self) -> list[BaselineGate]:
        """The suites with pairs."""
        return [gate for gate in self.gates if gate.bounds is not None]

    @property
    def new(self) -> list[BaselineGate]:
        """The suites that the baseline does not have."""
        return [gate for gate in self.gates if gate.compared.is_new]

    @property
    def refused(self) -> list[BaselineGate]:
        """The suites that cannot be compared although the baseline has them."""
        return [gate for gate in self.gates if gate.bounds is None and not gate.compared.is_new]

    @property
    def without_all_pairs(self) -> list[BaselineGate]:
        """The suites that the run of the baseline began, and was cut off before it had asked all of their formulas."""
        return [gate for gate in self.gates if gate.compared.lacks_pairs]

    @property
    def doubtful(self) -> list[BaselineGate]:
        """The suites that the baseline has, whose samples were chosen by their results, or did not all run.

        Of a suite that the budget left without samples there is no pair, and yet the whole run lacks it.
        """
        return [gate for gate in self.gates if gate.doubt is not None and not gate.compared.is_new]

    @property
    def by_themselves(self) -> list[BaselineGate]:
        """The suites that fell significantly by themselves, the largest drop first."""
        return largest_drop_first(
            [gate for gate in self.gates if gate.verdict == "failed" and gate.fell]
        )

    @property
    def fell(self) -> bool:
        """Whether the pass rate over all pairs is significantly lower than the baseline's."""
        return self.bounds is not None and self.bounds.fell(self.level)

    @property
    def judged(self) -> bool:
        """Whether all suites ran as planned, so that their pairs can be judged together."""
        return self.bounds is not None and not (self.interrupted or self.part or self.doubtful)

    @property
    def fell_over_all_suites(self) -> bool:
        """Whether the whole run fails because all pairs together fell, whatever its suites did by themselves."""
        return self.verdict == "failed" and self.judged and self.fell

    @property
    def verdict(self) -> GateVerdict:
        """The verdict on all suites together."""
        if not self.rules.judges_falls or self.part:
            return "reported"
        # Pairs that are missing, or were chosen by their results, are judged suite by suite, and not together.
        decision = run_decision(
            self.bounds if self.judged else None,
            level=self.level,
            drop=self.drop,
            fell_alone=bool(self.by_themselves),
            excluded_alone=self.excluded_alone,
        )
        # A suite that fell by itself fails the run, also if others did not run.
        if decision == "failed":
            return "failed"
        if self.interrupted:
            return "interrupted"
        # A suite that cannot be compared, although the baseline has it, may hide a fall. So may formulas of a suite.
        return "inconclusive" if self.refused or self.without_all_pairs else decision

    @property
    def excludes_drop(self) -> bool:
        """Whether the drop in question is excluded over all pairs; true if it is not asked of them."""
        return self.drop is None or (self.bounds is not None and self.bounds.excludes(self.drop))

    @property
    def excluded_alone(self) -> bool:
        """Whether the drop in question is excluded in each suite; true if it is not asked of them."""
        return self.rules.suite_drop is None or all(
            gate.verdict == "passed" for gate in self.compared
        )


def largest_drop_first(gates: Iterable[BaselineGate]) -> list[BaselineGate]:
    """The comparisons in the order of their differences, which are negative for drops."""
    return sorted(gates, key=lambda gate: 0.0 if gate.test is None else gate.test.difference)

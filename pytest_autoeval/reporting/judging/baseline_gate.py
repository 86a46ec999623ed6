"""The gate against a baseline: is a suite worse than it was, and are there enough samples to show it?"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

from pytest_autoeval.reporting.judging.verdict import GateVerdict
from pytest_autoeval.reporting.text import count, drop_text, p_text, points, signed_points
from pytest_autoeval.statistics.drops import Decision
from pytest_autoeval.statistics.paired import PairedTest


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineGate:
    """A suite and model against the same formulas of an earlier run.

    ``test`` is None where nothing could be compared, and ``refusal`` says why. ``drop`` is the drop asked about, from
    0 to 1, None where the comparison is reported and not judged; ``alpha`` the level. ``p_corrected`` is the
    p-value after Bonferroni's correction over ``suites``, the number of suites and models of the run. ``detectable`` is
    the smallest drop that so many pairs show with 80 % power at the corrected level; ``needed`` is how many pairs the
    drop asked about takes, where that is more than there are. ``decision`` is what the numbers say of the drop,
    ``doubt`` why they cannot be taken at their word. ``flags`` name other differences of the runs; ``only_here`` and
    ``only_there`` are formulas of one run alone.
    """

    kind: ClassVar[Literal["baseline"]] = "baseline"

    suite: str
    model: str
    baseline_model: str | None = None
    test: PairedTest | None = None
    p_corrected: float | None = None
    detectable: float | None = None
    needed: int | None = None
    drop: float | None = None
    alpha: float = 0.05
    suites: int = 1
    decision: Decision = "inconclusive"
    refusal: str = ""
    doubt: str = ""
    interrupted: bool = False
    flags: tuple[str, ...] = ()
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The suite with its model, as headings show it."""
        return f"{self.suite}[{self.model}]"

    @property
    def pairs(self) -> int:
        """How many formulas were compared."""
        return self.test.pairs if self.test is not None else 0

    @property
    def shown_detectable(self) -> float | None:
        """The smallest drop that can be detected, to a tenth of a point, rounded so that it still can be."""
        return None if self.detectable is None else min(1.0, ceil(round(1000.0 * self.detectable, 3)) / 1000.0)

    @property
    def verdict(self) -> GateVerdict:
        """The verdict; an interrupted run is not judged, and without a decision it is inconclusive."""
        if self.drop is None:
            return "reported"
        if self.interrupted:
            return "interrupted"
        if self.refusal or self.doubt or not self.pairs:
            return "inconclusive"
        return self.decision

    @property
    def passes(self) -> bool:
        """Whether the suite stands."""
        return self.verdict in ("passed", "reported")

    @property
    def inconclusive(self) -> bool:
        """Whether the pairs decide neither way."""
        return self.verdict == "inconclusive"

    @property
    def reason(self) -> str:
        """One sentence: what was measured, and what decided."""
        if self.test is None or self.verdict == "reported":
            return self._measured or self.conclusion
        return f"{self.conclusion}; {self._measured}"

    @property
    def conclusion(self) -> str:
        """What decided, without the numbers; empty where nothing was to be decided."""
        if self.refusal or self.test is None:
            return f"not compared: {self.refusal or 'there is nothing to compare'}"
        if self.drop is None:
            return ""
        if self.interrupted:
            return "interrupted, so that the gate cannot pass"
        return f"not judged: {self.doubt}" if self.doubt else self._why(self.test, self.drop)

    def _why(self, test: PairedTest, drop: float) -> str:
        asked = f"a drop of {drop_text(drop)}"
        worse = self.p_corrected is not None and self.p_corrected < self.alpha
        if self.decision == "failed":
            return f"significantly worse, and {asked} or more is not excluded"
        if self.decision == "passed" and -test.interval.low < drop:
            return f"{'significantly worse, but ' if worse else ''}{asked} or more is excluded"
        begin = "no significant drop"
        if self.decision == "passed":
            return f"{begin}, and one of {asked.removeprefix('a drop of ')} would show with 80 % power"
        shown = self.shown_detectable
        least = "none" if shown is None else f"only drops of {points(shown)} or more"
        needs = "" if self.needed is None else f"; {asked} needs about {count(self.needed, 'pair')}"
        return f"{begin}, but {count(self.pairs, 'pair')} show {least} with 80 % power{needs}"

    @property
    def _measured(self) -> str:
        test = self.test
        if test is None:
            return ""
        interval = f"95 % interval {signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
        corrected = (
            f", after Bonferroni {p_text(self.p_corrected)}" if self.p_corrected is not None and self.suites > 1 else ""
        )
        p = f"; p {p_text(test.p_value)}{corrected}" if test.p_value is not None else ""
        return (
            f"{count(test.pairs, 'pair')}, {test.won} won, {test.lost} lost: {signed_points(test.difference)} points "
            f"({interval}{p})"
        )

"""The rules by which a run is judged, and how its tests share their error rate."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pytest_autoeval.statistics.drops import confidence_of
from pytest_autoeval.statistics.look_levels import share_of_look

#: Whether a threshold is compared with the pass rate or with its exact interval.
Rule = Literal["point", "interval"]


class Rules(Struct, frozen=True, kw_only=True):
    """The rules by which a run is judged.

    ``threshold`` is the pass rate, from 0 to 1, for suites without one; ``gate`` how it is compared. ``drop`` is the
    drop against the baseline, from 0 to 1, that the whole run must exclude, and ``suite_drop`` the one that each suite
    must exclude; without either the comparison is only reported. ``agreement`` is the required share of answers in the
    largest class of their sentence, for suites of sentences without one; ``agreement_drop`` is the drop of this share
    that a suite must exclude. ``alpha`` is the one-sided level of all tests against the baseline together. ``anew`` are
    the names of the rules that count instead of those of a suite.
    """

    threshold: float | None = None
    gate: Rule = "point"
    alpha: float = 0.05
    drop: float | None = None
    suite_drop: float | None = None
    agreement: float | None = None
    agreement_drop: float | None = None
    anew: frozenset[str] = frozenset()

    @property
    def judges_falls(self) -> bool:
        """Whether a fall of the pass rate against the baseline fails the run."""
        return self.drop is not None or self.suite_drop is not None

    @property
    def confidence(self) -> float:
        """The confidence of the intervals of all differences to the baseline. Their lower ends exclude a drop.

        It is not corrected: a run passes only if all drops in question are excluded, so that it errs no more often than
        one of them.
        """
        return confidence_of(self.alpha / 2)

    def level(self, models: int, suites: int) -> float:
        """The level of the test over all pairs of one of ``models`` models, in a run of so many ``suites``.

        Half of ``alpha`` is for these tests, and half for those of the suites. In a run of one suite both are one test.
        """
        # Simulated (docs/reference/statistics.md, "What it costs"): if all of 30 suites fall by 5 points, tests of
        # single suites alone need 4,200 answers, and these halves 510. If one of 5 suites falls by 20 points, 360 and
        # 370: the tests of suites lose little by sharing.
        return self.suite_level(suites) if suites == 1 else self.alpha / 2 / models

    @property
    def gates_of_suite(self) -> int:
        """How many gates compare each suite with the baseline; at least 1, since it is compared without a gate too."""
        judges_agreement = self.agreement_drop is not None
        return max(1, self.judges_falls + judges_agreement)

    def suite_level(self, suites: int, look: int = 0) -> float:
        """The level of one test of one suite, by Bonferroni's correction: all gates of all suites share it.

        At a planned ``look``, from 1, the test has the share of that look.
        """
        # The other half is that of the whole run: see `level`. A run of one suite has only the test of the suite.
        is_shared = suites > 1 and self.judges_falls
        of_suites = self.alpha / 2 if is_shared else self.alpha
        level = of_suites / suites / self.gates_of_suite
        return level * share_of_look(look) if look else level


def required(own: float | None, of_run: float | None, *, anew: bool) -> float | None:
    """What a suite must reach: its own value, else that of the run; that of the run alone if it is judged anew."""
    return of_run if anew or own is None else own

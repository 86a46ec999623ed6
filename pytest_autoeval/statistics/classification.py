"""The confusion matrix of yes-or-no questions, and its rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Self

from msgspec import Struct, structs

from pytest_autoeval.statistics.ratios import ratio


class Confusion(Struct, frozen=True):
    """Counts of yes-or-no questions by the right answer (yes is positive) and the given answer.

    ``unreadable`` answers, neither yes nor no, count in no rate. A rate without answers is None.
    """

    true_positive: int = 0
    false_positive: int = 0
    true_negative: int = 0
    false_negative: int = 0
    unreadable: int = 0

    def __post_init__(self) -> None:
        if min(structs.astuple(self)) < 0:
            raise ValueError(f"a count is negative: {self}")

    @classmethod
    def of(cls, answers: Iterable[tuple[bool, bool | None]]) -> Self:
        """The matrix of pairs: the right answer, and the given one (None if unreadable)."""
        counts = Counter(answers)
        return cls(
            true_positive=counts[True, True],
            false_positive=counts[False, True],
            true_negative=counts[False, False],
            false_negative=counts[True, False],
            unreadable=counts[True, None] + counts[False, None],
        )

    @property
    def readable(self) -> int:
        """The number of readable answers."""
        return self.correct + self.false_positive + self.false_negative

    @property
    def correct(self) -> int:
        """The number of right answers."""
        return self.true_positive + self.true_negative

    @property
    def accuracy(self) -> float | None:
        """The share of right answers among the readable ones."""
        return ratio(self.correct, self.readable)

    @property
    def precision(self) -> float | None:
        """The share of right answers among those that say yes."""
        return ratio(self.true_positive, self.true_positive + self.false_positive)

    @property
    def recall(self) -> float | None:
        """The share answered yes among the questions whose right answer is yes (sensitivity)."""
        return ratio(self.true_positive, self.true_positive + self.false_negative)

    @property
    def specificity(self) -> float | None:
        """The share answered no among the questions whose right answer is no."""
        return ratio(self.true_negative, self.true_negative + self.false_positive)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None if yes is neither given nor right anywhere."""
        twice = 2 * self.true_positive
        return ratio(twice, twice + self.false_positive + self.false_negative)

    @property
    def false_positive_rate(self) -> float | None:
        """The share answered yes among the questions whose right answer is no."""
        return ratio(self.false_positive, self.true_negative + self.false_positive)

    @property
    def false_negative_rate(self) -> float | None:
        """The share answered no among the questions whose right answer is yes."""
        return ratio(self.false_negative, self.true_positive + self.false_negative)

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance, from -1 to 1 (Cohen, *A coefficient of agreement for nominal scales*, 1960).

        None if chance alone would always agree: all questions and all answers are of one kind.
        """
        # Cohen's (observed − expected) / (1 − expected), both times the square of the number of answers: so they are
        # integers.
        hits = self.true_positive * self.true_negative
        slips = self.false_positive * self.false_negative
        answered_yes = self.true_positive + self.false_positive
        answered_no = self.true_negative + self.false_negative
        positives = self.true_positive + self.false_negative
        negatives = self.true_negative + self.false_positive
        return ratio(2 * (hits - slips), answered_yes * negatives + positives * answered_no)

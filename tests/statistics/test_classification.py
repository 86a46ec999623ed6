"""The confusion matrix: its rates by hand, the laws that tie them, and what is undefined."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.statistics.classification import Confusion

RATES = (
    "accuracy",
    "precision",
    "recall",
    "specificity",
    "f1",
    "false_positive_rate",
    "false_negative_rate",
)

answers = st.lists(st.tuples(st.booleans(), st.sampled_from((True, False, None))), max_size=60)


def test_rates_by_hand() -> None:
    matrix = Confusion(
        true_positive=45, false_positive=15, true_negative=30, false_negative=5, unreadable=5
    )
    assert matrix.readable == 95
    assert matrix.correct == 75
    assert matrix.accuracy == 75 / 95
    assert matrix.precision == 0.75
    assert matrix.recall == 0.9
    assert matrix.specificity == 30 / 45
    assert matrix.f1 == pytest.approx(2 * 0.75 * 0.9 / (0.75 + 0.9))
    assert matrix.false_positive_rate == 15 / 45
    assert matrix.false_negative_rate == 0.1


def test_counts_each_pair_in_its_field() -> None:
    pairs = (
        [(True, True)] * 5
        + [(False, True)] * 4
        + [(False, False)] * 3
        + [(True, False)] * 2
        + [(True, None)]
    )
    assert Confusion.of(pairs) == Confusion(5, 4, 3, 2, 1)


@pytest.mark.parametrize(
    ("pairs", "known"),
    [
        ([], {}),
        ([(True, None), (False, None)], {}),
        # Who says yes where only noes are right has no recall; who always says no has no precision, but an F1 of 0.
        (
            [(False, True), (False, False)],
            {"accuracy": 0.5, "precision": 0.0, "specificity": 0.5, "f1": 0.0, "false_positive_rate": 0.5},
        ),
        ([(True, False), (False, False)], {
            "accuracy": 0.5, "recall": 0.0, "specificity": 1.0, "f1": 0.0,
            "false_positive_rate": 0.0, "false_negative_rate": 1.0,
        }),
    ],
    ids=["nothing", "unreadable answers", "a yes to noes", "always no"],
)  # fmt: skip
def test_which_rates_are_known(
    pairs: list[tuple[bool, bool | None]], known: dict[str, float]
) -> None:
    matrix = Confusion.of(pairs)
    assert {rate: value for rate in RATES if (value := getattr(matrix, rate)) is not None} == known


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Confusion(true_positive=-1)


@given(answers)
def test_every_answer_is_counted_once(pairs: list[tuple[bool, bool | None]]) -> None:
    matrix = Confusion.of(pairs)
    assert matrix.readable + matrix.unreadable == len(pairs)
    assert matrix.correct == sum(right == given for right, given in pairs)


@given(answers)
def test_rates_lie_within_0_and_1_and_complements_add_up(
    pairs: list[tuple[bool, bool | None]],
) -> None:
    matrix = Confusion.of(pairs)
    known = [rate for name in RATES if (rate := getattr(matrix, name)) is not None]
    assert all(0.0 <= rate <= 1.0 for rate in known)
    for rate, complement in (
        (matrix.recall, matrix.false_negative_rate),
        (matrix.specificity, matrix.false_positive_rate),
    ):
        assert (rate is None) == (complement is None)
        assert rate is None or complement is None or isclose(rate + complement, 1.0)


@given(answers)
def test_f1_is_the_harmonic_mean_where_there_is_one(pairs: list[tuple[bool, bool | None]]) -> None:
    matrix = Confusion.of(pairs)
    if matrix.precision and matrix.recall:
        assert matrix.f1 is not None
        assert isclose(1 / matrix.f1, (1 / matrix.precision + 1 / matrix.recall) / 2)


@given(answers)
def test_exchanging_yes_and_no_exchanges_recall_and_specificity(
    pairs: list[tuple[bool, bool | None]],
) -> None:
    matrix = Confusion.of(pairs)
    other = Confusion.of(
        (not right, None if given is None else not given) for right, given in pairs
    )
    assert (matrix.recall, matrix.specificity) == (other.specificity, other.recall)
    assert matrix.accuracy == other.accuracy


@pytest.mark.parametrize(
    ("matrix", "kappa"),
    [
        # Agreement 35 of 50, by chance 26 of 50: (0.7 - 0.5) / (1 - 0.5), the textbook's example.
        (Confusion(true_positive=20, false_positive=10, true_negative=15, false_negative=5), 0.4),
        (Confusion(true_positive=9, false_positive=9), 0.0),  # who always says the same
        (Confusion(true_negative=7, false_negative=3), 0.0),
        (Confusion(true_positive=3, true_negative=5), 1.0),  # who is always right
        (Confusion(false_positive=4, false_negative=4), -1.0),  # below chance
    ],
)
def test_kappa_by_hand(matrix: Confusion, kappa: float) -> None:
    assert matrix.kappa == pytest.approx(kappa)


def test_where_chance_alone_agrees_always_there_is_no_kappa() -> None:
    assert Confusion(true_positive=5).kappa is None
    assert Confusion(true_negative=5, unreadable=2).kappa is None
    assert Confusion.of([]).kappa is None


@given(answers)
def test_kappa_is_what_agreement_adds_to_chance(pairs: list[tuple[bool, bool | None]]) -> None:
    matrix = Confusion.of(pairs)
    read = [(right, answered) for right, answered in pairs if answered is not None]
    if matrix.kappa is None:
        assert len({kind for pair in read for kind in pair}) <= 1
        return
    agreement = sum(right == answered for right, answered in read) / len(read)
    yes_right, yes_said = (sum(pair[side] for pair in read) / len(read) for side in (0, 1))
    chance = yes_right * yes_said + (1 - yes_right) * (1 - yes_said)
    assert matrix.kappa == pytest.approx((agreement - chance) / (1 - chance), abs=1e-9)
    assert -1.0 <= matrix.kappa <= 1.0


@pytest.mark.extra("statsmodels")
@pytest.mark.parametrize(
    "counts", [(20, 10, 15, 5), (9, 1, 0, 3), (40, 2, 7, 31), (1, 6, 2, 5), (1, 1, 1, 1)]
)
def test_kappa_is_that_of_statsmodels(counts: tuple[int, int, int, int]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    matrix = Confusion(*counts)
    table = [
        [matrix.true_positive, matrix.false_negative],
        [matrix.false_positive, matrix.true_negative],
    ]
    assert matrix.kappa == pytest.approx(cohens_kappa(table).kappa)

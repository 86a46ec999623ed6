"""Planned looks: a suite is judged several times while it runs, and the error is spent over the looks.

Each look has a share of the error, and the shares add up to 1. So, by the union bound, the error of all looks together
is at most that of one test at the end. This holds however the looks depend on each other, whichever look ends the
suite, and for each gate that was chosen before the results were known.

Source: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983),
659-663, for spending an error over looks. The power 6 is ours: early looks cost little.
"""

from __future__ import annotations

from pytest_autoeval.statistics.drops import Decision
from pytest_autoeval.statistics.pass_rate import PassRate

#: How often a suite is judged: each time after a fifth of its samples.
LOOKS = 5
#: The error spent after a share t of the samples is the error × t to this power.
_POWER = 6


def share_of_look(look: int) -> float:
    """The share of the error that a look spends, 1 for the first: 0.0001, 0.004, 0.04, 0.22, 0.74.

    Raises :class:`ValueError` unless ``look`` is in 1…:data:`LOOKS`.
    """
    if not 1 <= look <= LOOKS:
        raise ValueError(f"a look is in 1…{LOOKS}: {look}")
    spent_before = ((look - 1) / LOOKS) ** _POWER
    spent = (look / LOOKS) ** _POWER
    return float(spent - spent_before)


def confidence_at(look: int, error: float) -> float:
    """The confidence of the interval of a rate at a look. ``error`` is that of both sides at all looks together."""
    return 1.0 - error * share_of_look(look)


def threshold_decision(
    rate: PassRate, threshold: float, look: int, error: float = 0.05
) -> Decision:
    """What the interval of a rate decides at a look, by the rule ``interval``.

    *Passed*: its lower end meets the threshold. *Failed*: its upper end does not. ``error`` is that of both sides at
    all looks together.
    """
    if not rate.total:
        return "inconclusive"
    interval = rate.interval(confidence_at(look, error))
    if interval.low >= threshold:
        return "passed"
    return "failed" if interval.high < threshold else "inconclusive"


def certain_decision(passed: int, ran: int, left: int, threshold: float) -> Decision:
    """What is certain of the rate of all samples, by the rule ``point``, before ``left`` of them have run.

    It spends no error. ``passed`` of the ``ran`` samples passed. Each of the others may pass, fail, or not count at
    all, which lies between the two.
    """
    total = ran + left
    if not ran or not total:
        return "inconclusive"
    if passed / total >= threshold:
        return "passed"
    return "failed" if (passed + left) / total < threshold else "inconclusive"


def fell_at(p_value: float | None, level: float, look: int) -> bool:
    """Whether a fall is significant at a look: ``level`` is the one-sided level of all looks together."""
    return p_value is not None and p_value < level * share_of_look(look)

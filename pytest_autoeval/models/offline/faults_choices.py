"""Faults in choosing and ordering: an answer that the question does not matter to, or that is none.

Sources: that models favour an option for its place is a known bias of multiple choice; the study of translation to
first-order logic (Brunello et al., AAAI 2026) shuffles options and candidates for that reason, and asks for structured
outputs, which keep an answer to numbers and cannot keep it to a permutation.
"""

from __future__ import annotations

from random import Random

from pytest_autoeval.models.offline.behaviour import Behaviour, register_behaviour


class FirstOption(Behaviour):
    """Chooses what stands first, whatever it says."""

    languages = ("first_order",)

    def choose(self, best: int, count: int, size: int, chance: Random) -> int:  # noqa: ARG002
        return 1


class Unsorted(Behaviour):
    """Gives what is to be ordered back as it came."""

    languages = ("first_order",)

    def rank(self, order: tuple[int, ...], size: int, chance: Random) -> tuple[int, ...]:  # noqa: ARG002
        return tuple(sorted(order))


class NotAPermutation(Behaviour):
    """Orders rightly, but for the last place, where it names the first again."""

    languages = ("first_order",)

    def rank(self, order: tuple[int, ...], size: int, chance: Random) -> tuple[int, ...]:  # noqa: ARG002
        return (*order[:-1], order[0])


register_behaviour(FirstOption("first-option", "chooses the first of several options, whatever it says"))
register_behaviour(Unsorted("unsorted", "gives candidates back in the order in which they came"))
register_behaviour(NotAPermutation("not-a-permutation", "names one candidate twice in an order and leaves one out"))

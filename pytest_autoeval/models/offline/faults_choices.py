"""Faults in choosing and ordering: an answer that the question does not matter to, or that is none.

Sources: that models favour an option for its place is a known bias of multiple choice; the study of translation to
first-order logic (Brunello et al., AAAI 2026) shuffles options and candidates for that reason, and asks for structured
outputs, which keep an answer to numbers and cannot keep it to a permutation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from pytest_autoeval.models.offline.behaviour import Behaviour

_WORD = re.compile(r"\w+|[^\w\s]")


class FirstOption(Behaviour):
    """Chooses what stands first, whatever it says."""

    languages = ("first_order",)

    def choose(self, best: int, count: int, size: int, chance: Random) -> int:  # noqa: ARG002
        return 1


class ChoicesOnly(Behaviour):
    """Chooses the option that is nearest to all the others in its words, and never reads the sentence.

    Where every wrong option is one edit of the right one, two wrong ones are two edits apart: the right one lies in
    their midst. What this model scores is what a score may owe to that.

    Source: N. Balepur et al., "Artifacts or abduction: how do LLMs answer multiple-choice questions without the
    question?" (ACL 2024), for the question; the measure is ours.
    """

    languages = ("first_order",)

    def glance(self, options: Sequence[str]) -> int | None:
        from rapidfuzz.distance import Levenshtein

        words = [_WORD.findall(option) for option in options]
        far = [sum(Levenshtein.distance(one, other) for other in words) for one in words]
        return far.index(min(far)) + 1


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


BEHAVIOURS: tuple[Behaviour, ...] = (
    FirstOption("first-option", "chooses the first of several options, whatever it says"),
    ChoicesOnly(
        "choices-only", "chooses the option nearest to all the others, and reads no sentence; faithful elsewhere"
    ),
    Unsorted("unsorted", "gives candidates back in the order in which they came"),
    NotAPermutation("not-a-permutation", "names one candidate twice in an order and leaves one out"),
)

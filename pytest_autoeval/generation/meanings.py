"""Finds formulas of a suite with the same meaning: an answer that is right for one is right for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.languages.base import VerdictOutcome

#: The largest number of formulas that one is compared with, so that the work stays linear.
_MOST_COMPARED = 8


class Meanings:
    """The formulas of a suite by meaning. The order of the calls decides which of them is the first.

    Formulas with the same fingerprint are compared with a fixed amount of work. Undecided pairs count as different.
    """

    def __init__(self) -> None:
        self._firsts: defaultdict[Hashable, list[Formula]] = defaultdict(list)
        self._known: dict[str, str | None] = {}

    def earlier(self, sample: Sample) -> str | None:
        """The first formula with the same meaning as a sample's, if it is another one."""
        if sample.text not in self._known:
            self._known[sample.text] = self._compared(sample)
        return self._known[sample.text]

    def _compared(self, sample: Sample) -> str | None:
        lang = language(sample.language)
        firsts = self._firsts[lang.fingerprint(sample.formula)]
        for first in firsts[:_MOST_COMPARED]:
            if lang.decide_briefly(sample.formula, first).outcome == VerdictOutcome.EQUIVALENT:
                return lang.format(first)
        firsts.append(sample.formula)
        return None

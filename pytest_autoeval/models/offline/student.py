"""A student: a model that mostly reads rightly and slips at random, the more often the longer the formula is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

from pytest_autoeval.languages import Formula, Language, Verdict
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.models.names import PREFIX
from pytest_autoeval.models.offline import faults_logic, faults_ltl, faults_regex
from pytest_autoeval.models.offline.behaviour import LABELS, Answer, Behaviour, OfflineOptionError, Slip

#: The mistakes that a student may make at one operator: another formula, or None where one does not apply.
_SLIPS: tuple[Slip, ...] = (*faults_logic.SLIPS, *faults_regex.SLIPS, *faults_ltl.SLIPS)


class Student(Behaviour):
    """Makes a slip at each operator with probability 1 − strength, and now and then fences its answer.

    The draws do not depend on the strength: whatever a stronger student gets wrong, a weaker one meets with a slip too.
    """

    def __init__(self, strength: float = 0.97) -> None:
        super().__init__(
            "student",
            f"slips at each operator with probability 1 - strength; {PREFIX}student?strength=0.97 unless told",
        )
        self.strength = strength

    def configured(self, options: Mapping[str, str]) -> Student:
        unknown = [option for option in options if option != "strength"]
        if unknown:
            raise OfflineOptionError(f"{PREFIX}student has no option {unknown[0]!r}; it has strength, from 0 to 1")
        return Student(_strength(options["strength"])) if options else self

    def misread(self, formula: Formula, chance: Random) -> Formula:
        children = tuple(self.misread(child, chance) for child in formula.children())
        if not children:
            return formula
        read = formula.with_children(children)
        does_slip, which = chance.random() >= self.strength, chance.random()
        mistakes = [mistake for slip in _SLIPS if (mistake := slip(read)) is not None] if does_slip else []
        return mistakes[int(which * len(mistakes))] if mistakes else read

    def word(self, formula: Formula, text: str, chance: Random) -> Answer:
        answer = super().word(formula, text, chance)
        return answer if chance.random() < self.strength else Answer(f"```\n{answer.text}\n```")

    def compare(self, first: Formula, second: Formula, lang: Language, chance: Random) -> Verdict:
        """The truth, unless the student loses the thread at one of the operators: then it guesses."""
        operators = sum(lang.measure(formula)["operators"] for formula in (first, second))
        if self._loses_the_thread(int(operators), chance):
            return Verdict("equivalent" if chance.random() < 0.5 else "different", "guess")
        return lang.equivalent(first, second)

    def translate(self, sentence: str, formula: Sentence, chance: Random) -> Sentence:
        return super().understand(sentence, formula, chance)

    def understand(self, sentence: str, formula: Sentence, chance: Random) -> Sentence:  # noqa: ARG002
        """The formula itself: of what it weighs, a student loses the thread only when it makes up its mind."""
        return formula

    def choose(self, best: int, count: int, size: int, chance: Random) -> int:
        return chance.randint(1, count) if self._loses_the_thread(size, chance) else best

    def rank(self, order: tuple[int, ...], size: int, chance: Random) -> tuple[int, ...]:
        return tuple(chance.sample(order, len(order))) if self._loses_the_thread(size, chance) else order

    def conclude(self, label: str, size: int, chance: Random) -> str:
        return chance.choice(LABELS) if self._loses_the_thread(size, chance) else label

    def _loses_the_thread(self, operators: int, chance: Random) -> bool:
        return chance.random() >= self.strength**operators


def _strength(text: str) -> float:
    try:
        strength = float(text)
    except ValueError:
        strength = math.nan
    if not 0 <= strength <= 1:
        raise OfflineOptionError(f"the strength of {PREFIX}student is a number from 0 to 1, not {text!r}")
    return strength

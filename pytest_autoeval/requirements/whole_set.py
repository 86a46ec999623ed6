"""What a set of sentences says as a whole: contradictions, repetitions, consequences, and what is trivial.

The search knows the sentences only by their numbers, from 1, and by the answers of an oracle: see
:mod:`pytest_autoeval.requirements.cores`. For formulas, the oracle is the decision procedure of their language.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_autoeval.languages.base import Formula, VerdictOutcome
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.requirements.cores import Core, Numbers, Oracle, OracleAnswer, Questions

#: Shows a line that says what is being asked.
Progress = Callable[[str], None]


@dataclass(slots=True)
class WholeSet:
    """What was found out about the sentences 1 to ``number``; filled step by step.

    Attributes:
        always_true, never_true: sentences that are trivial by themselves.
        repeats: groups of sentences with the same meaning.
        contradictions: sentences that cannot hold together; no two share a sentence.
        satisfiable: whether all sentences can hold together; None is undecided.
        kept: sentences that can hold together: all of them, or as many as were found without the others. Repetitions
            and sentences that are always true are left out. If ``witness`` is None, whether they can is not decided.
        witness: a case in which all of ``kept`` hold.
        consequences: sentences that follow from some of ``kept``, each with these premises.
        undecided: the questions without an answer, by kind, each as the sentences that it is about. The kinds are
            ``alone``, ``repeats``, ``together`` and ``consequences``. Pairs that were not compared because the time was
            over are not listed.
        stopped: why not everything was asked; empty if it was.
    """

    number: int
    always_true: list[int] = field(default_factory=list)
    never_true: list[int] = field(default_factory=list)
    repeats: list[list[int]] = field(default_factory=list)
    contradictions: list[Core] = field(default_factory=list)
    satisfiable: bool | None = None
    kept: list[int] = field(default_factory=list)
    witness: Any = None
    consequences: dict[int, Core] = field(default_factory=dict)
    undecided: dict[str, list[tuple[int, ...]]] = field(default_factory=dict)
    stopped: Literal["", "time", "interrupted"] = ""

    @property
    def is_clean(self) -> bool:
        """Whether no contradiction was found, and no sentence that is always or never true."""
        return not (self.contradictions or self.always_true or self.never_true)

    @property
    def is_decided(self) -> bool:
        """Whether a set in which nothing was found is proved to have nothing of this kind."""
        return self.satisfiable is not None and "alone" not in self.undecided


def examine_formulas(
    formulas: Sequence[Formula],
    language: Language,
    timeout: float | None = None,
    seconds: float | None = None,
    progress: Progress = lambda _: None,
) -> WholeSet:
    """Examines formulas, with limits in seconds for each decision and for the whole."""
    ends = None if seconds is None else time.monotonic() + seconds
    is_over = (lambda: False) if ends is None else lambda: time.monotonic() > ends
    return examine(len(formulas), oracle_of(language, formulas, timeout), is_over, progress)


def oracle_of(
    language: Language, formulas: Sequence[Formula], timeout: float | None = None
) -> Oracle:
    """The oracle for formulas, numbered from 1, with a time limit in seconds for each decision.

    At most one of the numbers asked for may be negative. Raises `AutoevalError` for a language without conjunctions.
    """
    # Called only for its error: a language without conjunctions is refused before the first question.
    language.conjunction(formulas[:2])
    contradiction = language.trivial()["contradiction"]

    def oracle(numbers: Numbers) -> OracleAnswer:
        # Numbers can hold together, unless those that hold entail the one that does not. If all are to hold, they
        # entail a contradiction.
        asserted = [formulas[number - 1] for number in sorted(numbers) if number > 0]
        denied = [formulas[-number - 1] for number in numbers if number < 0]
        (conclusion,) = denied or [contradiction]
        verdict = language.entails(language.conjunction(asserted), conclusion, timeout)
        if verdict.outcome == VerdictOutcome.ENTAILS:
            return OracleAnswer(False)
        if verdict.outcome == VerdictOutcome.UNDECIDED or verdict.witness is None:
            return OracleAnswer(None)
        case = verdict.witness.to_json()
        # One case answers later questions too, so all sentences are evaluated in it at once.
        holding = set()
        for number, formula in enumerate(formulas, 1):
            value = language.holds_in(formula, case, closed=True)
            if value is not None:
                holding.add(number if value else -number)
        is_rejected = any(-number in holding for number in numbers)
        if is_rejected:
            # The evaluator shares no code with the decision procedure. If the two differ, neither is believed.
            return OracleAnswer(None)
        return OracleAnswer(True, numbers | holding, verdict.witness)

    return oracle


def examine(
    number: int,
    oracle: Oracle,
    is_over: Callable[[], bool] = lambda: False,
    progress: Progress = lambda _: None,
) -> WholeSet:
    """Examines sentences 1 to ``number``. A Ctrl-C ends the search; what was found until then is returned."""
    findings = WholeSet(number)
    search = _Search(findings, Questions(oracle, is_over), progress)
    try:
        # In this order: trivial and repeated sentences would be found again as contradictions or consequences.
        contingent = search.sort_out_trivial()
        representatives = search.sort_out_repetitions(contingent)
        search.find_contradictions(representatives)
        search.find_consequences(representatives)
    except KeyboardInterrupt:
        findings.stopped = "interrupted"
    else:
        findings.stopped = "time" if search.questions.were_cut else ""
    return findings


@dataclass(frozen=True, slots=True)
class _Search:
    """The steps of the search, each of which adds to the ``findings``."""

    findings: WholeSet
    questions: Questions
    progress: Progress

    def sort_out_trivial(self) -> list[int]:
        """Finds sentences that are always or never true; returns the others, with those that are undecided."""
        contingent = []
        for sentence in range(1, self.findings.number + 1):
            self.progress(f"sentence {sentence} of {self.findings.number} alone")
            can_be_true = self.questions.ask({sentence})
            can_be_false = self.questions.ask({-sentence})
            if can_be_false is False:
                self.findings.always_true.append(sentence)
            elif can_be_true is False:
                self.findings.never_true.append(sentence)
            else:
                contingent.append(sentence)
                if can_be_true is None or can_be_false is None:
                    self._undecided("alone", sentence)
        return contingent

    def sort_out_repetitions(self, sentences: list[int]) -> list[int]:
        """Finds sentences with the same meaning; returns the first of each group."""
        groups: list[list[int]] = []
        for sentence in sentences:
            self.progress(f"sentence {sentence} of {self.findings.number}: does it repeat another?")
            # When the time is over nothing more is compared, so that each further sentence is a group of its own.
            candidates = [] if self.questions.were_cut else groups
            for group in candidates:
                are_equal = self._have_same_meaning(group[0], sentence)
                if are_equal:
                    group.append(sentence)
                    break
                if are_equal is None:
                    self._undecided("repeats", group[0], sentence)
            else:  # no group has the meaning of the sentence
                groups.append([sentence])
        self.findings.repeats = [group for group in groups if len(group) > 1]
        return [group[0] for group in groups]

    def _have_same_meaning(self, first: int, second: int) -> bool | None:
        """Whether neither sentence can hold without the other; None if that is undecided."""
        only_first = self.questions.ask({first, -second})
        if only_first:
            return False
        only_second = self.questions.ask({-first, second})
        if only_second:
            return False
        return None if only_first is None or only_second is None else True

    def find_contradictions(self, sentences: list[int]) -> None:
        """Finds disjoint cores, and then keeps as many sentences as can hold together, earlier ones first."""
        findings = self.findings
        remaining = list(sentences)
        removed: list[int] = []
        while True:
            self.progress(f"can {len(remaining)} sentences hold together?")
            core = self.questions.core(remaining)
            if not isinstance(core, Core):
                can_remaining_hold = core
                break
            findings.contradictions.append(core)
            removed += core.numbers
            remaining = [sentence for sentence in remaining if sentence not in core.numbers]
        if findings.contradictions or findings.never_true:
            findings.satisfiable = False
        else:
            findings.satisfiable = can_remaining_hold
        if can_remaining_hold is None:
            self._undecided("together", *remaining)
        findings.kept = remaining
        # Most sentences of a core can return: it is broken as soon as one of them is left out.
        for sentence in sorted(removed):
            self.progress(f"can sentence {sentence} hold with the others?")
            if can_remaining_hold and self.questions.ask([*findings.kept, sentence]):
                findings.kept.append(sentence)
        findings.kept.sort()
        findings.witness = self.questions.witness(findings.kept)

    def find_consequences(self, sentences: list[int]) -> None:
        """Finds premises for each sentence that follows from others.

        They are proved to hold together, since a contradiction entails everything.
        """
        for sentence in sentences:
            self.progress(
                f"sentence {sentence} of {self.findings.number}: does it follow from the others?"
            )
            if self.questions.were_cut:
                self._undecided("consequences", sentence)
                continue
            premises = [premise for premise in self.findings.kept if premise != sentence]
            # Premises that cannot hold together with the negation entail the sentence.
            core = self.questions.core(premises, [-sentence])
            if isinstance(core, Core) and self.questions.ask(core.numbers):
                self.findings.consequences[sentence] = core
            elif core is not True:
                self._undecided("consequences", sentence)

    def _undecided(self, kind: str, *sentences: int) -> None:
        self.findings.undecided.setdefault(kind, []).append(sentences)

"""What a set of sentences says as a whole: contradictions, repetitions, consequences, and what is trivial.

The search knows the sentences only by their numbers, from 1, and by the answers of an oracle: see
:mod:`pytest_autoeval.requirements.cores`. For formulas, the oracle is the decision procedure of their language.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from pytest_autoeval.languages.base import Formula, VerdictOutcome
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.requirements.cores import Core, Numbers, Oracle, OracleAnswer, Questions

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
        undecided: the questions without an answer, by kind; of those after the end of the time, not each pair.
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
    # A language without conjunctions is refused before the first question.
    language.conjunction(formulas[:2])
    contradiction = language.trivial()["contradiction"]

    def oracle(numbers: Numbers) -> OracleAnswer:
        asserted = language.conjunction(
            [formulas[number - 1] for number in sorted(numbers) if number > 0]
        )
        (denied,) = [formulas[-number - 1] for number in numbers if number < 0] or [contradiction]
        verdict = language.entails(asserted, denied, timeout)
        if verdict.outcome == VerdictOutcome.ENTAILS:
            return OracleAnswer(False)
        if verdict.outcome == VerdictOutcome.UNDECIDED or verdict.witness is None:
            return OracleAnswer(None)
        case = verdict.witness.to_json()
        # One case answers later questions too, so all sentences are evaluated in it at once.
        values = [language.holds_in(formula, case, closed=True) for formula in formulas]
        truths = {number: value for number, value in enumerate(values, 1) if value is not None}
        if any(truths.get(abs(number), number > 0) != (number > 0) for number in numbers):
            # The evaluator rejects the witness.
            return OracleAnswer(None)
        holding = frozenset(number if value else -number for number, value in truths.items())
        return OracleAnswer(True, holding | numbers, verdict.witness)

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
        # Trivial and repeated sentences first: one that is never true contradicts all others, and a twin follows from
        # its twin.
        different = search.different(search.contingent())
        search.find_contradictions(different)
        search.find_consequences(different)
    except KeyboardInterrupt:
        findings.stopped = "interrupted"
    else:
        findings.stopped = "time" if search.questions.were_cut else ""
    return findings


@dataclass(frozen=True, slots=True)
class _Search:
    """The steps of the search, each of which adds to what was ``found``."""

    found: WholeSet
    questions: Questions
    progress: Progress

    def contingent(self) -> list[int]:
        """The sentences that are neither always nor never true, as far as is known."""
        contingent = []
        for sentence in range(1, self.found.number + 1):
            self.progress(f"sentence {sentence} of {self.found.number} alone")
            true, false = self.questions.ask({sentence}), self.questions.ask({-sentence})
            if false is False:
                self.found.always_true.append(sentence)
            elif true is False:
                self.found.never_true.append(sentence)
            else:
                contingent.append(sentence)
                if None in (true, false):
                    self._undecided("alone", sentence)
        return contingent

    def different(self, sentences: list[int]) -> list[int]:
        """The first sentence of each group with the same meaning. After the end of the time no more are compared."""
        groups: list[list[int]] = []
        for sentence in sentences:
            self.progress(f"sentence {sentence} of {self.found.number}: does it repeat another?")
            # After the end of the time no group is asked about, so that each sentence is a group of its own.
            for group in () if self.questions.were_cut else groups:
                are_equal = self._same(group[0], sentence)
                if are_equal:
                    group.append(sentence)
                    break
                if are_equal is None:
                    self._undecided("repeats", group[0], sentence)
            else:
                groups.append([sentence])
        self.found.repeats = [group for group in groups if len(group) > 1]
        return [group[0] for group in groups]

    def _same(self, sentence: int, candidate: int) -> bool | None:
        answers = []
        for pair in ({sentence, -candidate}, {-sentence, candidate}):
            answers.append(self.questions.ask(pair))
            if answers[-1]:
                return False
        return None if None in answers else True

    def find_contradictions(self, sentences: list[int]) -> None:
        """Finds disjoint cores, and then keeps as many sentences as can hold together, earlier ones first."""
        findings, remaining = self.found, list(sentences)
        while True:
            self.progress(f"can {len(remaining)} sentences hold together?")
            core = self.questions.core(remaining)
            if not isinstance(core, Core):
                break
            findings.contradictions.append(core)
            remaining = [sentence for sentence in remaining if sentence not in core.numbers]
        findings.satisfiable = False if findings.contradictions or findings.never_true else core
        if core is None:
            self._undecided("together", *remaining)
        findings.kept = remaining
        # Most sentences of a core can return: it is broken as soon as one of them is left out.
        for sentence in sorted(
            chain.from_iterable(core.numbers for core in findings.contradictions)
        ):
            self.progress(f"can sentence {sentence} hold with the others?")
            if core and self.questions.ask([*findings.kept, sentence]):
                findings.kept.append(sentence)
        findings.kept.sort()
        findings.witness = self.questions.witness(findings.kept)

    def find_consequences(self, sentences: list[int]) -> None:
        """Finds premises for each sentence, which are proved to hold together: a contradiction entails everything."""
        for sentence in sentences:
            self.progress(
                f"sentence {sentence} of {self.found.number}: does it follow from the others?"
            )
            if self.questions.were_cut:
                self._undecided("consequences", sentence)
                continue
            core = self.questions.core(
                [premise for premise in self.found.kept if premise != sentence], [-sentence]
            )
            if isinstance(core, Core) and self.questions.ask(core.numbers):
                self.found.consequences[sentence] = core
            elif core is not True:
                self._undecided("consequences", sentence)

    def _undecided(self, kind: str, *sentences: int) -> None:
        self.found.undecided.setdefault(kind, []).append(sentences)

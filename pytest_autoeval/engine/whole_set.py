"""What a set of sentences says as a whole: contradictions, repetitions, consequences, and what is trivial.

It knows the sentences only by their numbers, from 1, and by the answers of an oracle: see
:mod:`pytest_autoeval.engine.cores`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from pytest_autoeval.engine.cores import Core, Oracle, Proved, Questions


@dataclass(frozen=True, slots=True)
class Consequence:
    """A sentence that follows from others. ``proved`` says whether fewer premises could be enough."""

    sentence: int
    premises: tuple[int, ...]
    proved: Proved


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
        consequences: sentences that follow from some of ``kept``.
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
    witness: object = None
    consequences: list[Consequence] = field(default_factory=list)
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


def examine(
    number: int,
    oracle: Oracle,
    is_over: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda _: None,
) -> WholeSet:
    """Examines sentences 1 to ``number``. A Ctrl-C ends the search; what was found until then is returned."""
    found = WholeSet(number)
    questions = Questions(oracle, is_over)
    try:
        different = _different(_contingent(found, questions, progress), found, questions, progress)
        _find_contradictions(different, found, questions, progress)
        _find_consequences(different, found, questions, progress)
    except KeyboardInterrupt:
        found.stopped = "interrupted"
    else:
        found.stopped = "time" if questions.were_cut else ""
    return found


def _contingent(found: WholeSet, questions: Questions, progress: Callable[[str], None]) -> list[int]:
    """The sentences that are neither always nor never true, as far as is known."""
    some = []
    for sentence in range(1, found.number + 1):
        progress(f"sentence {sentence} of {found.number} alone")
        true, false = questions.ask({sentence}), questions.ask({-sentence})
        if false is False:
            found.always_true.append(sentence)
        elif true is False:
            found.never_true.append(sentence)
        else:
            some.append(sentence)
            if None in (true, false):
                found.undecided.setdefault("alone", []).append((sentence,))
    return some


def _different(
    sentences: list[int], found: WholeSet, questions: Questions, progress: Callable[[str], None]
) -> list[int]:
    """The first sentence of each group with the same meaning. After the end of the time no more are compared."""
    groups: list[list[int]] = []
    for sentence in sentences:
        progress(f"sentence {sentence} of {found.number}: does it repeat another?")
        for group in () if questions.were_cut else groups:
            same = _same(group[0], sentence, questions)
            if same:
                group.append(sentence)
                break
            if same is None:
                found.undecided.setdefault("repeats", []).append((group[0], sentence))
        else:
            groups.append([sentence])
    found.repeats = [group for group in groups if len(group) > 1]
    return [group[0] for group in groups]


def _same(one: int, other: int, questions: Questions) -> bool | None:
    answers = []
    for pair in ({one, -other}, {-one, other}):
        answers.append(questions.ask(pair))
        if answers[-1]:
            return False
    return None if None in answers else True


def _find_contradictions(
    sentences: list[int], found: WholeSet, questions: Questions, progress: Callable[[str], None]
) -> None:
    """Finds disjoint cores, and then keeps as many sentences as can hold together, earlier ones first."""
    rest, together = list(sentences), None
    while True:
        progress(f"can {len(rest)} sentences hold together?")
        core = questions.core(rest)
        if not isinstance(core, Core):
            together = core
            break
        found.contradictions.append(core)
        rest = [sentence for sentence in rest if sentence not in core.numbers]
    found.satisfiable = False if found.contradictions or found.never_true else together
    if together is None:
        found.undecided.setdefault("together", []).append(tuple(rest))
    found.kept = rest
    for sentence in sorted(chain.from_iterable(core.numbers for core in found.contradictions)):
        progress(f"can sentence {sentence} hold with the others?")
        if together and questions.ask([*found.kept, sentence]):
            found.kept.append(sentence)
    found.kept.sort()
    found.witness = questions.witness(found.kept)


def _find_consequences(
    sentences: list[int], found: WholeSet, questions: Questions, progress: Callable[[str], None]
) -> None:
    """Finds premises for each sentence. They are proved to hold together: from a contradiction everything follows."""
    for sentence in sentences:
        progress(f"sentence {sentence} of {found.number}: does it follow from the others?")
        if questions.were_cut:
            found.undecided.setdefault("consequences", []).append((sentence,))
            continue
        core = questions.core([other for other in found.kept if other != sentence], [-sentence])
        if isinstance(core, Core) and questions.ask(core.numbers):
            found.consequences.append(Consequence(sentence, tuple(sorted(core.numbers)), core.proved))
        elif core is not True:
            found.undecided.setdefault("consequences", []).append((sentence,))

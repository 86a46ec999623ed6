"""Agreement on sentences: who read which formula, which formulas mean the same, and how far the answers agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.requirements.agreement_bounds import Agreement, MeanBounds, agreement, mean_of
from pytest_autoeval.statistics.clusters import Trials, design_effect
from pytest_autoeval.statistics.pass_rate import PassRate


@dataclass(frozen=True, slots=True, order=True)
class Attempt:
    """One answer to a sentence: the model, the repeat, and the paraphrase that it read (0: the sentence itself)."""

    model: str
    repeat: int = 0
    paraphrase: int = 0


@dataclass(frozen=True, slots=True)
class MeaningClass:
    """The attempts by their formulas, all of one meaning; the shortest formula first.

    ``contradicts`` is the author's answer that the formulas contradict, with its case; or empty.
    """

    formulas: Mapping[str, Sequence[Attempt]]
    contradicts: str = ""

    @property
    def attempts(self) -> list[Attempt]:
        return sorted(attempt for attempts in self.formulas.values() for attempt in attempts)

    @property
    def formula(self) -> str:
        """The shortest formula."""
        return next(iter(self.formulas))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorQuestion:
    """A question that decides between two meanings of a sentence: is a case allowed?

    ``case`` is the witness as JSON types, by which a program checks a formula, and ``case_text`` its notation;
    ``names`` are its names with their phrases. ``yes`` and ``no`` are the numbers of the meanings that allow the case
    and do not.
    """

    id: str
    text: str
    case: Mapping[str, Any]
    case_text: str
    names: Mapping[str, str]
    yes: int
    no: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceMeanings:
    """The meanings that the models of one suite read in a sentence, the most frequent first.

    ``undecided`` has the pairs of meanings, by their numbers, that may be equal. ``brief`` is the number of pairs of
    formulas that stayed undecided after little time, because many others had taken all of theirs. ``unread`` are the
    attempts without a formula. ``item`` names the sentence on every screen; ``own_id`` is the id that its author gave
    it. ``place`` is where it stands, such as ``requirements.md:12``. Both may be empty. ``glossary`` has the phrases
    of the names.
    """

    suite: str
    language: str
    item: str
    sentence: str
    own_id: str = ""
    place: str = ""
    group: str = ""
    meanings: Sequence[MeaningClass] = ()
    undecided: frozenset[tuple[int, int]] = frozenset()
    brief: int = 0
    unread: Sequence[Attempt] = ()
    question: AuthorQuestion | None = None
    glossary: Mapping[str, str] = field(default_factory=dict)

    def agreement(self, model: str = "") -> Agreement:
        """How far the attempts agree: those of one model, or all."""
        sizes = [_number_of(meaning.attempts, model) for meaning in self.meanings]
        # Of one model, only the classes that it read count: they get new numbers, also in the undecided pairs.
        read = [number for number, size in enumerate(sizes) if size]
        pairs = []
        for number, partner in self.undecided:
            if sizes[number] and sizes[partner]:
                pairs.append((read.index(number), read.index(partner)))
        unread = _number_of(self.unread, model)
        return agreement([sizes[number] for number in read], pairs, unread)

    @property
    def attempts(self) -> list[Attempt]:
        attempts = list(self.unread)
        for meaning in self.meanings:
            attempts += meaning.attempts
        return sorted(attempts)

    @property
    def models(self) -> list[str]:
        # In a fixed order, since sets of texts are iterated differently in each process.
        return sorted({attempt.model for attempt in self.attempts})


def _number_of(attempts: Iterable[Attempt], model: str) -> int:
    """How many of the attempts are those of a model, or of any if it is empty."""
    return sum(model in ("", attempt.model) for attempt in attempts)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanAgreement:
    """The agreement of a model, or of several (``model`` is then empty), over the sentences with several answers.

    ``share`` is the share of answers in the largest class of their sentence: its ``passed`` are those in the largest
    class, its ``undecided`` those that may be. Its interval takes sentences, not answers, as independent. ``classes``
    and ``entropy`` (in bits) are over the sentences with a formula; None if there is none.
    """

    suite: str
    model: str
    sentences: int
    share: PassRate
    classes: MeanBounds | None = None
    entropy: MeanBounds | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model) if self.model else f"{self.suite}, all models"


def mean_agreement(sentences: Iterable[SentenceMeanings], model: str = "") -> MeanAgreement | None:
    """The agreement over the sentences of one suite; None if no sentence has two answers."""
    of_suite = list(sentences)
    # A single answer agrees with itself: it says nothing of the agreement.
    all_agreements = [sentence.agreement(model) for sentence in of_suite]
    agreements = [agreed for agreed in all_agreements if agreed.total > 1]
    if not agreements:
        return None
    sure = [largest_class(agreed) for agreed in agreements]
    possible = [possibly_largest_class(agreed) for agreed in agreements]
    total = sum(agreed.total for agreed in agreements)
    largest = sum(passed for passed, _ in sure)
    largest_possible = sum(passed for passed, _ in possible)
    # Sentences without any formula have no classes, and would pull the means towards zero.
    read = [agreed for agreed in agreements if agreed.classes.high]
    return MeanAgreement(
        suite=of_suite[0].suite,
        model=model,
        sentences=len(agreements),
        share=PassRate(
            largest,
            largest_possible - largest,
            total,
            # Of the two, the wider interval: which formulas are equal is not decided.
            max(design_effect(sure), design_effect(possible)),
        ),
        classes=mean_of([agreed.classes for agreed in read]) if read else None,
        entropy=mean_of([agreed.entropy for agreed in read]) if read else None,
    )


def largest_class(agreed: Agreement) -> Trials:
    """The numbers of answers that are surely in the largest class, and of all answers."""
    return int(agreed.largest.low), agreed.total


def possibly_largest_class(agreed: Agreement) -> Trials:
    """The numbers of answers that may be in the largest class, and of all answers."""
    return int(agreed.largest.high), agreed.total


def mean_agreements(sentences: Sequence[SentenceMeanings]) -> list[MeanAgreement]:
    """For each suite the agreement of each model, then that over all models if there are several."""
    means = []
    for of_suite in grouped(sentences, lambda sentence: sentence.suite).values():
        models = sorted(set[str]().union(*(sentence.models for sentence in of_suite)))
        # All models together say nothing new of a single one.
        if len(models) > 1:
            models.append("")
        means += [mean_agreement(of_suite, model) for model in models]
    return [mean for mean in means if mean is not None]


def attempts_text(attempts: Sequence[Attempt]) -> str:
    """Who read a formula so: ``gpt-5 (3 answers), qwen (repeat 2, paraphrase 1)``."""
    texts = []
    for model in dict.fromkeys(attempt.model for attempt in attempts):
        own = [attempt for attempt in attempts if attempt.model == model]
        details = f"{len(own)} answers" if len(own) > 1 else _which(own[0])
        texts.append(f"{model} ({details})" if details else model)
    return ", ".join(texts)


def _which(attempt: Attempt) -> str:
    """The repeat and the paraphrase of an attempt; empty for the first answer to the sentence itself."""
    details = []
    if attempt.repeat:
        # Reports count repeats from 1, and results from 0.
        details.append(f"repeat {attempt.repeat + 1}")
    if attempt.paraphrase:
        details.append(f"paraphrase {attempt.paraphrase}")
    return ", ".join(details)

"""Agreement on sentences: who read which formula, which formulas mean the same, and how far the answers agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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

    ``contradicts`` is the question whose answer the formulas contradict, or empty.
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
        sizes = [
            sum(model in ("", attempt.model) for attempt in meaning.attempts)
            for meaning in self.meanings
        ]
        # Of one model, only the classes that it read count: they get new numbers, also in the undecided pairs.
        read = [number for number, size in enumerate(sizes) if size]
        pairs = [(read.index(i), read.index(j)) for i, j in self.undecided if sizes[i] and sizes[j]]
        unread = sum(model in ("", attempt.model) for attempt in self.unread)
        return agreement([sizes[number] for number in read], pairs, unread)

    @property
    def attempts(self) -> list[Attempt]:
        return sorted(
            [*self.unread, *(attempt for meaning in self.meanings for attempt in meaning.attempts)]
        )

    @property
    def models(self) -> list[str]:
        return sorted({attempt.model for attempt in self.attempts})


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
    agreements = [
        agreed
        for agreed in (sentence.agreement(model) for sentence in of_suite)
        if agreed.total > 1
    ]
    if not agreements:
        return None
    sure = [largest_class(agreed) for agreed in agreements]
    possible = [possibly_largest_class(agreed) for agreed in agreements]
    total, largest = sum(agreed.total for agreed in agreements), sum(passed for passed, _ in sure)
    read = [agreed for agreed in agreements if agreed.classes.high]
    return MeanAgreement(
        suite=of_suite[0].suite,
        model=model,
        sentences=len(agreements),
        share=PassRate(
            largest,
            sum(passed for passed, _ in possible) - largest,
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
    for suite in dict.fromkeys(sentence.suite for sentence in sentences):
        of_suite = [sentence for sentence in sentences if sentence.suite == suite]
        models = sorted({model for sentence in of_suite for model in sentence.models})
        all_models = [""] if len(models) > 1 else []
        means += [mean_agreement(of_suite, model) for model in [*models, *all_models]]
    return [mean for mean in means if mean is not None]


def attempts_text(attempts: Sequence[Attempt]) -> str:
    """Who read a formula so: ``gpt-5 (3 answers), qwen (repeat 2, paraphrase 1)``."""
    texts = []
    for model in dict.fromkeys(attempt.model for attempt in attempts):
        own = [attempt for attempt in attempts if attempt.model == model]
        single = own[0]
        details = [f"repeat {single.repeat + 1}"] if single.repeat else []
        details += [f"paraphrase {single.paraphrase}"] if single.paraphrase else []
        details_text = f"{len(own)} answers" if len(own) > 1 else ", ".join(details)
        texts.append(f"{model} ({details_text})" if details_text else model)
    return ", ".join(texts)

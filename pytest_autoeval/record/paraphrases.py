"""Which paraphrases ask a question again that was already asked in the same words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given

#: A word, or a sign that changes the meaning of a sentence: ``x > 5``, ``-5``.
_WORD = lazy_pattern(r"\w+|[<>=≠≤≥+−×÷%]|-(?=\d)")


def says_again(paraphrase: str, sentence: str, earlier: Collection[str] = ()) -> bool:
    """Whether a paraphrase has the words of its sentence or of an ``earlier`` paraphrase of it."""
    words = _words(paraphrase)
    return any(words == _words(text) for text in (sentence, *earlier))


def equal_paraphrases(samples: Sequence[Sample]) -> set[int]:
    """The positions of the samples whose paraphrase repeats a question of the suite."""
    paraphrases: dict[tuple[object, ...], list[str]] = {}
    equal = set()

    def number(position: int) -> tuple[int, int]:
        return samples[position].repeat, samples[position].paraphrase

    # A file may have its samples in any order. The paraphrase with the lowest number counts.
    for position in sorted(range(len(samples)), key=number):
        sample = samples[position]
        formalized = sample.part(Formalized)
        if formalized is None or not formalized.paraphrased:
            continue
        item = sample.part_or_empty(Given)
        sentence = item.sentence or ""
        question = sample.size, sample.index, sample.repeat, item.item, sentence, sample.formula
        earlier = paraphrases.setdefault(question, [])
        if says_again(formalized.paraphrased, sentence, earlier):
            equal.add(position)
        earlier.append(formalized.paraphrased)
    return equal


def _words(text: str) -> list[str]:
    # Capital letters and punctuation alone make no new question.
    return _WORD.findall(text.casefold())

"""Which paraphrases ask a question again that was already asked in the same words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given

#: A word, or a sign that changes the meaning of a sentence: ``x > 5``, ``-5``.
_WORD = re.compile(r"\w+|[<>=≠≤≥+−×÷%]|-(?=\d)")


def says_again(paraphrase: str, sentence: str, earlier: Collection[str] = ()) -> bool:
    """Whether a paraphrase has the words of its sentence or of an ``earlier`` paraphrase of it."""
    words = _words(paraphrase)
    return any(words == _words(text) for text in (sentence, *earlier))


def equal_paraphrases(samples: Sequence[Sample]) -> set[int]:
    """The places of the samples whose paraphrase repeats a question of the suite."""
    said: dict[tuple[object, ...], list[str]] = {}
    equal = set()
    for at in sorted(
        range(len(samples)), key=lambda at: (samples[at].repeat, samples[at].paraphrase)
    ):
        sample = samples[at]
        formalized, given = sample.part(Formalized), sample.part(Given)
        if formalized is None or not formalized.paraphrased:
            continue
        sentence = (given and given.sentence) or ""
        question = (
            sample.size,
            sample.index,
            sample.repeat,
            given and given.item,
            sentence,
            sample.formula,
        )
        earlier = said.setdefault(question, [])
        if says_again(formalized.paraphrased, sentence, earlier):
            equal.add(at)
        earlier.append(formalized.paraphrased)
    return equal


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())

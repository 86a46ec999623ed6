"""The answers of the author, as `check` uses them: a formula that contradicts one is no formula of its sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_autoeval.datasets.author_answers import (
    answers_beside,
    answers_by_sentence,
    read_questions,
)
from pytest_autoeval.datasets.plain_sentences import PlainSentence
from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.author_cases import AuthorAnswer, contradicted_answer
from pytest_autoeval.requirements.set_formulas import SetFormulas


@dataclass(frozen=True, slots=True)
class Contradicting:
    """A sentence whose formula contradicts an answer of its author."""

    sentence: PlainSentence
    formula: Formula
    answer: AuthorAnswer


@dataclass(frozen=True, slots=True)
class CheckedByAnswers:
    """A set without the formulas that contradict an answer of the author.

    Attributes:
        formulas: the set; what it says is not said by a formula that the author has ruled out.
        contradicting: the sentences that were left out, with their formulas.
        unchecked: a line for each file or sentence with answers that could not be used, and why.
    """

    formulas: SetFormulas
    contradicting: Sequence[Contradicting] = ()
    unchecked: Sequence[str] = field(default_factory=list)


#: The answers to a sentence, by the name of its file and its text: another file may have the same sentence.
_Answers = dict[tuple[str, str], list[AuthorAnswer]]


def checked_by_answers(set_formulas: SetFormulas, files: Iterable[Path]) -> CheckedByAnswers:
    """Compares the formulas of a set with the answers beside its files. Raises :class:`DataSetError`."""
    answers: _Answers = defaultdict(list)
    unchecked: list[str] = []
    file_of_answers: dict[str, Path] = {}
    listed = [*set_formulas.taken, *set_formulas.left_out]
    known = {_key(sentence) for sentence, _ in listed}
    for file in dict.fromkeys(files):
        beside = answers_beside(file)
        file_of_answers[file.name] = beside
        of_file = answers_by_sentence(read_questions(beside))
        for (language_name, text), of_text in of_file.items():
            # The author may have been asked in several languages: their cases differ.
            if language_name != set_formulas.language.name:
                continue
            answers[file.name, text] += of_text
            if (file.name, text) not in known:
                unchecked.append(
                    f"{beside}: no sentence of {file.name} is “{text}”, so that its answers are not checked"
                )
    taken: list[tuple[PlainSentence, Formula]] = []
    contradicting: list[Contradicting] = []
    for sentence, formula in set_formulas.taken:
        glossary = sentence.glossary or set_formulas.phrases
        of_sentence = answers.get(_key(sentence), [])
        usable = [answer for answer in of_sentence if answer.fits(glossary)]
        if len(usable) < len(of_sentence):
            names = f"the names of “{sentence.sentence}” have other phrases now"
            beside = file_of_answers[_key(sentence)[0]]
            unchecked.append(f"{beside}: {names}, so that its earlier answers are not checked")
        answer = contradicted_answer(set_formulas.language, formula, usable)
        if answer is None:
            taken.append((sentence, formula))
        else:
            contradicting.append(Contradicting(sentence, formula, answer))
    return CheckedByAnswers(replace(set_formulas, taken=taken), contradicting, unchecked)


def _key(sentence: PlainSentence) -> tuple[str, str]:
    return sentence.source.rpartition(":")[0] or sentence.source, sentence.sentence

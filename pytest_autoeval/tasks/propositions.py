"""The atomic propositions of a sentence: which were found, which are missing, which are none of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.tasks.answers.phrase_lists import Pair, read_phrases
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import listed
from pytest_autoeval.tasks.matching.phrases import (
    best_matching,
    is_found,
    jaccard,
    similarity,
    spelling_similarity,
    words_of,
)
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Trial

#: Spelling only decides between phrases whose words are equally alike.
_WEIGHT_OF_SPELLING = 1e-3


class Propositions(Task):
    """Sentence → phrases, each with a name.

    The subject's facts are the ``sentence`` and its ``propositions`` (pairs of phrase and atom). Names are the model's
    own, and one name may not stand for two propositions.
    """

    name = "propositions"
    interfaces = ("detailed", "minimal")
    figures = "extraction"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"sentence": fact(trial.about, "sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """``correct`` if each phrase is there in the same words, as :func:`words_of` has them, each with a name of its
        own, and no other phrase is; the scores are more lenient."""
        expected: list[Pair] = [(phrase, atom) for phrase, atom in fact(trial.about, "propositions", list)]
        read = read_phrases(answer)
        right = _are_the_same(expected, read.pairs)
        found, scores = _scored([phrase for phrase, _ in expected], [phrase for phrase, _ in read.pairs])
        notes: dict[str, Any] = {
            "answered": [list(pair) for pair in read.pairs] or None,
            "scores": scores,
            "error_kind": None if right else error_kind(len(expected), len(read.pairs), found),
        }
        if not read.pairs:
            return Judgement(outcome="unreadable answer", message=read.problem, notes=notes)
        if right:
            return Judgement(outcome="correct", notes=notes)
        message = f"{notes['error_kind']}\n  expected:\n{_indented(expected)}\n  answered:\n{_indented(read.pairs)}"
        return Judgement(outcome="wrong answer", message=message, notes=notes)


def error_kind(expected: int, answered: int, found: int) -> str:
    """The kind of a wrong answer, by how many phrases were expected, answered, and found.

    ``complete failure``: none is found. ``partial extraction``: all that is answered is found, but not all that is
    expected. ``over-extraction``: all that is expected is found, and more is answered. ``semantic mismatch``: anything
    else, where some phrase stands for another than it should. After the kinds of the study of temporal-logic tasks,
    which does not define them.
    """
    if not found:
        return "complete failure"
    if found == answered < expected:
        return "partial extraction"
    if found == expected < answered:
        return "over-extraction"
    return "semantic mismatch"


def _scored(expected: Sequence[str], answered: Sequence[str]) -> tuple[int, dict[str, float]]:
    """How many phrases are found, and the scores from 0 to 1, over the one-to-one matching that is best by words.

    ``precision``: found by answered; ``recall``: found by expected; ``f1``: their harmonic mean. ``jaccard`` and
    ``levenshtein``: the mean over the pairs, where a phrase without a partner counts as a pair worth 0.
    """
    alike = [[similarity(a, b) + _WEIGHT_OF_SPELLING * spelling_similarity(a, b) for b in answered] for a in expected]
    matching = best_matching(alike)
    pairs = [(expected[i], answered[j]) for i, j in matching.pairs]
    found = sum(is_found(*pair) for pair in pairs)
    most = max(len(expected), len(answered), 1)
    return found, {
        "precision": found / len(answered) if answered else 0.0,
        "recall": found / len(expected) if expected else 0.0,
        "f1": 2 * found / (len(expected) + len(answered)) if expected or answered else 0.0,
        "jaccard": sum(jaccard(*pair) for pair in pairs) / most,
        "levenshtein": sum(spelling_similarity(*pair) for pair in pairs) / most,
    }


def _are_the_same(expected: Sequence[Pair], answered: Sequence[Pair]) -> bool:
    """Whether the phrases are the same one by one, and two have one name just where two have one atom."""
    ours, theirs = (sorted((words_of(phrase), name) for phrase, name in pairs) for pairs in (expected, answered))
    if [words for words, _ in ours] != [words for words, _ in theirs]:
        return False
    names = {(atom, name) for (_, atom), (_, name) in zip(ours, theirs, strict=True)}
    return len(names) == len({atom for atom, _ in names}) == len({name for _, name in names})


def _indented(pairs: Sequence[Pair]) -> str:
    return "\n".join(f"    {line}" for line in listed(pairs).splitlines())


TASK = Propositions()

"""The task that extracts the atomic propositions of a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.studies.temporal_logic.parts import Phrases
from pytest_autoeval.tasks.answer_readers import Pair, read_phrases
from pytest_autoeval.tasks.formula_answers import graded, listed_phrases, with_lists
from pytest_autoeval.tasks.likeness import (
    best_matching,
    is_found,
    jaccard,
    similarity,
    spelling_distance,
    spelling_similarity,
    words_of,
)
from pytest_autoeval.tasks.task import Judgement, Task
from pytest_autoeval.tasks.trial import Trial

#: Spelling only breaks ties between phrases with equal word similarity.
_WEIGHT_OF_SPELLING = 1e-3


class Propositions(Task):
    """Sentence → phrases, each with a name that the model chooses; different propositions have different names.

    The sample's facts are the ``sentence`` and its ``propositions`` (pairs of phrase and atom).
    """

    name = "propositions"
    interfaces = ("detailed", "minimal")
    figures = "extraction"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"sentence": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """``correct`` if the phrases have the expected words, and names that correspond one-to-one to the atoms.

        Words are compared by :func:`words_of`. The scores are more lenient.
        """
        expected: list[Pair] = [(phrase, atom) for phrase, atom in trial.fact("propositions", list)]
        pairs: tuple[Pair, ...] = ()
        problem = ""
        try:
            pairs = read_phrases(answer)
        except UnreadableError as error:
            problem = str(error)
        # Without readable phrases, the scores are those of an empty answer.
        right = _are_same_phrases(expected, pairs)
        hits, scores = _scored([phrase for phrase, _ in expected], [phrase for phrase, _ in pairs])
        kind = None if right else error_kind(len(expected), len(pairs), hits)
        judged = (
            Answered(value=[list(pair) for pair in pairs] or None),
            Phrases(scores=scores, error_kind=kind),
        )
        if problem:
            return Judgement(outcome=Outcome.UNREADABLE_ANSWER, message=problem, parts=judged)
        return graded(
            with_lists(kind, listed_phrases(expected), listed_phrases(pairs)) if kind else "",
            *judged,
        )


def error_kind(expected: int, answered: int, hits: int) -> str:
    """The kind of a wrong answer, by the numbers of phrases that were expected, answered, and found (``hits``).

    ``semantic mismatch`` is the rest. The study of temporal-logic tasks names these kinds, but does not define them.
    """
    if not hits:
        return "complete failure"
    if hits == answered < expected:
        return "partial extraction"
    if hits == expected < answered:
        return "over-extraction"
    return "semantic mismatch"


def _scored(expected: Sequence[str], answered: Sequence[str]) -> tuple[int, dict[str, float]]:
    """The number of phrases found, and scores from 0 to 1, by the best one-to-one matching.

    ``jaccard`` and ``levenshtein`` are means over the pairs; a phrase without a partner counts as 0.
    """
    pairs = [(expected[i], answered[j]) for i, j in _matched(expected, answered)]
    hits = sum(is_found(*pair) for pair in pairs)
    most = max(len(expected), len(answered), 1)
    return hits, {
        "precision": hits / len(answered) if answered else 0.0,
        "recall": hits / len(expected) if expected else 0.0,
        "f1": 2 * hits / (len(expected) + len(answered)) if expected or answered else 0.0,
        "jaccard": sum(jaccard(*pair) for pair in pairs) / most,
        "levenshtein": sum(spelling_similarity(*pair) for pair in pairs) / most,
    }


def distance(expected: Sequence[str], answered: Sequence[str]) -> float:
    """The mean Levenshtein distance of matched phrases, in characters.

    That of a phrase without a partner is its length.
    """
    matched = _matched(expected, answered)
    pairs = [(expected[i], answered[j]) for i, j in matched]
    with_partner = {i for i, _ in matched}, {j for _, j in matched}
    for phrases, matched_places in zip((expected, answered), with_partner, strict=True):
        pairs += [
            (phrase, "") for index, phrase in enumerate(phrases) if index not in matched_places
        ]
    return fmean(spelling_distance(*pair) for pair in pairs) if pairs else 0.0


def _matched(expected: Sequence[str], answered: Sequence[str]) -> list[tuple[int, int]]:
    """The places of phrases that belong together, one to one."""
    likeness = [
        [similarity(a, b) + _WEIGHT_OF_SPELLING * spelling_similarity(a, b) for b in answered]
        for a in expected
    ]
    return best_matching(likeness)


def _are_same_phrases(expected: Sequence[Pair], answered: Sequence[Pair]) -> bool:
    """Whether the phrases have the same words, and the names correspond one-to-one to the atoms."""
    expected_pairs, answered_pairs = (
        sorted((words_of(phrase), name) for phrase, name in pairs) for pairs in (expected, answered)
    )
    if [words for words, _ in expected_pairs] != [words for words, _ in answered_pairs]:
        return False
    names = {
        (atom, name) for (_, atom), (_, name) in zip(expected_pairs, answered_pairs, strict=True)
    }
    # The names are the model's own, so only their correspondence to the atoms counts.
    return len(names) == len({atom for atom, _ in names}) == len({name for _, name in names})


PROPOSITIONS = Propositions()

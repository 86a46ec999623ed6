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
from pytest_autoeval.tasks.phrases import (
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
        expected_phrases = [phrase for phrase, _ in expected]
        phrases = [phrase for phrase, _ in pairs]
        hits, scores = _scored(expected_phrases, phrases)
        kind = None if right else error_kind(len(expected), len(pairs), hits)
        judged = (
            Answered(value=[list(pair) for pair in pairs] or None),
            Phrases(scores=scores, error_kind=kind),
        )
        if problem:
            return Judgement(outcome=Outcome.UNREADABLE_ANSWER, message=problem, parts=judged)
        if not kind:
            return graded("", *judged)
        lists = listed_phrases(expected), listed_phrases(pairs)
        return graded(with_lists(kind, *lists), *judged)


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
    # A phrase without a partner counts as 0 in the means; without any phrases no mean is divided by 0.
    most = max(len(expected), len(answered), 1)
    total = len(expected) + len(answered)
    overlap = sum(jaccard(*pair) for pair in pairs)
    spelling = sum(spelling_similarity(*pair) for pair in pairs)
    return hits, {
        "precision": hits / len(answered) if answered else 0.0,
        "recall": hits / len(expected) if expected else 0.0,
        "f1": 2 * hits / total if total else 0.0,
        "jaccard": overlap / most,
        "levenshtein": spelling / most,
    }


def distance(expected: Sequence[str], answered: Sequence[str]) -> float:
    """The mean Levenshtein distance of matched phrases, in characters.

    That of a phrase without a partner is its length.
    """
    matched = _matched(expected, answered)
    matched_expected = {i for i, _ in matched}
    matched_answered = {j for _, j in matched}
    missing = [phrase for i, phrase in enumerate(expected) if i not in matched_expected]
    surplus = [phrase for j, phrase in enumerate(answered) if j not in matched_answered]
    pairs = [(expected[i], answered[j]) for i, j in matched]
    pairs += [(phrase, "") for phrase in (*missing, *surplus)]
    return fmean(spelling_distance(*pair) for pair in pairs) if pairs else 0.0


def _matched(expected: Sequence[str], answered: Sequence[str]) -> list[tuple[int, int]]:
    """The places of phrases that belong together, one to one."""

    def likeness(phrase: str, partner: str) -> float:
        spelling = spelling_similarity(phrase, partner)
        return similarity(phrase, partner) + _WEIGHT_OF_SPELLING * spelling

    rows = [[likeness(phrase, partner) for partner in answered] for phrase in expected]
    return best_matching(rows)


def _are_same_phrases(expected: Sequence[Pair], answered: Sequence[Pair]) -> bool:
    """Whether the phrases have the same words, and the names correspond one-to-one to the atoms."""
    expected_pairs = _sorted_by_words(expected)
    answered_pairs = _sorted_by_words(answered)
    if [words for words, _ in expected_pairs] != [words for words, _ in answered_pairs]:
        return False
    # The names are the model's own, so only their correspondence to the atoms counts.
    correspondence = set()
    for (_, atom), (_, name) in zip(expected_pairs, answered_pairs, strict=True):
        correspondence.add((atom, name))
    atoms = {atom for atom, _ in correspondence}
    names = {name for _, name in correspondence}
    # One-to-one: no atom has two names, and no name is that of two atoms.
    return len(correspondence) == len(atoms) == len(names)


def _sorted_by_words(pairs: Sequence[Pair]) -> list[tuple[tuple[str, ...], str]]:
    """The words of each phrase with its name, in an order that does not depend on that of the answer."""
    return sorted((words_of(phrase), name) for phrase, name in pairs)


PROPOSITIONS = Propositions()

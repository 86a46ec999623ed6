"""Tasks with a sentence and numbered candidates, as formulas or in English: choose one, or rank all.

Source of the tasks and their scores: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from msgspec import structs

from pytest_autoeval.languages import language
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.models.protocols import Embedder, Form
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.record.witness_words import GIVEN_AND_MODELS, with_sides
from pytest_autoeval.tasks.answer_readers import read_number, read_order
from pytest_autoeval.tasks.formula_answers import glossary, graded, numbered, witness_lines
from pytest_autoeval.tasks.task import Judgement, Task, reasoned
from pytest_autoeval.tasks.trial import Trial, UnsuitableSampleError

#: Similarities are rounded to this number of decimals; further ones differ between machines.
SIMILARITY_DECIMALS = 6


class CandidateTask(Task):
    """Sentence and candidates → numbers.

    The sample's facts are the ``sentence``, its ``ontology``, ``candidates`` (canonical formulas),
    ``candidates_english``, and ``expected``. ``form`` decides which candidates the prompt shows; with formulas it also
    shows the ontology.
    """

    interfaces = ("structured", "text")
    constrained_interfaces = ("structured",)
    embeds = True
    form: Form
    #: The prompt's slot for the candidates.
    candidates_slot: str

    def __init__(self, name: str, form: Form) -> None:
        self.name, self.form = name, form

    def slots(self, trial: Trial) -> Mapping[str, str]:
        slots = {
            "sentence": trial.fact("sentence", str),
            self.candidates_slot: numbered(self.candidates(trial)),
        }
        # Candidates in English need no glossary: they say what their symbols mean.
        if self.form == "formulas":
            slots["symbols"] = glossary(trial)
        return slots

    def judge(self, answer: str, trial: Trial) -> Judgement:
        try:
            numbers = self.read(answer, trial)
        except UnreadableError as error:
            return self.invalid("no number", str(error))
        count = len(self.candidates(trial))
        if not all(1 <= number <= count for number in numbers):
            return self.invalid("out of range", "the answer names a number that no candidate has")
        return self.judge_numbers(numbers, trial)

    def embed(self, embedder: Embedder, trial: Trial) -> Judgement:
        """Judges the candidates by the cosine similarity of each to the sentence, which is embedded as English."""
        text = trial.fact("sentence", str)
        sentence = embedder.embed([text], "english", repeat=trial.repeat)
        trial.add_call("embed sentence", sentence.reply)
        candidates = embedder.embed([*self.candidates(trial)], self.form, repeat=trial.repeat)
        trial.add_call("embed candidates", candidates.reply)
        cosines = [cosine(sentence.vectors[0], vector) for vector in candidates.vectors]
        similarities = [round(value, SIMILARITY_DECIMALS) for value in cosines if value is not None]
        # Without the similarity of one candidate, nobody knows which is the nearest.
        complete = similarities if len(similarities) == len(cosines) else None
        if complete is not None:
            numbers = self.by_similarity(complete, trial)
            judgement = self.judge_numbers(numbers, trial)
        else:
            message = f"{embedder.name} gave a vector without a cosine: zero, not finite, or of another dimension"
            judgement = self.invalid("no number", message)
        answered = judgement.part(Answered) or Answered()
        return judgement.with_part(structs.replace(answered, similarities=complete))

    @abstractmethod
    def read(self, answer: str, trial: Trial) -> Sequence[int]:
        """The numbers in an answer; raises :class:`UnreadableError`."""

    @abstractmethod
    def by_similarity(self, similarities: Sequence[float], trial: Trial) -> Sequence[int]:
        """The numbers by the candidates' similarities to the sentence; ties go against the model."""

    @abstractmethod
    def judge_numbers(self, numbers: Sequence[int], trial: Trial) -> Judgement:
        """Judges the numbers of candidates."""

    def candidates(self, trial: Trial) -> tuple[str, ...]:
        """The candidates as the prompt shows them."""
        fact = "candidates" if self.form == "formulas" else "candidates_english"
        return tuple(trial.fact(fact, list))

    def no_answer(self) -> Answered:
        """The part of an answer without a number."""
        return Answered()

    def parts_without_answer(self, _trial: Trial) -> tuple[Part, ...]:
        return (self.no_answer(),)

    def invalid(self, problem: str, message: str) -> Judgement:
        """The judgement of an invalid answer; ``problem`` is the short reason that is counted."""
        answered = structs.replace(self.no_answer(), problem=problem)
        return Judgement(outcome=Outcome.INVALID_ANSWER, message=message, parts=(answered,))


class MostSimilar(CandidateTask):
    """Sentence and options → the number of the option that means the same; ``expected`` is that number, from 1.

    An embedding model chooses the option with the highest similarity; ties go to a wrong option.
    """

    figures = "choices"
    benchmark = "Most similar"
    candidates_slot = "options"
    schema = reasoned("most_similar", {"type": "integer"})

    def chance_of(self, trial: Trial) -> float:
        return 1 / len(self.candidates(trial))

    def read(self, answer: str, trial: Trial) -> Sequence[int]:
        return [read_number(answer, self.candidates(trial))]

    def by_similarity(self, similarities: Sequence[float], trial: Trial) -> Sequence[int]:
        expected = trial.fact("expected", int)

        def rank(number: int) -> tuple[float, bool]:
            # Of equal similarities a wrong option is taken, so that a model that sees no difference does not pass.
            return similarities[number - 1], number != expected

        numbers = range(1, len(similarities) + 1)
        return [max(numbers, key=rank)]

    def judge_numbers(self, numbers: Sequence[int], trial: Trial) -> Judgement:
        subject = trial.about
        number = numbers[0]
        expected = trial.fact("expected", int)
        answered = Answered(value=number)
        if number == expected:
            return graded("", answered)
        candidates = self.candidates(trial)
        lang = language(subject.language)
        chosen = lang.parse(trial.fact("candidates", list)[number - 1])
        verdict = lang.equivalent(subject.formula, chosen, timeout=trial.seconds_for(lang))
        if verdict.outcome == VerdictOutcome.EQUIVALENT:
            raise UnsuitableSampleError(
                f"{lang.format(subject.formula)} and {lang.format(chosen)} are equivalent, and the data set says "
                "that only one of them is right"
            )
        message = (
            f"the answer is {number}, but should be {expected}\n  expected: {candidates[expected - 1]}\n"
            f"  chosen:   {candidates[number - 1]}"
        )
        if verdict.witness is not None:
            witness = with_sides(str(verdict.witness), GIVEN_AND_MODELS)
            message += f"\n{witness_lines(witness)}"
        return Judgement(
            outcome=Outcome.WRONG_ANSWER,
            message=message,
            parts=(answered,),
            chosen=chosen if self.form == "formulas" else None,
            verdict=verdict,
        )


class Ranking(CandidateTask):
    """Sentence and candidates → the numbers of all candidates, from the same meaning to the opposite one.

    ``expected`` are the numbers of the two that mean the same as the sentence, and of the two that mean the opposite.
    The answer is ``correct`` if the former are first (Ranking-Equivalence) and the latter last (Ranking-Negation). An
    embedding model ranks by falling similarity; the order of equals is the worst one for both scores.
    """

    figures = "rankings"
    benchmark = "Ranking"
    candidates_slot = "candidates"
    schema = reasoned("ranking", {"type": "array", "items": {"type": "integer"}})

    def chance_of(self, trial: Trial) -> float:
        """The probability that a random order has the right first two and last two."""
        count = len(self.candidates(trial))
        return 1 / (math.comb(count, 2) * math.comb(count - 2, 2))

    def read(self, answer: str, _trial: Trial) -> Sequence[int]:
        return read_order(answer)

    def by_similarity(self, similarities: Sequence[float], trial: Trial) -> Sequence[int]:
        equivalent, opposite = trial.fact("expected", list)

        def place(number: int) -> tuple[float, int, int]:
            # Of equal similarities the wrong order is taken, so that a model that sees no difference does not pass.
            among_equals = 1
            if number in opposite:
                among_equals = 0
            elif number in equivalent:
                among_equals = 2
            return -similarities[number - 1], among_equals, number

        numbers = range(1, len(similarities) + 1)
        return sorted(numbers, key=place)

    def no_answer(self) -> Answered:
        return Answered(ranking_equivalence=False, ranking_negation=False)

    def judge_numbers(self, numbers: Sequence[int], trial: Trial) -> Judgement:
        count = len(self.candidates(trial))
        if sorted(numbers) != [*range(1, count + 1)]:
            return self.invalid(
                "not a permutation", "the order leaves out a number, or has one twice"
            )
        equivalent, opposite = trial.fact("expected", list)
        # The study scores both ends apart: a model may know equivalent formulas and not negations.
        top = numbers[:2]
        bottom = numbers[-2:]
        answered = Answered(
            value=[*numbers],
            ranking_equivalence=set(top) == set(equivalent),
            ranking_negation=set(bottom) == set(opposite),
        )
        wrong = []
        if not answered.ranking_equivalence:
            wrong.append(f"the first two are {_listed(top)}, but should be {_listed(equivalent)}")
        if not answered.ranking_negation:
            wrong.append(f"the last two are {_listed(bottom)}, but should be {_listed(opposite)}")
        return graded("; ".join(wrong), answered)


def cosine(vector: Sequence[float], partner: Sequence[float]) -> float | None:
    """The cosine of the angle between two vectors; None if one is zero or infinite, or their dimensions differ."""
    if len(vector) != len(partner):
        return None
    # `hypot` scales its arguments: the square of a large component would be infinite.
    length = math.hypot(*vector)
    partner_length = math.hypot(*partner)
    if not all(value and math.isfinite(value) for value in (length, partner_length)):
        return None
    # Each vector is scaled before the products, which would overflow for the same reason.
    pairs = zip(vector, partner, strict=True)
    product = math.fsum((x / length) * (y / partner_length) for x, y in pairs)
    # By rounding, the product of parallel vectors may exceed 1.
    return max(-1.0, min(1.0, product))


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, sorted(numbers)))


MOST_SIMILAR_FORMULAS = MostSimilar("most_similar_formulas", "formulas")
MOST_SIMILAR_ENGLISH = MostSimilar("most_similar_english", "english")
RANKING_FORMULAS = Ranking("ranking_formulas", "formulas")
RANKING_ENGLISH = Ranking("ranking_english", "english")

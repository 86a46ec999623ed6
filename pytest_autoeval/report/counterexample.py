"""Samples on which a model failed, as reports show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import UNSET, Struct

from pytest_autoeval.judging.item_groups import SuiteKey, item_name
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.author_answers import contradicted_by
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Formalized, Given, Translated
from pytest_autoeval.record.witness_words import witness_in_words
from pytest_autoeval.text import count, one_line


class Counterexample(Struct, frozen=True, kw_only=True):
    """A failing sample, and the smaller one that it was shrunk to. ``command`` reproduces the sample that is shown.

    ``minimal``: no smaller variant fails; ``confirmed``: how often it failed when asked again, such as ``2 of 2``.
    ``ended_in_errors``: how many of the round trips that shrinking spent had no answer. ``unrecorded``: how many of
    these had no recording, in a run that only replays.
    """

    sample: Sample
    command: str
    shrunk: Sample | None = None
    minimal: bool = False
    confirmed: str = ""
    round_trips_spent: int = 0
    ended_in_errors: int = 0
    unrecorded: int = 0
    calls: Calls | None = None

    @property
    def shown(self) -> Sample:
        """The sample to show: the shrunk one if there is one."""
        return self.shrunk if self.shrunk is not None else self.sample

    @property
    def loses_meaning(self) -> bool:
        """Whether what came back means something else: the failure is not one of form."""
        return self.sample.outcome == Outcome.DIFFERENT or self.shown.witness_text is not None

    @property
    def key(self) -> tuple[SuiteKey, str]:
        """The number of the suite, and the outcome."""
        return self.sample.suite.number, self.sample.outcome


def smallest_first(examples: Iterable[Counterexample]) -> list[Counterexample]:
    """The examples ordered by size and length of the formula that is shown."""
    return sorted(examples, key=lambda example: (example.shown.size, len(item_name(example.shown))))


def ranked(
    examples: Iterable[Counterexample], outcomes: Mapping[str, int]
) -> list[tuple[Counterexample, int]]:
    """The smallest example of each kind of failure, with the number of samples of this outcome.

    The most frequent kind comes first. Of equally frequent kinds, a loss of meaning counts more than a form that was
    not kept.
    """
    smallest: dict[str, Counterexample] = {}
    for example in smallest_first(examples):
        # They come by size, so the first one of an outcome is its smallest.
        smallest.setdefault(example.sample.outcome, example)
    counted = [(example, outcomes.get(outcome, 1)) for outcome, example in smallest.items()]

    def rank(entry: tuple[Counterexample, int]) -> tuple[int, bool, str]:
        example, number = entry
        return -number, not example.loses_meaning, example.sample.code

    return sorted(counted, key=rank)


def smallest_failures(samples: Iterable[Sample]) -> dict[str, Sample]:
    """For each outcome that is the model's failure, the smallest of the samples, in the order of the codes.

    All samples count.
    """

    def order(sample: Sample) -> tuple[str, int, int, str, int, int]:
        name = item_name(sample)
        # Down to the index, so that of equally small samples every report picks the same one.
        return sample.code, sample.size, len(name), name, sample.repeat, sample.index

    smallest: dict[str, Sample] = {}
    for sample in sorted(
        (sample for sample in samples if sample.kind == OutcomeKind.MODEL_FAILURE), key=order
    ):
        smallest.setdefault(sample.outcome, sample)
    return smallest


def trace_of(sample: Sample) -> str | None:
    """The trace that was given, or that the model wrote."""
    trace = sample.part_or_empty(Given).trace
    return trace if trace is not None else sample.part_or_empty(Answered).trace


def texts_of(sample: Sample) -> Iterator[tuple[str, str]]:
    """The texts of a sample with their names, in the order of reading: what was asked, the answer, the witness."""
    # A reader follows the sample as it went: what was asked, what came back, and why this is wrong.
    yield from _question(sample)
    yield from _answer(sample)
    question = sample.part_or_empty(Given)
    if isinstance(sample.part_or_empty(Answered).value, list) and question.candidates:
        kinds = [f"{kind}: " for kind in question.kinds or ()]
        numbered = enumerate(zip_longest(_candidates(sample), kinds, fillvalue=""), 1)
        yield (
            "candidates",
            "\n".join(f"{position}. {kind}{one_line(text)}" for position, (text, kind) in numbered),
        )
    if witness := witness_in_words(sample):
        yield "witness", witness


def _question(sample: Sample) -> Iterator[tuple[str, str]]:
    question = sample.part_or_empty(Given)
    settings = sample.suite.asked
    if question.sentence is not None:
        yield from _sentence(sample, question.sentence)
    if question.propositions:
        yield (
            _name_of_propositions(sample),
            ", ".join(f'"{phrase}": {name}' for phrase, name in question.propositions),
        )
    if question.premises:
        premises = (
            question.premises_formulas if settings.form == "formulas" else question.premises
        ) or ()
        yield "premises", "\n".join(f"{number}. {text}" for number, text in enumerate(premises, 1))
        yield "conclusion", question.conclusion or ""
    if sample.formula:
        yield "formula", sample.formula
    formalization = sample.part_or_empty(Formalized).formula
    if formalization:
        yield "formula", formalization
    if question.other is not None:
        yield "other", question.other
    trace = trace_of(sample)
    # The answer follows under its own name.
    if trace is not None and trace != sample.answer:
        yield "trace", trace
    if question.expected is not None:
        yield "expected", _in_words(sample, question.expected)


def _sentence(sample: Sample, sentence: str) -> Iterator[tuple[str, str]]:
    name = sample.part_or_empty(Given).name
    # A sentence without a formula is the author's own: the id is the one of the author's file.
    if not sample.formula and name:
        yield "id", name
    yield "sentence", sentence
    paraphrased = sample.part_or_empty(Formalized).paraphrased
    # The model read these words, and the formula below is theirs.
    if paraphrased is not None:
        yield f"paraphrase {sample.paraphrase}", paraphrased


def _name_of_propositions(sample: Sample) -> str:
    """What the propositions are: those to find, those of the reference beside the model's, or the given ones."""
    if sample.suite.asked.figures == "extraction":
        return "expected"
    is_aligned = sample.part_or_empty(Translated).alignment is not UNSET
    return "names" if is_aligned else "given"


def _answer(sample: Sample) -> Iterator[tuple[str, str]]:
    contradicted = contradicted_by(sample)
    if contradicted is not None:
        # The model was asked nothing after this, so that there is no description and no translation.
        yield from zip(("author says", "case"), contradicted, strict=True)
        return
    answered = sample.part_or_empty(Answered).value
    if sample.part_or_empty(Given).candidates and answered is not None:
        yield "answered", _in_words(sample, answered)
        return
    judged = isinstance(answered, bool)
    if judged and len((sample.answer or "").split()) > 1:
        yield "answered", _in_words(sample, answered)
    if sample.description is not None:
        yield "description", sample.description
    text = sample.description_read
    if text is not None:
        begins = text and (sample.description or "").startswith(text)
        yield (
            "text read",
            f"the first {count(len(text), 'character')} of the description" if begins else text,
        )
    if sample.translation is not None:
        yield "translation", sample.translation
    elif sample.answer is not None:
        yield "answer", sample.answer
    yield from _compared(sample)
    translated = sample.part_or_empty(Translated)
    if translated.alignment:
        pairs = ", ".join(
            f"{name_of_model} = {own_name}" for name_of_model, own_name in translated.alignment
        )
        yield "aligned", f"{pairs} (by {translated.alignment_basis or 'nothing'})"
    # The message would repeat the witness, or the expected and the given answer.
    if (
        sample.error
        and not sample.witness_text
        and not (sample.outcome == Outcome.WRONG_ANSWER and judged)
    ):
        yield "reason", sample.error


def _compared(sample: Sample) -> Iterator[tuple[str, str]]:
    """The formulas that the test compared, if they are not the sample's and the model's: the witness is about them."""
    if sample.compared is not None:
        # Without an answer that we know, the pipeline of the test gave it.
        has_answer = sample.translation is not None or sample.answer is not None
        yield "compared" if has_answer else "answer", sample.compared
    if sample.compared_with is not None:
        yield "compared with", sample.compared_with


def _candidates(sample: Sample) -> Sequence[str]:
    """The candidates in the form in which the model saw them."""
    question = sample.part_or_empty(Given)
    if sample.suite.asked.form == "formulas":
        return question.candidates or ()
    return question.candidates_english or ()


def _in_words(sample: Sample, answer: Any) -> str:
    """An answer in words: the candidate of a number, or the numbers of an order, related ones first."""
    candidates = _candidates(sample)
    # First of all, since True is an int in Python, and would be the first candidate.
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, int) and 1 <= answer <= len(candidates):
        return f"{answer}. {candidates[answer - 1]}"
    if not isinstance(answer, list):
        return str(answer)
    # The expected order of a ranking names its two ends, an answer all its numbers.
    ends = [", ".join(map(str, group)) for group in answer if isinstance(group, list)]
    if ends:
        return f"{ends[0]} first, {ends[-1]} last"
    return ", ".join(map(str, answer))

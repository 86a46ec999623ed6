"""Formulas, names and lists as prompts show them; answers that are formulas, compared with the reference."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, cast

from msgspec import structs

from pytest_autoeval.languages import Formula, Language, Reading, Verdict, Vocabulary, language
from pytest_autoeval.languages.answer_grammar import AnswerGrammar
from pytest_autoeval.languages.base import FormulaSyntaxError, VerdictOutcome
from pytest_autoeval.languages.contract import tree_of_argument
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.lazy_pattern import LazyPattern
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.task_parts import Formalized, Translated
from pytest_autoeval.record.witness_words import (
    GIVEN_AND_MODELS,
    Sides,
    sides_by_parts,
    with_sides,
)
from pytest_autoeval.tasks.trial import Judgement, MeaningLostError, Subject, Trial
from pytest_autoeval.text import aligned

#: The part of an answer that was not compared, where an answer has the names of the sample.
_NOT_COMPARED: Final = Translated()
#: The part of an answer that was not compared, where an answer has names of its own: they were not aligned.
NOT_ALIGNED: Final = Translated(alignment=None)

#: Readers begin their problem with this, as `languages/reading.py` does; the reason follows.
_NONE_FOUND = "no formula was found"
#: What to do if code of the user's own has no formula to compare.
NO_ANSWER: Final = (
    "give a formula, its text, or a sample; "
    'an answer without a formula is raise MeaningLostError("unparseable", reason)'
)
_ANSWER_IS_FIRST = "as the first argument, an answer without a formula counts as unparseable"


def graded(error: str, *parts: Part) -> Judgement:
    """``correct``, or ``wrong answer`` with the error as its message."""
    outcome = Outcome.WRONG_ANSWER if error else Outcome.CORRECT
    return Judgement(outcome=outcome, message=error, parts=parts)


def judge_formula(
    answer: str | Reading, trial: Trial, expected: Formula | str | None = None
) -> Judgement:
    """Judges an answer that is a formula over the names of the trial's sample.

    Args:
        answer: the model's answer, or its reading.
        trial: the trial that the answer belongs to.
        expected: the right answer, as a tree or text; by default the sample's formula.

    Returns:
        The judgement: ``equivalent``, ``different`` (with a witness), ``undecided``, ``unparseable`` or
        ``foreign symbol``. It has the part `Translated`, of which the figures ``translation`` are computed.
    """
    subject = trial.about
    lang = language(subject.language)
    expected_tree = (
        subject.formula if expected is None else tree_of_argument(lang, "expected", expected)
    )
    reference, vocabulary = lang.over(expected_tree, subject.vocabulary)
    reading = lang.read(answer, vocabulary=vocabulary) if isinstance(answer, str) else answer
    if reading.formula is None:
        return not_compared(reading, no_formula_message(reading, lang))
    foreign = lang.foreign(reading.formula, vocabulary)
    if foreign:
        translated = Translated(lacking=_lacking(reading.formula, reference, lang))
        return not_compared(reading, f"the answer uses {'; '.join(foreign)}", translated)
    formalized = trial.part(Formalized)
    formalized_text = None if formalized is None else formalized.formula
    return compared(
        reading,
        reading.formula,
        reference,
        lang,
        trial.seconds_for(lang),
        sides=sides_by_parts(other=None, formalized=formalized_text),
    )


def tree_of_reference(lang: Language, expected: Formula | str) -> Formula:
    """The tree of the formula that a sample's test expects. An error says where an answer belongs."""
    try:
        return tree_of_argument(lang, "expected", expected)
    except FormulaSyntaxError as problem:
        problem.args = (f"{problem}\n  {_ANSWER_IS_FIRST}",)
        raise


def tree_of_answer(
    lang: Language, answer: Formula | str, vocabulary: Vocabulary | None, description: str | None
) -> Formula:
    """The tree of the answer that a sample's test compares: a formula, or a text by code of the user's own.

    Raises `MeaningLostError` for a text in which no formula can be read. A text with a formula in another notation may
    be right: that is a mistake of the test. So is the model's ``description`` in the place of a formula.
    """
    try:
        return tree_of_argument(lang, "actual", answer)
    except FormulaSyntaxError as problem:
        if answer == description:
            raise
        if lang.read(problem.text, vocabulary=vocabulary).formula is None:
            raise MeaningLostError(Outcome.UNPARSEABLE, str(problem)) from None
        reader = f"language({lang.name!r}).read(text).formula"
        problem.args = (f"{problem}\n  {reader} reads a formula in it",)
        raise


def no_formula_message(reading: Reading, lang: Language) -> str:
    """The message for an answer in which no formula was read."""
    message = f"no {lang.name} formula in the answer"
    # The message says so already.
    reason = reading.problem.removeprefix(_NONE_FOUND).removeprefix(": ")
    return f"{message}: {reason}" if reason else message


def compared(  # noqa: PLR0913 - two formulas, how they are compared, and their names
    reading: Reading,
    answer: Formula,
    reference: Formula,
    lang: Language,
    timeout: float,
    *,
    sides: Sides = GIVEN_AND_MODELS,
) -> Judgement:
    """The judgement ``equivalent``, ``different`` or ``undecided``, with the relation of the answer to the reference.

    ``reading`` is that of the answer. ``timeout`` is in seconds, for each decision. ``sides`` are what the message
    calls the reference and the answer.
    """
    verdict = lang.equivalent(reference, answer, timeout=timeout)
    translated = Translated(
        relation=_relation(verdict, answer, reference, lang, timeout),
        meaningful=True,
        syntactically_correct=True,
        lacking=_lacking(answer, reference, lang),
    )
    message = ""
    if verdict.outcome != VerdictOutcome.EQUIVALENT:
        message = inequivalence_message(verdict, reference, answer, lang, sides)
    return Judgement(
        outcome=verdict.outcome,
        message=message,
        parts=(translated,),
        reading=reading,
        verdict=verdict,
    )


def inequivalence_message(
    verdict: Verdict,
    expected: Formula,
    actual: Formula | str,
    lang: Language,
    sides: Sides,
) -> str:
    """The message for two formulas that are not proved equivalent. ``sides`` are what they are called."""
    if verdict.outcome == VerdictOutcome.UNDECIDED:
        return f"undecided: {verdict.reason or verdict.method}\n  {expected}\n  {actual}"
    expected_side, actual_side = sides
    named_formulas = [
        (f"{expected_side}:", lang.format(expected)),
        (f"{actual_side}:", str(actual)),
    ]
    indented_lines = (f"  {line}" for line in aligned(named_formulas, left=2))
    witness = with_sides(str(verdict.witness), sides)
    return "\n".join(["not equivalent", *indented_lines, witness_lines(witness)])


def witness_lines(witness: str) -> str:
    """The end of a message, with the witness on which two formulas differ: a table stands below, indented."""
    if "\n" in witness:
        return f"  they differ on:\n{textwrap.indent(witness, '    ')}"
    return f"  they differ on:  {witness}"


def not_compared(
    reading: Reading, message: str, translated: Translated = _NOT_COMPARED
) -> Judgement:
    """The judgement of a reading without a formula, or of a formula with foreign symbols."""
    has_formula = reading.formula is not None
    part = structs.replace(translated, syntactically_correct=has_formula)
    outcome = Outcome.FOREIGN_SYMBOL if has_formula else Outcome.UNPARSEABLE
    return Judgement(outcome=outcome, message=message, parts=(part,), reading=reading)


def _lacking(answer: Formula, reference: Formula, lang: Language) -> list[str]:
    """The names of the reference that are missing in the answer; the study of temporal logic compares no such pair."""
    return sorted(lang.symbols(reference).names - lang.symbols(answer).names)


def _relation(
    verdict: Verdict, answer: Formula, reference: Formula, lang: Language, timeout: float
) -> str | None:
    """The relation of the answer to the reference; None if it is undecided.

    The witness refutes one entailment, so only the other is decided.
    """
    if verdict.outcome == VerdictOutcome.EQUIVALENT:
        return "equivalent"
    if verdict.outcome != VerdictOutcome.DIFFERENT or verdict.witness is None:
        return None
    # The reference was the left side of the comparison. Where it holds on the witness, the answer does not.
    reference_holds = verdict.witness.to_json()["left"]
    if reference_holds:
        entailment = lang.entails(answer, reference, timeout=timeout)
        relation = "stronger"
    else:
        entailment = lang.entails(reference, answer, timeout=timeout)
        relation = "weaker"
    if entailment.outcome == VerdictOutcome.ENTAILS:
        return relation
    if entailment.outcome == VerdictOutcome.DOES_NOT_ENTAIL:
        return "incomparable"
    return None


def formula_text(subject: Subject, *, in_python: bool = False) -> str:
    """The canonical text of the sample's formula, or, for temporal logic, a Python expression."""
    if in_python:
        from pytest_autoeval.languages.ltl.python_notation import to_python
        from pytest_autoeval.languages.ltl.syntax import Temporal

        return to_python(cast(Temporal, subject.formula))
    return language(subject.language).format(subject.formula)


def formula_in(
    answer: str, lang: Language, vocabulary: Vocabulary | None, *, in_python: bool
) -> Reading:
    """The reading of an answer that is a formula or, ``in_python``, a Python program for one of temporal logic."""
    if in_python:
        from pytest_autoeval.languages.ltl.python_notation import read_python

        return read_python(answer)
    return lang.read(answer, vocabulary=vocabulary)


def with_form(
    reading: Reading, form: LazyPattern[str], answer: str, read: Callable[[str], Reading]
) -> Reading:
    """The reading, compliant if the whole answer has the form and the formula in it is compliant.

    ``form`` has a group ``formula``, which ``read`` reads alone.
    """
    if reading.formula is None:
        return reading
    match = form.fullmatch(answer.strip())
    compliant = match is not None and read(match["formula"]).compliant
    return replace(reading, compliant=compliant, recovered=not compliant)


def formula_form(trial: Trial) -> AnswerGrammar | None:
    """The grammar of the formulas over the names of the trial's sample; None if the language has none."""
    subject = trial.about
    return language(subject.language).answer_grammar(subject.vocabulary)


def glossary(trial: Trial) -> str:
    """The glosses of the sample's symbols, one on a line."""
    return ontology_of_facts(trial.fact("ontology", list)).listed()


def listed_phrases(propositions: Iterable[Sequence[str]]) -> str:
    """Pairs of phrase and name, one on a line: ``"the door is open": x1``."""
    return "\n".join(f'"{phrase}": {name}' for phrase, name in propositions)


def numbered(texts: Sequence[str]) -> str:
    """Texts as a list numbered from 1, one on a line."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def with_lists(error: str, expected: str, answered: str) -> str:
    """A message with the expected and the answered list."""
    expected = textwrap.indent(expected, "    ")
    answered = textwrap.indent(answered, "    ")
    return f"{error}\n  expected:\n{expected}\n  answered:\n{answered}"

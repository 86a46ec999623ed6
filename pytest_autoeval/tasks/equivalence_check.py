"""`assert_equivalent`: whether two formulas mean the same, and whether that says anything about a model."""

from __future__ import annotations

from pytest_autoeval.errors import ArgumentError, raises_here
from pytest_autoeval.languages import Formula, Language, Verdict, Vocabulary, language_of
from pytest_autoeval.languages import language as language_named
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.contract import tree_of_argument
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.witness_words import EXPECTED_AND_ACTUAL, GIVEN_AND_MODELS
from pytest_autoeval.tasks.formula_answers import (
    NO_ANSWER,
    inequivalence_message,
    tree_of_answer,
    tree_of_reference,
)
from pytest_autoeval.tasks.given_formulas import formula_of, language_of_text, language_of_tree
from pytest_autoeval.tasks.trial import (
    MeaningLostError,
    Subject,
    Trial,
    UndecidedError,
    current_trial,
    has_trial,
)


@raises_here
def assert_equivalent(
    actual: Formula | str | Subject,
    expected: Formula | str | Subject,
    *,
    language: str | None = None,
) -> Verdict:
    """Asserts that two formulas mean the same, by the language's decision procedure. Works in any test.

    Args:
        actual: the answer: a formula, its text, or a sample, which stands for its formula.
        expected: what it should mean, as a formula, its text, or a sample.
        language: the name of their language. It is needed if both are texts and the test has no sample.

    Raises:
        AssertionError: the formulas differ; the message has a witness. Or, in the test of a sample, ``actual`` is a
            text in which no formula can be read (``unparseable``).
        AutoevalError: the verifier gave up, or another text is not a formula, or its language is not known.
    """
    if not has_trial():
        return _asserted(actual, expected, language, None)
    trial = current_trial()
    with trial.deciding():
        verdict = _asserted(actual, expected, language, trial)
    trial.proves_nothing = _why_nothing_is_proved(actual, expected, trial)
    trial.verified = trial.verified or not trial.proves_nothing
    return verdict


def _asserted(
    actual: Formula | str | Subject,
    expected: Formula | str | Subject,
    language: str | None,
    trial: Trial | None,
) -> Verdict:
    """As `assert_equivalent`; the verdict is stored in the trial, if there is one."""
    if actual is None and trial is not None and trial.subject is not None:
        raise ArgumentError(f"actual is None; {NO_ANSWER}")
    actual = formula_of("actual", actual)
    expected = formula_of("expected", expected)
    lang = _language_of_both(actual, expected, language, trial)
    # As written, until they are read: a text may be no formula.
    _note_comparison(trial, actual, expected)
    names = None if trial is None else _names_of(trial, lang)
    if trial is None or trial.subject is None:
        # First what a model may have written: of two texts without a formula, it is the one to look at.
        compared = tree_of_argument(lang, "actual", actual)
        reference = tree_of_argument(lang, "expected", expected)
    else:
        # First the reference: if that is no formula, the test is wrong, whatever the model wrote.
        reference = tree_of_reference(lang, expected)
        compared = tree_of_answer(lang, actual, names, trial.description)
    formulas = compared, reference
    _note_comparison(trial, *formulas)
    # Over the names of the trial: what a formula leaves to them, such as a wildcard, must mean the same on both sides.
    if names is not None:
        reference, _ = lang.over(reference, names)
        compared, _ = lang.over(compared, names)
    timeout = None if trial is None else trial.verify_timeout
    verdict = lang.equivalent(reference, compared, timeout=timeout)
    _note_comparison(trial, *formulas, verdict)
    if verdict.outcome == VerdictOutcome.EQUIVALENT:
        return verdict
    # In a plain test no model need be there.
    sides = EXPECTED_AND_ACTUAL if trial is None else GIVEN_AND_MODELS
    message = inequivalence_message(verdict, reference, actual, lang, sides)
    if verdict.outcome == VerdictOutcome.DIFFERENT:
        raise MeaningLostError(Outcome.DIFFERENT, message)
    raise UndecidedError(message)


def _note_comparison(
    trial: Trial | None,
    actual: Formula | str,
    expected: Formula | str,
    verdict: Verdict | None = None,
) -> None:
    """Notes in the trial, if there is one, what is compared, and the verdict once it is known.

    A meaning that was lost stays lost: a comparison that does not lose it does not replace the one that did.
    """
    if trial is None:
        return
    loses_meaning = verdict is not None and verdict.outcome == VerdictOutcome.DIFFERENT
    if isinstance(trial.failed, MeaningLostError) and not loses_meaning:
        return
    trial.compared_formulas = str(actual), str(expected)
    trial.verdict = verdict


def _language_of_both(
    actual: Formula | str, expected: Formula | str, named: str | None, trial: Trial | None
) -> Language:
    """The language in which two formulas are compared: the named one, that of the sample, or that of one of them."""
    if named is not None:
        return language_named(named)
    sample = None if trial is None else trial.subject
    if isinstance(expected, Formula):
        return language_of_tree(expected, sample)
    if isinstance(actual, Formula) and sample is None:
        return language_of(actual)
    return language_of_text(expected, sample, ", or give assert_equivalent language=…")


def _names_of(trial: Trial, lang: Language) -> Vocabulary | None:
    """The names over which the answers of a trial are read: the sample's, or those of the formula described."""
    if trial.subject is not None and trial.subject.language == lang.name:
        return trial.subject.vocabulary
    if trial.described is not None and lang.owns(trial.described):
        return lang.symbols(trial.described)
    return None


def _why_nothing_is_proved(
    actual: Formula | str | Subject, expected: Formula | str | Subject, trial: Trial
) -> str:
    """Why the equivalence of two formulas says nothing about a model; empty if it may say something.

    A test may ask a pipeline of its own, whose answers are not known here. So a formula counts as an answer unless it
    is the very object that the test was given. An equal formula, or an equal text, may be a right answer. A tree keeps
    its text, so that `sample.text` and `str(sample.formula)` are one object.
    """
    if trial.subject is None:
        return ""
    if trial.given_away and trial.read in (actual, expected):
        return "the model was given the formula itself instead of a text about it"
    if _is_passed_on(actual, trial) and _is_passed_on(expected, trial):
        return "the sample's formula was compared with itself"
    if _is_own_text(actual, expected) or _is_own_text(expected, actual):
        return "a formula was compared with its own text"
    if actual is expected and not _is_shared(str(actual)):
        return "a formula was compared with itself"
    return ""


def _is_own_text(formula: Formula | str | Subject, text: Formula | str | Subject) -> bool:
    """Whether a text is that of a formula, and not only equal to it. A name alone may be the text of many formulas."""
    if not isinstance(text, str) or not isinstance(formula, Formula):
        return False
    return text is str(formula) and bool(formula.children())


def _is_passed_on(value: Formula | str | Subject, trial: Trial) -> bool:
    """Whether a value is the sample of the trial, its formula or its text, and not only equal to them."""
    subject = trial.subject
    if subject is None:
        return False
    if value is subject:
        return True
    text: str = getattr(subject, "text", "")
    if _is_shared(text):
        return False
    return value is subject.formula or (isinstance(value, str) and value is text)


def _is_shared(text: str) -> bool:
    """Whether all equal texts, or all equal formulas with such a text, are one object: those of one character."""
    return len(text) <= 1

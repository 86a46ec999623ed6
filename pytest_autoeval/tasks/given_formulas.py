"""What a test gives as a formula: a tree, a text or a sample, with its language and names."""

from __future__ import annotations

from pytest_autoeval.errors import ArgumentError, AutoevalError
from pytest_autoeval.languages import Formula, Language, Vocabulary, language_of
from pytest_autoeval.languages import language as language_named
from pytest_autoeval.languages.contract import tree_of_argument
from pytest_autoeval.tasks.trial import Subject
from pytest_autoeval.text import shorten

#: How much of a text of an unknown language an error shows, in columns.
_SHOWN = 60


def resolved(
    subject: Formula | str | Subject | None,
    sample: Subject | None,
    argument: str = "formula",
) -> tuple[Language, Formula, Vocabulary]:
    """The language, tree and vocabulary of a formula, its text or a sample.

    Args:
        subject: the formula, text or sample; None for the sample of the test.
        sample: the sample of the test, if it has one.
        argument: the name of the argument that gave it, for errors.

    Raises:
        AutoevalError: there is no sample to take, or the language of a text is not known.
    """
    subject = sample if subject is None else subject
    if subject is None:
        raise AutoevalError("give like=…: this test has no sample that gives the names")
    if isinstance(subject, str):
        subject = tree_of_argument(language_of_text(subject, sample), argument, subject)
    if not isinstance(subject, Formula):
        # A value that is neither a formula nor a sample is refused with its name.
        formula_of(argument, subject)
        lang = language_named(subject.language)
        return lang, *lang.over(subject.formula, subject.vocabulary)
    lang = language_of_tree(subject, sample)
    has_names = sample is not None and sample.language == lang.name
    names = sample.vocabulary if sample is not None and has_names else lang.symbols(subject)
    return lang, *lang.over(subject, names)


def language_of_text(text: str, sample: Subject | None, otherwise: str = "") -> Language:
    """The language of the sample, in which a text is read; ``otherwise`` is what else can be done without a sample."""
    if sample is not None:
        return language_named(sample.language)
    shown = shorten(text, _SHOWN)
    raise AutoevalError(
        f"the language of the text {shown!r} is not known; "
        f'write language("propositional").parse({shown!r}){otherwise}'
    )


def language_of_tree(formula: Formula, sample: Subject | None) -> Language:
    """The language of the sample if the formula is of it, else the first one that has such formulas."""
    if sample is not None and language_named(sample.language).owns(formula):
        return language_named(sample.language)
    return language_of(formula)


def formula_of(argument: str, value: Formula | str | Subject) -> Formula | str:
    """A formula or its text as it is; a sample gives its formula."""
    formula = value if isinstance(value, Formula | str) else getattr(value, "formula", None)
    if isinstance(formula, Formula | str):
        return formula
    raise ArgumentError(f"{argument} is {kind_of(value)}; give a formula, its text, or a sample")


def kind_of(value: object) -> str:
    """A value that has no formula, as an error shows it: ``None``, or ``of the type int: 3``."""
    return "None" if value is None else f"of the type {type(value).__name__}: {value!r:.60}"

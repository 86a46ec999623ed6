"""The round trip: formula → English → formula, each half in its own conversation, judged by the verifier.

After the approach of the ∀uto∃val papers (informalize = interpretation, autoformalize = compilation).
"""

from __future__ import annotations

from pytest_autoeval.languages import Formula, Language, Verdict, Vocabulary, language, language_of
from pytest_autoeval.languages.answers import without_thoughts
from pytest_autoeval.models.base import Message, Reply
from pytest_autoeval.tasks.comparison import unequal, without_formula
from pytest_autoeval.tasks.formula_text import in_words
from pytest_autoeval.tasks.leakage import leaks
from pytest_autoeval.tasks.replies import Exchange, answer_text, complete, converse, is_truncated, is_withheld, rendered
from pytest_autoeval.tasks.trial import MeaningLostError, Subject, Trial, UndecidedError, current_trial


class Llm:
    """The model under test, for a test's body: it describes formulas and reads descriptions.

    One object serves every trial: the current trial has the model and its prompts.
    """

    @property
    def name(self) -> str:
        """The name of the model under test."""
        return current_trial().model.name

    def ask(self, text: str, *, system: str = "", stage: str = "ask") -> str:
        """The model's answer to a prompt of your own, in a fresh conversation; recorded like every call.

        Raises :class:`MeaningLostError` where the answer was cut off, empty or a refusal.
        """
        trial = current_trial()
        messages = [Message("system", system)] if system else []
        return answer_text(complete(trial, stage, [*messages, Message("user", text)]), stage)

    def informalize(self, formula: Formula | str | Subject) -> str:
        """The model's English description of a formula.

        Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``).
        """
        trial = current_trial()
        lang, tree, _ = _resolve(formula, trial)
        slots = {"formula": lang.format(tree), "vocabulary": in_words(lang.symbols(tree))}
        exchange = converse(trial, rendered(trial, "informalize", lang.name, slots))
        trial.description = description_in(exchange, "informalize", tree, lang, trial)
        return trial.description

    def autoformalize(self, description: str, like: Formula | str | Subject | None = None) -> Formula:
        """The formula that the model reads in a description.

        ``like`` gives the language and the names that the answer may use: a sample, or a formula as tree or text; by
        default the sample of the test. Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``,
        ``unparseable``, ``foreign symbol``).
        """
        trial = current_trial()
        lang, _, vocabulary = _resolve(like, trial)
        slots = {"description": description, "vocabulary": in_words(vocabulary)}
        exchange = converse(trial, rendered(trial, "autoformalize", lang.name, slots))
        if exchange.first is not None:
            trial.notes["first_answer"] = exchange.first.text
        trial.answer = exchange.final.text
        return _read(exchange.final, lang, vocabulary, trial)


def description_in(exchange: Exchange, stage: str, formula: Formula, lang: Language, trial: Trial) -> str:
    """The description in the last reply; leaves in the trial the first one and whether the last one leaks.

    Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``).
    """
    if exchange.first is not None:
        trial.notes["first_description"] = exchange.first.text
    text = answer_text(exchange.final, stage)
    trial.leaked = leaks(text, formula, lang)
    return text


def round_trip(formula: Formula | str | Subject) -> Formula:
    """The formula that comes back when the model describes ``formula`` and, in a fresh conversation, reads the text."""
    __tracebackhide__ = True
    llm = Llm()
    return llm.autoformalize(llm.informalize(formula), like=formula)


def assert_equivalent(actual: Formula | str, expected: Formula | str) -> Verdict:
    """Asserts that two formulas mean the same, by the language's decision procedure.

    Raises :class:`MeaningLostError` (``different``, with the witness) or :class:`UndecidedError`.
    """
    __tracebackhide__ = True
    trial = current_trial()
    lang, reference, _ = _resolve(expected, trial)
    verdict = lang.equivalent(reference, lang.tree(actual), timeout=trial.seconds_for(lang))
    trial.verdict = verdict
    if verdict.outcome == "different":
        raise MeaningLostError("different", unequal(verdict, reference, actual, lang))
    if verdict.outcome == "undecided":
        raise UndecidedError(unequal(verdict, reference, actual, lang))
    return verdict


def _resolve(subject: Formula | str | Subject | None, trial: Trial) -> tuple[Language, Formula, Vocabulary]:
    """The language, tree and vocabulary of a formula, of its text, or of a sample."""
    known = trial.subject
    subject = known if subject is None else subject
    if subject is None:
        raise TypeError("like=… is needed: outside a pass-rate test no sample gives the names")
    if isinstance(subject, str):
        lang = language(known.language) if known is not None else language("first_order")
        subject = lang.parse(subject)
    if not isinstance(subject, Formula):
        return language(subject.language), subject.formula, subject.vocabulary
    if known is not None and language(known.language).owns(subject):
        return language(known.language), subject, known.vocabulary
    lang = language_of(subject)
    return lang, subject, lang.symbols(subject)


def _read(reply: Reply, lang: Language, vocabulary: Vocabulary, trial: Trial) -> Formula:
    if is_truncated(reply) or is_withheld(reply) or not without_thoughts(reply.text).strip():
        answer_text(reply, "autoformalize")
    trial.reading = reading = lang.read(reply.text, vocabulary=vocabulary)
    if reading.formula is None:
        answer_text(reply, "autoformalize")
        raise MeaningLostError("unparseable", without_formula(reading, lang))
    if foreign := lang.foreign(reading.formula, vocabulary):
        raise MeaningLostError("foreign symbol", f"the answer uses {'; '.join(foreign)}")
    return reading.formula

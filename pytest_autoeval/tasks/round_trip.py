"""The round trip: formula → English → formula, each half in a conversation of its own, and the verifier at its end.

After the approach of the ∀uto∃val papers (informalize = interpretation, autoformalize = compilation).
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval import prompts
from pytest_autoeval.languages import Formula, Language, Verdict, Vocabulary, language, language_of
from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.models.base import Message, Reply
from pytest_autoeval.tasks.answers.refusal import is_withheld
from pytest_autoeval.tasks.comparison import without_formula
from pytest_autoeval.tasks.failures import MeaningLostError, UndecidedError
from pytest_autoeval.tasks.leakage import leaks
from pytest_autoeval.tasks.replies import complete, converse, is_truncated, said
from pytest_autoeval.tasks.trial import Subject, Trial, current_trial
from pytest_autoeval.tasks.vocabulary_text import in_words


class Llm:
    """The model under test, as a test's body sees it: it describes formulas and reads descriptions.

    One object serves every trial: which model is asked, with which prompts, is the current trial's business.
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
        return said(complete(trial, stage, [*messages, Message("user", text)]), stage)

    def informalize(self, formula: Formula | str | Subject) -> str:
        """The model's English description of a formula.

        Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``).
        """
        trial = current_trial()
        tongue, tree, _ = _resolve(formula, trial)
        messages = informalize_messages(trial, formula)
        exchange = converse(trial, "informalize", messages, _template("informalize", tongue, trial))
        if exchange.first is not None:
            trial.notes["first_description"] = exchange.first.text
        description = said(exchange.final, "informalize")
        trial.description = description
        trial.leaked = leaks(description, tree, tongue)
        return description

    def autoformalize(self, description: str, like: Formula | str | Subject | None = None) -> Formula:
        """The formula that the model reads in a description.

        ``like`` (a sample, or a formula as tree or text; by default the sample of the test) tells the language and
        the names that the answer may use. Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``,
        ``unparseable``, ``foreign symbol``).
        """
        trial = current_trial()
        tongue, _, vocabulary = _resolve(like, trial)
        messages = autoformalize_messages(trial, description, like)
        exchange = converse(trial, "autoformalize", messages, _template("autoformalize", tongue, trial))
        if exchange.first is not None:
            trial.notes["first_answer"] = exchange.first.text
        trial.answer = exchange.final.text
        return _read(exchange.final, tongue, vocabulary, trial)


def informalize_messages(trial: Trial, formula: Formula | str | Subject | None = None) -> list[Message]:
    """What is sent to have a formula described; by default the trial's own."""
    tongue, tree, _ = _resolve(formula, trial)
    slots = {"formula": tongue.format(tree), "vocabulary": in_words(tongue.symbols(tree))}
    return _conversation("informalize", tongue, slots, trial)


def autoformalize_messages(
    trial: Trial, description: str, like: Formula | str | Subject | None = None
) -> list[Message]:
    """What is sent to have a description read; ``like`` is by default the trial's own sample."""
    tongue, _, vocabulary = _resolve(like, trial)
    slots = {"description": description, "vocabulary": in_words(vocabulary)}
    return _conversation("autoformalize", tongue, slots, trial)


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
    tongue, reference, _ = _resolve(expected, trial)
    verdict = tongue.equivalent(reference, tongue.tree(actual), timeout=trial.seconds_for(tongue))
    trial.verdict = verdict
    if verdict.outcome == "different":
        raise MeaningLostError(
            "different",
            f"not equivalent\n  left (expected): {tongue.format(reference)}\n  right (actual):  {actual}\n"
            f"  they differ on:  {verdict.witness}",
        )
    if verdict.outcome == "undecided":
        raise UndecidedError(f"undecided: {verdict.reason or verdict.method}\n  {reference}\n  {actual}")
    return verdict


def _resolve(subject: Formula | str | Subject | None, trial: Trial) -> tuple[Language, Formula, Vocabulary]:
    """The language, tree and vocabulary that a formula, its text or a sample stand for."""
    known = trial.subject
    subject = known if subject is None else subject
    if subject is None:
        raise TypeError("like=… is needed: outside a pass-rate test there is no sample to take names from")
    if isinstance(subject, str):
        tongue = language(known.language) if known is not None else language("first_order")
        subject = tongue.parse(subject)
    if not isinstance(subject, Formula):
        return language(subject.language), subject.formula, subject.vocabulary
    if known is not None and language(known.language).owns(subject):
        return language(known.language), subject, known.vocabulary
    tongue = language_of(subject)
    return tongue, subject, tongue.symbols(subject)


def _conversation(task: str, tongue: Language, slots: Mapping[str, str], trial: Trial) -> list[Message]:
    turns = _template(task, tongue, trial).render(slots, few_shot=trial.prompting.way == "few-shot")
    return [Message(role, content) for role, content in turns]


def _template(task: str, tongue: Language, trial: Trial) -> prompts.PromptTemplate:
    return prompts.load(task, tongue.name, trial.prompting.folders)


def _read(reply: Reply, tongue: Language, vocabulary: Vocabulary, trial: Trial) -> Formula:
    if is_truncated(reply) or is_withheld(reply) or not without_thoughts(reply.text).strip():
        said(reply, "autoformalize")
    trial.reading = reading = tongue.read(reply.text, vocabulary=vocabulary)
    if reading.formula is None:
        said(reply, "autoformalize")
        raise MeaningLostError("unparseable", without_formula(reading, tongue))
    if foreign := tongue.foreign(reading.formula, vocabulary):
        raise MeaningLostError("foreign symbol", f"the answer uses {'; '.join(foreign)}")
    return reading.formula

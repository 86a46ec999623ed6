"""The round trip: formula → English → formula, each half in its own conversation, judged by the verifier.

The approach of the ∀uto∃val papers (informalize = interpretation, autoformalize = compilation). A description that
copies the formula proves nothing, so a copy fails (`copied`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_autoeval.errors import ArgumentError, AutoevalError, raises_here
from pytest_autoeval.languages import Formula, Language, Verdict, Vocabulary, language_of
from pytest_autoeval.languages import language as language_named
from pytest_autoeval.languages.base import VerdictOutcome, shown_text
from pytest_autoeval.languages.contract import tree_of_argument
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.languages.logic.variable_lists import allowing_lists
from pytest_autoeval.languages.thoughts import without_thoughts
from pytest_autoeval.languages.vocabulary import vocabulary_text
from pytest_autoeval.models.protocols import Chat, Embedder, MadeUpReply, Reply
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.task_parts import First, Formalized
from pytest_autoeval.record.witness_words import EXPECTED_AND_ACTUAL, GIVEN_AND_MODELS
from pytest_autoeval.tasks.conversation import Conversation, Turn, messages_of
from pytest_autoeval.tasks.formula_answers import (
    NO_ANSWER,
    inequivalence_message,
    no_formula_message,
    tree_of_answer,
    tree_of_reference,
)
from pytest_autoeval.tasks.halves import Halves
from pytest_autoeval.tasks.task import Prompt, answer_text, complete, constraint, converse, rendered
from pytest_autoeval.tasks.trial import (
    MeaningLostError,
    Subject,
    Trial,
    UndecidedError,
    current_trial,
    has_trial,
    in_trial,
)
from pytest_autoeval.text import shorten

#: How to judge a copy like other descriptions: whoever reads the reason may want that.
_COPIES_COUNT = "--autoeval-copies=count judges it like any other"
#: How much of a text of an unknown language an error shows, in columns.
_SHOWN = 60


class Llm:
    """A model that describes formulas and reads descriptions: the fixture ``llm``, or one of `open_llm`."""

    def __init__(self, model: Chat | Embedder | None = None) -> None:
        self._model = model  # None: that of the current trial

    def _trial(self) -> Trial:
        return current_trial() if self._model is None else Trial(self._model)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._trial().model.name

    @raises_here
    def ask(
        self,
        prompt: str | Sequence[Turn],
        *,
        system: str = "",
        stage: str = "ask",
        attempt: int = 0,
    ) -> str:
        """The model's answer to a prompt of your own, in a fresh conversation; recorded like every call.

        The prompt is a text, or a conversation: messages such as ``{"role": "user", "content": "…"}`` or
        `Message`. An equal question is asked once in a sample; with another ``attempt``, from 0, it is asked anew.
        Raises `MeaningLostError` if the answer was cut off, empty or a refusal.
        """
        trial = self._trial()
        messages = messages_of(prompt, system)
        with trial.calling(attempt):
            return answer_text(complete(trial, Prompt(stage, messages)), stage)

    def conversation(self, system: str = "") -> Conversation:
        """A conversation that keeps its turns: ``chat.ask("…")``, then ``chat.ask("and now?")``."""
        return Conversation(self._trial(), system)

    @raises_here
    def informalize(self, formula: Formula | str | Subject, *, attempt: int = 0) -> str:
        """The model's English description of a formula; with another ``attempt``, from 0, another one.

        Raises `MeaningLostError` (``truncated``, ``refused or empty``; ``copied`` if it is not English).
        """
        trial = self._trial()
        if formula is None:
            raise ArgumentError("formula is None; give a formula, its text, or a sample")
        lang, tree, vocabulary = resolved(formula, trial.subject)
        # The names of the formula alone: others would only distract, and the reader gets the whole vocabulary.
        names = replace(lang.symbols(tree), sorts=vocabulary.sorts)
        slots = {"formula": lang.format(tree), "vocabulary": vocabulary_text(names)}
        trial.described = tree
        prompt = _prompt(trial, "informalize", lang.name, slots, vocabulary.signs)
        with trial.calling(attempt):
            return description_in(converse(trial, prompt), "informalize", tree, lang, trial)

    @raises_here
    def autoformalize(
        self, description: str, like: Formula | str | Subject | None = None, *, attempt: int = 0
    ) -> Formula:
        """The formula that the model, or the reader of the run, reads in a description.

        ``like`` gives the language and the names that the answer may use: a sample, or a formula as tree or text; by
        default the sample of the test. With another ``attempt``, from 0, the description is read anew. Raises
        `MeaningLostError` (``truncated``, ``refused or empty``, ``unparseable``, ``foreign symbol``).
        """
        trial = self._trial()
        if not isinstance(description, str):
            raise ArgumentError(
                f"description is no text, but {_kind_of(description)}; give what `informalize` returned, or your own "
                "English"
            )
        trial.formalized_text = description
        trial.given_away = _is_formula_of(description, trial)
        lang, _, vocabulary = resolved(like, trial.subject, argument="like")
        slots = {"description": description, "vocabulary": vocabulary_text(vocabulary)}
        form = None
        if trial.constrained:
            form = constraint(lang.answer_grammar(vocabulary), lang.name)
        prompt = _prompt(trial, "autoformalize", lang.name, slots, vocabulary.signs)
        with trial.calling(attempt):
            *earlier, final = converse(trial, prompt, form, reads=True)
            for reply in earlier:
                trial.note(First, answer=reply.text)
            trial.answer = final.text
            lists = prompt.variable_lists
            return formula_in_reply(
                final, "autoformalize", lang, vocabulary, trial, variable_lists=lists
            )


def _prompt(
    trial: Trial, half: str, language: str, slots: Mapping[str, str], signs: Sequence[str]
) -> Prompt:
    """The prompt of one half of a round trip, of the trial's interface if there is such a prompt."""
    choice = trial.prompts
    interface = choice.interface
    if interface and not choice.templates.has(half, language, choice.folders, interface):
        interface = ""
    return rendered(trial, half, language, slots, interface, signs=lambda: signs)


def description_in(
    replies: Sequence[Reply], stage: str, formula: Formula, lang: Language, trial: Trial
) -> str:
    """The description in the last reply; the trial records it, the first reply, and whether it is a copy.

    The phrases of the glossary of a formalized sentence are no copy, whatever signs they have.
    """
    *earlier, final = replies
    for reply in earlier:
        trial.note(First, description=reply.text)
    trial.description = answer_text(final, stage)
    formalized = trial.part(Formalized)
    text = trial.description
    if formalized is not None and formalized.glossary:
        from pytest_autoeval.languages.glossary import with_plain_phrases

        text = with_plain_phrases(text, formalized.glossary)
    why = "" if isinstance(final, MadeUpReply) else copied(text, formula, lang)
    trial.leaked = bool(why)
    if why and trial.copies == "fail":
        raise MeaningLostError(
            Outcome.COPIED, f"the description is not English: {why}; {_COPIES_COUNT}"
        )
    return trial.description


@raises_here
def round_trip(formula: Formula | str | Subject) -> Formula:
    """The formula that comes back: the model describes ``formula``, and formalizes the text in a fresh conversation."""
    llm = Llm()
    return llm.autoformalize(llm.informalize(formula), like=formula)


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
    actual = _formula_of("actual", actual)
    expected = _formula_of("expected", expected)
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


def _formula_of(argument: str, value: Formula | str | Subject) -> Formula | str:
    """A formula or its text as it is; a sample gives its formula."""
    formula = value if isinstance(value, Formula | str) else getattr(value, "formula", None)
    if isinstance(formula, Formula | str):
        return formula
    raise ArgumentError(f"{argument} is {_kind_of(value)}; give a formula, its text, or a sample")


def _kind_of(value: object) -> str:
    """What a value is that is no formula: ``None``, or ``an int: 3``."""
    return "None" if value is None else f"of the type {type(value).__name__}: {value!r:.60}"


def _language_of_both(
    actual: Formula | str, expected: Formula | str, named: str | None, trial: Trial | None
) -> Language:
    """The language in which two formulas are compared: the named one, that of the sample, or that of one of them."""
    if named is not None:
        return language_named(named)
    sample = None if trial is None else trial.subject
    if isinstance(expected, str) and sample is None and isinstance(actual, Formula):
        return language_of(actual)
    if isinstance(expected, str):
        return _language_of_text(expected, sample, ", or give assert_equivalent language=…")
    return _language_of_tree(expected, sample)


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


def _is_formula_of(text: str, trial: Trial) -> bool:
    """Whether the text for the model to read has the formula of the sample in it, which no model described so.

    A proposition alone is described by its name, and letters and digits alone may be part of a word.
    """
    subject = trial.subject
    formula: str = getattr(subject, "text", "")
    if subject is None or not formula or formula in (trial.description or ""):
        return False
    has_formula = text.strip() == formula or (formula in text and not formula.isalnum())
    return has_formula and bool(subject.formula.children())


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
        subject = tree_of_argument(_language_of_text(subject, sample), argument, subject)
    if not isinstance(subject, Formula):
        # A value that is neither a formula nor a sample is refused with its name.
        _formula_of(argument, subject)
        lang = language_named(subject.language)
        return lang, *lang.over(subject.formula, subject.vocabulary)
    lang = _language_of_tree(subject, sample)
    has_names = sample is not None and sample.language == lang.name
    names = sample.vocabulary if sample is not None and has_names else lang.symbols(subject)
    return lang, *lang.over(subject, names)


def _language_of_text(text: str, sample: Subject | None, otherwise: str = "") -> Language:
    """The language of the sample, in which a text is read; ``otherwise`` is what else can be done without a sample."""
    if sample is not None:
        return language_named(sample.language)
    shown = shorten(text, _SHOWN)
    raise AutoevalError(
        f"the language of the text {shown!r} is not known; "
        f'write language("propositional").parse({shown!r}){otherwise}'
    )


def _language_of_tree(formula: Formula, sample: Subject | None) -> Language:
    """The language of the sample if the formula is of it, else the first one that has such formulas."""
    if sample is not None and language_named(sample.language).owns(formula):
        return language_named(sample.language)
    return language_of(formula)


def formula_in_reply(  # noqa: PLR0913 (a reply, and how it is read)
    reply: Reply,
    stage: str,
    lang: Language,
    vocabulary: Vocabulary,
    trial: Trial,
    *,
    variable_lists: bool = False,
) -> Formula:
    """The formula that is read in a reply; the trial records the reading.

    With ``variable_lists``, which the prompt then asks for, an answer with such lists may be compliant. Raises
    `MeaningLostError` (``truncated``, ``refused or empty``, ``unparseable``, ``foreign symbol``).
    """
    if reply.truncated or reply.withheld or not without_thoughts(reply.text).strip():
        answer_text(reply, stage)  # raises
    reading = lang.read(reply.text, vocabulary=vocabulary)
    if variable_lists:
        reading = allowing_lists(reading, reply.text, lang.parse)
    trial.reading = reading
    if reading.formula is None:
        # Raises for a refusal. It is asked only here: a formula that begins like one is still a formula.
        answer_text(reply, stage)
        # The second line is for a plain test: the results have the answer in a field of its own.
        message = f"{no_formula_message(reading, lang)}\n  answer: {shown_text(reply.text)}"
        raise MeaningLostError(Outcome.UNPARSEABLE, message)
    foreign = lang.foreign(reading.formula, vocabulary)
    if foreign:
        raise MeaningLostError(Outcome.FOREIGN_SYMBOL, f"the answer uses {'; '.join(foreign)}")
    return reading.formula


def halves_of(trial: Trial) -> Halves | None:
    """The halves of a round trip that was made without a task; None if no formula was described."""
    if trial.described is None:
        return None
    lang, formula, _ = resolved(trial.described, trial.subject)

    def read(probe: Trial, description: str) -> Formula:
        with in_trial(probe):
            return Llm().autoformalize(description, like=formula)

    return Halves(lang, lang.describe, read)

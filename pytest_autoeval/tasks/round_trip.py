"""The round trip: formula → English → formula, each half in its own conversation, judged by the verifier.

The approach of the ∀uto∃val papers (informalize = interpretation, autoformalize = compilation). A description that
copies the formula proves nothing, so a copy fails (`copied`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_autoeval.errors import ArgumentError, raises_here
from pytest_autoeval.languages import Formula, Language, Vocabulary
from pytest_autoeval.languages.base import shown_text
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.languages.logic.variable_lists import allowing_lists
from pytest_autoeval.languages.thoughts import without_thoughts
from pytest_autoeval.languages.vocabulary import vocabulary_text
from pytest_autoeval.models.protocols import Chat, Embedder, MadeUpReply, Reply
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.task_parts import First, Formalized
from pytest_autoeval.tasks.conversation import Conversation, Turn, messages_of
from pytest_autoeval.tasks.formula_answers import (
    no_formula_message,
)
from pytest_autoeval.tasks.given_formulas import kind_of, resolved
from pytest_autoeval.tasks.halves import Halves
from pytest_autoeval.tasks.task import Prompt, answer_text, complete, constraint, converse, rendered
from pytest_autoeval.tasks.trial import (
    MeaningLostError,
    Subject,
    Trial,
    current_trial,
    in_trial,
)

#: How to judge a copy like other descriptions: whoever reads the reason may want that.
_COPIES_COUNT = "--autoeval-copies=count judges it like any other"


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
                f"description is no text, but {kind_of(description)}; give what `informalize` returned, or your own "
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

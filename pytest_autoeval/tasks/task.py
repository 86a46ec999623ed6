"""Tasks: a task asks a model about one sample and judges the answer without another model.

A task asks once, or with self-refinement twice in one conversation. Each answer is judged by itself: the last one
counts, and the outcome of the first one is recorded too. A task with structured outputs asks for plain text if a server
accepts no schema.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from msgspec import Struct, structs

from pytest_autoeval.languages.thoughts import without_thoughts
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.constraints import PROBE, PROBE_GRAMMAR, PROBE_TOKENS
from pytest_autoeval.models.protocols import (
    AnswerForm,
    AnswerSchema,
    Chat,
    ConfigurationError,
    Embedder,
    Form,
    Message,
    ModelError,
    RecordingMissError,
    Reply,
    StructuredOutputsUnsupportedError,
    only_embeds,
)
from pytest_autoeval.outcomes import Outcome, OutcomeKind, Prompting, outcome_named
from pytest_autoeval.prompts.template import Example
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.task_parts import Answered, First
from pytest_autoeval.removed import removed_in_api
from pytest_autoeval.tasks.halves import Halves
from pytest_autoeval.tasks.trial import Judgement as Judgement  # noqa: PLC0414 - its home for users
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError

#: Characters at the beginning of an answer in which a refusal is looked for. Further down, it is about something else.
_OPENING = 200
_UNABLE = r"(?:can(?:no|['’])t|can not|unable|not able|won['’]t|will not|decline)"
_APOLOGY = (
    r"(?:(?:i['’]?m|i am|we['’]?re|we are)\s+(?:\w+\s+)?(?:sorry|afraid)"
    r"|sorry|apologies|unfortunately,?\s+(?:i|we)|i\s+apologi[sz]e|as an ai)"
)
#: Verbs of refusals. "We cannot have both p1 and p2" is a description.
_TASK = (
    r"(?:\s+(?:to|be|able|currently|really|just|directly|accurately|properly|reliably))*\s+(?:help|assist|comply|do|provide"
    r"|answer|fulfil|process|translat|transform|describ|express|explain|generat|complet|respond|creat|convert|formali[sz]"
    r"|pars|discuss|determin|interpret|understand|continu|writ|produc|access|proceed|engag|support|offer|supply|represent)"
)
_REFUSAL = lazy_pattern(
    rf"^\W*{_APOLOGY}\b.{{0,120}}?\b{_UNABLE}\b"
    rf"|^\W*(?:i|we)(?:['’](?:m|re))?\s+(?:(?:am|are|must|have to)\s+)?(?:\w+ly\s+)?(?:decline\b|{_UNABLE}{_TASK})",
    re.IGNORECASE | re.DOTALL,
)


class Task(ABC):
    """A question to a model about one sample, and the judgement of its answer.

    A subclass needs a ``name``, `slots` and `judge`. One object is used in many threads: keep no state.
    """

    #: The name, for ``task=`` in the marker.
    name: str
    #: The forms of the prompt, the default first: each has a prompt ``NAME/LANGUAGE.INTERFACE.toml``. A task without
    #: interfaces has one prompt, ``NAME/LANGUAGE.toml``. Two names have a meaning: ``structured`` asks for an answer by
    #: `schema`, and ``text`` replaces it where the server takes no schema.
    interfaces: tuple[str, ...] = ()
    #: The language in the names of the prompts, if it is not the language of the sample.
    prompt_language: str = ""
    #: The form of the texts in the prompt (options, premises); None where there is no choice.
    form: Form | None = None
    #: The kind of figures that the report computes of the samples; empty for none.
    figures: str = ""
    #: The name of the task's score in the benchmark table; empty for none.
    benchmark: str = ""
    #: The pass rate of a model that only guesses, ≥ 0 and below 1; 0 if the answer is a formula. It bounds the rate of
    #: guesses in the curve of the horizon.
    chance: float = 0.0
    #: Whether embedding models can do the task: `embed` asks them.
    embeds: bool = False
    #: The form of an answer through the interface ``structured``. It does not depend on the sample, because servers are
    #: slow on a new schema.
    schema: AnswerSchema | None = None
    #: The interfaces whose answers can be constrained (``--autoeval-constrained``), by `schema` or by `answer_form`;
    #: ``("",)`` for a task without interfaces.
    constrained_interfaces: tuple[str, ...] = ()
    #: Whether each sample has a sentence that can be said in other words (``--autoeval-paraphrases``).
    takes_paraphrases: bool = False
    #: Whether the prompt can have another sentence of the sample's story as its example (`same-story`).
    takes_story_examples: bool = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in vars(cls):
            problem = removed_in_api(f"Task.{name}")
            if problem:
                raise ConfigurationError(f"{cls.__name__}: {problem}")

    @abstractmethod
    def slots(self, trial: Trial) -> Mapping[str, str]:
        """The values for the slots of the prompt, by name. Each user turn of the prompt must have the first slot."""

    @abstractmethod
    def judge(self, answer: str, trial: Trial) -> Judgement:
        """Judges an answer, without asking a model. ``answer`` is not empty, and has no hidden reasoning."""

    def embed(self, embedder: Embedder, _trial: Trial, /) -> Judgement:
        """Asks an embedding model for vectors, and judges them."""
        raise ModelError(
            f"{embedder.name} is an embedding model; the task {self.name} needs a chat model"
        )

    def chance_of(self, _trial: Trial, /) -> float:
        """The `chance`, if it depends on the sample: ≥ 0 and below 1."""
        return self.chance

    def parts_without_answer(self, _trial: Trial, /) -> tuple[Part, ...]:
        """The parts of an answer that was cut off, refused or empty, and is not judged."""
        return ()

    def answer_form(self, _trial: Trial, /) -> AnswerForm | None:
        """The form of a constrained answer; None if the sample's language has no grammar."""
        return self.schema and structs.replace(self.schema, constrained=True)

    def halves(self, _trial: Trial, /) -> Halves | None:
        """The halves of a round trip; None without one, or if no formula was described."""
        return None

    def ask_the_rest(self, _trial: Trial, /) -> None:  # noqa: B027 - most tasks have no such calls
        """Makes the calls of `perform` after one whose answer is unknown, about texts of the same kind: for a plan."""

    def interface(self, trial: Trial) -> str:
        """The interface in use: the one that the run asks for, or the task's default."""
        return self.asked_interface(trial.prompts.interface, embeds=False) or ""

    def asked_interface(self, asked: str, *, embeds: bool) -> str | None:
        """The interface of a suite: the one that was ``asked`` for, or the task's default; None if it has none.

        ``embeds``: an embedding model is asked, which gets no prompt.
        """
        if embeds:
            return None
        return asked or next(iter(self.interfaces), None)

    def story_example(self, _trial: Trial, /) -> Example | None:
        """The worked example from the story of the sample, for `same-story` prompts."""
        return None

    def perform(self, trial: Trial) -> Judgement:
        """Asks the model and judges the answer; records both in the trial.

        Raises `MeaningLostError` with the outcome if the answer is wrong, `UndecidedError` if the verifier gave up.
        """
        chance = self.chance_of(trial)
        if not 0 <= chance < 1:
            raise ConfigurationError(
                f"the task {self.name}: its chance is {chance!r}, not a number ≥ 0 and below 1"
            )
        trial.chance = chance
        if only_embeds(trial.model):
            judgement = self.embed(trial.model, trial)
        else:
            judgement = self._ask_and_judge(trial)
        for part in judgement.parts:
            trial.add(_as_asked(part, trial))
        trial.judgement, trial.outcome = judgement, judgement.outcome
        trial.reading, trial.verdict = judgement.reading, judgement.verdict
        kind = outcome_named(judgement.outcome).kind
        if kind == OutcomeKind.UNDECIDED:
            raise UndecidedError(judgement.message, judgement.outcome)
        if kind != OutcomeKind.PASS:
            raise MeaningLostError(judgement.outcome, judgement.message)
        return judgement

    def _ask_and_judge(self, trial: Trial) -> Judgement:
        """What `perform` does with a chat model. A task that asks several questions has its own."""
        return self._judge_replies(self._ask(trial), trial)

    def _judge_replies(self, replies: Sequence[Reply], trial: Trial) -> Judgement:
        """Judges the last answer, and the first one if there are two; records both in the trial."""
        first = replies[0]
        final = replies[-1]
        if first is not final:
            trial.note(First, answer=first.text, outcome=self._judge_reply(first, trial).outcome)
        trial.answer = final.text
        return self._judge_reply(final, trial)

    def _ask(self, trial: Trial) -> list[Reply]:
        """The replies: structured if the interface is, plain text if the server accepts no schema.

        A recording never has the refusal of a schema, only the reply in plain text.
        """
        if trial.constrained:
            return self._ask_in_form(trial, self._constrained_form(trial))
        if self.schema is None or self.interface(trial) != "structured":
            return self._ask_in_form(trial)
        # A trial with empty lists: those of this one would be shared, and its calls counted twice.
        in_plain_text = replace(
            trial,
            prompts=structs.replace(trial.prompts, interface="text"),
            calls=[],
            own_prompts=set(),
            taken_over=0,
        )
        try:
            return self._ask_in_form(trial, self.schema)
        except StructuredOutputsUnsupportedError:
            pass
        except RecordingMissError:
            if not chat_model(trial).recorded(
                self._prompt(in_plain_text).messages, repeat=trial.repeat
            ):
                raise
        try:
            return self._ask_in_form(in_plain_text)
        finally:  # also after a failed call: the calls before it were made and paid
            trial.take_calls(in_plain_text)
            trial.parts = in_plain_text.parts

    def _constrained_form(self, trial: Trial) -> AnswerForm:
        return constraint(self.answer_form(trial), trial.about.language)

    def _ask_in_form(self, trial: Trial, schema: AnswerForm | None = None) -> list[Reply]:
        prompt = self._prompt(trial)
        replies = converse(trial, prompt, schema)
        if "structured" in self.interfaces:
            structured = isinstance(schema, AnswerSchema) and _keeps_to(replies[-1].text, schema)
            trial.note(Answered, structured=structured)
        return replies

    def _judge_reply(self, reply: Reply, trial: Trial) -> Judgement:
        """Judges a reply. A text that begins like a refusal is a refusal only if nothing else can be read in it."""
        refusal: Judgement | None = None
        text = without_thoughts(reply.text)
        try:
            text = answer_text(reply, self.name)
        except MeaningLostError as lost:
            parts = self.parts_without_answer(trial)
            refusal = Judgement(outcome=lost.outcome, message=str(lost), parts=parts)
            if reply.truncated or reply.withheld or not text.strip():
                return refusal
        judgement = self.judge(text, trial)
        if not isinstance(judgement, Judgement):
            kind = type(judgement).__name__
            raise ConfigurationError(
                f"the task {self.name}: judge() returned a {kind}; return a Judgement"
            )
        if refusal is not None and not outcome_named(judgement.outcome).answer_read:
            return refusal
        return judgement

    def _prompt(self, trial: Trial) -> Prompt:
        language = self.prompt_language or trial.about.language
        example = (
            self.story_example(trial) if trial.prompts.prompting == Prompting.SAME_STORY else None
        )
        return rendered(
            trial,
            self.name,
            language,
            self.slots(trial),
            self.interface(trial),
            example,
            partial(self._signs, trial),
        )

    def _signs(self, trial: Trial) -> Sequence[str]:
        """The signs beyond the strict notation that the prompt explains: by default those of the sample's names."""
        return trial.about.vocabulary.signs


def reasoned(name: str, answer: Mapping[str, Any]) -> AnswerSchema:
    """The schema of ``{"reasoning": "…", "answer": …}``: the reasons are written first; ``answer`` is a JSON Schema."""
    schema = {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, "answer": dict(answer)},
        "required": ["reasoning", "answer"],
        "additionalProperties": False,
    }
    return AnswerSchema(name, json.dumps(schema))


def _as_asked(part: Part, trial: Trial) -> Part:
    """The part of a judgement; `Answered` keeps whether the answer was structured, which only its reply showed."""
    answered = trial.part(Answered)
    if answered is None or not isinstance(part, Answered) or part.structured is not None:
        return part
    return structs.replace(part, structured=answered.structured)


def _keeps_to(text: str, schema: AnswerSchema) -> bool:
    """Whether a text is a JSON object with exactly the keys of a schema; some servers ignore a schema."""
    try:
        content = json.loads(without_thoughts(text))
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and set(content) == set(schema.value["required"])


class Prompt(Struct, frozen=True):
    """A prompt: its name, under which calls are recorded, the messages, and the turn that asks to check the answer.

    ``limit`` is the default limit of the answer in tokens. ``variable_lists``: it asks for quantifiers with lists of
    variables.
    """

    stage: str
    messages: list[Message]
    refine: str = ""
    limit: int | None = None
    variable_lists: bool = False

    def after(self, replies: Sequence[Reply], *turns: str, step: str) -> Prompt:
        """The conversation with some replies, each followed by a turn of the user; ``step`` names the last turn."""
        messages = [*self.messages]
        for reply, turn in zip(replies, turns, strict=True):
            messages += [Message("assistant", reply.text), Message("user", turn)]
        return structs.replace(self, stage=f"{self.stage} {step}", messages=messages)


def rendered(  # noqa: PLR0913, PLR0917 - each decides what the prompt says
    trial: Trial,
    stage: str,
    language: str,
    slots: Mapping[str, str],
    interface: str = "",
    example: Example | None = None,
    signs: Callable[[], Sequence[str]] = tuple,
) -> Prompt:
    """The prompt that the trial chooses; the first of the ``slots`` has the sample. Raises `PromptError`.

    An ``example`` takes the place of those of the prompt's file. ``signs`` gives those beyond the strict
    notation that the prompt explains; most prompts explain all signs, and ask for none.
    """
    choice = trial.prompts
    template = choice.templates.load(stage, language, choice.folders, interface, tuple(slots))
    trial.own_prompts |= template.own_files
    trial.uses_prompts = True
    if example is not None:
        template = structs.replace(template, examples=(example,))
    few_shot = example is not None or choice.prompting == Prompting.FEW_SHOT
    explained = signs() if template.signs else ()
    turns = template.render(slots, few_shot=few_shot, signs=explained)
    messages = [Message(role, content) for role, content in turns]
    return Prompt(stage, messages, template.refine, template.max_tokens, template.variable_lists)


def constraint(form: AnswerForm | None, language: str) -> AnswerForm:
    """The form of a constrained answer. Raises `ConfigurationError` if the language has no grammar of answers."""
    if form is None:
        hint = "run without --autoeval-constrained"
        raise ConfigurationError(
            f"the language {language} has no grammar for the answers to this sample; {hint}"
        )
    return form


def check_constraints(trial: Trial) -> None:
    """Asks the model that reads once for a constrained answer, before it describes anything.

    Later calls are replays. Raises `ConfigurationError` if its server constrains no answer.
    """
    # If the run has a reader, it gets the constrained questions.
    chat_model(trial, reads=True).complete(PROBE, schema=PROBE_GRAMMAR, limit=PROBE_TOKENS)


def complete(
    trial: Trial, prompt: Prompt, schema: AnswerForm | None = None, *, reads: bool = False
) -> Reply:
    """The reply to a prompt, by the trial's reader if ``reads``; the call is recorded. Raises `ModelError`."""
    model = chat_model(trial, reads=reads)
    # A user's own model need not have the keyword.
    keywords = {} if schema is None else {"schema": schema}
    reply = model.complete(
        prompt.messages, repeat=trial.asked_repeat, limit=prompt.limit, **keywords
    )
    trial.add_call(prompt.stage, reply)
    return reply


def chat_model(trial: Trial, *, reads: bool = False) -> Chat:
    """The trial's model or, with ``reads``, its reader; raises `ModelError` for an embedding model."""
    model = trial.reader if reads and trial.reader is not None else trial.model
    if only_embeds(model):
        raise ModelError(
            f"{model.name} is an embedding model; this task needs a chat model. An embedding model can do the "
            "tasks that compare texts, such as most_similar_english"
        )
    return model


def converse(
    trial: Trial, prompt: Prompt, schema: AnswerForm | None = None, *, reads: bool = False
) -> list[Reply]:
    """The reply; with self-refinement also the reply to the second turn, which does not comment on the first answer."""
    reply = complete(trial, prompt, schema, reads=reads)
    if trial.prompts.prompting != Prompting.SELF_REFINE:
        return [reply]
    second_prompt = prompt.after([reply], prompt.refine, step="refined")
    return [reply, complete(trial, second_prompt, schema, reads=reads)]


def answer_text(reply: Reply, stage: str) -> str:
    """The answer in a reply, without the model's thoughts: the other half of a round trip must not see them.

    Raises `MeaningLostError` (``truncated``, ``refused or empty``).
    """
    if reply.truncated:
        limit = "the token limit"
        if reply.limit:
            limit = f"the default limit of {reply.limit:,} tokens; --autoeval-max-tokens raises it"
        raise MeaningLostError(Outcome.TRUNCATED, f"{stage}: the answer was cut off at {limit}")
    text = without_thoughts(reply.text)
    if reply.withheld or _REFUSAL.search(text[:_OPENING]):
        raise MeaningLostError(
            Outcome.REFUSED_OR_EMPTY, f"{stage}: the model refused: {reply.refusal or text[:200]}"
        )
    if not text.strip():
        raise MeaningLostError(Outcome.REFUSED_OR_EMPTY, f"{stage}: the answer is empty")
    return text

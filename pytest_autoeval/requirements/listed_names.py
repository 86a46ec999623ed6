"""What sentences need before they are drawn: names, and a model that reads their English.

The run's first chat model lists the names of files without a glossary, once for each file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_autoeval.engine.engine import Engine
from pytest_autoeval.engine.events import NamesListed
from pytest_autoeval.engine.sources import SentenceSource
from pytest_autoeval.engine.suite import NothingDrawnError, Source, Target
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.model_names import is_embedder, is_offline
from pytest_autoeval.models.protocols import Chat, Embedder
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.requirements.listing import list_names
from pytest_autoeval.requirements.sentence_round_trip import FORMALIZE, SENTENCE_ROUND_TRIP
from pytest_autoeval.tasks.task import rendered

#: Returns what a plan uses instead of a model: it counts the calls and makes none. The sentences are those of the call.
StandIn = Callable[[Chat | Embedder, Sequence[str]], Chat | Embedder]


def prepare_sentences(
    source: Source, engine: Engine, target: Target, stand_in: StandIn | None = None
) -> None:
    """Gives the sentences of a source their names, and stops a suite whose model cannot read their English.

    ``stand_in`` is given in a plan. Raises :class:`NothingDrawnError`.
    """
    if not isinstance(source, SentenceSource):
        return
    give_names(source, engine, stand_in)
    # A plan may have made up the names. A model with a server reads all English.
    must_be_tried = stand_in is None and is_offline(target.model)
    if must_be_tried and not _understands(source, engine, target):
        # Without this error, each sentence would fail by itself, with the same words.
        raise NothingDrawnError(
            f"{target.model} understands only its own English; name a model that reads yours: --autoeval-model=NAME"
        )


def _understands(source: SentenceSource, engine: Engine, target: Target) -> bool:
    """Whether an offline model can read at least one of the sentences, in the prompt of this run."""
    # Imported here: a run of models with a server does not need it.
    from pytest_autoeval.models.offline.answering import understands

    sentences = source.sentences
    items = (item for size in sentences.sizes for item in sentences.items(size))
    for item in items:
        trial = engine.trial(target, item)
        slots = SENTENCE_ROUND_TRIP.slots(trial)
        prompt = rendered(trial, FORMALIZE, sentences.language, slots)
        if understands(target.model, prompt.messages):
            return True
    return False


def give_names(source: SentenceSource, engine: Engine, stand_in: StandIn | None = None) -> None:
    """Has a model list the names of those files of a source that have none, and emits them in events.

    All suites and processes of a run ask the same question, with examples, and the leader asks the model once. So the
    formulas of several models have the same names. In a plan, ``stand_in`` replaces the model. Raises
    :class:`NothingDrawnError` if no names can be read.
    """
    lang = source.sentences.language
    for file, sentences in source.sentences.unnamed.items():
        try:
            # With several folders of prompts the first one asks: their suites are compared on the same names.
            target = Target(
                model=_listing_model(engine),
                prompting=Prompting.FEW_SHOT,
                prompts=next(iter(engine.settings.prompts), None),
            )
            trial = engine.trial(target)
            if stand_in is not None:
                trial.model = stand_in(trial.model, sentences)
            names = list_names(trial, lang, sentences)
            source.sentences.add_names(file, names)
        except AutoevalError as problem:
            # A plan asks no model, so its stand-in lists no names. Here it has counted the call.
            if stand_in is not None:
                source.sentences.add_names(file, _made_up_names(lang))
                continue
            hint = f"write a glossary, {file.with_suffix('.toml').name}, with a line for each name"
            example = 'door_open = "the door is open"'
            if lang == "first_order":
                example = '"Open(x)" = "x is open"'
            raise NothingDrawnError(
                f"the names of {file.name} are not known: {problem}; {hint}: {example}"
            ) from None
        if stand_in is None:
            engine.emit(NamesListed(file=file, language=lang, model=trial.model.name, names=names))


def _listing_model(engine: Engine) -> str:
    """The name of the run's first chat model.

    Raises :class:`AutoevalError` if there is none, and in a part of a run: the parts cannot ask one model together.
    """
    if engine.settings.shard is not None:
        raise AutoevalError("the parts of a run (--autoeval-shard) need the same names")
    name = next((name for name in engine.settings.model if not is_embedder(name)), None)
    if name is None:
        raise AutoevalError("no chat model of this run can list them")
    return name


def _made_up_names(language: str) -> dict[str, str]:
    """Names for a plan, which does not know those that the model would list.

    The prompts of the plan get about the length that they will have. Nobody sees the names.
    """
    if language == "first_order":
        return {
            "P1(x)": "x is what is said of it",
            "P2(x, y)": "x is related to y",
            "c1": "the first thing",
        }
    return {
        f"p{number}": f"what is said of the thing with the number {number}"
        for number in range(1, 6)
    }

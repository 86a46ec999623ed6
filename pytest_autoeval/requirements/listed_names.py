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

#: What stands for the model that is asked about some sentences, in a plan.
Planned = Callable[[Chat | Embedder, Sequence[str]], Chat | Embedder]


def prepare_sentences(
    source: Source, engine: Engine, target: Target, planned: Planned | None = None
) -> None:
    """Gives the sentences of a source their names, and stops a suite whose model cannot read their English.

    Raises :class:`NothingDrawnError`.
    """
    if not isinstance(source, SentenceSource):
        return
    give_names(source, engine, planned)
    # A plan asks no model, and may have made up the names.
    is_asked = planned is None and is_offline(target.model)
    if is_asked and not _understands(source, engine, target):
        # Without this line, each sentence would fail by itself, with the same words.
        raise NothingDrawnError(
            f"{target.model} understands only its own English; name a model that reads yours: --autoeval-model=NAME"
        )


def _understands(source: SentenceSource, engine: Engine, target: Target) -> bool:
    """Whether an offline model can read at least one of the sentences, in the prompt of this run."""
    # Imported here: models with a server do not need it.
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


def give_names(source: SentenceSource, engine: Engine, planned: Planned | None = None) -> None:
    """Has names listed for the files of a source that have none, and tells them in events.

    All suites and processes of a run ask the same question, with examples, and the leader asks the model once. So the
    formulas of several models have the same names. For a plan, ``planned`` replaces the model that is asked about some
    sentences. Raises :class:`NothingDrawnError` if no names can be read.
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
            if planned is not None:
                trial.model = planned(trial.model, sentences)
            names = list_names(trial, lang, sentences)
            source.sentences.add_names(file, names)
        except AutoevalError as problem:
            # A plan asks no model, so the names stay unknown.
            if planned is not None:
                source.sentences.add_names(file, _unknown_names(lang))
                continue
            hint = f"write a glossary, {file.with_suffix('.toml').name}, with a line for each name"
            example = 'door_open = "the door is open"'
            if lang == "first_order":
                example = '"Open(x)" = "x is open"'
            raise NothingDrawnError(
                f"the names of {file.name} are not known: {problem}; {hint}: {example}"
            ) from None
        if planned is None:
            engine.emit(NamesListed(file=file, language=lang, model=trial.model.name, names=names))


def _listing_model(engine: Engine) -> str:
    """The name of the first chat model. Raises :class:`AutoevalError` if there is none, and in a part of a run."""
    if engine.settings.shard is not None:
        raise AutoevalError("the parts of a run (--autoeval-shard) need the same names")
    name = next((name for name in engine.settings.model if not is_embedder(name)), None)
    if name is None:
        raise AutoevalError("no chat model of this run can list them")
    return name


def _unknown_names(language: str) -> dict[str, str]:
    """Names for a plan, where those that the model would list are unknown."""
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

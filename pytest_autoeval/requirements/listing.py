"""A model lists the names that the formulas of some sentences need, each with its phrase."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.tasks.answer_readers import read_phrases, read_symbols
from pytest_autoeval.tasks.formula_answers import numbered
from pytest_autoeval.tasks.task import answer_text, complete, rendered
from pytest_autoeval.tasks.trial import MeaningLostError, Trial

STAGE = "list_names"


def list_names(trial: Trial, language: str, sentences: Sequence[str]) -> dict[str, str]:
    """The names, each with its phrase; in first-order logic a name has its parameters: ``Larger(x, y)``.

    Raises `AutoevalError` if the model lists none, or gives one name two phrases.
    """
    reply = complete(trial, rendered(trial, STAGE, language, {"sentences": numbered(sentences)}))
    try:
        text = answer_text(reply, STAGE)
        if language == "first_order":
            pairs = [(str(symbol), symbol.gloss) for symbol in read_symbols(text)[0]]
        else:
            pairs = [(name, phrase) for phrase, name in read_phrases(text)]
    except (MeaningLostError, UnreadableError) as problem:
        raise AutoevalError(f"{trial.model.name} listed none: {problem}") from None
    if not pairs:
        raise AutoevalError(f"{trial.model.name} listed none")
    names = dict(pairs)
    # With two phrases for a name, formulas of the model and of the author would speak of different things.
    if len(names) < len(pairs):
        twice = next(name for name, phrase in pairs if names[name] != phrase)
        raise AutoevalError(f"{trial.model.name} gave the name {twice} two phrases")
    return names

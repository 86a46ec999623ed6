"""The names of models: offline models, models of LiteLLM, embedding models.

- ``offline/NAME``: an offline model, on a server of this process.
- ``embeddings/NAME``: the embedding model NAME of the server of ``--autoeval-base-url``.
- ``offline/bag-of-words`` and ``local/minilm``: embedding models of the offline server and of this process.
- ``litellm/PROVIDER/NAME``: a model called through LiteLLM.

An embedding model takes two options. ``?instruction=TEXT`` puts TEXT, decoded as in a URL, before every text. With
``?instruction=TEXT&formula_instruction=OTHER`` OTHER stands before formulas, and TEXT before sentences. An option
without a text puts a default instruction there, which depends on the text's form.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self
from urllib.parse import parse_qsl

from msgspec import Struct

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.models.protocols import ConfigurationError, Form

#: The beginning of the names of offline models.
PREFIX = "offline/"
#: The model of a run that names none.
FAITHFUL = f"{PREFIX}faithful"
BAG_OF_WORDS = f"{PREFIX}bag-of-words"
LOCAL = "local/minilm"
LITELLM = "litellm/"

#: The beginnings of the names of embedding models: those of the user's server, and those of this process.
_SERVED = "embeddings/"
_IN_PROCESS = "local/"
#: The options of an embedding model.
_INSTRUCTION = "instruction"
_FORMULA_INSTRUCTION = "formula_instruction"
_OPTIONS = (_INSTRUCTION, _FORMULA_INSTRUCTION)
#: Embedding models do better with an instruction before sentences and formulas: a finding of the study behind these
#: tasks, and the convention of the Qwen3 embedding models.
_USUAL_INSTRUCTION: dict[Form, str] = {
    "english": "Represent this English sentence by its truth conditions in first-order logic: ",
    "formulas": "Represent this formula of first-order logic by its truth conditions: ",
}


class ModelOptionError(ConfigurationError):
    """The name of a model has an unknown option or a wrong value."""


def is_offline(name: str) -> bool:
    """Whether the offline server serves a model of that name; the model may not exist."""
    return name.startswith(PREFIX)


def is_litellm(name: str) -> bool:
    """Whether a model of that name is called through LiteLLM."""
    return name.startswith(LITELLM)


def is_embedder(name: str) -> bool:
    """Whether the name is that of an embedding model; its options may be wrong."""
    return name.startswith((_SERVED, _IN_PROCESS)) or base_name(name) == BAG_OF_WORDS


def is_local(name: str) -> bool:
    """Whether a model of that name runs in this process: its vectors are free and not recorded."""
    return base_name(name) == LOCAL


def no_batches(name: str, own: Collection[str]) -> str:
    """Why requests to a model cannot be sent in batches; empty if they can."""
    if name in own:
        return f"{name} is a model of your own, and these are asked one call at a time"
    if is_litellm(name):
        return f"{name} is called through LiteLLM, one call at a time; name its server with --autoeval-base-url"
    if is_offline(name) or is_local(name):
        return f"{name} is built in and has no batches; name a model of a server"
    return ""


def base_name(name: str) -> str:
    """The name of a model without its options."""
    return name.partition("?")[0]


class EmbedderName(Struct, frozen=True):
    """The name of an embedding model and its parts.

    Attributes:
        full_name: the name as in ``--autoeval-model``.
        model: the server's name for the model.
        instruction: the text before each text; empty for the default instruction, None for none.
        formula_instruction: the text before formulas, if it is another one; empty for the default instruction.
    """

    full_name: str
    model: str
    instruction: str | None = None
    formula_instruction: str | None = None

    @classmethod
    def of(cls, name: str) -> Self:
        """Parses a name.

        Raises :class:`ConfigurationError` for a name of no embedding model, :class:`ModelOptionError` for a wrong
        option.
        """
        base = base_name(name)
        if not is_embedder(name):
            raise ConfigurationError(
                f"{name!r} is not an embedding model; these are: {_SERVED}NAME, {BAG_OF_WORDS} and {LOCAL}"
            )
        if base.startswith(_IN_PROCESS) and base != LOCAL:
            raise ConfigurationError(f"there is no local model {base!r}; the only one is {LOCAL}")
        model = base.removeprefix(_SERVED)
        if not model:
            raise ConfigurationError(
                f"{name!r} names no model: write {_SERVED}NAME, with the server's name for it"
            )
        # Blank values are kept: an option without a text stands for the default instruction.
        options = parse_qsl(name.partition("?")[2], keep_blank_values=True)
        chosen = dict(options)
        for option in chosen:
            if option not in _OPTIONS:
                raise ModelOptionError(
                    f"{base} has no option {option!r}.{did_you_mean(option, _OPTIONS)} It takes ?instruction "
                    "(the usual words) or ?instruction=TEXT (words of your own, encoded as in a URL), and "
                    "&formula_instruction=TEXT for formulas"
                )
        if len(options) > len(chosen):
            raise ModelOptionError(
                f"{base} takes each option once; for formulas there is {_FORMULA_INSTRUCTION}"
            )
        return cls(name, model, chosen.get(_INSTRUCTION), chosen.get(_FORMULA_INSTRUCTION))

    def inputs(self, texts: Sequence[str], form: Form) -> list[str]:
        """The texts to embed: the instruction and each text."""
        instruction = self.instruction
        if form == "formulas" and self.formula_instruction is not None:
            instruction = self.formula_instruction
        if instruction is None:
            return list(texts)
        return [(instruction or _USUAL_INSTRUCTION[form]) + text for text in texts]

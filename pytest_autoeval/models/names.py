"""The names of models: which are offline, which are LiteLLM's, and which only embed texts.

``offline/NAME`` is answered by a server of ours on this machine. ``embeddings/NAME`` is the embedding model NAME of the
server of ``--autoeval-base-url``, ``offline/bag-of-words`` one of the offline server; ``local/minilm`` runs in this
process. An embedding model takes one option: ``?instruction=TEXT`` puts TEXT, decoded as in a URL, before every text as
it is; ``?instruction`` alone puts words of ours there that fit the text's form. ``litellm/PROVIDER/NAME`` is asked
through LiteLLM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.models.base import ConfigurationError, Form

PREFIX = "offline/"
#: The model of a run that names none.
FAITHFUL = f"{PREFIX}faithful"
BAG_OF_WORDS = f"{PREFIX}bag-of-words"
LOCAL = "local/minilm"
LITELLM = "litellm/"

_SERVED = "embeddings/"
_IN_PROCESS = "local/"
_INSTRUCTION = "instruction"
#: That a model does better when it is told what the vectors are for, and told it of sentences and formulas alike, is
#: the finding of the study behind these tasks, and the habit of the Qwen3 embedding models.
_USUAL_INSTRUCTION: dict[Form, str] = {
    "english": "Represent this English sentence by its truth conditions in first-order logic: ",
    "formulas": "Represent this formula of first-order logic by its truth conditions: ",
}


class ModelOptionError(ConfigurationError):
    """The name of a model carries an option that it does not take, or not with this value."""


def is_offline(name: str) -> bool:
    """Whether a model of that name is served by the offline server; it need not be one that exists."""
    return name.startswith(PREFIX)


def is_litellm(name: str) -> bool:
    """Whether a model of that name is asked through LiteLLM."""
    return name.startswith(LITELLM)


def is_embedder(name: str) -> bool:
    """Whether a model of that name only embeds texts; its options need not be right."""
    return name.startswith((_SERVED, _IN_PROCESS)) or base_name(name) == BAG_OF_WORDS


def is_local(name: str) -> bool:
    """Whether a model of that name runs in this process: its vectors cost nothing and are not recorded."""
    return base_name(name) == LOCAL


def base_name(name: str) -> str:
    """The name of a model without its options."""
    return name.partition("?")[0]


@dataclass(frozen=True, slots=True)
class EmbedderName:
    """A name, taken apart.

    ``whole`` is the name as it was given; ``model`` what its server calls the model; ``instruction`` what stands before
    each text, empty for the usual words of the text's form, None for nothing.
    """

    whole: str
    model: str
    instruction: str | None = None

    @classmethod
    def of(cls, name: str) -> Self:
        """The parts of the name of an embedding model.

        Raises :class:`ConfigurationError` where none is named, :class:`ModelOptionError` for any option but
        the one.
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
            raise ConfigurationError(f"{name!r} names no model: write {_SERVED}NAME, with the server's name for it")
        options = parse_qsl(name.partition("?")[2], keep_blank_values=True)
        for option, _ in options:
            if option != _INSTRUCTION:
                raise ModelOptionError(
                    f"{base} has no option {option!r}.{did_you_mean(option, [_INSTRUCTION])} It takes ?instruction "
                    "(the usual words) or ?instruction=TEXT (words of your own, encoded as in a URL)"
                )
        if len(options) > 1:
            raise ModelOptionError(f"{base} takes one instruction, and was given {len(options)}")
        return cls(name, model, options[0][1] if options else None)

    def inputs(self, texts: Sequence[str], form: Form) -> list[str]:
        """What is embedded for texts: each behind the instruction."""
        if self.instruction is None:
            return list(texts)
        return [(self.instruction or _USUAL_INSTRUCTION[form]) + text for text in texts]

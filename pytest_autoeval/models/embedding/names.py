"""The names of embedding models: where one is, what its server calls it, and which instruction it gets with each text.

``embeddings/NAME`` is the model NAME of the server of ``--autoeval-base-url``, ``offline/bag-of-words`` one of the
offline server; ``local/minilm`` runs in this process. Each takes one option: ``?instruction=TEXT`` puts TEXT, decoded
as in a URL, before every text as it is; ``?instruction`` alone puts words of ours there that fit the text's form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.models.base import ConfigurationError, Form

SERVED = "embeddings/"
BAG_OF_WORDS = "offline/bag-of-words"
IN_PROCESS = "local/"
LOCAL = f"{IN_PROCESS}minilm"

_INSTRUCTION = "instruction"
#: That a model does better when it is told what the vectors are for, and told it of sentences and formulas alike, is
#: the finding of the study behind these tasks, and the habit of the Qwen3 embedding models.
_USUAL_INSTRUCTION: dict[Form, str] = {
    "english": "Represent this English sentence by its truth conditions in first-order logic: ",
    "formulas": "Represent this formula of first-order logic by its truth conditions: ",
}


class UnknownEmbedderOptionError(ConfigurationError, LookupError):
    """The name of an embedding model carries an option that there is not."""


def is_embedder(name: str) -> bool:
    """Whether a model of that name only embeds texts; its options need not be right."""
    return name.startswith((SERVED, IN_PROCESS)) or _base(name) == BAG_OF_WORDS


def is_local(name: str) -> bool:
    """Whether a model of that name runs in this process: its vectors cost nothing and are not recorded."""
    return _base(name) == LOCAL


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

        Raises :class:`ConfigurationError` where none is named, :class:`UnknownEmbedderOptionError` for any option but
        the one.
        """
        base = _base(name)
        if not is_embedder(name):
            raise ConfigurationError(f"{name!r} is no embedding model: {SERVED}NAME, {BAG_OF_WORDS} and {LOCAL} are")
        if base.startswith(IN_PROCESS) and base != LOCAL:
            raise ConfigurationError(f"there is no model {base!r} that runs in this process; {LOCAL} is the one")
        options = parse_qsl(name.partition("?")[2], keep_blank_values=True)
        model = base.removeprefix(SERVED)
        if not model:
            raise ConfigurationError(f"{name!r} names no model: write {SERVED}NAME, with the server's name for it")
        for option, _ in options:
            if option != _INSTRUCTION:
                raise UnknownEmbedderOptionError(
                    f"{base} has no option {option!r}.{did_you_mean(option, [_INSTRUCTION])} It takes ?instruction "
                    "(the usual words) or ?instruction=TEXT (words of your own, encoded as in a URL)"
                )
        if len(options) > 1:
            raise UnknownEmbedderOptionError(f"{base} takes one instruction, and was given {len(options)}")
        return cls(name, model, options[0][1] if options else None)

    @property
    def base(self) -> str:
        """The name without its options."""
        return _base(self.whole)

    def input(self, text: str, form: Form) -> str:
        """What is embedded for a text: the text behind the instruction."""
        if self.instruction is None:
            return text
        return (self.instruction or _USUAL_INSTRUCTION[form]) + text


def _base(name: str) -> str:
    return name.partition("?")[0]

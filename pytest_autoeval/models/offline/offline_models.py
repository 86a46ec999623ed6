"""All offline models, by name."""

from __future__ import annotations

from urllib.parse import parse_qsl

from pytest_autoeval.errors import unknown_name
from pytest_autoeval.models.model_names import BAG_OF_WORDS, PREFIX, EmbedderName, is_embedder
from pytest_autoeval.models.offline import faults_answer, misreadings
from pytest_autoeval.models.offline.behaviour import Behaviour
from pytest_autoeval.models.offline.student import STUDENT
from pytest_autoeval.models.protocols import ConfigurationError


class UnknownOfflineModelError(ConfigurationError, LookupError):
    """There is no offline model of that name."""


#: The chat models.
BEHAVIOURS: dict[str, Behaviour] = {
    behaviour.name: behaviour
    for behaviour in (
        Behaviour("faithful", "describes and reads back every formula of every language exactly"),
        STUDENT,
        *misreadings.BEHAVIOURS,
        *faults_answer.BEHAVIOURS,
        *misreadings.OF_SENTENCES,
    )
}
#: What the faults of a group break, by the first model of the group.
_HEADINGS = {
    "faithful": "no fault, or errors by chance",
    "negation-scope": "the meaning of logical formulas",
    "one-or-more": "the meaning of regular expressions",
    "globally-for-eventually": "the meaning of temporal formulas",
    "over-extracts": "answers to other tasks: propositions, well-formedness, choices, rankings",
    "prose": "the form of the answer",
    "leak": "descriptions, which copy the formula",
    "yes-sayer": "the judge of two formulas",
    "bag-of-words": "no chat model",
}
_EMBEDDER = "embedding model: hashed words and pairs of words in 64 dimensions"


def offline_models() -> tuple[tuple[str, str], ...]:
    """Every offline model with a line that describes it; the embedding model last."""
    chat = ((PREFIX + behaviour.name, behaviour.summary) for behaviour in BEHAVIOURS.values())
    return (*chat, (BAG_OF_WORDS, _EMBEDDER))


def listed_models() -> str:
    """The offline models with a line for each, in groups by what their faults break."""
    models = offline_models()
    width = max(len(name) for name, _ in models)
    lines = []
    for name, text in models:
        if heading := _HEADINGS.get(name.removeprefix(PREFIX)):
            lines += ["", f"{heading}:"]
        lines.append(f"  {name:<{width}}  {text}")
    return "\n".join(lines[1:])


def check_model(name: str) -> None:
    """Raises :class:`ConfigurationError` if no offline model, chat or embedding, has the name."""
    if is_embedder(name):
        EmbedderName.of(name)
    else:
        behaviour_of(name)


def behaviour_of(model: str) -> Behaviour:
    """The behaviour of a model, such as ``offline/student?strength=0.9``; raises :class:`ConfigurationError`."""
    base, _, query = model.removeprefix(PREFIX).partition("?")
    if not model.startswith(PREFIX) or base not in BEHAVIOURS:
        known = [*(PREFIX + name for name in BEHAVIOURS), BAG_OF_WORDS]
        name = model.partition("?")[0]
        raise UnknownOfflineModelError(
            unknown_name("offline model", name, known, command="pytest --autoeval-models")
        )
    return BEHAVIOURS[base].configured(dict(parse_qsl(query, keep_blank_values=True)))

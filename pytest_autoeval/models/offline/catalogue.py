"""All offline models, by name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from urllib.parse import parse_qsl

from pytest_autoeval.errors import unknown_name
from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.names import BAG_OF_WORDS, PREFIX, EmbedderName, is_embedder
from pytest_autoeval.models.offline import faults_answer, misreadings
from pytest_autoeval.models.offline.behaviour import Behaviour
from pytest_autoeval.models.offline.student import STUDENT


class UnknownOfflineModelError(ConfigurationError, LookupError):
    """There is no offline model of that name."""


#: The chat models.
BEHAVIOURS: dict[str, Behaviour] = {
    behaviour.name: behaviour
    for behaviour in (Behaviour("faithful"), STUDENT, *misreadings.BEHAVIOURS, *faults_answer.BEHAVIOURS)
}


def offline_models() -> tuple[tuple[str, str], ...]:
    """Every offline model with a line that describes it; the embedding model last."""
    described = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple((PREFIX + name, description) for name, description in described.items())


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
        raise UnknownOfflineModelError(unknown_name("offline model", name, known, command="pytest --autoeval-models"))
    return BEHAVIOURS[base].configured(dict(parse_qsl(query, keep_blank_values=True)))

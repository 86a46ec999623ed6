"""What a repository's `conftest.py` may add to the plugin; the rooms behind are loaded when something is added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.options import OPTIONS, value
from pytest_autoeval.running.shared import RUN

if TYPE_CHECKING:
    from pytest_autoeval.datasets import DataSet
    from pytest_autoeval.languages import Language
    from pytest_autoeval.tasks import Task


class Registry:
    """Handed to `pytest_autoeval_register`. Relative paths start at the root folder."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def add_language(self, instance: Language) -> None:
        """Adds a language; its prompts come with :meth:`add_prompts`."""
        from pytest_autoeval.languages import register_language

        register_language(instance)

    def add_grammar(self, name: str, path: str | Path, language: str | None = None, vocabulary: Any = None) -> None:
        """Adds a grammar under a name, for `@pytest.mark.autoeval(name)`.

        ``language`` may stay away where the file begins with a comment ``// language: NAME``.
        """
        from pytest_autoeval.generation import register_grammar

        file = self._config.rootpath / path
        if not file.is_file():
            raise AutoevalError(f"add_grammar({name!r}): there is no file {file}")
        register_grammar(name, file, language=language, vocabulary=vocabulary)

    def add_data_set(self, data_set: DataSet) -> None:
        """Adds a data set under its name, for `@pytest.mark.autoeval(name, task=…)`."""
        from pytest_autoeval.datasets import register_data_set

        register_data_set(data_set)

    def add_task(self, task: Task) -> None:
        """Adds a task under its name; its prompts come with :meth:`add_prompts`."""
        from pytest_autoeval.tasks import register_task

        register_task(task)

    def add_prompts(self, folder: str | Path) -> None:
        """Adds a folder of templates (`informalize/LANGUAGE.toml`, …), searched before the shipped ones."""
        from pytest_autoeval.running.run import run_of

        place = self._config.rootpath / folder
        if not place.is_dir():
            raise AutoevalError(f"add_prompts: there is no folder {place}")
        run_of(self._config).prompt_folders.append(place)

    def add_model(self, name: str, factory: Callable[[], Any]) -> None:
        """Adds a model: `--autoeval-model=NAME` asks what `factory` makes, at the first call in each process.

        The least that it needs is a method ``complete(messages, repeat=…)``, safe in threads, that gives a text or a
        :class:`pytest_autoeval.models.Reply`.
        """
        from pytest_autoeval.running.run import run_of

        run_of(self._config).factories[name] = factory


def register(config: pytest.Config) -> None:
    """Calls every `pytest_autoeval_register`, also of a `conftest.py` that is read only later."""
    try:
        config.hook.pytest_autoeval_register.call_historic(kwargs={"registry": Registry(config)})
    except AutoevalError as problem:
        raise pytest.UsageError(f"pytest_autoeval_register: {problem}") from None


def check_models(config: pytest.Config) -> None:
    """Refuses the name of an offline model that there is not, or an embedder's option, before anything runs."""
    option = next(option for option in OPTIONS if option.name == "model")
    registered = config.stash[RUN].factories if RUN in config.stash else {}
    for name in value(config, option):
        if name in registered or name in option.default:
            continue
        from pytest_autoeval.models import ConfigurationError, is_embedder
        from pytest_autoeval.models.offline import check_model, is_offline

        try:
            if is_offline(name) or is_embedder(name):
                check_model(name)
        except ConfigurationError as problem:
            raise pytest.UsageError(str(problem)) from None

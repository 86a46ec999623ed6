"""What a repository's `conftest.py` may add to the plugin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.generation import register_grammar
from pytest_autoeval.languages import Language, register_language
from pytest_autoeval.models.base import Model
from pytest_autoeval.running.run import run_of


class Registry:
    """Handed to `pytest_autoeval_register`."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def add_language(self, instance: Language) -> None:
        """Adds a language; its prompts come with :meth:`add_prompts`."""
        register_language(instance)

    def add_grammar(self, name: str, path: str | Path, language: str, vocabulary: Any = None) -> None:
        """Adds a grammar under a name, for `@pytest.mark.autoeval(name)`; relative paths start at the root folder."""
        register_grammar(name, self._config.rootpath / path, language=language, vocabulary=vocabulary)

    def add_prompts(self, folder: str | Path) -> None:
        """Adds a folder of templates (`informalize/LANGUAGE.toml`, …), searched before the shipped ones."""
        run_of(self._config).prompt_folders.append(self._config.rootpath / folder)

    def add_model(self, name: str, factory: Callable[[], Model]) -> None:
        """Adds a model: `--autoeval-model=NAME` asks what `factory` makes."""
        run_of(self._config).factories[name] = factory

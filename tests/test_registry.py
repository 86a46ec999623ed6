"""What a run adds by name: found before what is shipped, and gone when the run is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.by_name import added
from pytest_autoeval.languages import UnknownLanguageError, language, language_names
from pytest_autoeval.languages.logic.language import Propositional
from pytest_autoeval.registry import Registry
from pytest_autoeval.tasks import UnknownTaskError, task, task_names
from pytest_autoeval.tasks.base import Task


class Mine(Propositional):
    """A language of the user's own."""

    name = "mine"


def test_an_added_language_is_known_while_its_registry_is_active() -> None:
    with Registry().active() as registry:
        registry.add_language(Mine())
        assert language("mine") is registry.languages["mine"]
        assert language_names()[-1] == "mine"
    with pytest.raises(UnknownLanguageError, match=r"there is no language 'mine'; known are: propositional, "):
        language("mine")


def test_what_is_added_replaces_what_is_shipped() -> None:
    shipped = task("judge")
    own: Task = type(shipped)()
    with Registry().active() as registry:
        registry.add_task(own)
        assert task("judge") is own
        assert task_names().count("judge") == 1
    assert task("judge") is shipped
    with pytest.raises(UnknownTaskError, match="Did you mean 'judge'"):
        task("judges")


def test_a_run_inside_a_run_has_a_registry_of_its_own() -> None:
    outside = added("language")
    with Registry().active() as outer:
        outer.add_language(Mine())
        with Registry().active():
            assert "mine" not in language_names()
        assert "mine" in language_names()
    assert added("language") == outside


def test_relative_paths_start_at_the_root(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    (tmp_path / "own.lark").touch()
    (tmp_path / "prompts").mkdir()
    registry.add_grammar("own", "own.lark")
    registry.add_prompts("prompts")
    assert registry.grammars["own"].path == tmp_path / "own.lark"
    assert registry.prompt_folders == [tmp_path / "prompts"]

"""`Settings`: every option, read once, the same for all who ask."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pytest_autoeval.engine.settings import OPTIONS, Settings
from pytest_autoeval.running.options import settings_of


def test_there_is_a_field_for_each_option() -> None:
    fields = {field.name for field in dataclasses.fields(Settings)}
    assert fields == OPTIONS.keys() | {"model_named", "typed", "folder", "ini_file"}


def test_they_are_frozen_and_read_once(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig("--autoeval-seed=7")
    settings = settings_of(config)
    assert settings is settings_of(config)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.seed = 8  # type: ignore[misc]
    config.option.autoeval_seed = 9
    assert settings_of(config).seed == 7


def test_the_command_line_wins_over_the_ini_file_which_wins_over_defaults(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini(
        "[pytest]\nautoeval_seed = 3\nautoeval_repeats = 4\nautoeval_samples = 5\nautoeval_dataset =\n    a.csv\n"
    )
    below = pytester.mkdir("below")
    monkeypatch.chdir(below)
    settings = settings_of(pytester.parseconfig("-c", "../tox.ini", "--autoeval-seed=2", "--autoeval-html=page.html"))
    assert (settings.seed, settings.repeats, settings.alpha) == (2, 4, 0.05)
    assert [settings.over_marker("samples", marked) for marked in (7, None)] == [7, 5]
    assert settings.dataset == (pytester.path / "a.csv",)
    assert settings.html == Path(below / "page.html")
    assert dict(settings.typed) == {"seed": 2, "html": Path("page.html")}
    assert settings.origin("seed") == "--autoeval-seed"
    assert settings.origin("repeats") == "tox.ini: autoeval_repeats"

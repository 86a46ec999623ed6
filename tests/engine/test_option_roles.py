"""What an option declares about itself is found by resume, parts, reproduce commands, reports and checks."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_autoeval.engine import given_settings as options
from pytest_autoeval.engine.given_settings import settings_from
from pytest_autoeval.engine.option_values import Option, option
from pytest_autoeval.engine.parts_of_run import settings_digest
from pytest_autoeval.engine.reproducing import options_of
from pytest_autoeval.engine.settings import OPTIONS, Settings, names_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.run_folder import asks_of
from pytest_autoeval.running.settings_checks import _check_together


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class More(Settings):
    """The settings of a release with one more option."""

    mood: str = option(
        "how to ask",
        default="plain",
        asks="what",
        reproduces=True,
        judges="run",
        excludes=(("shard", "moods differ"),),
    )


CONFIG: Any = SimpleNamespace(
    invocation_params=SimpleNamespace(dir=Path("here")),
    rootpath=Path("here"),
    args=["tests"],
    option=Namespace(keyword="", markexpr=""),
)


@pytest.fixture(autouse=True)
def one_more_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        OPTIONS, "mood", next(one.metadata["option"] for one in fields(More) if one.name == "mood")
    )
    monkeypatch.setattr(options, "Settings", More)


def given(**values: Any) -> Settings:
    return settings_from({"model": "offline/faithful", **values})


def test_a_run_continues_only_one_with_the_same_value() -> None:
    assert asks_of(CONFIG, given()) == asks_of(CONFIG, given(mood="plain"))
    assert asks_of(CONFIG, given()) != asks_of(CONFIG, given(mood="grand"))
    assert asks_of(CONFIG, given()) != asks_of(CONFIG, given(model="offline/empty"))


def test_the_parts_of_a_run_need_the_same_value_and_may_ask_different_models() -> None:
    assert settings_digest(given()) != settings_digest(given(mood="grand"))
    assert settings_digest(given()) == settings_digest(given(model="offline/empty"))


def test_the_command_that_asks_again_has_it() -> None:
    assert options_of(given(mood="grand", html="page.html")) == ["--autoeval-mood=grand"]


def test_a_report_takes_it() -> None:
    assert names_of(lambda option: option.judges)[-1] == "mood"


def test_it_is_refused_beside_an_option_that_it_excludes() -> None:
    with pytest.raises(AutoevalError, match="mood= cannot be combined with shard=: moods differ"):
        given(mood="grand", shard="1/2")
    together = replace(given(mood="grand"), shard=(1, 2), typed={"mood": "grand", "shard": "1/2"})
    with pytest.raises(
        pytest.UsageError, match="cannot be combined with --autoeval-shard: moods differ"
    ):
        _check_together(together)


def test_an_option_that_is_excluded_exists() -> None:
    known: dict[str, Option] = OPTIONS
    assert {other for one in known.values() for other, _ in one.excludes} <= known.keys()

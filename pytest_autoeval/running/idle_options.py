"""A note for a run that was to ask a model, and has no suite: it is green, although nothing was asked."""

from __future__ import annotations

import pytest

from pytest_autoeval.engine.settings import shown_name
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.run_state import RUN, collected, not_collected

#: A plain test that calls `assert_equivalent` uses it.
_USED_WITHOUT_SUITES = "verify_timeout"


def idle_options(config: pytest.Config) -> str:
    """The note, or an empty text. Options in `addopts` stand there for every run, so they call for none."""
    if RUN in config.stash or collected(config) or not_collected(config):
        return ""
    if config.option.collectonly or config.option.autoeval_plan:
        return ""
    typed = _typed_option(config)
    if not typed:
        return ""
    from_testpaths = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    searched = (
        f"; pytest searched only {', '.join(config.args)} (testpaths)" if from_testpaths else ""
    )
    return f"autoeval: no suite was collected, so {typed} had no effect and nothing was asked{searched}"


def _typed_option(config: pytest.Config) -> str:
    """The first option of ours among the words of the command line."""
    names = {shown_name(option) for option in settings_of(config).typed}
    names.discard(shown_name(_USED_WITHOUT_SUITES))
    for argument in config.invocation_params.args:
        word = str(argument).partition("=")[0]
        if word in names:
            return word
    return ""

"""An option, ini key, marker keyword or prompt key of an earlier release says what to do instead."""

from __future__ import annotations

import pytest

from pytest_autoeval import removed
from pytest_autoeval.engine.given_settings import settings_from
from pytest_autoeval.engine.marker_keywords import KEYWORDS
from pytest_autoeval.engine.settings import OPTIONS
from pytest_autoeval.engine.suite import MarkerError, read_test
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.options import ACTIONS

from .conftest import Run, Suite, said

#: Every removed name, by its kind.
REMOVED_OPTIONS = ("adaptive", "hops", "keep_counterexamples", "precision", "reask")
REMOVED_KEYWORDS = ("horizon",)


def test_the_table_has_these_names_and_none_that_exists() -> None:
    assert set(removed.OPTIONS) == set(REMOVED_OPTIONS)
    assert set(removed.KEYWORDS) == set(REMOVED_KEYWORDS)
    assert removed.OPTIONS.keys().isdisjoint((*OPTIONS, *ACTIONS))
    assert removed.KEYWORDS.keys().isdisjoint(KEYWORDS)


@pytest.mark.parametrize("name", REMOVED_OPTIONS)
def test_a_removed_option_ends_pytest_with_one_sentence(run: Run, suite: Suite, name: str) -> None:
    suite()
    for typed in (f"--autoeval-{name.replace('_', '-')}", f"--autoeval-{name.replace('_', '-')}=1"):
        result = run(typed)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert f"{removed.removed_option(name)}" in " ".join(said(result).split())


@pytest.mark.parametrize("name", REMOVED_OPTIONS)
def test_its_ini_key_and_the_keyword_of_run_suites_say_the_same(
    pytester: pytest.Pytester, run: Run, suite: Suite, name: str
) -> None:
    suite()
    pytester.makeini(f"[pytest]\nautoeval_{name} = 1\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"tox.ini: {removed.removed_ini_key(name)}" in " ".join(said(result).split())
    with pytest.raises(AutoevalError, match="was removed in release"):
        settings_from({name: "1"})


@pytest.mark.parametrize("name", REMOVED_KEYWORDS)
def test_a_removed_keyword_of_the_marker_says_what_to_do(name: str) -> None:
    with pytest.raises(MarkerError, match=f"the marker keyword {name} was removed in release"):
        read_test("propositional", {name: 1})


def test_a_removed_key_of_a_prompt_file_says_what_to_do(
    pytester: pytest.Pytester, run: Run, suite: Suite
) -> None:
    suite()
    folder = pytester.path / "prompts" / "informalize"
    folder.mkdir(parents=True)
    folder.joinpath("propositional.toml").write_text(
        'user = "${formula}"\nreask = "Answer."\n', "utf-8"
    )
    result = run("--autoeval-prompts=prompts")
    assert "the key reask was removed in release" in " ".join(said(result).split())

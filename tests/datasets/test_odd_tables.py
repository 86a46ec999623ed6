"""Damaged and odd data files: each is read, or refused by an error of ours, in `check` and in what a run reads.

`AUTOEVAL_ODD_TABLES=500` tries so many files instead of 60.
"""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import pytest
from support.odd_tables import FILES, odd_file

from pytest_autoeval.datasets.catalogue import (
    check_users_file,
    data_set_names,
    file_problems,
    takes_files,
)
from pytest_autoeval.datasets.columns import Columns
from pytest_autoeval.engine.drawn_samples import draw
from pytest_autoeval.engine.formula_files import refuse_two_languages
from pytest_autoeval.engine.given_settings import settings_from
from pytest_autoeval.engine.suite import Suite, read_test
from pytest_autoeval.engine.suites_of_test import suites_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running import check_command

GRAMMARS = ("propositional", "first_order", "regex", "ltl")


def read_as_a_run(path: Path, columns: Columns) -> None:
    """Reads a file as collection does, for every data set and for round trips, and draws all samples."""
    check_users_file(path, columns)
    settings = settings_from({"dataset": (str(path),), "columns": dict(columns) or None})
    suites: list[Suite] = []
    for source in (*GRAMMARS, *filter(takes_files, data_set_names())):
        made = suites_of(read_test(source, {}), settings, reads=True)
        suites += [
            suite for suite in made if isinstance(suite, Suite) and suite.source.is_users_data
        ]
    file_problems([path], columns)
    refuse_two_languages(suites)
    for suite in suites:
        # A model would list their names first.
        if not suite.source.name.startswith("the data set sentences"):
            draw(suite, settings)


@pytest.mark.parametrize("block", range(0, FILES, 20))
def test_an_odd_file_is_read_or_refused_by_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.chdir(tmp_path)
    refusals: list[str] = []
    for number in range(block, min(block + 20, FILES)):
        path = odd_file(number, tmp_path)
        columns: Columns = (("sentence", "NL"), ("formula", "FOL")) if number % 7 == 0 else ()
        named = ["--columns=sentence=NL,formula=FOL"] if columns else []
        for work in (
            partial(check_command.main, [str(path), "--candidates=2", *named]),
            partial(read_as_a_run, path, columns),
        ):
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                try:
                    work()
                except AutoevalError as problem:
                    refusals.append(str(problem))
    assert refusals  # some of twenty files are of no use
    assert all(refusals)

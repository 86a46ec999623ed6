"""How many samples the collected suites have, for `--collect-only`: nothing is asked, and no formula is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pytest_autoeval.engine.drawn_samples import draw
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.sources import DataSetSource
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.suite_collection import suite_of
from pytest_autoeval.text import count


def show_collected(session: pytest.Session) -> None:
    """Prints the number of samples of each suite, and of all; with ``-q`` of all alone."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    suites = [suite for item in session.items if (suite := suite_of(item)) is not None]
    if terminal is None or not suites:
        return
    settings = settings_of(session.config)
    brief = session.config.get_verbosity() < 0
    if not brief:
        terminal.section("autoeval")
    for line in _lines(suites, settings, brief=brief):
        terminal.write_line(line)


def _lines(suites: Sequence[Suite], settings: Settings, *, brief: bool) -> Iterator[str]:
    numbers = [_samples(suite, settings) for suite in suites]
    if brief:
        # The lines of ids end here, for whoever reads them.
        yield ""
    else:
        yield f"{'samples':>8}  suite"
        for suite, number in zip(suites, numbers, strict=True):
            # Without its data file, a suite is skipped.
            samples = "no data" if number is None else f"{number:,}"
            yield f"{samples:>8}  {named(suite.name, suite.target.model)}"
    total = sum(number or 0 for number in numbers)
    # A grammar may have fewer formulas of a small size than are wanted.
    yield (
        f"autoeval: at most {count(total, 'sample')} in {count(len(suites), 'suite')}; "
        "--autoeval-plan shows calls and cost"
    )


def _samples(suite: Suite, settings: Settings) -> int | None:
    """The samples of a suite, at most; None if they cannot be read."""
    times = settings.times_asked * (settings.paraphrases_of(suite.task) + 1)
    number = suite.samples or suite.source.default_count
    if settings.formula or not (number or isinstance(suite.source, DataSetSource)):
        try:
            samples, _ = draw(suite, settings)
        except AutoevalError:
            return None
        return len(samples) * times
    if isinstance(suite.source, DataSetSource) and suite.source.dataset.sizes is not None:
        counts = [suite.source.dataset.most_items(size) for size in suite.sizes]
        return sum(min(number or of_size, of_size) for of_size in counts) * times
    assert number is not None
    return len(suite.sizes) * number * times

"""The refusal of a run before its tests, if its options leave nothing that could run."""

from __future__ import annotations

import pytest

from pytest_autoeval.engine.drawn_samples import typed_samples
from pytest_autoeval.engine.events import SuiteLeftOut
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import LeftOutError, Suite
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.left_out import refuse_useless
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.suite_collection import function_of, suite_of, target_of


def refuse_before_tests(session: pytest.Session) -> None:
    """Raises :class:`pytest.UsageError` if no suite can use the formulas of the command line, or if no test can run.

    Refused only at the end of the run, such suites would count as skipped, and all other tests would run in vain.
    """
    settings = settings_of(session.config)
    events = []
    for item in session.items:
        target, suite = target_of(item), suite_of(item)
        why_left_out = None if target is None else target.left_out
        if suite is not None:
            why_left_out = _unusable_formulas(suite, settings)
        # Formulas are typed for suites. Any other test would run without them too.
        elif why_left_out is None and settings.formula:
            continue
        if why_left_out is None:
            return
        event = SuiteLeftOut(
            test=item.nodeid,
            function=function_of(item),
            obstacle=why_left_out.obstacle,
            reason=str(why_left_out),
        )
        events.append(event)
    refuse_useless(session.config, events, ())


def _unusable_formulas(suite: Suite, settings: Settings) -> LeftOutError | None:
    """Why a suite is left out because of the formulas of the command line; None if it may run."""
    # With a preparation, a suite can read its formulas only after it has asked a model.
    if not settings.formula or suite.source.preparation:
        return None
    try:
        typed_samples(suite, settings)
    except LeftOutError as why:
        return why
    except AutoevalError:  # the suite shows this problem of its own when it runs
        return None
    return None
